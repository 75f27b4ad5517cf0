// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/query/pattern.h"

namespace sanscope {

// What an expression is compiled into: tests of single cells, each of which names the next by its outcome. That makes
// `and`, `or` and `not` free of cost, and a row is judged without recursion however an expression is nested. Inside the
// library only.

enum class Comparison : uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

// Numbers of all kinds of columns as 64 bits that compare unsigned: those of signed columns have their sign bit turned.
constexpr uint64_t sign_bit = uint64_t{1} << 63;

struct Test {
    enum class Kind : uint8_t {
        never,
        known,
        boolean,      // is `low`
        range,        // a number is in [low, low + span]
        number_set,   // … in one of number_sets[operand]
        text,         // compares with texts[operand]
        text_set,     // is in text_sets[operand]
        contains,     // texts[operand]
        matches,      // patterns[operand]
        two_numbers,  // compares with the cell of `other`
        two_texts,
        two_booleans,
    };
    // How a cell becomes a number.
    enum class Number : uint8_t { none, integer, unsigned_integer, hexadecimal };

    Kind kind = Kind::never;
    Comparison comparison = Comparison::equal;
    Number number = Number::none;
    Number other_number = Number::none;
    bool negated = false;  // the opposite, but of an unknown cell: no test but `known` passes for one
    uint32_t column = 0;
    uint32_t other = 0;
    uint32_t operand = 0;
    uint64_t low = 0;
    uint64_t span = 0;

    // The next test, or one of the ends.
    uint32_t if_passed = 0;
    uint32_t if_failed = 0;
};

// Disjoint, in order; both ends included.
using NumberRanges = std::vector<std::pair<uint64_t, uint64_t>>;

struct TextSet {
    std::vector<std::string> values;  // in order
    std::vector<std::pair<std::string, std::string>> ranges;
};

struct Program {
    static constexpr uint32_t accept = 0xffffffff;
    static constexpr uint32_t reject = 0xfffffffe;

    std::vector<Test> tests;
    uint32_t entry = reject;
    std::vector<NumberRanges> number_sets;
    std::vector<std::string> texts;
    std::vector<TextSet> text_sets;
    std::vector<Pattern> patterns;
};

}  // namespace sanscope
