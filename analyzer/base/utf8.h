// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sanscope {

// What stands in for bytes that are no text, U+FFFD.
constexpr std::string_view utf8_replacement = "\xef\xbf\xbd";

// The bytes of the well-formed UTF-8 sequence at the start of `text`, 1 to 4: in its shortest form, no
// surrogate, up to U+10FFFF (RFC 3629 §4). 0 where there is none.
size_t utf8_sequence_length(std::string_view text);

// Whether a well-formed sequence is a control character (C0, DEL, C1), which a terminal might obey.
constexpr bool is_control_character(std::string_view sequence) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(sequence[i]); };
    return sequence.size() == 1 ? byte(0) < 0x20 || byte(0) == 0x7f
                                : sequence.size() == 2 && byte(0) == 0xc2 && byte(1) < 0xa0;
}

// Whether text is plain: printable ASCII, and so itself in every format but for that format's own special
// characters.
bool is_printable_ascii(std::string_view text);

// Text from an input as it can be shown and stored: bytes that are no UTF-8, and control characters but for line feeds and
// tabs, become replacement characters; carriage returns line feeds, or nothing before one; zeros at the end nothing. Three
// times as long as `text` at most.
std::string cleaned_text(std::string_view text);
// The same of what is to stay on a line: line feeds and tabs become blanks.
std::string cleaned_line(std::string_view text);

}  // namespace sanscope
