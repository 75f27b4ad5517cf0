// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace sanscope {

// Writes text for people, as cleaned_text() has it: whatever is put together of names, messages and packets of others holds no
// control sequence when it reaches a terminal. The one way by which messages are printed.
void write_text(std::FILE* file, std::string_view text);

template <class... Arguments>
void print_text(std::FILE* file, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write_text(file, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace sanscope
