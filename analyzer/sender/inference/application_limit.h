// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/candidates/paced_candidate.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Whether the application had no more to send although cwnd had room (tcp_rate_check_app_limited), which marks the rate
// samples that BBR is not to believe. A segment that is not full shows it, since what is written before it is sent
// fills it up; and so do data that come later than pacing explains, although the last that were sent were all there
// was.
class ApplicationLimit {
  public:
    // Before new data are sent.
    void before_new_data(SenderState& tp, uint32_t length, const PacedCandidate& paced) {
        // Chosen, not measured: segments of one burst follow each other within a few microseconds.
        constexpr int64_t one_burst_us = 60;
        const int64_t pause_us = tp.now_us - tp.last_sent_us;
        const bool late = pause_us > timer_slack_us && is_late(tp, pause_us, paced);
        if (pause_us > one_burst_us) burst_bytes_ = 0;
        burst_bytes_ += length;
        const bool ran_dry = last_was_short_;
        // At the edge of the receiver's window any segment may end.
        const bool at_edge =
            tp.snd_wnd_known && (tp.snd_nxt + length).distance_to(tp.wnd_end) < static_cast<int64_t>(tp.mss);
        last_was_short_ = !at_edge && length != tp.mss && (length < tp.mss || length % tp.mss != 0);
        if (tp.last_sent_us == 0 || tp.lost_out > tp.retrans_out) return;
        if (!ran_dry && (!late || more_waiting_ || window_was_full_)) return;
        if (tp.in_flight() >= paced.cwnd()) return;
        tp.app_limited = std::max(1u, tp.delivered + tp.in_flight());
        if (tp.in_flight() == 0) tp.surely_app_limited = tp.app_limited;
    }
    // … and after. `more_waiting`: the last of them did not end what was written.
    void after_new_data(const SenderState& tp, bool more_waiting, const PacedCandidate& paced) {
        window_was_full_ = tp.in_flight() * 8 >= paced.cwnd() * 7;  // seven eighths: chosen, not measured
        more_waiting_ = more_waiting;
    }
    // The last new segment was not pushed.
    bool more_waiting() const { return more_waiting_; }

  private:
    // Chosen, not measured: a high-resolution timer on a busy host fires some hundred late.
    static constexpr int64_t timer_slack_us = 600;
    // Of a longer pause than that: whether it is longer than pacing explains.
    bool is_late(const SenderState& tp, int64_t pause_us, const PacedCandidate& paced) const;

    uint64_t burst_bytes_ = 0;      // sent at once, last
    bool last_was_short_ = false;   // the last new segment was not full
    bool window_was_full_ = false;  // nearly, after the last new segment, if the sender is paced
    bool more_waiting_ = false;
};

}  // namespace sanscope
