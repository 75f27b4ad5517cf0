// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sanscope {

// What a table prints as a number: rows are counted from 1, and 0 stands for none. Each kind of row has a type of its own, so
// that the number of a session does not pass for that of a connection, and the row is found by row(), never by hand.
template <class Row, std::unsigned_integral Value>
class RowNumber {
  public:
    constexpr RowNumber() = default;
    // From what was counted or read; nothing is cut off.
    template <std::integral Integer>
    requires(sizeof(Integer) <= sizeof(Value) &&
             !std::is_same_v<Integer, bool>) constexpr RowNumber(Integer value)
        : value_(static_cast<Value>(value)) {}
    template <class OtherRow, class OtherValue>
    RowNumber(RowNumber<OtherRow, OtherValue>) = delete;

    constexpr operator Value() const { return value_; }
    constexpr Value value() const { return value_; }
    // Where the row lies among all of them; there must be one.
    constexpr size_t index() const {
        assert(value_ != 0);
        return static_cast<size_t>(value_) - 1;
    }

  private:
    Value value_ = 0;
};

template <class Row, class Value, class OtherRow, class OtherValue>
requires(!std::is_same_v<Row, OtherRow>) bool operator==(RowNumber<Row, Value>,
                                                         RowNumber<OtherRow, OtherValue>) = delete;

struct ConnectionRow;
struct SessionRow;
struct CommandRow;
using ConnectionNumber = RowNumber<ConnectionRow, uint32_t>;
using SessionNumber = RowNumber<SessionRow, uint32_t>;
using CommandNumber = RowNumber<CommandRow, uint64_t>;

// The element at the row's place in a sequence that has one for each row.
template <class Rows, class Row, class Value>
constexpr decltype(auto) row_of(RowNumber<Row, Value> number, Rows& rows) {
    return rows[number.index()];
}

}  // namespace sanscope
