// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace sanscope {

// Prints "sanscope: `message`" and a newline to standard error.
void print_error(std::string_view message);

}  // namespace sanscope
