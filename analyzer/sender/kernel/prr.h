// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Proportional rate reduction (RFC 6937; tcp_cwnd_reduction): cwnd after an acknowledgement during CWR or Recovery,
// which spreads the way from `prior_cwnd` down to `ssthresh` over a round trip.
inline uint32_t prr_cwnd(const SenderState& tp, uint32_t ssthresh, uint32_t prior_cwnd, uint32_t delivered,
                         uint32_t lost, bool una_advanced) {
    const auto in_flight = static_cast<int64_t>(tp.in_flight());
    const int64_t room = int64_t{ssthresh} - in_flight;
    int64_t may_send = 0;
    if (room < 0) {
        const uint64_t share = (uint64_t{ssthresh} * tp.prr_delivered + prior_cwnd - 1) / prior_cwnd;
        may_send = static_cast<int64_t>(share) - tp.prr_out;
    } else {
        may_send = std::max<int64_t>(int64_t{tp.prr_delivered} - tp.prr_out, delivered);
        if (una_advanced && lost == 0) ++may_send;
        may_send = std::min(room, may_send);
    }
    may_send = std::max<int64_t>(may_send, tp.prr_out > 0 ? 0 : 1);
    return static_cast<uint32_t>(std::max<int64_t>(1, in_flight + may_send));
}

}  // namespace sanscope
