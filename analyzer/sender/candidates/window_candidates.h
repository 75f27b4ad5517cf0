// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/sender/candidates/cubic.h"
#include "analyzer/sender/candidates/paced_candidate.h"
#include "analyzer/sender/candidates/reno.h"
#include "analyzer/sender/candidates/window_candidate.h"

namespace sanscope {

// The congestion controls that the sender may have had, each replayed on the same events.
struct WindowCandidates {
    WindowCandidate<Cubic> cubic;
    WindowCandidate<Reno> reno;
    PacedCandidate bbr;

    template <class Do>
    void each(Do&& act) {
        act(cubic);
        act(reno);
        act(bbr);
    }
    template <class Do>
    void each(Do&& act) const {
        act(cubic);
        act(reno);
        act(bbr);
    }
};

}  // namespace sanscope
