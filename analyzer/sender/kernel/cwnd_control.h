// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analyzer/sender/kernel/congestion_ops.h"
#include "analyzer/sender/kernel/congestion_window.h"
#include "analyzer/sender/kernel/prr.h"
#include "analyzer/sender/kernel/rate_sample.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// cwnd and ssthresh as tcp_input.c and tcp_output.c keep them around one congestion control.
template <CongestionOps Ops>
class CwndControl {
  public:
    static constexpr uint32_t initial_cwnd = 10;  // TCP_INIT_CWND (RFC 6928)

    uint32_t cwnd() const { return window_.cwnd; }
    uint32_t ssthresh() const { return window_.ssthresh; }
    const Ops& ops() const { return ops_; }
    Ops& ops() { return ops_; }

    // tcp_init_transfer() and tcp_init_congestion_control().
    void init(const SenderState& tp) {
        ops_.init(tp, window_);
        cwnd_usage_seq_ = tp.snd_nxt;
    }
    // With another cwnd than the usual one: of 1, where the SYN was lost.
    void init_with(const SenderState& tp, uint32_t cwnd) {
        window_.cwnd = cwnd;
        init(tp);
    }

    // tcp_init_cwnd_reduction().
    void init_cwnd_reduction() {
        window_.cwnd_cnt = 0;
        prior_cwnd_ = window_.cwnd;
        window_.ssthresh = ops_.ssthresh(window_);
    }
    // tcp_end_cwnd_reduction(): out of CWR or Recovery. `undone`: that recovery was found to have been for nothing.
    void end_cwnd_reduction(const SenderState& tp, bool undone) {
        if constexpr (!SetsCwndItself<Ops>) {
            if (window_.ssthresh < Window::infinite_ssthresh && !undone) set_cwnd(tp, window_.ssthresh);
        }
    }
    // tp->prior_ssthresh = tcp_current_ssthresh(), or 0: there is nothing to go back to.
    void save_prior_ssthresh(const SenderState& tp) { prior_ssthresh_ = current_ssthresh(tp); }
    void clear_prior_ssthresh() { prior_ssthresh_ = 0; }

    // tcp_enter_loss(). `first`: not one of a series of timeouts.
    void enter_loss(const SenderState& tp, bool first) {
        if (first) {
            prior_ssthresh_ = current_ssthresh(tp);
            prior_cwnd_ = window_.cwnd;
            window_.ssthresh = ops_.ssthresh(window_);
        }
        set_cwnd(tp, tp.in_flight() + 1);
        window_.cwnd_cnt = 0;
        ops_.set_state(tp, CaState::loss);
    }
    // tcp_undo_cwnd_reduction(). False: there was nothing to undo.
    bool undo_cwnd_reduction(const SenderState& tp) {
        if constexpr (SetsCwndItself<Ops>) {
            window_.cwnd = ops_.undo_cwnd(window_, prior_cwnd_);
        } else {
            if (prior_ssthresh_ == 0) return false;
            set_cwnd(tp, ops_.undo_cwnd(window_, prior_cwnd_));
            window_.ssthresh = std::max(window_.ssthresh, prior_ssthresh_);
        }
        return true;
    }

    // tcp_clean_rtx_queue()'s call of pkts_acked().
    void pkts_acked(const SenderState& tp, int64_t rtt_us) {
        if constexpr (GrowsCwnd<Ops>) ops_.pkts_acked(tp, window_, rtt_us);
    }
    // tcp_cong_control().
    void cong_control(const SenderState& tp, const AckSample& sample) {
        if constexpr (SetsCwndItself<Ops>) {
            ops_.cong_control(tp, window_, sample);
        } else if (tp.in_cwnd_reduction()) {
            cwnd_reduction(tp, sample.delivered, sample.lost, sample.una_advanced);
        } else if (sample.may_raise_cwnd) {
            if (is_cwnd_limited()) ops_.cong_avoid(tp, window_, sample.delivered);
            cwnd_stamp_us_ = tp.now_us;
        }
    }
    // The same for an acknowledgement of nothing new. True: cwnd or ssthresh has changed.
    bool cong_control_without_progress(const SenderState& tp) {
        if constexpr (SetsCwndItself<Ops>) return ops_.cong_control_without_progress(tp, window_);
        return false;
    }
    // tcp_cwnd_reduction(), in tcp_cong_control() and tcp_rack_reo_timeout().
    void cwnd_reduction(const SenderState& tp, uint32_t delivered, uint32_t lost, bool una_advanced) {
        if constexpr (!SetsCwndItself<Ops>) {
            if (delivered == 0 || prior_cwnd_ == 0) return;
            window_.cwnd = prr_cwnd(tp, window_.ssthresh, prior_cwnd_, delivered, lost, una_advanced);
        }
    }

