// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/utf8.h"

#include <algorithm>

namespace sanscope {

size_t utf8_sequence_length(std::string_view text) {
    const auto byte = [&](size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
    if (text.empty()) return 0;
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    const size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (text.size() < length) return 0;

    // The second byte's range is narrowed where the sequence could be over-long, a surrogate or beyond
    // U+10FFFF.
    const unsigned lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < lowest || byte(1) > highest) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    return length;
}

std::string cleaned_text(std::string_view text) {
    while (text.ends_with('\0')) text.remove_suffix(1);
    std::string cleaned;
    cleaned.reserve(text.size());
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
        text.remove_prefix(sequence.size());
        if (sequence == "\r") {
            if (!text.starts_with('\n')) cleaned += '\n';
        } else if (length > 0 && (!is_control_character(sequence) || sequence == "\n" || sequence == "\t")) {
            cleaned += sequence;
        } else {
            cleaned += utf8_replacement;
        }
    }
    return cleaned;
}

std::string cleaned_line(std::string_view text) {
    std::string cleaned = cleaned_text(text);
    std::ranges::replace_if(
        cleaned, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return cleaned;
}

bool is_printable_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace sanscope
