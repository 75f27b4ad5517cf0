// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>

namespace sanscope {

// Adds a line to `text`, and ends it. Blanks at its end are left out: the last column of a table may be empty.
template <class... Args>
void append_line(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
}

}  // namespace sanscope
