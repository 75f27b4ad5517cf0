// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/utf8.h"

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

bool is_printable_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace sanscope
