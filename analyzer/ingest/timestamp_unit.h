// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// Turns an interface's ticks into nanoseconds since the epoch, as pcapng's if_tsresol and if_tsoffset say
// (draft-ietf-opsawg-pcapng §4.2). Any resolution, offset and count of ticks gives a time; one that 64 bits
// of nanoseconds cannot hold gives the nearest that they can.
class TimestampUnit {
  public:
    // `resolution` is if_tsresol: ticks of 10^-n seconds, or of 2^-n with the highest bit set.
    // `offset_seconds` is if_tsoffset. Without either it is microseconds since the epoch.
    explicit TimestampUnit(uint8_t resolution = 6, int64_t offset_seconds = 0);

    int64_t to_ns(uint64_t ticks) const {
        if (ticks <= plain_limit_) return static_cast<int64_t>(ticks * multiplier_) + plain_offset_ns_;
        return to_ns_widely(ticks);
    }

    // The ticks of a time, or of the latest one before it that this unit can tell; 0 where that is before all of them.
    uint64_t to_ticks(int64_t time_ns) const;

  private:
    int64_t to_ns_widely(uint64_t ticks) const;

    // Nanoseconds are ticks × multiplier / divisor / 2^shift, rounded down, and the offset added.
    uint64_t multiplier_ = 1;
    uint64_t divisor_ = 1;  // 0: a tick is so short that no count of them makes a nanosecond
    unsigned shift_ = 0;
    int64_t offset_seconds_;

    // Up to so many ticks a product and a sum in 64 bits are all it takes; 0 where that never suffices.
    uint64_t plain_limit_ = 0;
    int64_t plain_offset_ns_ = 0;
};

}  // namespace sanscope