    // tcp_cwnd_restart(), as tcp_slow_start_after_idle_check() calls it (RFC 2861). False: this congestion control does
    // without.
    bool cwnd_restart(const SenderState& tp, int64_t idle_us) {
        if constexpr (SetsCwndItself<Ops>) {
            return false;
        } else {
            window_.ssthresh = current_ssthresh(tp);
            const uint32_t least = std::min(initial_cwnd, window_.cwnd);
            uint32_t cwnd = window_.cwnd;
            for (int64_t left = idle_us - tp.rto_us; left > 0 && cwnd > least; left -= tp.rto_us) cwnd >>= 1;
            set_cwnd(tp, std::max(cwnd, least));
            cwnd_used_ = 0;
            return true;
        }
    }
    // tcp_ca_event().
    void cwnd_event(const SenderState& tp, CwndEvent event) { ops_.cwnd_event(tp, window_, event); }

  protected:
    void set_cwnd(const SenderState& tp, uint32_t cwnd) {
        window_.cwnd = std::max(1u, cwnd);
        cwnd_stamp_us_ = tp.now_us;
    }
    // tcp_is_cwnd_limited().
    bool is_cwnd_limited() const {
        return cwnd_limited_ ||
               (window_.in_slow_start() && window_.cwnd < 2 * std::min(max_packets_out_, most_believed_out_));
    }
    // tcp_cwnd_validate() at the end of tcp_write_xmit(). True: cwnd was reduced, since it was not used.
    bool cwnd_validate(const SenderState& tp, bool limited) {
        if (!tp.snd_una.before(cwnd_usage_seq_) || limited ||
            (!cwnd_limited_ && tp.packets_out > max_packets_out_)) {
            cwnd_limited_ = limited;
            max_packets_out_ = tp.packets_out;
            cwnd_usage_seq_ = tp.snd_nxt;
        }
        if (is_cwnd_limited()) {
            cwnd_used_ = 0;
            cwnd_stamp_us_ = tp.now_us;
            return false;
        }
        cwnd_used_ = std::max(cwnd_used_, tp.packets_out);
        return slow_start_after_idle_ && tp.now_us - cwnd_stamp_us_ >= tp.rto_us &&
               cwnd_application_limited(tp);
    }
    // tcp_current_ssthresh().
    uint32_t current_ssthresh(const SenderState& tp) const {
        if (tp.in_cwnd_reduction()) return window_.ssthresh;
        return std::max(window_.ssthresh, (window_.cwnd >> 1) + (window_.cwnd >> 2));
    }

    Window window_;
    Ops ops_;
    uint32_t prior_cwnd_ = 0;
    uint32_t prior_ssthresh_ = 0;
    bool cwnd_limited_ = false;  // is_cwnd_limited
    uint32_t max_packets_out_ = 0;
    // Of the packets that seem to be out, no more are believed to be: the order of events may be an estimate.
    uint32_t most_believed_out_ = std::numeric_limits<uint32_t>::max();
    Serial32 cwnd_usage_seq_;
    uint32_t cwnd_used_ = 0;
    int64_t cwnd_stamp_us_ = 0;
    bool slow_start_after_idle_ = true;  // net.ipv4.tcp_slow_start_after_idle

  private:
    // tcp_cwnd_application_limited(): a window that was not used for a timeout is half given up (RFC 2861).
    bool cwnd_application_limited(const SenderState& tp) {
        bool reduced = false;
        if (tp.ca_state == CaState::open) {
            const uint32_t used = std::max(cwnd_used_, initial_cwnd);
            if (used < window_.cwnd) {
                window_.ssthresh = current_ssthresh(tp);
                window_.cwnd = (window_.cwnd + used) >> 1;
                reduced = true;
            }
            cwnd_used_ = 0;
        }
        cwnd_stamp_us_ = tp.now_us;
        return reduced;
    }
};

}  // namespace sanscope
