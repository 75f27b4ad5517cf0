// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// RFC 6298 §2: before any backoff no retransmission timer is longer. `srtt_ns`: no_time where it is not known.
constexpr int64_t longest_first_timer_ns(int64_t srtt_ns) {
    constexpr int64_t usual_timer_ns = 3'000'000'000;
    constexpr int64_t longest_timer_ns = 120'000'000'000;  // TCP_RTO_MAX
    return usual_timer_ns + 8 * std::clamp<int64_t>(srtt_ns, 0, longest_timer_ns / 8);
}

// Nothing was sent or heard for so long though data were in flight and the receiver's window was open: a timer would have run
// out and made it Loss. So the clock moved, the capture has a gap, or the hosts stood still.
constexpr bool is_beyond_timers(int64_t silent_ns, int64_t srtt_ns, uint32_t in_flight, SendLimit limit,
                                CaState state) {
    const bool waits_for_acks =
        limit == SendLimit::congestion || limit == SendLimit::recovery || limit == SendLimit::pacing;
    return waits_for_acks && in_flight > 0 && state != CaState::loss &&
           silent_ns > longest_first_timer_ns(srtt_ns);
}

}  // namespace sanscope
