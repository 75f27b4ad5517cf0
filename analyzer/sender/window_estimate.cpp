// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/window_estimate.h"

#include <algorithm>

namespace sanscope {
namespace {

// Its bandwidth is measured between the sender's own moments, of which the capture shows later ones.
void include_bbr(WindowEstimate& estimate, uint32_t cwnd) {
    const bool known = cwnd <= BbrReplay::least_cwnd;
    estimate.low = std::min(estimate.low, known ? cwnd : cwnd - cwnd / 32);
    estimate.high = std::max(estimate.high, known ? cwnd : cwnd + cwnd / 8);
}

void include(WindowEstimate& estimate, uint32_t cwnd) {
    estimate.low = std::min(estimate.low, cwnd);
    estimate.high = std::max(estimate.high, cwnd);
}

}  // namespace

CcClassifier::Doubts doubts_of(const WindowCandidates& windows) {
    return {windows.cubic.contradictions(), windows.reno.contradictions(), windows.bbr.contradictions()};
}

WindowEstimate estimate_window(const WindowCandidates& windows, const SenderState& state,
                               const CcClassifier& classifier, CcClassifier::Control chosen, bool estimated) {
    using Control = CcClassifier::Control;
    WindowEstimate estimate = chosen_window(windows, chosen);
    if (chosen != Control::bbr) {
        // Growth comes an acknowledgement or a tick early or late.
        if (!state.in_cwnd_reduction() && estimate.cwnd > WindowReplay<RenoModel>::initial_cwnd) {
            const uint32_t margin = 1 + estimate.cwnd / 256;
            estimate.low -= std::min(estimate.low - 1, margin);
            estimate.high += margin;
        }
        if (estimated) {
            const uint32_t more = 1 + estimate.cwnd / 16;
            estimate.low -= std::min(estimate.low - 1, more);
            estimate.high += more;
        }
    }
    const CcClassifier::Doubts doubts = doubts_of(windows);
    for (const Control other : {Control::cubic, Control::reno}) {
        if (classifier.is_possible(other, chosen, doubts))
            include(estimate, chosen_window(windows, other).cwnd);
    }
    if (classifier.is_possible(Control::bbr, chosen, doubts)) include_bbr(estimate, windows.bbr.cwnd());
    return estimate;
}

}  // namespace sanscope
