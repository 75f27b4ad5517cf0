// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/row_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "analyzer/query/parser.h"
#include "analyzer/query/pattern.h"
#include "analyzer/query/program.h"

namespace sanscope {
namespace {

// Appends the tests of `node` and answers the first of them; the tests that follow are there before, so that the whole
// is made from the end backwards. As deep as the parser lets expressions be.
uint32_t generate(const Node& node, uint32_t if_passed, uint32_t if_failed, Program& program) {
    switch (node.kind) {
        case Node::Kind::test:
            if (node.test.kind == Test::Kind::never) return if_failed;
            program.tests.push_back(node.test);
            program.tests.back().if_passed = if_passed;
            program.tests.back().if_failed = if_failed;
            return static_cast<uint32_t>(program.tests.size() - 1);
        case Node::Kind::negation:
            return generate(node.parts.front(), if_failed, if_passed, program);
        case Node::Kind::all:
        case Node::Kind::any:
            break;
    }
    const bool all = node.kind == Node::Kind::all;
    uint32_t next = all ? if_passed : if_failed;
    for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part) {
        next = all ? generate(*part, next, if_failed, program) : generate(*part, if_passed, next, program);
    }
    return next;
}

bool holds(Comparison comparison, int order) {
    switch (comparison) {
        case Comparison::equal:
            return order == 0;
        case Comparison::not_equal:
            return order != 0;
        case Comparison::less:
            return order < 0;
        case Comparison::less_equal:
            return order <= 0;
        case Comparison::greater:
            return order > 0;
        case Comparison::greater_equal:
            return order >= 0;
    }
    return false;
}

// False where the text, made by the table itself, is no number of up to 16 digits.
bool read_hexadecimal(std::string_view text, uint64_t& value) {
    if (text.size() < 3 || text.size() > 18 || text[0] != '0' || text[1] != 'x') return false;
    uint64_t result = 0;
    for (const char c : text.substr(2)) {
        unsigned digit = 0;
        if (c >= '0' && c <= '9') {
            digit = static_cast<unsigned>(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            digit = static_cast<unsigned>(c - 'a' + 10);
        } else {
            return false;
        }
        result = result << 4 | digit;
    }
    value = result;
    return true;
}

// The number of a cell as 64 bits; `sign_turned` where those are of a signed one. False for an unknown.
bool read_number(const Cell& cell, Test::Number number, uint64_t& value) {
    switch (number) {
        case Test::Number::integer:
            value = static_cast<uint64_t>(cell.integer) ^ sign_bit;
            return cell.kind == Cell::Kind::integer;
        case Test::Number::unsigned_integer:
            value = cell.unsigned_integer;
            return cell.kind == Cell::Kind::unsigned_integer;
        case Test::Number::hexadecimal:
            return cell.kind == Cell::Kind::text && read_hexadecimal(cell.text, value);
        case Test::Number::none:
            return false;
    }
    return false;
}

int compare_numbers(uint64_t a, Test::Number a_kind, uint64_t b, Test::Number b_kind) {
    const bool a_signed = a_kind == Test::Number::integer;
    const bool b_signed = b_kind == Test::Number::integer;
    if (a_signed != b_signed) {
        // The signed one is negative where its turned sign bit is 0.
        const uint64_t signed_one = a_signed ? a : b;
        if ((signed_one & sign_bit) == 0) return a_signed ? -1 : 1;
        (a_signed ? a : b) ^= sign_bit;
    }
    return a < b ? -1 : a > b ? 1 : 0;
}

bool in_ranges(const NumberRanges& ranges, uint64_t value) {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), value,
                                        [](uint64_t v, const auto& range) { return v < range.first; });
    return after != ranges.begin() && value <= std::prev(after)->second;
}

bool in_texts(const TextSet& set, std::string_view text) {
    if (std::binary_search(set.values.begin(), set.values.end(), text,
                           [](std::string_view a, std::string_view b) { return a < b; })) {
        return true;
    }
    return std::any_of(set.ranges.begin(), set.ranges.end(),
                       [&](const auto& range) { return text >= range.first && text <= range.second; });
}

}  // namespace

