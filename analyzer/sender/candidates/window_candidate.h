// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "analyzer/sender/candidates/burst_end.h"
#include "analyzer/sender/candidates/growth_record.h"
#include "analyzer/sender/candidates/mismatch_score.h"
#include "analyzer/sender/candidates/round_trip_end.h"
#include "analyzer/sender/candidates/shown_window.h"
#include "analyzer/sender/candidates/tso_autosize.h"
#include "analyzer/sender/kernel/cwnd_control.h"

namespace sanscope {

// One candidate for what the sender's cwnd and ssthresh were: Linux's handling of them around one congestion control,
// corrected where the sender is seen to do what that candidate could not have done.
template <GrowsCwnd Ops>
class WindowCandidate : public CwndControl<Ops> {
    using Linux = CwndControl<Ops>;
    using Linux::window_;

  public:
    using Linux::initial_cwnd;

    // Its window is but what the sender was seen to use.
    bool is_late() const { return late_; }
    // Nothing has shown since the capture began amid the connection, or behind a gap, how large it is: at least what was used. One that grew
    // before stays as it is while the application sends less (tcp_is_cwnd_limited), and what a reduction leaves is a share of it.
    bool is_unknown() const { return shown_.is_unknown(); }
    // Its ssthresh is from before the capture, or follows from a window that was.
    bool threshold_is_unknown() const { return threshold_unknown_; }
    // What contradicts this candidate, in round trips.
    double mismatch() const { return mismatch_.total(); }
    double mismatch_at_once() const { return mismatch_.at_once(); }
    const GrowthRecord& growth() const { return growth_; }

    // What came before was not captured: until the first reduction of a window that was shown cwnd is what the sender is seen to use.
    void init_late(const SenderState& tp) {
        late_ = true;
        window_.cwnd = std::min(window_.cwnd, initial_cwnd);
        raised_ = prior_raised_ = lifted_ = 0;
        most_used_ = second_used_ = round_used_ = flight_at_most_ = stops_ = 0;
        use_round_trip_ = {};
        restart_.open = false;
        run_ = {};
        shown_.begin_late();
        threshold_unknown_ = prior_threshold_unknown_ = true;
        window_.ssthresh = window_.cwnd;
        Linux::init(tp);
    }

    // What Linux does, and what is known of the window's use since the last reduction.
    void init_cwnd_reduction() {
        note_reduction();
        Linux::init_cwnd_reduction();
        forget_use(window_.cwnd);
    }
    void end_cwnd_reduction(const SenderState& tp, bool undone) {
        if (window_.ssthresh < Window::infinite_ssthresh && !undone) lifted_ = 0;
        Linux::end_cwnd_reduction(tp, undone);
    }
    void enter_loss(const SenderState& tp, bool first) {
        const uint32_t cwnd = window_.cwnd;
        Linux::enter_loss(tp, first);
        lifted_ = 0;
        if (!first) return;
        note_reduction();
        forget_use(cwnd);
    }
    void cong_control(const SenderState& tp, const AckSample& sample) {
        const uint32_t cwnd = window_.cwnd;
        const bool may_grow = avoids_congestion(tp);
        Linux::cong_control(tp, sample);
        if (may_grow && window_.cwnd > cwnd) growth_.grown += window_.cwnd - cwnd;
    }
    void undo_cwnd_reduction(const SenderState& tp) {
        if (!Linux::undo_cwnd_reduction(tp)) return;
        lifted_ = 0;
        raised_ = prior_raised_;
        threshold_unknown_ = prior_threshold_unknown_;
    }
    void cwnd_restart(const SenderState& tp, int64_t idle_us) {
        if (!this->slow_start_after_idle_) return;
        const Window before = window_;
        Linux::cwnd_restart(tp, idle_us);
        restart_ = {before, tp.snd_nxt, tp.now_us, window_.cwnd, raised_, window_.cwnd < before.cwnd};
        lifted_ = 0;
        forget_use(window_.cwnd);
    }

