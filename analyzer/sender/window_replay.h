// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/cc_models/window.h"
#include "analyzer/sender/sender_state.h"

namespace sanscope {

// What one acknowledgement did, for the congestion control.
struct AckEffect {
    uint32_t delivered = 0;  // segments newly acknowledged, cumulatively or selectively
    uint32_t lost = 0;       // segments newly held for lost
    int64_t rtt_us = -1;     // of the last segment acknowledged; negative: no valid sample
    bool una_advanced = false;
    bool data_acked = false;
    bool forward_progress = false;  // data acknowledged or SACKed
};

// How a burst of segments ended: why nothing more was sent before the next event.
struct BurstEnd {
    bool sent = true;               // something was
    bool more_waiting = false;      // surely: the last segment was full and not pushed
    bool receiver_limited = false;  // no room for a full segment in the advertised window
};

// One candidate for what the sender's cwnd and ssthresh were: Linux's handling of them (tcp_input.c, tcp_output.c)
// around one congestion control, corrected where the sender is seen to do what that candidate could not have done.
template <class Model>
class WindowReplay {
  public:
    const char* name() const { return Model::name; }
    uint32_t cwnd() const { return window_.cwnd; }
    uint32_t ssthresh() const { return window_.ssthresh; }
    // How much this candidate has had to be corrected, in windows.
    double contradictions() const { return contradictions_; }
    bool cwnd_limited() const { return cwnd_limited_; }

    void start(const SenderState& state) {
        model_.start(state);
        usage_end_ = state.snd_nxt;
    }
    // Where the beginning of the connection was not captured, cwnd is not known to be the initial one.
    void start_unknown(const SenderState& state, uint32_t cwnd) {
        window_.cwnd = cwnd;
        start(state);
    }

    void begin_reduction() {
        window_.acked_towards_growth = 0;
        prior_cwnd_ = window_.cwnd;
        window_.ssthresh = model_.ssthresh(window_);
    }
    // Out of CWR or Recovery. `undone`: that recovery was found to have been for nothing.
    void end_reduction(const SenderState& state, bool undone) {
        if (window_.ssthresh < Window::infinite_ssthresh && !undone) set_cwnd(state, window_.ssthresh);
    }
    void remember_ssthresh(const SenderState& state) { prior_ssthresh_ = current_ssthresh(state); }
    void forget_ssthresh() { prior_ssthresh_ = 0; }
    // A retransmission timeout; `first`: not one of a series.
    void lose(const SenderState& state, bool first) {
        if (first) {
            prior_ssthresh_ = current_ssthresh(state);
            prior_cwnd_ = window_.cwnd;
            window_.ssthresh = model_.ssthresh(window_);
        }
        set_cwnd(state, state.in_flight() + 1);
        window_.acked_towards_growth = 0;
        model_.on_loss_state(state);
    }
    void undo(const SenderState& state) {
        if (prior_ssthresh_ == 0) return;
        set_cwnd(state, std::max(window_.cwnd, prior_cwnd_));
        window_.ssthresh = std::max(window_.ssthresh, prior_ssthresh_);
    }

    void on_acked(const SenderState& state, const AckEffect& effect) {
        model_.on_acked(state, window_, effect.rtt_us);
    }
    // After the state machine has dealt with an acknowledgement.
    void control(const SenderState& state, const AckEffect& effect, bool may_grow) {
        if (state.in_cwnd_reduction()) {
            reduce(state, effect.delivered, effect.lost, effect.una_advanced);
        } else if (may_grow) {
            if (is_cwnd_limited()) model_.avoid_congestion(state, window_, effect.delivered);
            stamp_us_ = state.now_us;
        }
    }
    // Proportional rate reduction (RFC 6937): spreads the reduction over the round trip.
    void reduce(const SenderState& state, uint32_t delivered, uint32_t lost, bool una_advanced) {
        if (delivered == 0 || prior_cwnd_ == 0) return;
        const auto in_flight = static_cast<int64_t>(state.in_flight());
        const int64_t room = int64_t{window_.ssthresh} - in_flight;
        int64_t may_send = 0;
        if (room < 0) {
            const uint64_t share =
                (uint64_t{window_.ssthresh} * state.prr_delivered + prior_cwnd_ - 1) / prior_cwnd_;
            may_send = static_cast<int64_t>(share) - state.prr_out;
        } else {
            may_send = std::max<int64_t>(int64_t{state.prr_delivered} - state.prr_out, delivered);
            if (una_advanced && lost == 0) ++may_send;
            may_send = std::min(room, may_send);
        }
        may_send = std::max<int64_t>(may_send, state.prr_out > 0 ? 0 : 1);
        window_.cwnd = static_cast<uint32_t>(std::max<int64_t>(1, in_flight + may_send));
    }

