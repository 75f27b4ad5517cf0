// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/sender/candidates/mismatch_score.h"
#include "analyzer/sender/candidates/windowed_max.h"
#include "analyzer/sender/kernel/congestion_window.h"
#include "analyzer/sender/kernel/sender_state.h"
#include "analyzer/sender/kernel/window_events.h"

namespace sanscope {

// BBR version 1 as in Linux's tcp_bbr.c (draft-cardwell-iccrg-bbr-congestion-control-00), as a candidate for what the
// sender's cwnd was: the same events as WindowReplay's. Its window follows the delivery rate and the least round trip;
// what it sends is paced, so that where it stops tells little of cwnd. The phase in which its gain cycle begins is
// random in the kernel: here it begins with the first. Long-term sampling behind a policer is not modelled.
class BbrReplay {
  public:
    static constexpr uint32_t least_cwnd = 4;
    uint32_t cwnd() const { return window_.cwnd; }
    uint32_t ssthresh() const { return window_.ssthresh; }
    double mismatch() const { return mismatch_.total(); }

    void start(const SenderState& state);
    void start_with(const SenderState& state, uint32_t cwnd);
    void start_late(const SenderState& state) { start(state); }
    void begin_reduction();
    void end_reduction(const SenderState& /*state*/, bool /*undone*/) {}
    void remember_ssthresh(const SenderState& /*state*/) {}
    void forget_ssthresh() {}
    void lose(const SenderState& state, bool first);
    void undo(const SenderState& state);
    void on_acked(const SenderState& /*state*/, const AckEffect& /*effect*/) {}
    void control(const SenderState& state, const AckEffect& effect, bool may_grow);
    // The same for an acknowledgement of nothing new; whether cwnd or ssthresh changed.
    bool control_without_progress(const SenderState& state);
    void reduce(const SenderState& /*state*/, uint32_t /*delivered*/, uint32_t /*lost*/,
                bool /*una_advanced*/) {}
    void restart_after_idle(const SenderState& /*state*/, int64_t /*idle_us*/) {}
    void on_start_after_idle(const SenderState& state);
    void on_sent(const SenderState& state, bool forced);
    // How long after so many bytes the pacing lets the next be sent.
    int64_t pacing_gap_us(uint64_t bytes) const;
    // The window in the other phases of the gain cycle: which of them the kernel is in, it drew by lot
    // (bbr_reset_probe_bw_mode), and each lasts but a round trip.
    struct Range {
        uint32_t low = 0;
        uint32_t high = 0;
    };
    Range over_the_cycle(const SenderState& state) const;
    // Still looking for the bandwidth.
    bool starting_up() const { return !full_pipe_; }
    void on_burst_end(const SenderState& state, const BurstEnd& end);

  private:
    enum class Mode : uint8_t { startup, drain, probe_bw, probe_rtt };

    uint64_t bandwidth() const { return bandwidth_.max(); }
    uint32_t bdp(uint64_t bandwidth, uint32_t gain) const;
    uint32_t inflight(const SenderState& state, uint64_t bandwidth, uint32_t gain) const;
    uint32_t with_room_for_bursts(const SenderState& state, uint32_t cwnd) const;
    uint32_t burst_goal(const SenderState& state) const { return burst_goal(state, pacing_bytes_a_second_); }
    static uint32_t burst_goal(const SenderState& state, uint64_t bytes_a_second);
    uint64_t pacing_rate(const SenderState& state, uint64_t bandwidth, uint32_t gain) const;
    void set_pacing_rate(const SenderState& state);
    void save_cwnd();

    void update_bandwidth(const SenderState& state, const AckEffect& effect);
    void update_aggregation(const AckEffect& effect, int64_t delivered_us);
    void update_cycle(const SenderState& state, const AckEffect& effect);
    void begin_cycle(int64_t now_us);
    void advance_cycle(int64_t now_us);
    void look_for_full_pipe(const AckEffect& effect);
    void look_for_drained(const SenderState& state);
    void update_min_rtt(const SenderState& state, const AckEffect& effect);
    void end_probe_rtt(const SenderState& state);
    void set_gains();
    void set_cwnd(const SenderState& state, const AckEffect& effect);

    Window window_;
    Mode mode_ = Mode::startup;
    WindowedMax bandwidth_;  // segments a microsecond, of 2^24
    uint32_t round_ = 0;
    uint32_t next_round_delivered_ = 0;
    bool round_start_ = false;
    int64_t min_rtt_us_ = no_min_rtt;
    int64_t min_rtt_stamp_us_ = 0;
    int64_t probe_rtt_done_us_ = 0;  // 0: not yet down
    bool probe_rtt_round_done_ = false;
    bool idle_restart_ = false;
    uint32_t full_bandwidth_count_ = 0;
    uint64_t full_bandwidth_ = 0;
    bool full_pipe_ = false;
    uint32_t target_without_bursts_ = 0;
    uint32_t prior_cwnd_ = 0;
    CaState prior_state_ = CaState::open;
    bool conserving_ = false;
    uint32_t pacing_gain_ = 0;
    uint32_t cwnd_gain_ = 0;
    uint32_t cycle_ = 0;
    int64_t cycle_us_ = 0;
    uint64_t pacing_bytes_a_second_ = 0;
    bool rtt_seen_ = false;
    std::array<uint32_t, 2> extra_acked_{};
    uint32_t extra_acked_slot_ = 0;
    uint32_t extra_acked_rounds_ = 0;
    int64_t epoch_us_ = 0;
    uint32_t epoch_acked_ = 0;
    MismatchScore mismatch_;

    static constexpr int64_t no_min_rtt = int64_t{1} << 40;
};

}  // namespace sanscope
