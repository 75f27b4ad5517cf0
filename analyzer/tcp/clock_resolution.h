// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sanscope {

// Finds out in which steps a clock goes on that ticks: all times are apart by multiples of the tick, of which a file may keep
// rounded times, and many packets have the same.
template <size_t known>
class TickFinder {
  public:
    // Looks for clocks of these ticks in ns, the longest first, all of them longer than `least_tick_ns`. `may_change`: they tick so for
    // a while only.
    constexpr TickFinder(const std::array<int64_t, known>& ticks_ns, int64_t least_tick_ns, bool may_change)
        : known_ns_(&ticks_ns), least_tick_ns_(least_tick_ns), may_change_(may_change) {}

    // The next packet, at another time than the one before, or the same.
    void note(int64_t time_ns, int64_t before_ns) {
        const bool same = time_ns == before_ns;
        if (tick_ns_ != no_tick) {
            note_gap(same, std::max(time_ns, before_ns), std::min(time_ns, before_ns));
        } else if (same && may_change_) {
            // A tick may begin here: a clock of fine steps stamps few packets at the same moment.
            tick_ns_ = not_known;
        }
    }
    // The longest that stamped one in `least_stamped` of so many packets; 0: none.
    int64_t tick_ns(uint64_t packets) const {
        for (size_t i = 0; i < known; ++i) {
            Stretch all = stretches_[i];
            if (stretch_.is_of_ticks() && ticks_at((*known_ns_)[i], stretch_.tick_ns())) all.add(stretch_);
            if (all.gaps >= least_gaps && uint64_t{all.packets} * least_stamped >= packets)
                return all.tick_ns();
        }
        return 0;
    }

  private:
    static constexpr uint32_t least_shared = 8;  // one in so many has the time of the one before
    static constexpr uint32_t least_stamped = 4;
    static constexpr uint32_t least_gaps = 16;
    static constexpr uint32_t least_gaps_in_row = 6;
    static constexpr int64_t most_tick_ns = 100'000'000;
    // NTP slews a clock by so much at most.
    static constexpr int64_t most_slew = 2000;  // one part in so many
    static constexpr bool ticks_at(int64_t known_ns, int64_t tick_ns) {
        const int64_t over_ns = tick_ns - known_ns;
        return std::max(over_ns, -over_ns) <= known_ns / most_slew;
    }
    // Packets one after another whose times are apart by multiples of one tick.
    struct Stretch {
        int64_t sum_ns = 0;  // of its gaps
        uint32_t packets = 0;
        uint32_t same_time = 0;
        uint32_t gaps = 0;  // of one tick and more
        uint32_t ticks = 0;

        int64_t tick_ns() const { return ticks > 0 ? sum_ns / ticks : 0; }
        bool is_of_ticks() const { return gaps >= least_gaps_in_row && same_time * least_shared >= packets; }
        void add(const Stretch& other) {
            packets += other.packets;
            same_time += other.same_time;
            gaps += other.gaps;
            sum_ns += other.sum_ns;
            ticks += other.ticks;
        }
    };
    // Over more ticks, rounding adds up to more than can be told from a part of one.
    static constexpr int64_t most_ticks = 32;
    // Times kept in microseconds are each wrong by one; the tick, told by few gaps, by one for each of its own.
    static constexpr int64_t error_ns(int64_t ticks) { return 1000 * (ticks + 2); }

    void note_gap(bool same, int64_t later_ns, int64_t earlier_ns) {
        const uint64_t apart_ns = static_cast<uint64_t>(later_ns) - static_cast<uint64_t>(earlier_ns);
        ++stretch_.packets;
        stretch_.same_time += same ? 1 : 0;
        if (same || apart_ns > most_ticks * most_tick_ns) return;
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
        ++stretch_.gaps;
        stretch_.sum_ns += gap_ns;
        stretch_.ticks += static_cast<uint32_t>(ticks);
    }
    static int64_t nearest(int64_t gap_ns, int64_t tick_ns) { return (gap_ns + tick_ns / 2) / tick_ns; }
    // Whether it is a number of these ticks, as nearly as can be told.
    static bool fits(int64_t gap_ns, int64_t tick_ns) {
        const int64_t ticks = nearest(gap_ns, tick_ns);
        const int64_t over_ns = gap_ns - (ticks * tick_ns);
        return std::max(over_ns, -over_ns) <= error_ns(ticks);
    }
    // Euclid's algorithm, on lengths that are rounded.
    int64_t common_part(int64_t one_ns, int64_t another_ns) const {
        while (another_ns >= least_tick_ns_ && !fits(one_ns, another_ns)) {
            const int64_t rest_ns = one_ns % another_ns;
            one_ns = another_ns;
            another_ns = std::min(rest_ns, another_ns - rest_ns);
        }
        return another_ns;
    }
    void begin(int64_t tick_ns) {
        keep();
        tick_ns_ = tick_ns >= least_tick_ns_ ? tick_ns : no_tick;
        stretch_ = {};
    }
    // The stretch has ended.
    void keep() {
        if (!may_change_ || !stretch_.is_of_ticks()) return;
        for (size_t i = 0; i < known; ++i) {
            if (ticks_at((*known_ns_)[i], stretch_.tick_ns())) stretches_[i].add(stretch_);
        }
    }

