// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/candidates/bbr.h"
#include "analyzer/sender/candidates/burst_end.h"
#include "analyzer/sender/candidates/lately_largest.h"
#include "analyzer/sender/candidates/mismatch_score.h"
#include "analyzer/sender/candidates/tso_autosize.h"
#include "analyzer/sender/kernel/cwnd_control.h"

namespace sanscope {

// A sender with BBR as a candidate for what the sender's cwnd was: where it stops says little of cwnd, since it paces;
// how much it sends at once does.
class PacedCandidate : public CwndControl<Bbr> {
  public:
    // What contradicts this candidate, in round trips.
    double mismatch() const { return mismatch_.total(); }

    // What came before was not captured.
    void init_late(const SenderState& tp) {
        const bool doubts = ops_.doubts_application_limit();
        ops_ = {};
        if (doubts) ops_.doubt_application_limit();
        window_.cwnd = std::min(window_.cwnd, initial_cwnd);
        late_us_ = tp.now_us;
        lately_largest_ = {};
        init(tp);
    }
    // What the window follows from is still what was before.
    bool is_unknown() const { return late_us_ != never_us && !ops_.has_measured(); }
    bool threshold_is_unknown() const { return is_unknown(); }
    // How large the window was then is not known: in startup it stays what it was as long as the application sends less.
    bool may_be_larger() const {
        return late_us_ != never_us && ops_.starting_up() && !ops_.doubts_application_limit();
    }
    // … and a round trip from before counts as long as its filter remembers it (bbr_update_min_rtt()): with a queue of its own in all
    // that were captured, it is shorter than those, and the window smaller.
    bool may_be_smaller(const SenderState& tp) const {
        return late_us_ != never_us && tp.now_us - late_us_ < Bbr::min_rtt_window_us;
    }

    // A segment has been sent, and counts in tp.in_flight(). `forced`: by a timer, whatever cwnd says.
    void on_sent(const SenderState& tp, bool forced) {
        const uint32_t in_flight = tp.in_flight();
        if (forced || in_flight <= window_.cwnd) return;
        // What the window is in another phase of the cycle contradicts nothing: that one the kernel drew by lot.
        const uint32_t most = over_the_cycle(tp).high;
        if (in_flight > most) mismatch_.add_worst(tp, static_cast<double>(in_flight - most) / most);
        window_.cwnd = in_flight;
    }
    // A paced sender cannot send much more at once than its rate and a short path allow: three times as much at most, and two
    // segments, where the capture's times are later than the sender's own (chosen, not measured).
    void on_burst_end(const SenderState& tp, const BurstEnd& end) {
        lately_largest_.on_burst_end(tp, [&] { return over_the_cycle(tp).high; });
        constexpr uint32_t sent_unpaced = 10;  // tcp_update_skb_after_send()
        if (!end.sent || tp.delivered + tp.packets_out < 2 * sent_unpaced) return;
        const uint64_t most = 3 * ops_.most_within(tp, end.duration_us) + segments_for_near(tp) + 2;
        if (end.segments <= most) return;
        mismatch_.add_worst(tp, static_cast<double>(end.segments - most) / static_cast<double>(end.segments));
    }

    void doubt_application_limit() { ops_.doubt_application_limit(); }
    int64_t pacing_gap_us(uint64_t bytes) const { return ops_.pacing_gap_us(bytes); }
    bool starting_up() const { return ops_.starting_up(); }
    Bbr::Range over_the_cycle(const SenderState& tp) const { return ops_.over_the_cycle(tp, window_); }

    // In segments.
    uint32_t lately_largest() const { return lately_largest_.segments(); }

    uint32_t short_of_path(const SenderState& tp) const { return ops_.short_of_path(tp, cwnd()); }

  private:
    static constexpr int64_t never_us = INT64_MIN;
    int64_t late_us_ = never_us;  // when the capture began, behind the beginning of the connection
    MismatchScore mismatch_;
    LatelyLargest lately_largest_;
};

}  // namespace sanscope
