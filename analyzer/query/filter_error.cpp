// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/filter_error.h"

#include <algorithm>

namespace sanscope {
namespace {

bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

size_t characters(std::string_view text) {
    return static_cast<size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

}  // namespace

std::string underlined(std::string_view expression, const FilterError& error) {
    std::string shown(expression);
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
        ' ');
    const size_t before = characters(expression.substr(0, error.position));
    const size_t under = characters(expression.substr(error.position, error.length));
    return "  " + shown + "\n  " + std::string(before, ' ') + std::string(std::max<size_t>(under, 1), '^') +
           "\n";
}

}  // namespace sanscope
