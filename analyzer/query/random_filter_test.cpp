// SPDX-License-Identifier: GPL-3.0-or-later
// Random expressions, each judged by the filter and by functions put together while it was written.
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analyzer/query/testing/shelf_table.h"

namespace sanscope {
namespace {

struct Thing {
    std::optional<uint64_t> count;
    std::optional<int64_t> balance;
    std::optional<uint64_t> code;
    std::optional<std::string> label;
    std::optional<bool> sold;
};

class ThingTable final : public Table {
  public:
    explicit ThingTable(std::vector<Thing> things) : things_(std::move(things)) {}
    std::string_view name() const override { return "things"; }
    std::span<const ColumnInfo> columns() const override { return columns_; }
    size_t rows() const override { return things_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        const Thing& thing = things_[row];
        const auto set = [&](const auto& value) { value ? cell.set(*value) : cell.set_empty(); };
        switch (column) {
            case 0:
                return set(thing.count);
            case 1:
                return set(thing.balance);
            case 2:
                if (!thing.code) return cell.set_empty();
                cell.buffer[0] = '0';
                cell.buffer[1] = 'x';
                cell.buffer[2] = static_cast<char>('0' + *thing.code);
                return cell.set(std::string_view(cell.buffer, 3));
            case 3:
                if (!thing.label) return cell.set_empty();
                return cell.set(std::string_view(*thing.label));
            default:
                return set(thing.sold);
        }
    }
    const Thing& operator[](size_t row) const { return things_[row]; }

  private:
    std::vector<Thing> things_;
    std::vector<ColumnInfo> columns_ = {{"count", ColumnType::unsigned_integer, ""},
                                        {"balance", ColumnType::integer, ""},
                                        {"code", ColumnType::text, "0x and 1 hexadecimal digits"},
                                        {"label", ColumnType::text, ""},
                                        {"sold", ColumnType::boolean, ""}};
};

struct Expression {
    std::string text;
    std::function<bool(const Thing&)> holds;
};

class Writer {
  public:
    explicit Writer(unsigned seed) : random_(seed) {}

    Thing thing() {
        Thing thing;
        if (!chance(5)) thing.count = static_cast<uint64_t>(below(5));
        if (!chance(5)) thing.balance = below(7) - 3;
        if (!chance(5)) thing.code = static_cast<uint64_t>(below(8));
        if (!chance(5)) thing.label = text();
        if (!chance(5)) thing.sold = chance(2);
        return thing;
    }

    // Of conditions joined by `or`; in parentheses wherever it is nested.
    Expression any(int depth) { return joined(depth, {" or ", " || "}, false, &Writer::all); }

  private:
    int below(int end) { return std::uniform_int_distribution(0, end - 1)(random_); }
    bool chance(int of) { return below(of) == 0; }
    template <class T>
    const T& one_of(const std::vector<T>& choices) {
        return choices[static_cast<size_t>(below(static_cast<int>(choices.size())))];
    }
    std::string text() { return one_of<std::string>({"a", "ab", "b", "ba", "c"}); }

    Expression all(int depth) { return joined(depth, {" and ", "&&"}, true, &Writer::maybe_not); }

    Expression joined(int depth, const std::vector<std::string>& signs, bool identity,
                      Expression (Writer::*part)(int)) {
        Expression whole = (this->*part)(depth);
        for (int more = below(3); more > 0; more--) {
            const Expression next = (this->*part)(depth);
            whole.text += one_of(signs) + next.text;
            whole.holds = [a = whole.holds, b = next.holds, identity](const Thing& thing) {
                return identity ? a(thing) && b(thing) : a(thing) || b(thing);
            };
        }
        return whole;
    }

    Expression maybe_not(int depth) {
        const bool nested = depth > 0 && chance(3);
        Expression part = nested ? any(depth - 1) : condition();
        if (nested || chance(4)) part.text = "(" + part.text + ")";
        if (!chance(3)) return part;
        return {one_of<std::string>({"not ", "!"}) + part.text,
                [inner = part.holds](const Thing& thing) { return !inner(thing); }};
    }

    template <class T>
    static bool compare(const T& a, const std::string& sign, const T& b) {
        if (sign == "==" || sign == "eq") return a == b;
        if (sign == "!=" || sign == "ne") return a != b;
        if (sign == "<" || sign == "lt") return a < b;
        if (sign == "<=" || sign == "le") return a <= b;
        if (sign == ">" || sign == "gt") return a > b;
        return a >= b;
    }
    std::string sign() {
        return one_of<std::string>({"==", "eq", "!=", "ne", "<", "lt", "<=", "le", ">", "gt", ">=", "ge"});
    }

