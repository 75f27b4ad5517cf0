// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/json_writer.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "analyzer/export/block_writer.h"
#include "analyzer/export/json_string.h"
#include "analyzer/tables/row_reader.h"

namespace sanscope {
namespace {

void append_cell(const Cell& cell, BlockWriter& out) {
    switch (cell.kind) {
        case Cell::Kind::empty:
            out.append("null");
            break;
        case Cell::Kind::integer: {
            const fmt::format_int digits(cell.integer);
            out.append(std::string_view(digits.data(), digits.size()));
            break;
        }
        case Cell::Kind::unsigned_integer: {
            const fmt::format_int digits(cell.unsigned_integer);
            out.append(std::string_view(digits.data(), digits.size()));
            break;
        }
        case Cell::Kind::text:
            append_json_string(cell.text, out);
            break;
        case Cell::Kind::boolean:
            out.append(cell.boolean ? "true" : "false");
            break;
    }
}

}  // namespace

bool write_json_lines(const Table& table, ByteSink& sink) {
    BlockWriter out(sink);
    std::vector<std::string> before_value;  // what stands between two values: `,"name":`
    for (const ColumnInfo& column : table.columns()) {
        before_value.push_back(fmt::format("{}\"{}\":", before_value.empty() ? '{' : ',', column.name));
    }

    for_each_row(table, [&](std::span<const Cell> cells) {
        for (size_t column = 0; column < before_value.size(); column++) {
            out.append(before_value[column]);
            append_cell(cells[column], out);
        }
        out.append("}\n");
        return out.ok();
    });
    return out.finish();
}

}  // namespace sanscope
