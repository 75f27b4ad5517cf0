// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/sender/candidates/windowed_max.h"
#include "analyzer/sender/kernel/congestion_ops.h"

namespace sanscope {

// BBR version 1 as in Linux's tcp_bbr.c (draft-cardwell-iccrg-bbr-congestion-control-00). Its window follows the
// delivery rate and the least round trip; what it sends is paced. The phase in which its gain cycle begins is random in
// the kernel: here it begins with the first. Long-term sampling behind a policer is not modelled.
class Bbr {
  public:
    static constexpr uint32_t least_cwnd = 4;                 // bbr_cwnd_min_target
    static constexpr int64_t min_rtt_window_us = 10'000'000;  // bbr_min_rtt_win_sec

    // bbr_init().
    void init(const SenderState& tp, Window& window);
    // bbr_ssthresh(): keeps cwnd for later, and ssthresh as it is.
    uint32_t ssthresh(const Window& window);
    // bbr_set_state(): to Loss.
    void set_state(const SenderState& tp, CaState to);
    // bbr_cwnd_event().
    void cwnd_event(const SenderState& tp, Window& window, CwndEvent event);
    // bbr_undo_cwnd().
    uint32_t undo_cwnd(const Window& window, uint32_t prior_cwnd);
    // bbr_main().
    void cong_control(const SenderState& tp, Window& window, const AckSample& sample);
    bool cong_control_without_progress(const SenderState& tp, Window& window);

    // How long after so many bytes the pacing lets the next be sent.
    int64_t pacing_gap_us(uint64_t bytes) const;
    // No more segments than these leave within that time, by its pacing.
    uint64_t most_within(const SenderState& tp, int64_t duration_us) const;
    // The window in the other phases of the gain cycle: which of them the kernel is in, it drew by lot
    // (bbr_reset_probe_bw_mode), and each lasts but a round trip.
    struct Range {
        uint32_t low = 0;
        uint32_t high = 0;
    };
    Range over_the_cycle(const SenderState& tp, const Window& window) const;
    // Still looking for the bandwidth (bbr_full_bw_reached).
    bool starting_up() const { return !full_pipe_; }
    // Of what the bandwidth was before this began to be replayed, the sender's filter holds nothing any more: samples that the
    // application did not limit have taken its place, until when an older one stays, whatever its age (bbr_update_bw).
    bool has_measured() const { return measured_ && full_pipe_; }
    // Where round trips seem to have been shorter than the path is, the moments at a remote tap are off by its jitter. By so much
    // the window may be larger than `cwnd`: what the path's own round trip makes of it, and as much as comes acknowledged in the
    // time by which round trips exceed that, since so many acknowledgements may have been held up and come at once; but no more
    // than `cwnd`. Else 0.
    uint32_t short_of_path(const SenderState& tp, uint32_t cwnd) const;
    bool doubts_application_limit() const { return doubts_application_limit_; }
    // From now on only samples that are surely application-limited are held for it.
    void doubt_application_limit() { doubts_application_limit_ = true; }

  private:
    enum class Mode : uint8_t { startup, drain, probe_bw, probe_rtt };

    bool is_application_limited(const RateSample& rate) const {
        return doubts_application_limit_ ? rate.surely_app_limited : rate.app_limited;
    }
    uint64_t bandwidth() const { return bandwidth_.max(); }
    uint32_t bdp(uint64_t bandwidth, uint32_t gain) const;
    uint32_t inflight(const SenderState& state, uint64_t bandwidth, uint32_t gain) const;
    uint32_t with_room_for_bursts(const SenderState& state, uint32_t cwnd) const;
    uint32_t burst_goal(const SenderState& state) const { return burst_goal(state, pacing_bytes_a_second_); }
    static uint32_t burst_goal(const SenderState& state, uint64_t bytes_a_second);
    uint64_t pacing_rate(const SenderState& state, uint64_t bandwidth, uint32_t gain) const;
    void set_pacing_rate(const SenderState& state, const Window& window);
    void save_cwnd(const Window& window);

    void update_bandwidth(const SenderState& state, const AckSample& sample);
    void update_aggregation(const AckSample& sample, const Window& window, int64_t delivered_us);
    void update_cycle(const SenderState& state, const AckSample& sample);
    void begin_cycle(int64_t now_us);
    void advance_cycle(int64_t now_us);
    void look_for_full_pipe(const AckSample& sample);
    void look_for_drained(const SenderState& state, Window& window);
    void update_min_rtt(const SenderState& state, Window& window, const AckSample& sample);
    void end_probe_rtt(const SenderState& state, Window& window);
    void set_gains();
    void set_cwnd(const SenderState& state, Window& window, const AckSample& sample);

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
    bool doubts_application_limit_ = false;
    bool measured_ = false;
    std::array<uint32_t, 2> extra_acked_{};
    uint32_t extra_acked_slot_ = 0;
    uint32_t extra_acked_rounds_ = 0;
    int64_t epoch_us_ = 0;
    uint32_t epoch_acked_ = 0;

    static constexpr int64_t no_min_rtt = int64_t{1} << 40;
};

static_assert(SetsCwndItself<Bbr> && !GrowsCwnd<Bbr>);

}  // namespace sanscope
