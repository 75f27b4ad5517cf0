// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/iscsi/bhs.h"

namespace sanscope {

// How many bytes of a header its judgement needs at the least: up to and with the sequence numbers.
constexpr size_t least_judged_header = 36;
// … where the snap length cut off the rest: up to and with the transfer length. The task tag is among them.
constexpr size_t least_cut_header = 24;

// Whether these bytes can be a Basic Header Segment at a place where one must begin: the opcode exists (or is left to
// vendors), goes in this direction, and its lengths can be. Lenient, since implementations are. Needs 8 bytes.
bool can_be_header(const uint8_t* bytes, bool from_target);

// Whether a header's first byte can be this one: the first thing to ask, for those who look at every byte of a stream.
inline bool can_begin_header(uint8_t first, bool from_target) {
    // A bit for each value of the opcode field that is in use or left to vendors.
    constexpr uint64_t requests = uint64_t{0x7f} | uint64_t{1} << 0x10 | uint64_t{7} << 0x1c;
    constexpr uint64_t answers = uint64_t{0x7f} << 0x20 | uint64_t{3} << 0x31 | uint64_t{0xf} << 0x3c;
    return first < 0x80 && ((from_target ? answers : requests) >> (first & 0x3f) & 1) != 0;
}

// Whether these bytes look like a Basic Header Segment where none was expected: every field that RFC 7143 §11 reserves
// or limits, of those among the `captured` bytes (at least `least_cut_header`), is as it says. By chance, one in
// some 2^30 random strings passes; a string of zeros, or of one byte repeated, never does.
bool looks_like_header(const uint8_t* bytes, size_t captured, bool from_target);

}  // namespace sanscope
