// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace sanscope {

// The Python that runs our scripts: what the environment variable SANSCOPE_PYTHON names, else `python3`, looked up on the PATH
// by whoever starts it.
std::string python_program();

}  // namespace sanscope