    // A segment has been sent, and counts in tp.in_flight(). `forced`: by a timer, whatever cwnd says.
    void on_sent(const SenderState& tp, bool forced) {
        const uint32_t in_flight = tp.in_flight();
        if (forced || in_flight <= window_.cwnd) return;
        if (restart_.open && !late_) [[unlikely]]
            disprove_restart(tp);
        if (in_flight <= window_.cwnd) return;
        if (late_) {
            window_.cwnd = in_flight;
            window_.ssthresh = in_flight;
            return;
        }
        mismatch_.add(tp, static_cast<double>(in_flight - window_.cwnd) / window_.cwnd);
        if (avoids_congestion(tp)) growth_.raised += in_flight - window_.cwnd;
        raised_ += in_flight - window_.cwnd;
        lifted_ += in_flight - window_.cwnd;
        // It has grown already, a little sooner than it should have.
        if (!window_.in_slow_start()) window_.cwnd_cnt = 0;
        window_.cwnd = in_flight;
    }
    // The end of tcp_write_xmit().
    void on_burst_end(const SenderState& tp, const BurstEnd& end) {
        const uint32_t in_flight = tp.in_flight();
        weigh(tp, end);
        // A 256th: as much as growth that comes an acknowledgement early or late makes of a large window
        // (estimate_window()).
        const bool full = in_flight + window_.cwnd / 256 >= window_.cwnd;
        const bool limited = full || (end.more_waiting && is_deferring(tp));
        if (!end.sent && !limited) return;
        if (end.estimated) note_use(tp);
        if (end.estimated && !tp.snd_una.before(this->cwnd_usage_seq_)) note_peak();
        if (Linux::cwnd_validate(tp, limited)) forget_use(window_.cwnd);
    }

    // Whether the sender stopped about where this candidate's window ends, though it had more to send.
    // A window that was raised much since the last reduction, to what was in flight, explains nothing.
    bool explains_stop(const SenderState& tp, const BurstEnd& end) const {
        if (!is_sender_stop(end)) return false;
        if (!end.estimated && was_raised_much()) return false;
        const uint32_t burst = burst_segments(tp);
        return receiver_has_room(tp, burst) && !leaves_room(tp, burst);
    }

    // Whether a sender with more to send stops just here for this candidate's window, which was not put there.
    bool ends_here(const SenderState& tp, const BurstEnd& end) const {
        if (was_raised_much()) return false;
        return tp.in_flight() == stops_at(tp, end, burst_segments(tp), window_.cwnd);
    }

    // What the sender hands down at once: about a millisecond's worth at its pacing rate (tcp_tso_autosize).
    uint32_t burst_segments(const SenderState& tp) const {
        if (tp.srtt_us == 0) return largest_burst;
        const uint64_t cwnd = std::max(window_.cwnd, tp.packets_out);
        // 200 or 120 % of it (net.ipv4.tcp_pacing_ss_ratio, tcp_pacing_ca_ratio), times 1,000,000 / 1024
        // (sk_pacing_shift).
        const uint64_t share = window_.cwnd < window_.ssthresh / 2 ? 200 * 625 : 120 * 625;
        const uint64_t segments_a_ms = cwnd * share / (64 * static_cast<uint64_t>(tp.srtt_us));
        return static_cast<uint32_t>(
            std::clamp<uint64_t>(segments_a_ms + segments_for_near(tp), 2, largest_burst));
    }

    // At a remote tap, where the order of events is estimated: how small and how large the window may be by what was in
    // flight since it was last reduced.
    uint32_t least_by_use() const {
        uint32_t least = window_.cwnd - std::min(lifted_, window_.cwnd - 1);
        // The highest of the round trips may be estimated too high.
        if (second_used_ > 0) least = std::min(least, second_used_);
        if (window_.ssthresh == Window::infinite_ssthresh)
            least = std::max(least, std::min(initial_cwnd, window_.cwnd));
        return least - least / 16;  // the share that margin_of_remote() begins with
    }
    // Slow start goes on until twice what is used (tcp_is_cwnd_limited). Here it goes by what two round trips showed.
    uint32_t most_by_use() const {
        return window_.in_slow_start() ? 2 * std::max(most_used_, flight_at_most_) : flight_at_most_;
    }
    void note_flight_at_most(uint32_t segments) { flight_at_most_ = std::max(flight_at_most_, segments); }

