// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/export/testing/grid_table.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/query/select.h"

namespace sanscope::test {

// A small table with a column of each meaning, for tests and the fuzzer.

constexpr int64_t half_past_second_ns = 1'795'259'301'500'000'000;  // 2026-11-21 11:08:21.5 UTC

inline std::vector<ColumnInfo> shelf_columns() {
    return {{"id", ColumnType::unsigned_integer, "Number of the thing"},
            {"place", ColumnType::integer, "Where it lies"},
            {"size", ColumnType::unsigned_integer, "Its size, bytes"},
            {"least_size", ColumnType::unsigned_integer, "The least it could have, bytes"},
            {"wait_ns", ColumnType::integer, "From order to delivery, nanoseconds"},
            {"start_ns", ColumnType::integer, "Time of the order, nanoseconds since the epoch"},
            {"end_ns", ColumnType::integer, "Time of the delivery, nanoseconds since the epoch"},
            {"code", ColumnType::text, "What it is, 0x and 2 hexadecimal digits"},
            {"label", ColumnType::text, "What it is called"},
            {"alias", ColumnType::text, "What it is called besides"},
            {"state", ColumnType::text, "State: Open, Shut or alias"},
            {"sold", ColumnType::boolean, "Whether it is sold"},
            {"paid", ColumnType::boolean, "Whether it is paid for"}};
}

// Row 2 is all unknown; row 3 has the extremes.
inline GridTable shelf() {
    constexpr int64_t ms = 1'000'000;
    const auto n = nothing();
    return {
        shelf_columns(),
        {{number_cell(uint64_t{1}), number_cell(int64_t{-512}), number_cell(uint64_t{4096}),
          number_cell(uint64_t{4096}), number_cell(10 * ms), number_cell(half_past_second_ns),
          number_cell(half_past_second_ns + 10 * ms), text_cell("0x28"), text_cell("READ(10)"),
          text_cell("192.0.2.1:3260"), text_cell("Open"), number_cell(true), number_cell(true)},
         {number_cell(uint64_t{2}), number_cell(int64_t{0}), number_cell(uint64_t{65536}),
          number_cell(uint64_t{512}), number_cell(3 * ms / 2), number_cell(half_past_second_ns + 1000 * ms),
          number_cell(half_past_second_ns), text_cell("0x2a"), text_cell("WRITE(10)"), text_cell("WRITE(10)"),
          text_cell("Shut"), number_cell(false), number_cell(true)},
         {n, n, n, n, n, n, n, n, n, n, n, n, n},
         {number_cell(std::numeric_limits<uint64_t>::max()), number_cell(std::numeric_limits<int64_t>::max()),
          number_cell(uint64_t{0}), number_cell(uint64_t{1}), number_cell(int64_t{-1}),
          number_cell(int64_t{0}), number_cell(std::numeric_limits<int64_t>::min()), text_cell("0x00"),
          text_cell("a \"b\"\\ \u00c4"), text_cell("5"), text_cell("alias"), number_cell(false),
          number_cell(false)}}};
}

// The numbers of the rows selected, as in "0 3"; an error as "!position+length message".
inline std::string rows_where(const std::string& expression, const Table& table) {
    auto compiled = RowFilter::compile(expression, "shelf", table.columns());
    if (const auto* error = std::get_if<FilterError>(&compiled)) {
        return "!" + std::to_string(error->position) + "+" + std::to_string(error->length) + " " +
               error->message;
    }
    std::vector<size_t> rows;
    select(std::get<RowFilter>(compiled), table, 0, table.rows(), rows);
    std::string text;
    for (const size_t row : rows) text += (text.empty() ? "" : " ") + std::to_string(row);
    return text;
}

}  // namespace sanscope::test
