// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/application_limit.h"

#include <algorithm>

namespace sanscope {

void ApplicationLimit::before_new_data(SenderState& tp, uint32_t length, const PacedCandidate& paced) {
    // Chosen, not measured: segments of one burst follow each other within a few microseconds, and a high-resolution
    // timer on a busy host fires some hundred late.
    constexpr int64_t one_burst_us = 60;
    constexpr int64_t timer_slack_us = 600;
    const int64_t pause_us = tp.now_us - tp.last_sent_us;
    // Later on, what else delays a burst must not be taken for the application.
    const int64_t least_us = paced.starting_up() ? 0 : tp.srtt_us / 4;
    const bool late = pause_us > std::max(timer_slack_us, least_us) &&
                      pause_us > 2 * paced.pacing_gap_us(burst_bytes_) + timer_slack_us;
    if (pause_us > one_burst_us) burst_bytes_ = 0;
    burst_bytes_ += length;
    const bool ran_dry = last_was_short_;
    last_was_short_ = length != tp.mss && length % tp.mss != 0;
    if (tp.last_sent_us == 0 || tp.lost_out > tp.retrans_out) return;
    if (!ran_dry && (!late || more_waiting_ || window_was_full_)) return;
    if (tp.in_flight() >= paced.cwnd()) return;
    tp.app_limited = std::max(1u, tp.delivered + tp.in_flight());
}

void ApplicationLimit::after_new_data(const SenderState& tp, bool more_waiting, const PacedCandidate& paced) {
    window_was_full_ = tp.in_flight() * 8 >= paced.cwnd() * 7;  // seven eighths: chosen, not measured
    more_waiting_ = more_waiting;
}

}  // namespace sanscope