  private:
    void note_reduction() {
        late_ = is_unknown();
        shown_.on_reduction();
        ++growth_.reductions;
        prior_raised_ = std::exchange(raised_, 0);
        prior_threshold_unknown_ = std::exchange(threshold_unknown_, is_unknown());
    }
    // Much more than the window that an idle restart leaves, before anything of it can have been acknowledged: the sender was not
    // restarted, and never is (net.ipv4.tcp_slow_start_after_idle = 0).
    void disprove_restart(const SenderState& tp) {
        const bool in_time = tp.min_rtt_us != SenderState::no_min_rtt && tp.snd_una == restart_.seq &&
                             tp.now_us - restart_.at_us <= tp.min_rtt_us / 2;
        if (!in_time) restart_.open = false;
        if (!in_time || tp.in_flight() <= (restart_.cwnd / 2 * 3) + 2) return;
        window_ = restart_.before;
        raised_ = restart_.raised;
        lifted_ = 0;
        restart_.open = false;
        this->slow_start_after_idle_ = false;
    }
    bool avoids_congestion(const SenderState& tp) const {
        return tp.ca_state == CaState::open && !window_.in_slow_start();
    }
    void note_use(const SenderState& tp) {
        if (use_round_trip_.next(tp)) {
            second_used_ = std::max(second_used_, std::min(most_used_, round_used_));
            most_used_ = std::max(most_used_, round_used_);
            round_used_ = 0;
        }
        round_used_ = std::max(round_used_, tp.packets_out);
    }
    // The window was `cwnd` and is to become ssthresh.
    void forget_use(uint32_t cwnd) {
        most_used_ = second_used_ = 0;
        if (window_.ssthresh < cwnd)
            flight_at_most_ = static_cast<uint32_t>(uint64_t{flight_at_most_} * window_.ssthresh / cwnd);
    }
    // At a remote tap what is in flight is now and then estimated too high: what one round trip alone shows does not
    // count.
    void note_peak() {
        peaks_[peak_count_++ % peaks_.size()] = this->max_packets_out_;
        uint32_t most = 0;
        uint32_t second = 0;
        for (const uint32_t peak : peaks_) {
            second = std::max(second, std::min(peak, most));
            most = std::max(most, peak);
        }
        this->most_believed_out_ = second;
    }
    // How many segments a sender with enough to send has in flight when it stops (the loop of tcp_write_xmit), if cwnd
    // is `cwnd`.
    static uint32_t stops_at(const SenderState& tp, const BurstEnd& end, uint32_t burst, uint32_t cwnd) {
        const bool defers = tp.ca_state < CaState::recovery;
        if (end.in_flight_before >= cwnd) return end.in_flight_before;
        const uint32_t room = cwnd - end.in_flight_before;
        const uint32_t rest = room % burst;  // of cwnd, after whole bursts
        const bool recent = room >= burst || end.pause_us < defer_us;
        return defers && recent && rest < cwnd / 3 ? cwnd - rest : cwnd;
    }
    // By an eighth of the window: chosen, not measured.
    bool was_raised_much() const { return raised_ > window_.cwnd / 8; }
    // More than waiting for a whole burst explains, and three segments by which acknowledgements that are under way may
    // have moved the window (chosen, not measured).
    bool leaves_room(const SenderState& tp, uint32_t burst) const {
        return tp.in_flight() + burst + 3 < window_.cwnd;
    }
    // Whether it was cwnd and nothing else that a burst could end at.
    static bool is_sender_stop(const BurstEnd& end) { return end.more_waiting && end.clocked && end.sent; }
    static bool receiver_has_room(const SenderState& tp, uint32_t burst) {
        const int64_t receiver_room = tp.snd_nxt.distance_to(tp.wnd_end);
        return receiver_room >= int64_t{burst + 1} * tp.mss;
    }
    // Where the sender stopped although it had more to send shows cwnd. Being a little off again and again in the same
    // direction moves the window there.
    void weigh(const SenderState& tp, const BurstEnd& end) {
        if (!is_sender_stop(end) || end.receiver_may_hold) return;
        const uint32_t burst = burst_segments(tp);
        if (!receiver_has_room(tp, burst)) return;
        const uint32_t in_flight = tp.in_flight();
        shown_.on_stop(tp, burst);
        if (late_ && leaves_room(tp, burst)) {
            window_.cwnd = in_flight;
            return;
        }
        if (end.estimated) note_least_room(tp);
        if (in_flight == stops_at(tp, end, burst, window_.cwnd)) {
            run_ = {};
            return;
        }
        if (end.explained) mismatch_.add(tp, 0.25 / window_.cwnd);
        // A window may be larger than what the sender's buffer lets it use, unless the sender stops about where another
        // candidate's window ends.
        if (end.explained && leaves_room(tp, burst)) {
            mismatch_.add(tp, static_cast<double>(window_.cwnd - in_flight - burst) / window_.cwnd / 2);
        }
        for (int off = -farthest_off; off <= farthest_off; ++off) {
            uint8_t& run = run_[index_of(off)];
            const int64_t cwnd = int64_t{window_.cwnd} + off;
            run = cwnd > 0 && in_flight == stops_at(tp, end, burst, static_cast<uint32_t>(cwnd))
                      ? static_cast<uint8_t>(run + 1)
                      : 0;
        }
        for (int distance = 1; distance <= farthest_off; ++distance) {
            for (const int off : {-distance, distance}) {
                if (run_[index_of(off)] < enough_in_a_row) continue;
                if (avoids_congestion(tp))
                    (off < 0 ? growth_.lowered : growth_.raised) += static_cast<uint64_t>(distance);
                window_.cwnd = static_cast<uint32_t>(int64_t{window_.cwnd} + off);
                mismatch_.add(tp, static_cast<double>(distance) / window_.cwnd);
                run_ = {};
                return;
            }
        }
    }
    // The order that is estimated at a remote tap lets the window be taken for larger than it is, never for smaller:
    // were it so large, it would be full once in a round trip.
    void note_least_room(const SenderState& tp) {
        if (tp.ca_state != CaState::open || window_.in_slow_start()) {
            stops_ = 0;
            return;
        }
        if (stops_ == 0) {
            least_room_ = window_.cwnd;
            room_round_end_ = tp.snd_nxt;
        }
        ++stops_;
        least_room_ = std::min(least_room_, window_.cwnd - std::min(window_.cwnd, tp.in_flight()));
        if (stops_ < enough_stops || tp.snd_una.before(room_round_end_)) return;
        if (least_room_ <= burst_segments(tp) + farthest_off) {
            window_.cwnd -= least_room_;
            growth_.lowered += least_room_;
        }
        stops_ = 0;
    }
    // Chosen, not measured, as are the shares of a round trip that weigh() counts for a stop at the wrong place: stops
    // that make a round trip's least room worth believing; how far off a window is moved at once, and after how many
    // stops.
    static constexpr uint32_t enough_stops = 4;
    static constexpr int farthest_off = 3;
    static constexpr size_t index_of(int off) { return static_cast<size_t>(int64_t{off} + farthest_off); }
    static constexpr uint8_t enough_in_a_row = 3;
    static constexpr int64_t defer_us = 1000;  // tcp_tso_should_defer() waits no longer than a millisecond

