// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/json_string.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "analyzer/base/utf8.h"

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

}  // namespace

void append_json_string(std::string_view text, BlockWriter& out) {
    out.append('"');
    if (is_plain(text)) {
        out.append(text);
    } else {
        append_escaped(text, out);
    }
    out.append('"');
}

}  // namespace sanscope
