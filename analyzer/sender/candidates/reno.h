// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/congestion_ops.h"

namespace sanscope {

// Reno's congestion avoidance (RFC 5681 §3.1), with appropriate byte counting (RFC 3465) as in Linux's tcp_cong.c.
class Reno {
  public:
    void init(const SenderState& /*tp*/, Window& /*window*/) {}
    // tcp_reno_ssthresh().
    uint32_t ssthresh(const Window& window) { return std::max(window.cwnd >> 1, 2u); }
    // tcp_reno_cong_avoid().
    void cong_avoid(const SenderState& /*tp*/, Window& window, uint32_t acked) {
        if (window.in_slow_start()) acked = window.slow_start(acked);
        if (acked > 0) window.cong_avoid_ai(window.cwnd, acked);
    }
    void pkts_acked(const SenderState& /*tp*/, Window& /*window*/, int64_t /*rtt_us*/) {}
    void set_state(const SenderState& /*tp*/, CaState /*state*/) {}
    void cwnd_event(const SenderState& /*tp*/, Window& /*window*/, CwndEvent /*event*/) {}
    // tcp_reno_undo_cwnd().
    uint32_t undo_cwnd(const Window& window, uint32_t prior_cwnd) const {
        return std::max(window.cwnd, prior_cwnd);
    }
};

static_assert(GrowsCwnd<Reno> && !SetsCwndItself<Reno>);

}  // namespace sanscope