std::variant<RowFilter, FilterError> RowFilter::compile(std::string_view expression, std::string_view table,
                                                        std::span<const ColumnInfo> columns) {
    auto program = std::make_shared<Program>();
    FilterError error;
    const auto root = parse(expression, table, columns, *program, error);
    if (!root) return error;
    program->entry = generate(*root, Program::accept, Program::reject, *program);
    return RowFilter(std::move(program));
}

// The cells a row's tests have fetched: the last one of each side, so that tests of one column fetch it once.
struct RowTest::Cells {
    static constexpr uint32_t none = 0xffffffff;
    Cell cell;
    uint32_t column = none;
    Cell other;
};

RowTest::RowTest(const RowFilter& filter, const Table& table)
    : program_(filter.program_),
      table_(table),
      matcher_(program_->patterns.empty() ? nullptr : std::make_unique<PatternMatcher>()),
      reach_(program_->tests.size()) {}
RowTest::RowTest(RowTest&&) noexcept = default;
RowTest::~RowTest() = default;

bool RowTest::operator()(size_t row) {
    return outcome(program_->entry, row) == Program::accept;
}

// Of a row that has come to the test: the end to which it comes.
uint32_t RowTest::outcome(uint32_t test, size_t row) {
    Cells cells;
    const Program& program = *program_;
    const size_t ends = program.tests.size();
    while (test < ends) {
        const Test& now = program.tests[test];
        test = passes(now, row, cells) ? now.if_passed : now.if_failed;
    }
    return test;
}

// A number's column of rows behind each other.
struct RowTest::Numbers {
    uint32_t column = Cells::none;
    std::array<uint64_t, most_at_once> values;
    std::array<uint8_t, most_at_once> known;
};

uint64_t RowTest::of_rows(size_t first, size_t count) {
    const Program& program = *program_;
    const uint64_t all = ~uint64_t{0} >> (most_at_once - count);
    uint64_t accepted = program.entry == Program::accept ? all : 0;
    if (program.entry >= program.tests.size()) return accepted;
    reach_[program.entry] = all;
    Numbers numbers;
    // Whatever follows a test stands before it.
    for (uint32_t at = program.entry + 1; at-- > 0;) {
        const uint64_t reach = std::exchange(reach_[at], 0);
        if (reach == 0) continue;
        const Test& test = program.tests[at];
        const bool of_number = (test.kind == Test::Kind::range || test.kind == Test::Kind::number_set) &&
                               test.number != Test::Number::hexadecimal;
        const bool fetched = of_number && numbers.column == test.column;
        const bool most = std::popcount(reach) * 4 >= static_cast<int>(count) * 3;
        if (!fetched && !(most && test.kind < Test::Kind::two_numbers)) {
            for (uint64_t rest = reach; rest != 0; rest &= rest - 1) {
                if (outcome(at, first + static_cast<size_t>(std::countr_zero(rest))) == Program::accept)
                    accepted |= rest & -rest;
            }
            continue;
        }
        if (of_number && !fetched) {
            const NumberSlice slice = {test.column, numbers.values.data(), numbers.known.data()};
            table_.numbers(first, count, {&slice, 1});
            numbers.column = test.column;
        }
        const uint64_t passed =
            of_number ? passing(test, numbers, count) : passing(test, first, count, reach);
        const auto pass_on = [&](uint32_t next, uint64_t rows) {
            if (next < program.tests.size()) {
                reach_[next] |= rows;
            } else if (next == Program::accept) {
                accepted |= rows;
            }
        };
        pass_on(test.if_passed, reach & passed);
        pass_on(test.if_failed, reach & ~passed);
    }
    return accepted;
}