    template <class T, class Literal>
    Expression compared(const std::string& name, std::optional<T> Thing::*member, T value, Literal literal) {
        switch (below(4)) {
            case 0:
                return {name, [member](const Thing& thing) { return (thing.*member).has_value(); }};
            case 1: {
                std::vector<std::pair<T, T>> ranges;
                std::string set;
                for (int i = below(3); i >= 0; i--) {
                    T high = value;
                    if constexpr (std::is_arithmetic_v<T>)
                        high = static_cast<T>(value + static_cast<T>(below(3)));
                    set += (set.empty() ? "" : ",") + literal(value);
                    if (high != value) set += ".." + literal(high);
                    ranges.emplace_back(value, high);
                    if constexpr (std::is_arithmetic_v<T>)
                        value = static_cast<T>(value + static_cast<T>(below(3)));
                }
                const bool negated = chance(3);
                return {name + (negated ? " not in {" : " in {") + set + "}", [=](const Thing& thing) {
                            bool in = false;
                            for (const auto& [low, high] : ranges) {
                                in = in ||
                                     (thing.*member && *(thing.*member) >= low && *(thing.*member) <= high);
                            }
                            return in != negated;
                        }};
            }
            default: {
                const std::string s = sign();
                return {name + " " + s + " " + literal(value), [=](const Thing& thing) {
                            return thing.*member && compare(*(thing.*member), s, value);
                        }};
            }
        }
    }

    Expression condition() {
        const auto decimal = [](auto value) { return std::to_string(value); };
        switch (below(8)) {
            case 0:
                return compared<uint64_t>("count", &Thing::count, static_cast<uint64_t>(below(6)), decimal);
            case 1:
                return compared<int64_t>("balance", &Thing::balance, below(9) - 4, decimal);
            case 2:
                return compared<uint64_t>("code", &Thing::code, static_cast<uint64_t>(below(8)),
                                          [](uint64_t value) { return "0x0" + std::to_string(value); });
            case 3:
                return compared<std::string>("label", &Thing::label, text(),
                                             [](const std::string& value) { return "\"" + value + "\""; });
            case 4: {
                const std::string part = text();
                return {"label contains " + part, [part](const Thing& thing) {
                            return thing.label && thing.label->find(part) != std::string::npos;
                        }};
            }
            case 5: {
                const std::string part = text();
                return {"label matches \"^" + part + "\"",
                        [part](const Thing& thing) { return thing.label && thing.label->starts_with(part); }};
            }
            case 6: {
                const std::string s = sign();
                return {"count " + s + " balance", [s](const Thing& thing) {
                            return thing.count && thing.balance &&
                                   compare(static_cast<int64_t>(*thing.count), s, *thing.balance);
                        }};
            }
            default: {
                const bool value = chance(2);
                if (chance(2)) return {"sold", [](const Thing& thing) { return thing.sold.value_or(false); }};
                return {std::string("sold ") + (value ? "!= true" : "== true"),
                        [value](const Thing& thing) { return thing.sold && *thing.sold != value; }};
            }
        }
    }

    std::mt19937 random_;
};

TEST(RandomFilter, selects_what_its_conditions_say) {
    Writer writer(20261121);
    std::vector<Thing> things;
    for (int i = 0; i < 60; i++) things.push_back(writer.thing());
    const ThingTable table(things);
    size_t selected = 0;
    size_t judged = 0;
    for (int i = 0; i < 4000; i++) {
        const Expression expression = writer.any(3);
        auto compiled = RowFilter::compile(expression.text, "things", table.columns());
        ASSERT_TRUE(std::holds_alternative<RowFilter>(compiled))
            << expression.text << ": " << std::get<FilterError>(compiled).message;
        RowTest test(std::get<RowFilter>(compiled), table);
        const uint64_t of_rows = test.of_rows(0, table.rows());
        ASSERT_EQ(test.of_rows(7, 20), of_rows >> 7 & ((1U << 20) - 1)) << expression.text;
        for (size_t row = 0; row < table.rows(); row++) {
            const bool expected = expression.holds(table[row]);
            ASSERT_EQ(test(row), expected) << expression.text << " of row " << row;
            ASSERT_EQ((of_rows >> row & 1) != 0, expected) << expression.text << " of row " << row;
            judged++;
            selected += expected ? 1 : 0;
        }
    }
    // Both outcomes are common.
    EXPECT_GT(selected, judged / 5);
    EXPECT_LT(selected, judged * 4 / 5);
}

}  // namespace
}  // namespace sanscope
