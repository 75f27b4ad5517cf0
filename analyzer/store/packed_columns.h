// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A value of a row as a whole number that keeps the order, and is zero where the value is what rows.h has for unknown or none:
// the least for times, the greatest for 32 bits, zero for 64 bits and row numbers.
template <class Value>
struct PackedValue {
    static constexpr uint64_t packed(Value value) {
        if constexpr (std::is_enum_v<Value> || std::is_same_v<Value, bool>) {
            return static_cast<uint64_t>(value);
        } else if constexpr (std::is_same_v<Value, int64_t>) {
            return static_cast<uint64_t>(value) ^ sign;
        } else if constexpr (std::is_same_v<Value, uint32_t>) {
            return static_cast<uint32_t>(value + 1);
        } else {
            static_assert(std::is_unsigned_v<Value>);
            return value;
        }
    }
    static constexpr Value value(uint64_t packed) {
        if constexpr (std::is_same_v<Value, int64_t>) {
            return static_cast<int64_t>(packed ^ sign);
        } else if constexpr (std::is_same_v<Value, uint32_t>) {
            return static_cast<uint32_t>(packed) - 1;
        } else {
            return static_cast<Value>(packed);
        }
    }

  private:
    static constexpr uint64_t sign = uint64_t{1} << 63;
};
template <class Row, class Number>
struct PackedValue<RowNumber<Row, Number>> {
    static constexpr uint64_t packed(RowNumber<Row, Number> number) { return number.value(); }
    static constexpr RowNumber<Row, Number> value(uint64_t packed) { return static_cast<Number>(packed); }
};

template <class Member>
struct MemberOf;
template <class OfRow, class OfValue>
struct MemberOf<OfValue OfRow::*> {
    using Row = OfRow;
    using Value = OfValue;
};

// A column of its own.
template <auto member>
struct PackedField {
    using Row = typename MemberOf<decltype(member)>::Row;
    using Value = typename MemberOf<decltype(member)>::Value;
    static constexpr size_t bytes = sizeof(Value);

    template <class Other>
    static constexpr bool is(Other Row::*other) {
        if constexpr (std::is_same_v<Other, Value>) return other == member;
        return false;
    }
    static Value value_of(uint64_t packed) { return PackedValue<Value>::value(packed); }
    static uint64_t get(const Row& row) { return PackedValue<Value>::packed(row.*member); }
    static void set(Row& row, uint64_t packed) { row.*member = value_of(packed); }
};

// A sequence number, as what it is ahead of another one, whose column comes first.
template <auto member, auto behind>
struct PackedDistance {
    using Row = typename MemberOf<decltype(member)>::Row;
    static_assert(std::is_same_v<typename MemberOf<decltype(member)>::Value, uint32_t>);
    static constexpr size_t bytes = sizeof(uint32_t);

    template <class Other>
    static constexpr bool is(Other Row::*) {
        return false;
    }
    static uint64_t get(const Row& row) { return row.*member - row.*behind; }
    static void set(Row& row, uint64_t packed) { row.*member = row.*behind + static_cast<uint32_t>(packed); }
};

// `Columns`: a tuple of these that has every member of the row once, in any order.
template <class Row>
struct PackedColumns;

template <class Row>
struct IsPacked : std::false_type {};
template <class Row>
requires requires {
    typename PackedColumns<Row>::Columns;
}
struct IsPacked<Row> : std::true_type {};

// No member is forgotten: what the columns have not is less than what pads the row.
template <class Row, class... Column>
constexpr bool are_complete(std::type_identity<std::tuple<Column...>>) {
    const size_t bytes = (Column::bytes + ...);
    return bytes <= sizeof(Row) && sizeof(Row) - bytes < alignof(Row);
}

template <>
struct PackedColumns<WindowRow> {
    using Columns =
        std::tuple<PackedField<&WindowRow::packet>, PackedField<&WindowRow::time_ns>,
                   PackedField<&WindowRow::srtt_ns>, PackedField<&WindowRow::connection>,
                   PackedField<&WindowRow::snd_una>, PackedDistance<&WindowRow::snd_nxt, &WindowRow::snd_una>,
                   PackedField<&WindowRow::in_flight>, PackedField<&WindowRow::cwnd>,
                   PackedField<&WindowRow::cwnd_low>, PackedField<&WindowRow::cwnd_high>,
                   PackedField<&WindowRow::ssthresh>, PackedField<&WindowRow::advertised_window>,
                   PackedField<&WindowRow::ca_state>, PackedField<&WindowRow::limit>,
                   PackedField<&WindowRow::sender>, PackedField<&WindowRow::ca_state_known>>;
    static_assert(are_complete<WindowRow>(std::type_identity<Columns>()));
};

template <>
struct PackedColumns<SegmentRow> {
    using Columns = std::tuple<PackedField<&SegmentRow::connection>, PackedField<&SegmentRow::seq>,
                               PackedField<&SegmentRow::ack>, PackedField<&SegmentRow::payload_length>,
                               PackedField<&SegmentRow::window>, PackedField<&SegmentRow::flags>,
                               PackedField<&SegmentRow::sender>>;
    static_assert(are_complete<SegmentRow>(std::type_identity<Columns>()));
};

template <>
struct PackedColumns<PduRow> {
    using Columns =
        std::tuple<PackedField<&PduRow::first_packet>, PackedField<&PduRow::last_packet>,
                   PackedField<&PduRow::time_ns>, PackedField<&PduRow::bhs_offset>,
                   PackedField<&PduRow::command>, PackedField<&PduRow::connection>, PackedField<&PduRow::itt>,
                   PackedField<&PduRow::data_length>, PackedField<&PduRow::opcode>,
                   PackedField<&PduRow::sender>, PackedField<&PduRow::final>, PackedField<&PduRow::itt_known>,
                   PackedField<&PduRow::inferred>, PackedField<&PduRow::damaged>,
                   PackedField<&PduRow::header_digest>, PackedField<&PduRow::data_digest>>;
    static_assert(are_complete<PduRow>(std::type_identity<Columns>()));
};

}  // namespace sanscope
