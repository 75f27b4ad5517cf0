// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "analyzer/sender/candidates/mismatch_score.h"
#include "analyzer/sender/kernel/congestion_window.h"
#include "analyzer/sender/kernel/sender_state.h"
#include "analyzer/sender/kernel/window_events.h"

namespace sanscope {

// One candidate for what the sender's cwnd and ssthresh were: Linux's handling of them (tcp_input.c, tcp_output.c)
// around one congestion control, corrected where the sender is seen to do what that candidate could not have done.
template <class Model>
class WindowReplay {
  public:
    uint32_t cwnd() const { return window_.cwnd; }
    uint32_t ssthresh() const { return window_.ssthresh; }
    // Its window is but what the sender was seen to use.
    bool is_late() const { return late_; }
    // What speaks against this candidate, in round trips.
    double mismatch() const { return mismatch_.total(); }

    void start(const SenderState& state) {
        model_.start(state);
        usage_end_ = state.snd_nxt;
    }
    // With another cwnd than the usual one.
    void start_with(const SenderState& state, uint32_t cwnd) {
        window_.cwnd = cwnd;
        start(state);
    }
    // The beginning of the connection was not captured: until the first reduction cwnd is what the sender is seen to use.
    void start_late(const SenderState& state) {
        late_ = true;
        window_.ssthresh = window_.cwnd;
        start(state);
    }

    void begin_reduction() {
        late_ = false;
        prior_raised_ = raised_;
        raised_ = 0;
        window_.acked_towards_growth = 0;
        prior_cwnd_ = window_.cwnd;
        window_.ssthresh = model_.ssthresh(window_);
        forget_use();
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
            prior_raised_ = raised_;
            raised_ = 0;
            forget_use();
        }
        set_cwnd(state, state.in_flight() + 1);
        window_.acked_towards_growth = 0;
        model_.on_loss_state(state);
    }
    void undo(const SenderState& state) {
        if (prior_ssthresh_ == 0) return;
        set_cwnd(state, std::max(window_.cwnd, prior_cwnd_));
        raised_ = prior_raised_;
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
        forget_use();
    }
    void on_start_after_idle(const SenderState& state) { model_.on_start_after_idle(state); }

