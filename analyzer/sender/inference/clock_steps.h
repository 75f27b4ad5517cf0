// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// The sender's time from the capture's. Packets of the two directions may stand a little out of order. A clock that was
// stepped back is another thing: from then on time goes on from where it was, and what passed at the step is taken to
// be the shortest round trip.
class ClockSteps {
  public:
    void advance(SenderState& tp, int64_t time_ns) {
        const int64_t us = time_ns / 1000 + stepped_back_us_;
        if (us < tp.now_us - step_us) [[unlikely]] {
            const int64_t passed_us = tp.min_rtt_us == SenderState::no_min_rtt ? 0 : tp.min_rtt_us;
            stepped_back_us_ += tp.now_us + passed_us - us;
            tp.now_us += passed_us;
            return;
        }
        tp.now_us = std::max(tp.now_us, us);
    }

  private:
    static constexpr int64_t step_us = 500'000;  // chosen, not measured: no capture's disorder is as large

    int64_t stepped_back_us_ = 0;  // added to all times since
};

}  // namespace sanscope
