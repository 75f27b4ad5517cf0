// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace sanscope {

// What `sanscope --version` prints: this program and its libraries, then what the recorder and the dissectors' process that it
// would start say of themselves, or why they do not run.
std::string program_versions();

}  // namespace sanscope