    // A segment has been sent, and counts in state.in_flight(). `forced`: by a timer, whatever cwnd says.
    void on_sent(const SenderState& state, bool forced) {
        const uint32_t in_flight = state.in_flight();
        if (forced || in_flight <= window_.cwnd) return;
        if (late_) {
            window_.cwnd = in_flight;
            window_.ssthresh = in_flight;
            return;
        }
        mismatch_.add(state, static_cast<double>(in_flight - window_.cwnd) / window_.cwnd);
        raised_ += in_flight - window_.cwnd;
        lifted_ += in_flight - window_.cwnd;
        // It has grown already, a little sooner than it should have.
        if (!window_.in_slow_start()) window_.acked_towards_growth = 0;
        window_.cwnd = in_flight;
    }
    // tcp_cwnd_validate() at the end of tcp_write_xmit().
    void on_burst_end(const SenderState& state, const BurstEnd& end) {
        const uint32_t in_flight = state.in_flight();
        weigh(state, end);
        const bool full = in_flight + window_.cwnd / 256 >= window_.cwnd;
        const bool limited = full || (end.more_waiting && is_deferring(state));
        if (!end.sent && !limited) return;
        if (end.estimated) note_use(state);
        if (end.estimated && !state.snd_una.before(usage_end_)) note_peak();
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

    // Whether the sender stopped about where this candidate's window ends, though it had more to send.
    // A window that was raised much since the last reduction, to what was in flight, explains nothing.
    bool explains_stop(const SenderState& state, const BurstEnd& end) const {
        if (!is_sender_stop(end)) return false;
        if (!end.estimated && raised_ > window_.cwnd / 8) return false;
        const uint32_t burst = burst_segments(state);
        return receiver_has_room(state, burst) && !leaves_room(state, burst);
    }

    // Whether a sender with more to send stops just here for this candidate's window, which was not put there.
    bool ends_here(const SenderState& state, const BurstEnd& end) const {
        if (raised_ > window_.cwnd / 8) return false;
        return state.in_flight() == stops_at(state, end, burst_segments(state), window_.cwnd);
    }

    // What the sender hands down at once: about a millisecond's worth at its pacing rate (tcp_tso_autosize).
    uint32_t burst_segments(const SenderState& state) const {
        if (state.srtt_us == 0) return largest_burst;
        const uint64_t cwnd = std::max(window_.cwnd, state.packets_out);
        // 200 or 120 % of it, times 1,000,000 / 1024.
        const uint64_t share = window_.cwnd < window_.ssthresh / 2 ? 200 * 625 : 120 * 625;
        const uint64_t segments_a_ms = cwnd * share / (64 * static_cast<uint64_t>(state.srtt_us));
        const int64_t near = state.min_rtt_us >> 9;
        const uint64_t for_near = near < 16 ? (65536u >> near) / state.mss : 0;
        return static_cast<uint32_t>(std::clamp<uint64_t>(segments_a_ms + for_near, 2, largest_burst));
    }

    static constexpr uint32_t initial_cwnd = 10;

    // From afar, where the order of events is estimated: how small and how large the window may be by what was in flight since it
    // was last reduced.
    uint32_t least_by_use() const {
        uint32_t least = window_.cwnd - std::min(lifted_, window_.cwnd - 1);
        // The highest of the round trips may be estimated too high.
        if (second_used_ > 0) least = std::min(least, second_used_);
        if (window_.ssthresh == Window::infinite_ssthresh)
            least = std::max(least, std::min(initial_cwnd, window_.cwnd));
        return least - least / 16;
    }
    // Slow start goes on until twice what is used (tcp_is_cwnd_limited). Here it goes by what two round trips showed.
    uint32_t most_by_use() const {
        return window_.in_slow_start() ? 2 * std::max(most_used_, flight_at_most_) : flight_at_most_;
    }
    void note_flight_at_most(uint32_t segments) { flight_at_most_ = std::max(flight_at_most_, segments); }

  private:
    void set_cwnd(const SenderState& state, uint32_t cwnd) {
        lifted_ = 0;
        window_.cwnd = std::max(1u, cwnd);
        stamp_us_ = state.now_us;
    }
    void note_use(const SenderState& state) {
        if (!state.snd_una.before(use_end_)) {
            second_used_ = std::max(second_used_, std::min(most_used_, round_used_));
            most_used_ = std::max(most_used_, round_used_);
            round_used_ = 0;
            use_end_ = state.snd_nxt;
        }
        round_used_ = std::max(round_used_, state.packets_out);
    }
    void forget_use() {
        most_used_ = second_used_ = 0;
        if (window_.ssthresh < window_.cwnd && window_.cwnd > 0) {
            flight_at_most_ =
                static_cast<uint32_t>(uint64_t{flight_at_most_} * window_.ssthresh / window_.cwnd);
        }
    }
    // What is in flight from afar now and then is estimated too high: what one round trip alone shows does not count.
    void note_peak() {
        peaks_[peak_count_++ % peaks_.size()] = max_packets_out_;
        uint32_t most = 0;
        second_peak_ = 0;
        for (const uint32_t peak : peaks_) {
            second_peak_ = std::max(second_peak_, std::min(peak, most));
            most = std::max(most, peak);
        }
    }
    uint32_t used_at_most() const {
        return peak_count_ == 0 ? max_packets_out_ : std::min(max_packets_out_, second_peak_);
    }
    bool is_cwnd_limited() const {
        return cwnd_limited_ || (window_.in_slow_start() && window_.cwnd < 2 * used_at_most());
    }
    // How many segments a sender with enough to send has in flight when it stops (the loop of tcp_write_xmit), if cwnd
    // is `cwnd`.
    static uint32_t stops_at(const SenderState& state, const BurstEnd& end, uint32_t burst, uint32_t cwnd) {
        const bool defers = state.ca_state < CaState::recovery;
        if (end.in_flight_before >= cwnd) return end.in_flight_before;
        const uint32_t room = cwnd - end.in_flight_before;
        const uint32_t rest = room % burst;  // of cwnd, after whole bursts
        const bool recent = room >= burst || end.pause_us < defer_us;
        return defers && recent && rest < cwnd / 3 ? cwnd - rest : cwnd;
    }
    // More than waiting for a whole burst explains.
    bool leaves_room(const SenderState& state, uint32_t burst) const {
        return state.in_flight() + burst + 3 < window_.cwnd;
    }
    // Whether it was cwnd and nothing else that a burst could end at.
    static bool is_sender_stop(const BurstEnd& end) { return end.more_waiting && end.clocked && end.sent; }
    static bool receiver_has_room(const SenderState& state, uint32_t burst) {
        const int64_t receiver_room = state.snd_nxt.distance_to(state.wnd_end);
        return receiver_room >= int64_t{burst + 1} * state.mss;
    }
    // Where the sender stopped although it had more to send tells cwnd. Being a little off again and again in the same
    // direction moves the window there.
    void weigh(const SenderState& state, const BurstEnd& end) {
        if (!is_sender_stop(end)) return;
        const uint32_t burst = burst_segments(state);
        if (!receiver_has_room(state, burst)) return;
        const uint32_t in_flight = state.in_flight();
        if (late_ && leaves_room(state, burst)) {
            window_.cwnd = in_flight;
            return;
        }
        if (end.estimated) note_least_room(state);
        if (in_flight == stops_at(state, end, burst, window_.cwnd)) {
            run_ = {};
            return;
        }
        if (end.explained) mismatch_.add(state, 0.25 / window_.cwnd);
        // A window may be larger than what the sender's buffer lets it use, unless the sender stops about where another
        // candidate's window ends.
        if (end.explained && leaves_room(state, burst)) {
            mismatch_.add(state, static_cast<double>(window_.cwnd - in_flight - burst) / window_.cwnd / 2);
        }
        for (int off = -farthest_off; off <= farthest_off; ++off) {
            uint8_t& run = run_[index_of(off)];
            const int64_t cwnd = int64_t{window_.cwnd} + off;
            run = cwnd > 0 && in_flight == stops_at(state, end, burst, static_cast<uint32_t>(cwnd))
                      ? static_cast<uint8_t>(run + 1)
                      : 0;
        }
        for (int distance = 1; distance <= farthest_off; ++distance) {
            for (const int off : {-distance, distance}) {
                if (run_[index_of(off)] < enough_in_a_row) continue;
                window_.cwnd = static_cast<uint32_t>(int64_t{window_.cwnd} + off);
                mismatch_.add(state, static_cast<double>(distance) / window_.cwnd);
                run_ = {};
                return;
            }
        }
    }
    // The order that is estimated from afar lets the window be taken for larger than it is, never for smaller: were it
    // so large, it would be full once in a round trip.
    void note_least_room(const SenderState& state) {
        if (state.ca_state != CaState::open || window_.in_slow_start()) {
            stops_ = 0;
            return;
        }
        if (stops_ == 0) {
            least_room_ = window_.cwnd;
            room_round_end_ = state.snd_nxt;
        }
        ++stops_;
        least_room_ = std::min(least_room_, window_.cwnd - std::min(window_.cwnd, state.in_flight()));
        if (stops_ < enough_stops || state.snd_una.before(room_round_end_)) return;
        if (least_room_ <= burst_segments(state) + farthest_off) window_.cwnd -= least_room_;
        stops_ = 0;
    }
    static constexpr uint32_t enough_stops = 4;
    static constexpr int farthest_off = 3;
    static constexpr size_t index_of(int off) { return static_cast<size_t>(int64_t{off} + farthest_off); }
    static constexpr uint8_t enough_in_a_row = 3;
    static constexpr int64_t defer_us = 1000;

    // Whether the sender, with more to send, would wait until cwnd has room for a whole burst (tcp_tso_should_defer).
    bool is_deferring(const SenderState& state) const {
        const uint32_t room = window_.cwnd - state.in_flight();
        const int32_t receiver_room = state.snd_nxt.distance_to(state.wnd_end);
        if (int64_t{room} * state.mss >= receiver_room) return false;
        return room < burst_segments(state) && room < window_.cwnd / 3;
    }
    static constexpr uint32_t largest_burst = 44;

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
                forget_use();
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
    std::array<uint32_t, 8> peaks_{};  // of the last round trips
    uint32_t peak_count_ = 0;          // 0: what is in flight is known
    uint32_t second_peak_ = 0;
    uint32_t most_used_ = 0;  // since the last reduction
    uint32_t second_used_ = 0;
    uint32_t round_used_ = 0;
    Serial32 use_end_;
    uint32_t flight_at_most_ = 0;
    Serial32 usage_end_;
    uint32_t used_ = 0;
    bool late_ = false;
    int64_t stamp_us_ = 0;
    MismatchScore mismatch_;
    uint32_t raised_ = 0;  // since the last reduction, to what was in flight
    uint32_t prior_raised_ = 0;
    uint32_t lifted_ = 0;  // the same since the window was set anew
    uint32_t stops_ = 0;   // that tell, this round trip
    uint32_t least_room_ = 0;
    Serial32 room_round_end_;
    std::array<uint8_t, 2 * farthest_off + 1> run_{};  // how often in a row cwnd was off by -3 … 3
};

}  // namespace sanscope