// Of these rows, those in `reach`.
uint64_t RowTest::passing(const Test& test, size_t first, size_t count, uint64_t reach) {
    std::array<Cell, most_at_once> cells;
    table_.cells(test.column, first, std::span(cells).first(count));
    uint64_t passed = 0;
    for (uint64_t rest = reach; rest != 0; rest &= rest - 1) {
        if (passes(test, cells[static_cast<size_t>(std::countr_zero(rest))])) passed |= rest & -rest;
    }
    return passed;
}

// Of the first `count`.
uint64_t RowTest::passing(const Test& test, const Numbers& numbers, size_t count) const {
    const uint64_t turned = test.number == Test::Number::integer ? sign_bit : 0;
    uint64_t passed = 0;
    const auto each = [&](auto in) {
        for (size_t i = 0; i < count; ++i) {
            const bool passes = numbers.known[i] != 0 && in(numbers.values[i] ^ turned) != test.negated;
            passed |= uint64_t{passes} << i;
        }
    };
    if (test.kind == Test::Kind::range) {
        each([&](uint64_t value) { return value - test.low <= test.span; });
    } else {
        const NumberRanges& ranges = program_->number_sets[test.operand];
        each([&](uint64_t value) { return in_ranges(ranges, value); });
    }
    return passed;
}

bool RowTest::passes(const Test& test, size_t row, Cells& cells) {
    Cell& cell = cells.cell;
    if (cells.column != test.column) {
        table_.cell(row, test.column, cell);
        cells.column = test.column;
    }
    if (test.kind < Test::Kind::two_numbers) return passes(test, cell);
    if (cell.kind == Cell::Kind::empty) return false;
    Cell& other = cells.other;
    table_.cell(row, test.other, other);
    uint64_t value = 0;
    uint64_t other_value = 0;
    switch (test.kind) {
        case Test::Kind::two_numbers:
            return read_number(cell, test.number, value) &&
                   read_number(other, test.other_number, other_value) &&
                   holds(test.comparison,
                         compare_numbers(value, test.number, other_value, test.other_number));
        case Test::Kind::two_texts:
            return cell.kind == Cell::Kind::text && other.kind == Cell::Kind::text &&
                   holds(test.comparison, cell.text.compare(other.text));
        case Test::Kind::two_booleans:
            return cell.kind == Cell::Kind::boolean && other.kind == Cell::Kind::boolean &&
                   holds(test.comparison, int{cell.boolean} - int{other.boolean});
        default:
            return false;
    }
}

// A test of this cell alone.
bool RowTest::passes(const Test& test, const Cell& cell) {
    if (cell.kind == Cell::Kind::empty) return false;
    uint64_t value = 0;
    switch (test.kind) {
        case Test::Kind::never:
            return false;
        case Test::Kind::known:
            return true;
        case Test::Kind::boolean:
            return cell.kind == Cell::Kind::boolean && cell.boolean == (test.low != 0);
        case Test::Kind::range:
            return read_number(cell, test.number, value) && (value - test.low <= test.span) != test.negated;
        case Test::Kind::number_set:
            return read_number(cell, test.number, value) &&
                   in_ranges(program_->number_sets[test.operand], value) != test.negated;
        case Test::Kind::text: {
            if (cell.kind != Cell::Kind::text) return false;
            const std::string_view text = program_->texts[test.operand];
            if (test.comparison == Comparison::equal) return cell.text == text;
            return holds(test.comparison, cell.text.compare(text));
        }
        case Test::Kind::text_set:
            return cell.kind == Cell::Kind::text && in_texts(program_->text_sets[test.operand], cell.text);
        case Test::Kind::contains:
            return cell.kind == Cell::Kind::text &&
                   cell.text.find(program_->texts[test.operand]) != std::string_view::npos;
        case Test::Kind::matches: {
            if (cell.kind != Cell::Kind::text) return false;
            const PatternMatcher::Answer answer = matcher_->find(program_->patterns[test.operand], cell.text);
            if (answer == PatternMatcher::Answer::gave_up) given_up_++;
            return answer == PatternMatcher::Answer::yes;
        }
        default:
            return false;
    }
}

}  // namespace sanscope