    // Whether the sender, with more to send, would wait until cwnd has room for a whole burst: tcp_tso_should_defer(),
    // with a third of cwnd for net.ipv4.tcp_tso_win_divisor.
    bool is_deferring(const SenderState& tp) const {
        const uint32_t room = window_.cwnd - tp.in_flight();
        const int32_t receiver_room = tp.snd_nxt.distance_to(tp.wnd_end);
        if (int64_t{room} * tp.mss >= receiver_room) return false;
        return room < burst_segments(tp) && room < window_.cwnd / 3;
    }
    static constexpr uint32_t largest_burst =
        44;  // about GSO_MAX_SIZE of full segments; chosen, not measured

    std::array<uint32_t, 8> peaks_{};  // of the last round trips; how many was chosen, not measured
    uint32_t peak_count_ = 0;
    uint32_t most_used_ = 0;  // since the last reduction
    uint32_t second_used_ = 0;
    uint32_t round_used_ = 0;
    RoundTripEnd use_round_trip_;
    uint32_t flight_at_most_ = 0;
    bool late_ = false;
    ShownWindow shown_;
    bool threshold_unknown_ = false;
    bool prior_threshold_unknown_ = false;  // before the last reduction
    MismatchScore mismatch_;
    GrowthRecord growth_;
    uint32_t raised_ = 0;  // since the last reduction, to what was in flight
    uint32_t prior_raised_ = 0;
    uint32_t lifted_ = 0;  // the same since the window was set anew
    // The last restart that made the window smaller, until what was sent behind it is acknowledged.
    struct Restart {
        Window before;
        Serial32 seq;
        int64_t at_us = 0;
        uint32_t cwnd = 0;
        uint32_t raised = 0;
        bool open = false;
    };
    Restart restart_;
    uint32_t stops_ = 0;  // that count as evidence, this round trip
    uint32_t least_room_ = 0;
    Serial32 room_round_end_;
    std::array<uint8_t, 2 * farthest_off + 1> run_{};  // how often in a row cwnd was off by -3 … 3
};

}  // namespace sanscope
