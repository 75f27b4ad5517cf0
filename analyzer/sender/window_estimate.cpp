// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/window_estimate.h"

#include <algorithm>

namespace sanscope {
namespace {

// A candidate is refuted when so much more speaks against it than against the chosen one.
bool refuted(double doubt, double least) {
    return doubt > 1.5 * least + 0.25;
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
                               CcClassifier::Control chosen, bool estimated) {
    WindowEstimate estimate;
    const auto take = [&](const auto& window) {
        estimate.cwnd = estimate.low = estimate.high = window.cwnd();
        estimate.ssthresh = window.ssthresh();
    };
    if (chosen == CcClassifier::Control::bbr) {
        take(windows.bbr);
        // Its bandwidth is measured between the sender's own moments, of which the capture shows later ones.
        if (estimate.cwnd > BbrReplay::least_cwnd) {
            estimate.low -= estimate.cwnd / 32;
            estimate.high += estimate.cwnd / 8;
        }
        return estimate;
    }
    const CcClassifier::Doubts doubts = doubts_of(windows);
    const double least = std::min(doubts.cubic, doubts.reno);
    const bool is_cubic = chosen == CcClassifier::Control::cubic;
    if (is_cubic) {
        take(windows.cubic);
    } else {
        take(windows.reno);
    }
    if (is_cubic && !refuted(doubts.reno, least)) include(estimate, windows.reno.cwnd());
    if (!is_cubic && !refuted(doubts.cubic, least)) include(estimate, windows.cubic.cwnd());
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
    return estimate;
}

}  // namespace sanscope
