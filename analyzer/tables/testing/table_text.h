// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "analyzer/store/chunked_rows.h"
#include "analyzer/tables/table.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Tables as text, for tests.

inline std::string text_of(const Cell& cell) {
    switch (cell.kind) {
        case Cell::Kind::empty:
            return "";
        case Cell::Kind::integer:
            return std::to_string(cell.integer);
        case Cell::Kind::unsigned_integer:
            return std::to_string(cell.unsigned_integer);
        case Cell::Kind::text:
            return std::string(cell.text);
        case Cell::Kind::boolean:
            return cell.boolean ? "true" : "false";
    }
    return "?";
}

// The cells by the names of their columns.
inline std::map<std::string, std::string> row_of(const Table& table, size_t row) {
    std::map<std::string, std::string> cells;
    for (size_t column = 0; column < table.columns().size(); column++) {
        Cell cell;
        table.cell(row, column, cell);
        cells[std::string(table.columns()[column].name)] = text_of(cell);
    }
    return cells;
}

// The names of the cells that are not empty, in alphabetical order.
inline std::vector<std::string> known_cells(const Table& table, size_t row) {
    std::vector<std::string> names;
    for (const auto& [name, text] : row_of(table, row)) {
        if (!text.empty()) names.push_back(name);
    }
    return names;
}

inline Endpoint v4_endpoint(std::array<uint8_t, 4> address, uint16_t port) {
    return {IpAddress::from_v4(address.data()), port};
}

// Two of them: number 1 of other addresses, number 2 from 192.0.2.1:40000, the initiator, to 192.0.2.2:3260.
inline void add_two_connections(ChunkedRows<ConnectionRow>& connections, Side initiator) {
    connections.append({});
    ConnectionRow& connection = connections.append({});
    connection.initiator = v4_endpoint({192, 0, 2, 1}, 40000);
    connection.target = v4_endpoint({192, 0, 2, 2}, 3260);
    connection.initiator_side = initiator;
}

}  // namespace sanscope
