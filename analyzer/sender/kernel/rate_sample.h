// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// The delivery rate that an acknowledgement shows (tcp_rate.c; draft-cheng-iccrg-delivery-rate-estimation).
struct RateSample {
    int64_t delivered = -1;    // segments; negative: no valid sample
    int64_t interval_us = -1;  // over which they were; not positive: no valid sample
    uint32_t prior_delivered = 0;
    bool app_limited = false;         // as far as what was sent shows it,
    bool surely_app_limited = false;  // and as nothing else explains
};

// What one acknowledgement did, for the congestion control: struct ack_sample, struct rate_sample and what
// tcp_cong_control() is called with.
struct AckSample {
    uint32_t delivered = 0;  // segments newly acknowledged, cumulatively or selectively
    uint32_t lost = 0;       // segments newly marked lost
    int64_t rtt_us = -1;     // of the last segment acknowledged; negative: no valid sample
    uint32_t prior_in_flight = 0;
    RateSample rate;
    bool una_advanced = false;
    bool may_raise_cwnd = false;  // tcp_may_raise_cwnd(), but for the state
};

}  // namespace sanscope
