// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// The delivery rate that an acknowledgement shows (tcp_rate.c; draft-cheng-iccrg-delivery-rate-estimation).
struct RateSample {
    int64_t delivered = -1;    // segments; negative: no valid sample
    int64_t interval_us = -1;  // over which they were; not positive: no valid sample
    uint32_t prior_delivered = 0;
    bool app_limited = false;
};

// What one acknowledgement did, for the congestion control.
struct AckEffect {
    uint32_t delivered = 0;  // segments newly acknowledged, cumulatively or selectively
    uint32_t lost = 0;       // segments newly held for lost
    int64_t rtt_us = -1;     // of the last segment acknowledged; negative: no valid sample
    uint32_t prior_in_flight = 0;
    RateSample rate;
    bool una_advanced = false;
    bool data_acked = false;
    bool forward_progress = false;  // data acknowledged or SACKed
};

// How a burst of segments ended: why nothing more was sent before the next event.
struct BurstEnd {
    bool sent = true;               // something was
    bool more_waiting = false;      // surely: the last segment was full and not pushed
    bool clocked = false;           // an acknowledgement had just come
    uint32_t in_flight_before = 0;  // segments, before the first of the burst
    int64_t pause_us = 0;           // since the segment sent before the burst
    int64_t duration_us = 0;        // from its first segment to its last
    uint32_t segments = 0;
    bool explained = false;  // some candidate's window ends about where it did
    bool estimated = false;  // events are in the order that a capture from afar suggests
};

}  // namespace sanscope
