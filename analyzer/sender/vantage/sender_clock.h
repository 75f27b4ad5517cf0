// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The clock behind a sender's TSval (RFC 7323 §5.4), set against a clock of ours: how long its tick is, and when ticks
// begin.
//
// The tick's length is the advance of TSval over that of the arrivals, taken to the nearest that is in use.
// When a tick begins is narrowed down by segments known to have been sent not before, or not after, a moment of ours:
// each such segment bounds the phase from one side, and the tightest bounds of the last seconds hold. Bounds from
// before wear off, so that two clocks may drift apart.
class SenderClock {
  public:
    // A segment with this TSval was captured. In order of capture, for every segment.
    void on_arrival(uint32_t timestamp, int64_t arrival_ns);

    bool ticking() const { return tick_ns_ != 0; }
    int64_t tick_ns() const { return tick_ns_; }

    // A segment with this TSval was sent at or after `at_ns`; before `at_ns`.
    void sent_after(uint32_t timestamp, int64_t at_ns);
    void sent_before(uint32_t timestamp, int64_t at_ns);

    // When a segment with this TSval was sent: not before not_before(), and before before(); no_time if not yet known.
    int64_t not_before(uint32_t timestamp) const;
    int64_t before(uint32_t timestamp) const;

  private:
    // The tightest bound of this period and of the one before.
    struct Bound {
        int64_t current = no_time;
        int64_t previous = no_time;
    };
    static constexpr int64_t period_ns = 2'000'000'000;
    // No moments beyond these enter the arithmetic.
    static constexpr int64_t sane_ns = int64_t{1} << 61;

    int64_t ticks_since_anchor(uint32_t timestamp) const {
        return Serial32(anchor_timestamp_).distance_to(Serial32(timestamp));
    }
    int64_t earliest_phase() const;
    int64_t latest_phase() const;
    void measure_tick(uint32_t timestamp, int64_t arrival_ns);
    void anchor(uint32_t timestamp, int64_t arrival_ns);

    int64_t tick_ns_ = 0;  // 0: not known
    // Tick 0, from which phases are counted; moved on before differences leave the reach of 32 bits.
    uint32_t anchor_timestamp_ = 0;
    bool anchored_ = false;
    // Where the measurement of the tick's length began, and the span at which it is made again.
    uint32_t measure_timestamp_ = 0;
    int64_t measure_from_ns_ = 0;
    int64_t measure_span_ns_ = 0;
    int64_t period_end_ns_ = 0;
    Bound earliest_;  // of the moment at which tick 0 begins
    Bound latest_;
};

inline void SenderClock::sent_after(uint32_t timestamp, int64_t at_ns) {
    if (!ticking() || at_ns > sane_ns || at_ns < -sane_ns) return;
    const int64_t phase = at_ns - (ticks_since_anchor(timestamp) + 1) * tick_ns_;
    earliest_.current = std::max(earliest_.current, phase);
}

inline void SenderClock::sent_before(uint32_t timestamp, int64_t at_ns) {
    if (!ticking() || at_ns > sane_ns || at_ns < -sane_ns) return;
    const int64_t phase = at_ns - ticks_since_anchor(timestamp) * tick_ns_;
    if (latest_.current == no_time || phase < latest_.current) latest_.current = phase;
}

inline int64_t SenderClock::earliest_phase() const {
    return std::max(earliest_.current, earliest_.previous);
}

inline int64_t SenderClock::latest_phase() const {
    if (latest_.current == no_time) return latest_.previous;
    if (latest_.previous == no_time) return latest_.current;
    return std::min(latest_.current, latest_.previous);
}

inline int64_t SenderClock::not_before(uint32_t timestamp) const {
    const int64_t phase = earliest_phase();
    if (phase == no_time) return no_time;
    return phase + ticks_since_anchor(timestamp) * tick_ns_;
}

inline int64_t SenderClock::before(uint32_t timestamp) const {
    // What was sent after a moment was so for certain; what was sent before it may have been held up on its way, and
    // gives way where the two disagree.
    const int64_t phase = std::max(latest_phase(), earliest_phase());
    if (latest_phase() == no_time) return no_time;
    return phase + (ticks_since_anchor(timestamp) + 1) * tick_ns_;
}

}  // namespace sanscope
