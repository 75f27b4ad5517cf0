// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/base/result.h"
#include "analyzer/query/column_meaning.h"

namespace sanscope {

// Wide enough for every value of every column, signed and unsigned, and for their neighbours.
__extension__ using WideInteger = __int128;

// Whether a word is to be read as a number, a size, a duration or a moment: it begins with a digit, or with a sign or
// point and a digit.
bool looks_like_number(std::string_view word);

// A number as written in an expression: decimal with or without a fraction, or 0x and hexadecimal digits; behind a
// decimal one the unit that `meaning` has: of durations ns, us, µs, ms, s, min, h; of sizes B, kB, MB, GB, TB, KiB, MiB,
// GiB, TiB. The answer is in the column's unit, nanoseconds or bytes, and exact; an Error where it would not be whole,
// or would be beyond all 64-bit integers.
Result<WideInteger> parse_number(std::string_view word, Meaning meaning);

// Nanoseconds since the epoch of a moment like 2026-11-21 11:08:21.5 (ISO 8601): a date; a time after a blank or T, to
// the minute, the second or a fraction of up to nine digits; then Z, UTC or an offset like +01:00. UTC without one.
Result<int64_t> parse_moment(std::string_view text);

}  // namespace sanscope
