// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/congestion_window.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Reno's congestion avoidance (RFC 5681 §3.1), with appropriate byte counting (RFC 3465) as in Linux's tcp_cong.c.
class RenoModel {
  public:
    void start(const SenderState& /*state*/) {}
    void on_acked(const SenderState& /*state*/, Window& /*window*/, int64_t /*rtt_us*/) {}
    void avoid_congestion(const SenderState& /*state*/, Window& window, uint32_t acked) {
        if (window.in_slow_start()) acked = window.slow_start(acked);
        if (acked > 0) window.grow_by_one_every(window.cwnd, acked);
    }
    uint32_t ssthresh(const Window& window) { return std::max(window.cwnd >> 1, 2u); }
    void on_loss_state(const SenderState& /*state*/) {}
    void on_start_after_idle(const SenderState& /*state*/) {}
};

}  // namespace sanscope
