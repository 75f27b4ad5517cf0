// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/timestamp_unit.h"

#include <algorithm>
#include <limits>

namespace sanscope {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

constexpr int64_t ns_per_second = 1'000'000'000;
constexpr int64_t latest = std::numeric_limits<int64_t>::max();
constexpr int64_t earliest = std::numeric_limits<int64_t>::min();

uint64_t power_of_ten(unsigned exponent) {
    uint64_t power = 1;
    for (unsigned i = 0; i < exponent; ++i) power *= 10;
    return power;
}

}  // namespace

TimestampUnit::TimestampUnit(uint8_t resolution, int64_t offset_seconds) : offset_seconds_(offset_seconds) {
    const unsigned exponent = resolution & 0x7fu;
    if ((resolution & 0x80u) != 0) {
        multiplier_ = ns_per_second;
        shift_ = exponent;
    } else if (exponent <= 9) {
        multiplier_ = power_of_ten(9 - exponent);
    } else {
        // 10^19 is the largest power that 64 bits hold, and the next exceeds any count of ticks.
        divisor_ = exponent - 9 <= 19 ? power_of_ten(exponent - 9) : 0;
    }

    const Wide offset_ns = Wide{offset_seconds} * ns_per_second;
    if (divisor_ == 1 && shift_ == 0 && offset_ns >= earliest && offset_ns <= latest) {
        plain_offset_ns_ = static_cast<int64_t>(offset_ns);
        const int64_t room = latest - std::max<int64_t>(plain_offset_ns_, 0);
        plain_limit_ = static_cast<uint64_t>(room) / multiplier_;
    } else {
        // Zero ticks are within any limit.
        plain_offset_ns_ = static_cast<int64_t>(std::clamp<Wide>(offset_ns, earliest, latest));
    }
}

int64_t TimestampUnit::to_ns_widely(uint64_t ticks) const {
    const auto in_ns = [this](UnsignedWide count) {
        return divisor_ == 0 ? Wide{0} : static_cast<Wide>((count * multiplier_ / divisor_) >> shift_);
    };
    const Wide offset_ns = Wide{offset_seconds_} * ns_per_second;
    Wide time = in_ns(ticks) + offset_ns;
    // The count is unsigned. Clocks before the epoch are written all the same, as what a signed one would be:
    // where taking it as unsigned leads beyond all time, that is how it was meant.
    if (time > latest && ticks >> 63 != 0) time = offset_ns - in_ns(UnsignedWide{0 - ticks});
    return static_cast<int64_t>(std::clamp<Wide>(time, earliest, latest));
}

uint64_t TimestampUnit::to_ticks(int64_t time_ns) const {
    constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
    const Wide since_offset = Wide{time_ns} - Wide{offset_seconds_} * ns_per_second;
    if (since_offset <= 0 || divisor_ == 0) return 0;
    if (shift_ > 63) return most;
    // 64 bits, of which the product with the divisor or the shift makes no more than 128.
    const auto since = static_cast<UnsignedWide>(std::min<Wide>(since_offset, most));
    const auto ticks =
        static_cast<uint64_t>(std::min<UnsignedWide>((since * divisor_ << shift_) / multiplier_, most));
    // Where a tick is no whole number of nanoseconds, the time may begin with the next.
    const bool next_fits = ticks != most && to_ns(ticks) < time_ns && to_ns(ticks + 1) == time_ns;
    return next_fits ? ticks + 1 : ticks;
}

}  // namespace sanscope