    static constexpr int64_t not_known = -1;
    static constexpr int64_t no_tick = 0;
    const std::array<int64_t, known>* known_ns_;
    int64_t least_tick_ns_;
    bool may_change_;
    int64_t tick_ns_ = not_known;  // what the times of the stretch are apart by multiples of
    Stretch stretch_;
    std::array<Stretch, known> stretches_;  // that ended, by known tick
};

// Finds out the resolution (RFC 2330 §10) of the clock that stamped packets, where it is coarse: a power of ten, as a file format
// that keeps milliseconds makes it, or the tick of a system clock (15.625 ms, 4 ms). A system's tick may change while it records,
// as that of Windows does with what its programs ask for (15.625 ms, 0.977 ms): the longest one counts that stamped a quarter of
// the packets or more.
class ClockResolution {
  public:
    // The next packet's time, in ns. Of a fine clock this costs a few comparisons.
    void note(int64_t time_ns) {
        ++packets_;
        while (decimal_ns_ > finest_ns && time_ns % decimal_ns_ != 0) decimal_ns_ /= 10;
        if (packets_ > 1) {
            same_time_ += time_ns == last_ns_ ? 1 : 0;
            windows_long_.note(time_ns, last_ns_);
            windows_short_.note(time_ns, last_ns_);
            linux_.note(time_ns, last_ns_);
        }
        last_ns_ = time_ns;
    }
    // In ns; 0: a microsecond or less, or too little to tell by. A clock of fine steps stamps few packets at the same moment, and
    // a few packets at round ones by chance.
    int64_t resolution_ns() const {
        if (packets_ < least_packets) return 0;
        const bool shares_times = same_time_ * least_shared >= packets_;
        const int64_t decimal_ns = decimal_ns_ > finest_ns && shares_times ? decimal_ns_ : 0;
        return std::max({decimal_ns, windows_long_.tick_ns(packets_), windows_short_.tick_ns(packets_),
                         linux_.tick_ns(packets_)});
    }

  private:
    static constexpr int64_t finest_ns = 1000;
    static constexpr uint64_t least_packets = 32;
    static constexpr uint64_t least_shared = 8;
    // The ticks of Windows (64, 128 and 1024 times a second, of some hardware 0.16 % more often) and of Linux (250, 300 times), where
    // they are no power of ten. Packets that a path or a program spaces evenly are apart by multiples of something else, or for a
    // while only. Multiples of a long tick are those of a short one, too: each is looked for apart.
    static constexpr std::array<int64_t, 4> windows_long_ns = {15'625'000, 15'600'100, 7'812'500, 7'800'050};
    static constexpr std::array<int64_t, 2> windows_short_ns = {976'563, 975'006};
    static constexpr std::array<int64_t, 2> linux_ns = {4'000'000, 3'333'333};

    // The greatest power of ten that all times are multiples of, down to a microsecond.
    int64_t decimal_ns_ = 100'000'000;
    TickFinder<windows_long_ns.size()> windows_long_{windows_long_ns, 3'000'000, true};
    TickFinder<windows_short_ns.size()> windows_short_{windows_short_ns, 900'000, true};
    TickFinder<linux_ns.size()> linux_{linux_ns, 3'000'000, false};
    uint64_t packets_ = 0;
    uint64_t same_time_ = 0;
    int64_t last_ns_ = 0;
};

}  // namespace sanscope
