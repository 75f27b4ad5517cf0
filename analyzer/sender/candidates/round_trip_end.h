// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/base/serial32.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Tells a sender's round trips apart: one ends once all that was sent before it began has been acknowledged.
class RoundTripEnd {
  public:
    // Whether none was under way, or the one that was is over: then another begins here.
    bool next(const SenderState& tp) {
        if (begun_ && tp.snd_una.before(end_)) return false;
        end_ = tp.snd_nxt;
        begun_ = true;
        return true;
    }

  private:
    Serial32 end_;
    bool begun_ = false;
};

}  // namespace sanscope
