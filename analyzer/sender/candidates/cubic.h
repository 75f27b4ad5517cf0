// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/kernel/congestion_ops.h"

namespace sanscope {

// CUBIC (RFC 9438) with the classic HyStart, in the fixed-point arithmetic of Linux's tcp_cubic.c. Its clock is the
// kernel's tick: 4 ms where that was built with HZ=250, as most are. When it ticks cannot be seen from outside.
class Cubic {
  public:
    static constexpr int64_t hz = 250;
    static constexpr int64_t tick_us = 1'000'000 / hz;

    // The kernel's clock ticks so long before the replay's time is a multiple of the tick.
    void set_phase(int64_t us) { phase_us_ = us; }

    // cubictcp_init().
    void init(const SenderState& state, Window& window);
    // cubictcp_acked().
    void pkts_acked(const SenderState& state, Window& window, int64_t rtt_us);
    // cubictcp_cong_avoid().
    void cong_avoid(const SenderState& state, Window& window, uint32_t acked);
    // cubictcp_recalc_ssthresh().
    uint32_t ssthresh(const Window& window);
    // cubictcp_state(): to Loss.
    void set_state(const SenderState& state, CaState to);
    // cubictcp_cwnd_event(): the epoch is moved on by what nothing was in flight.
    void cwnd_event(const SenderState& state, Window& window, CwndEvent event);
    // tcp_reno_undo_cwnd().
    uint32_t undo_cwnd(const Window& window, uint32_t prior_cwnd) const {
        return std::max(window.cwnd, prior_cwnd);
    }

  private:
    int64_t tick(int64_t us) const { return (us + phase_us_) / tick_us; }
    void begin_epoch(int64_t now, uint32_t cwnd, uint32_t acked);
    void update(const SenderState& state, uint32_t cwnd, uint32_t acked);
    void tcp_friendliness(uint32_t cwnd);
    void hystart_reset(const SenderState& state);
    void hystart_update(const SenderState& state, Window& window, int64_t delay_us);

    int64_t phase_us_ = 0;
    uint32_t segments_per_growth_ = 0;  // cwnd grows by one each so many acknowledged
    uint32_t last_max_cwnd_ = 0;
    uint32_t last_cwnd_ = 0;
    int64_t last_tick_ = 0;
    uint32_t origin_cwnd_ = 0;
    uint64_t k_ = 0;  // from the epoch's begin to the origin, 1/1024 s
    int64_t delay_min_us_ = 0;
    int64_t epoch_tick_ = no_epoch;
    uint32_t acked_ = 0;
    uint32_t reno_cwnd_ = 0;

    bool exit_found_ = false;
    uint8_t samples_ = 0;
    int64_t round_begin_us_ = 0;
    int64_t last_close_ack_us_ = 0;
    int64_t round_rtt_us_ = 0;
    Serial32 round_end_;

    static constexpr int64_t no_epoch = INT64_MIN;
};

static_assert(GrowsCwnd<Cubic> && !SetsCwndItself<Cubic>);

}  // namespace sanscope
