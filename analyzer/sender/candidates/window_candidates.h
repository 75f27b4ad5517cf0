// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/sender/candidates/bbr.h"
#include "analyzer/sender/candidates/cubic.h"
#include "analyzer/sender/candidates/reno.h"
#include "analyzer/sender/candidates/window_replay.h"

namespace sanscope {

// The congestion controls that the sender may have had, each replayed on the same events.
struct WindowCandidates {
    WindowReplay<CubicModel> cubic;
    WindowReplay<RenoModel> reno;
    BbrReplay bbr;

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
