// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/candidates/cc_classifier.h"
#include "analyzer/sender/candidates/window_candidates.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// What is believed of a sender's windows, in segments.
struct WindowEstimate {
    uint32_t cwnd = 0;
    uint32_t low = 0;  // a 90 % interval
    uint32_t high = 0;
    uint32_t ssthresh = Window::infinite_ssthresh;
    uint32_t low_but_for_flight = 0;  // low, had not what was in flight of late been set against it
};

// The chosen candidate's figures, without the interval.
inline WindowEstimate chosen_window(const WindowCandidates& windows, CcClassifier::Control chosen) {
    return windows.of_chosen(chosen, [](const auto& window) {
        return WindowEstimate{window.cwnd(), window.cwnd(), window.cwnd(), window.ssthresh(), window.cwnd()};
    });
}

CcClassifier::Scores mismatch_of(const WindowCandidates& windows);

// The same with the interval: it covers what the candidate itself cannot know (the phase of the kernel's
// tick, the rates that only its own clock shows), and the other candidates as long as they are possible. `estimated`:
// the events are RemoteSender's, some of them out of place.
WindowEstimate estimate_window(const WindowCandidates& windows, const SenderState& state,
                               const CcClassifier& classifier, CcClassifier::Control chosen, bool estimated);

}  // namespace sanscope
