// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <tuple>

#include "analyzer/sender/cc_models/bbr.h"
#include "analyzer/sender/cc_models/cubic.h"
#include "analyzer/sender/cc_models/reno.h"
#include "analyzer/sender/window_replay.h"

namespace sanscope {

// The congestion controls that the sender may have had, each replayed on the same events.
class WindowCandidates {
  public:
    template <class Do>
    void each(Do&& act) {
        std::apply([&](auto&... candidate) { (act(candidate), ...); }, candidates_);
    }
    template <class Do>
    void each(Do&& act) const {
        std::apply([&](const auto&... candidate) { (act(candidate), ...); }, candidates_);
    }

  private:
    std::tuple<WindowReplay<CubicModel>, WindowReplay<RenoModel>, BbrReplay> candidates_;
};

}  // namespace sanscope
