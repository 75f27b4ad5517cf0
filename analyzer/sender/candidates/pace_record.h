// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// Whether a sender's pauses that no acknowledgement ended last as long as a candidate's pacing asks for.
class PaceRecord {
  public:
    // Since the burst before began, and how long after that one the candidate waits. The kernel gives half of a delay that its
    // timer made back (tcp_update_skb_after_send).
    void add(int64_t pause_us, int64_t pacing_us) {
        // What timers and timestamps waver by: set to half and the whole of the least pause that counts, not measured.
        constexpr int64_t early_us = least_pacing_us / 2;
        if (pacing_us < least_pacing_us) return;
        ++pauses_;
        if (pause_us >= pacing_us / 2 - early_us && pause_us <= latest_us(pacing_us)) ++on_pace_;
    }
    // A pause that is longer is none of its pacing's.
    static int64_t latest_us(int64_t pacing_us) { return pacing_us * 6 / 5 + least_pacing_us; }
    // Long enough to be compared,
    uint64_t pauses() const { return pauses_; }
    // and as the candidate would make them.
    uint64_t on_pace() const { return on_pace_; }
    double on_pace_share() const {
        return pauses_ == 0 ? 0 : static_cast<double>(on_pace_) / static_cast<double>(pauses_);
    }

  private:
    // Shorter pauses are within what a timer and a processor add: add() allows for so much.
    static constexpr int64_t least_pacing_us = 100;

    uint64_t pauses_ = 0;
    uint64_t on_pace_ = 0;
};

}  // namespace sanscope
