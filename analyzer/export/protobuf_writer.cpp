// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/protobuf_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/base/utf8.h"
#include "analyzer/export/block_writer.h"
#include "analyzer/tables/row_reader.h"

namespace sanscope {
namespace {

enum class WireType : uint8_t { varint = 0, length_delimited = 2 };

template <class Output>
void append_varint(uint64_t value, Output& out) {
    char bytes[10];
    size_t size = 0;
    while (value >= 0x80) {
        bytes[size++] = static_cast<char>(value | 0x80);
        value >>= 7;
    }
    bytes[size++] = static_cast<char>(value);
    out.append(std::string_view(bytes, size));
}

void append_tag(size_t field, WireType type, std::string& message) {
    append_varint(field << 3 | static_cast<uint64_t>(type), message);
}

void append_utf8(std::string_view text, std::string& message) {
    std::string valid;
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        valid.append(length == 0 ? utf8_replacement : text.substr(0, length));
        text.remove_prefix(std::max<size_t>(length, 1));
    }
    append_varint(valid.size(), message);
    message.append(valid);
}

void append_field(size_t field, const Cell& cell, std::string& message) {
    switch (cell.kind) {
        case Cell::Kind::empty:
            break;
        case Cell::Kind::integer:
            append_tag(field, WireType::varint, message);
            append_varint(static_cast<uint64_t>(cell.integer), message);
            break;
        case Cell::Kind::unsigned_integer:
            append_tag(field, WireType::varint, message);
            append_varint(cell.unsigned_integer, message);
            break;
        case Cell::Kind::boolean:
            append_tag(field, WireType::varint, message);
            append_varint(cell.boolean ? 1 : 0, message);
            break;
        case Cell::Kind::text:
            append_tag(field, WireType::length_delimited, message);
            if (is_printable_ascii(cell.text)) {
                append_varint(cell.text.size(), message);
                message.append(cell.text);
            } else {
                append_utf8(cell.text, message);
            }
            break;
    }
}

}  // namespace

bool write_protobuf(const Table& table, ByteSink& sink) {
    BlockWriter out(sink);
    std::string message;  // one row, kept for its memory
    for_each_row(table, [&](std::span<const Cell> cells) {
        message.clear();
        for (size_t column = 0; column < cells.size(); column++)
            append_field(column + 1, cells[column], message);
        append_varint(message.size(), out);
        out.append(message);
        return out.ok();
    });
    return out.finish();
}

}  // namespace sanscope
