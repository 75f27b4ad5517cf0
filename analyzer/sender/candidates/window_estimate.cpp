// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/candidates/window_estimate.h"

#include <algorithm>

namespace sanscope {
namespace {

// Its bandwidth is measured between the sender's own moments, of which the capture shows later ones, and a remote tap
// estimates. With these margins and the phases of its cycle, 11 BBR senders of captures/lab/record_matrix.py had the
// kernel's window within their interval at 99.9 % of the acknowledgements, at a remote tap at 96 %; without the phases
// it was 94 % and 89 %.
void include_bbr(WindowEstimate& estimate, const PacedCandidate& bbr, const SenderState& state,
                 bool estimated, bool remembers) {
    const uint32_t margin = bbr.cwnd() <= Bbr::least_cwnd ? 0 : bbr.cwnd() / (estimated ? 8 : 10);
    const Bbr::Range range = bbr.over_the_cycle(state);
    uint32_t above = margin;
    if (estimated) above = std::max(above, bbr.short_of_path(state));
    if (remembers && bbr.lately_largest() > range.high)
        above = std::max(above, bbr.lately_largest() - range.high);
    if (bbr.may_be_larger()) above = std::max(above, range.high);
    estimate.low = std::min(estimate.low, range.low - std::min(margin, range.low - 1));
    estimate.high = std::max(estimate.high, range.high + above);
}

// A window that BBR's startup left behind became smaller without a loss: of one that another candidate is shown with, only what
// was in flight tells; where its stops show the window, no less than half of what BBR is replayed with (chosen, not measured).
uint32_t least_by_flight(const WindowCandidates& windows, bool only_flight_tells) {
    const uint32_t used = windows.recent_flight.confirmed();
    if (used == 0) return UINT32_MAX;
    if (only_flight_tells) return used;
    uint32_t replayed = windows.bbr.cwnd();
    if (windows.other_bbr_is_possible()) replayed = std::min(replayed, windows.other_bbr->cwnd());
    return std::max(used, replayed / 2);
}

// What contradicts a window shows by how much the order of events, and with it the window, is taken wrongly.
uint32_t margin_of_remote(uint32_t cwnd, double mismatch_per_round) {
    // Set so that with what is in flight (below) 41 of 45 senders of captures/lab/record_matrix.py, seen at a remote
    // tap, had the kernel's window within the interval for 85 % of the time or more.
    constexpr double least_share = 1.0 / 16;
    constexpr double most_share = 0.5;
    return static_cast<uint32_t>(std::min(most_share, least_share + 3 * mismatch_per_round) * cwnd);
}

void include(WindowEstimate& estimate, uint32_t cwnd) {
    estimate.low = std::min(estimate.low, cwnd);
    estimate.high = std::max(estimate.high, cwnd);
}

}  // namespace

CcClassifier::Scores mismatch_of(const WindowCandidates& windows) {
    return {.cubic = windows.cubic.mismatch(),
            .reno = windows.reno.mismatch(),
            .bbr = windows.bbr.mismatch(),
            .cubic_at_once = windows.cubic.mismatch_at_once(),
            .reno_at_once = windows.reno.mismatch_at_once()};
}

WindowEstimate estimate_window(const WindowCandidates& windows, const SenderState& state,
                               const CcClassifier& classifier, CcClassifier::Control chosen, bool estimated) {
    using Control = CcClassifier::Control;
    WindowEstimate estimate = chosen_window(windows, chosen);
    const int64_t min_rtt_us = state.min_rtt_us == SenderState::no_min_rtt ? 0 : state.min_rtt_us;
    const CcClassifier::Scores scores = mismatch_of(windows);
    if (chosen != Control::bbr) {
        uint32_t margin = 0;
        // Growth comes an acknowledgement or a tick early or late: by a segment, of large windows by some; in slow start by twice what
        // is in flight when the kernel takes the acknowledgement, and not yet when the capture has it (set, not measured).
        const bool slow_start = !estimated && estimate.cwnd < estimate.ssthresh;
        if (!state.in_cwnd_reduction() && estimate.cwnd > WindowCandidate<Reno>::initial_cwnd)
            margin = 1 + estimate.cwnd / (slow_start ? 64 : 256);
        // Of one begun late each stop shows it anew, and a stop may come a burst before its end.
        if (windows.cubic.is_late()) margin += windows.cubic.burst_segments(state);
        if (estimated)
            margin += 1 + margin_of_remote(estimate.cwnd, classifier.mismatch_per_round(chosen, scores));
        estimate.low -= std::min(estimate.low - 1, margin);
        estimate.high += margin;
        // A window is at least what was in flight; how much larger, only stops at its end show, whose place is known at
        // a remote tap no better than the order of events.
        if (estimated && !state.in_cwnd_reduction()) {
            const bool is_cubic = chosen == Control::cubic;
            if (!classifier.is_sure(chosen, scores, min_rtt_us)) {
                estimate.low = std::min(
                    estimate.low, is_cubic ? windows.cubic.least_by_use() : windows.reno.least_by_use());
                estimate.high =
                    std::max({estimate.high, windows.cubic.most_by_use(), windows.reno.most_by_use()});
            } else if (state.app_limited != 0 && estimate.cwnd < estimate.ssthresh) {
                // The kernel grows it up to twice what was in flight, which is estimated too low now and then (by a quarter: set,
                // not measured).
                const uint32_t most = is_cubic ? windows.cubic.most_by_use() : windows.reno.most_by_use();
                estimate.high = std::max(estimate.high, most + most / 4);
            }
        }
    }
    for (const Control other : {Control::cubic, Control::reno}) {
        if (classifier.is_possible(other, chosen, scores, min_rtt_us))
            include(estimate, chosen_window(windows, other).cwnd);
    }
    if (windows.shifted && classifier.is_possible(Control::cubic, chosen, scores, min_rtt_us)) {
        for (const auto& candidate : *windows.shifted) {
            if (windows.may_be_cubic(candidate)) include(estimate, candidate.cwnd());
        }
    }
    if (classifier.is_possible(Control::bbr, chosen, scores, min_rtt_us)) {
        const bool only_flight_tells = chosen != Control::bbr && classifier.windows_hardly_show(scores);
        include_bbr(estimate, windows.bbr, state, estimated, only_flight_tells);
        if (windows.other_bbr_is_possible() && classifier.other_is_possible(chosen))
            include_bbr(estimate, *windows.other_bbr, state, estimated, only_flight_tells);
        estimate.low_but_for_flight = estimate.low;
        const uint32_t used = windows.recent_flight.confirmed();
        if (used > 0 && windows.bbr.may_be_smaller(state)) estimate.low = std::min(estimate.low, used);
        if (estimated && chosen != Control::bbr)
            estimate.low = std::min(estimate.low, least_by_flight(windows, only_flight_tells));
    } else {
        estimate.low_but_for_flight = estimate.low;
    }
    return estimate;
}

}  // namespace sanscope
