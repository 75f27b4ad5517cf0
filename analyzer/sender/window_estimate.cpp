// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/window_estimate.h"

#include <algorithm>

namespace sanscope {
namespace {

// Its bandwidth is measured between the sender's own moments, of which the capture shows later ones.
void include_bbr(WindowEstimate& estimate, uint32_t cwnd) {
    const uint32_t margin = cwnd <= BbrReplay::least_cwnd ? 0 : cwnd / 8;
    estimate.low = std::min(estimate.low, cwnd - margin);
    estimate.high = std::max(estimate.high, cwnd + margin);
}

// What contradicts a window shows by how much the order of events, and with it the window, is taken wrongly.
uint32_t margin_from_afar(uint32_t cwnd, double doubt_a_round) {
    constexpr double least_share = 1.0 / 16;
    constexpr double most_share = 0.5;
    return static_cast<uint32_t>(std::min(most_share, least_share + 3 * doubt_a_round) * cwnd);
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
    const CcClassifier::Doubts doubts = doubts_of(windows);
    if (chosen != Control::bbr) {
        uint32_t margin = 0;
        // Growth comes an acknowledgement or a tick early or late.
        if (!state.in_cwnd_reduction() && estimate.cwnd > WindowReplay<RenoModel>::initial_cwnd)
            margin = 1 + estimate.cwnd / 256;
        if (estimated)
            margin += 1 + margin_from_afar(estimate.cwnd, classifier.doubt_a_round(chosen, doubts));
        estimate.low -= std::min(estimate.low - 1, margin);
        estimate.high += margin;
    }
    for (const Control other : {Control::cubic, Control::reno}) {
        if (classifier.is_possible(other, chosen, doubts))
            include(estimate, chosen_window(windows, other).cwnd);
    }
    if (classifier.is_possible(Control::bbr, chosen, doubts)) include_bbr(estimate, windows.bbr.cwnd());
    return estimate;
}

}  // namespace sanscope
