// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sanscope {

// Why an expression is none, and where: bytes [position, position + length) of its text, which lie within it. At the
// end of the text, where something is wanting, the length is 0.
struct FilterError {
    std::string message;  // one sentence without a full stop
    size_t position = 0;
    size_t length = 0;
    // Of a word that is no column: by how many letters the nearest name differs; nothing where none is near.
    std::optional<size_t> edits = {};
};

// The expression and a line with carets under the place, each indented by two blanks and ended by a line break. What a
// terminal might obey, and line breaks, are shown as blanks; an expression is taken to be UTF-8, each character one
// column wide.
std::string underlined(std::string_view expression, const FilterError& error);

}  // namespace sanscope
