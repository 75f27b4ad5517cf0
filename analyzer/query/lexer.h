// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query/filter_error.h"

namespace sanscope {

// A piece of an expression. Words are whatever can stand without quotes: columns, keywords, numbers with their units,
// words of a column, addresses. What a word is, the parser knows.
struct Token {
    enum class Kind : uint8_t {
        word,
        string,
        open,
        close,
        open_set,
        close_set,
        comma,
        range,  // ..
        equal,
        not_equal,
        less,
        less_equal,
        greater,
        greater_equal,
        matches,  // ~
        negation,
        conjunction,
        disjunction,
        end,
    };
    Kind kind;
    size_t position;
    size_t length;
    // A word as it stands, a string without quotes and with its escapes resolved.
    std::string text;
    bool raw = false;  // a string r"…", in which a backslash is a backslash

    size_t end() const { return position + length; }
};

struct Lexed {
    std::vector<Token> tokens;  // up to the error; the last is always `end`
    std::optional<FilterError> error;
};

Lexed lex(std::string_view expression);

}  // namespace sanscope
