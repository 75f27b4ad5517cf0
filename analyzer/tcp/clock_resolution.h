// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace sanscope {

// Finds out the resolution (RFC 2330 §10) of the clock that stamped packets, where it is coarse: a power of ten, as a file format that
// keeps milliseconds makes it, or the tick of a system clock (15.625 ms, 4 ms), of which a file may keep rounded times.
class ClockResolution {
  public:
    // The next packet's time, in ns. Of a fine clock this costs two comparisons.
    void note(int64_t time_ns) {
        ++packets_;
        while (decimal_ns_ > finest_ns && time_ns % decimal_ns_ != 0) decimal_ns_ /= 10;
        if (packets_ > 1) {
            if (time_ns == last_ns_) {
                ++same_time_;
            } else if (tick_ns_ != 0) {
                note_gap(std::max(time_ns, last_ns_), std::min(time_ns, last_ns_));
            }
        }
        last_ns_ = time_ns;
    }
    // In ns; 0: a microsecond or less, or too little to tell by. A clock of fine steps stamps few packets at the same moment, and a
    // few packets at round ones by chance.
    int64_t resolution_ns() const {
        if (packets_ < least_packets || same_time_ * 8 < packets_) return 0;
        const int64_t decimal_ns = decimal_ns_ > finest_ns ? decimal_ns_ : 0;
        const int64_t ticking_ns = gaps_ >= least_gaps ? sum_ns_ / ticks_ : 0;
        return is_of_system_clock(ticking_ns) ? std::max(decimal_ns, ticking_ns) : decimal_ns;
    }

  private:
    static constexpr int64_t finest_ns = 1000;
    static constexpr uint64_t least_packets = 32;
    static constexpr uint64_t least_gaps = 16;
    static constexpr int64_t least_tick_ns = 3'000'000;
    static constexpr int64_t most_tick_ns = 100'000'000;
    // How often a second the clocks of Windows (64, 128) and of Linux (250, 300) tick, where that is no power of ten. Packets that a
    // path or a program spaces evenly are apart by multiples of something else.
    static constexpr bool is_of_system_clock(int64_t tick_ns) {
        constexpr int64_t second_ns = 1'000'000'000;
        constexpr int64_t frequencies[] = {64, 128, 250, 300};
        return std::ranges::any_of(frequencies, [=](int64_t hz) {
            const int64_t over_ns = (tick_ns * hz) - second_ns;
            return std::max(over_ns, -over_ns) <= second_ns / 400;
        });
    }
    // Over more ticks, rounding adds up to more than can be told from a part of one.
    static constexpr int64_t most_ticks = 32;
    // Times kept in microseconds are each wrong by one; the tick, told by few gaps, by one for each of its own.
    static constexpr int64_t error_ns(int64_t ticks) { return 1000 * (ticks + 2); }

    void note_gap(int64_t later_ns, int64_t earlier_ns) {
        const uint64_t apart_ns = static_cast<uint64_t>(later_ns) - static_cast<uint64_t>(earlier_ns);
        if (apart_ns > most_ticks * most_tick_ns) return;
        const auto gap_ns = static_cast<int64_t>(apart_ns);
        if (tick_ns_ == not_known) {
            if (gap_ns <= most_tick_ns) begin(gap_ns);
            return;
        }
        const int64_t ticks = nearest(gap_ns, tick_ns_);
        if (ticks > most_ticks) return;
        if (!fits(gap_ns, tick_ns_)) {
            begin(common_part(gap_ns, tick_ns_));
            return;
        }
        if (ticks == 0) return;
        ++gaps_;
        sum_ns_ += gap_ns;
        ticks_ += ticks;
    }
    static int64_t nearest(int64_t gap_ns, int64_t tick_ns) { return (gap_ns + tick_ns / 2) / tick_ns; }
    // Whether it is a number of these ticks, as nearly as can be told.
    static bool fits(int64_t gap_ns, int64_t tick_ns) {
        const int64_t ticks = nearest(gap_ns, tick_ns);
        const int64_t over_ns = gap_ns - (ticks * tick_ns);
        return std::max(over_ns, -over_ns) <= error_ns(ticks);
    }
    // Euclid's algorithm, on lengths that are rounded.
    static int64_t common_part(int64_t one_ns, int64_t another_ns) {
        while (another_ns >= least_tick_ns && !fits(one_ns, another_ns)) {
            const int64_t rest_ns = one_ns % another_ns;
            one_ns = another_ns;
            another_ns = std::min(rest_ns, another_ns - rest_ns);
        }
        return another_ns;
    }
    void begin(int64_t tick_ns) {
        tick_ns_ = tick_ns >= least_tick_ns ? tick_ns : 0;
        gaps_ = 0;
        sum_ns_ = 0;
        ticks_ = 0;
    }

    static constexpr int64_t not_known = -1;
    // The greatest power of ten that all times are multiples of, down to a microsecond.
    int64_t decimal_ns_ = 100'000'000;
    // What all times are apart by multiples of; 0: by no such length.
    int64_t tick_ns_ = not_known;
    // Of the gaps that fit the tick since it was found.
    uint64_t gaps_ = 0;
    int64_t sum_ns_ = 0;
    int64_t ticks_ = 0;
    uint64_t packets_ = 0;
    uint64_t same_time_ = 0;
    int64_t last_ns_ = 0;
};

}  // namespace sanscope