    // The application writes after a silence with nothing outstanding (RFC 2861).
    void restart_after_idle(const SenderState& state, int64_t idle_us) {
        window_.ssthresh = current_ssthresh(state);
        const uint32_t least = std::min(initial_cwnd, window_.cwnd);
        uint32_t cwnd = window_.cwnd;
        for (int64_t left = idle_us - state.rto_us; left > 0 && cwnd > least; left -= state.rto_us)
            cwnd >>= 1;
        set_cwnd(state, std::max(cwnd, least));
        used_ = 0;
    }
    void on_start_after_idle(const SenderState& state) { model_.on_start_after_idle(state); }

    // A segment has been sent, and counts in state.in_flight(). `forced`: by a timer, whatever cwnd says.
    void on_sent(const SenderState& state, bool forced) {
        const uint32_t in_flight = state.in_flight();
        if (forced || in_flight <= window_.cwnd) return;
        contradictions_ += static_cast<double>(in_flight - window_.cwnd) / window_.cwnd;
        window_.cwnd = in_flight;
    }
    // tcp_cwnd_validate() at the end of tcp_write_xmit().
    void on_burst_end(const SenderState& state, const BurstEnd& end) {
        const uint32_t in_flight = state.in_flight();
        const bool deferred = end.more_waiting && !end.receiver_limited;
        const bool limited = in_flight >= window_.cwnd || deferred;
        if (!end.sent && !limited) return;
        if (!state.snd_una.before(usage_end_) || limited ||
            (!cwnd_limited_ && state.packets_out > max_packets_out_)) {
            cwnd_limited_ = limited;
            max_packets_out_ = state.packets_out;
            usage_end_ = state.snd_nxt;
        }
        if (is_cwnd_limited()) {
            used_ = 0;
            stamp_us_ = state.now_us;
            return;
        }
        used_ = std::max(used_, state.packets_out);
        if (state.now_us - stamp_us_ >= state.rto_us) shrink_unused(state);
    }

    static constexpr uint32_t initial_cwnd = 10;

  private:
    void set_cwnd(const SenderState& state, uint32_t cwnd) {
        window_.cwnd = std::max(1u, cwnd);
        stamp_us_ = state.now_us;
    }
    bool is_cwnd_limited() const {
        return cwnd_limited_ || (window_.in_slow_start() && window_.cwnd < 2 * max_packets_out_);
    }
    uint32_t current_ssthresh(const SenderState& state) const {
        if (state.in_cwnd_reduction()) return window_.ssthresh;
        return std::max(window_.ssthresh, (window_.cwnd >> 1) + (window_.cwnd >> 2));
    }
    // A window that was not used for a timeout is half given up (RFC 2861; tcp_cwnd_application_limited).
    void shrink_unused(const SenderState& state) {
        if (state.ca_state == CaState::open) {
            const uint32_t used = std::max(used_, initial_cwnd);
            if (used < window_.cwnd) {
                window_.ssthresh = current_ssthresh(state);
                window_.cwnd = (window_.cwnd + used) >> 1;
            }
            used_ = 0;
        }
        stamp_us_ = state.now_us;
    }

    Window window_;
    Model model_;
    uint32_t prior_cwnd_ = 0;
    uint32_t prior_ssthresh_ = 0;  // 0: nothing to go back to
    bool cwnd_limited_ = false;
    uint32_t max_packets_out_ = 0;
    Serial32 usage_end_;
    uint32_t used_ = 0;
    int64_t stamp_us_ = 0;
    double contradictions_ = 0;
};

}  // namespace sanscope
