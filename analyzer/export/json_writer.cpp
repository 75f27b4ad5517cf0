// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/json_writer.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "analyzer/export/block_writer.h"
#include "analyzer/export/utf8.h"

namespace sanscope {
namespace {

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

void append_escaped(std::string_view text, BlockWriter& out) {
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
        if (length == 0) {
            out.append(utf8_replacement);
        } else if (is_control_character(sequence)) {
            // C0 characters and DEL are one byte; C1 characters have their code in the second.
            out.append(fmt::format("\\u{:04x}", static_cast<unsigned char>(sequence.back())));
        } else {
            if (sequence == "\"" || sequence == "\\") out.append('\\');
            out.append(sequence);
        }
        text.remove_prefix(sequence.size());
    }
}

void append_string(std::string_view text, BlockWriter& out) {
    out.append('"');
    if (is_plain(text)) {
        out.append(text);
    } else {
        append_escaped(text, out);
    }
    out.append('"');
}

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
            append_string(cell.text, out);
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

    Cell cell;
    const size_t rows = table.rows();
    for (size_t row = 0; row < rows && out.ok(); row++) {
        for (size_t column = 0; column < before_value.size(); column++) {
            out.append(before_value[column]);
            table.cell(row, column, cell);
            append_cell(cell, out);
        }
        out.append("}\n");
    }
    return out.finish();
}

}  // namespace sanscope
