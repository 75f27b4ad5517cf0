// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/csv_writer.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>

#include "analyzer/base/utf8.h"
#include "analyzer/export/block_writer.h"
#include "analyzer/tables/row_reader.h"

namespace sanscope {
namespace {

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != ','; });
}

void append_quoted(std::string_view text, BlockWriter& out) {
    out.append('"');
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
        const bool kept = length > 0 && (!is_control_character(sequence) || sequence == "\n" ||
                                         sequence == "\r" || sequence == "\t");
        if (sequence == "\"") out.append('"');
        out.append(kept ? sequence : utf8_replacement);
        text.remove_prefix(sequence.size());
    }
    out.append('"');
}

// What a spreadsheet would take for a formula, which may run a program or fetch a page.
bool begins_formula(std::string_view text) {
    return !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
}

void append_text(std::string_view text, BlockWriter& out) {
    if (is_plain(text)) {
        out.append(text);
    } else {
        append_quoted(text, out);
    }
}

void append_cell(const Cell& cell, bool for_spreadsheet, BlockWriter& out) {
    switch (cell.kind) {
        case Cell::Kind::empty:
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
            if (for_spreadsheet && begins_formula(cell.text)) {
                append_text("'" + std::string(cell.text), out);
            } else {
                append_text(cell.text, out);
            }
            break;
        case Cell::Kind::boolean:
            out.append(cell.boolean ? '1' : '0');
            break;
    }
}

bool write(const Table& table, bool for_spreadsheet, ByteSink& sink) {
    BlockWriter out(sink);
    const size_t columns = table.columns().size();
    for (size_t column = 0; column < columns; column++) {
        if (column > 0) out.append(',');
        append_text(table.columns()[column].name, out);
    }
    out.append('\n');

    for_each_row(table, [&](std::span<const Cell> cells) {
        for (size_t column = 0; column < columns; column++) {
            if (column > 0) out.append(',');
            append_cell(cells[column], for_spreadsheet, out);
        }
        out.append('\n');
        return out.ok();
    });
    return out.finish();
}

}  // namespace

bool write_csv(const Table& table, ByteSink& sink) {
    return write(table, false, sink);
}

bool write_spreadsheet_csv(const Table& table, ByteSink& sink) {
    return write(table, true, sink);
}

}  // namespace sanscope
