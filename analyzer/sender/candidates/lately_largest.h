// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/candidates/round_trip_end.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// The largest window that BBR was replayed with since there were enough round trips in a row that the application did not limit: by
// those alone its bandwidth filter forgets. Which they are is not on the wire, and the filter may remember more.
class LatelyLargest {
  public:
    // A burst has ended; `window()`: in segments, asked for once a round trip.
    template <class Window>
    void on_burst_end(const SenderState& tp, Window&& window) {
        if (!round_trip_.next(tp)) return;
        rounds_ = tp.app_limited == 0 ? rounds_ + 1 : 0;
        const uint32_t now = window();
        segments_ = rounds_ > bandwidth_rounds ? now : std::max(segments_, now);
    }
    // 0: no burst has ended yet.
    uint32_t segments() const { return segments_; }

  private:
    static constexpr uint32_t bandwidth_rounds = 10;  // bbr_bw_rtts
    uint32_t segments_ = 0;
    uint32_t rounds_ = 0;  // in a row that the application did not limit
    RoundTripEnd round_trip_;
};

}  // namespace sanscope
