// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// The largest window that BBR was replayed with since there were enough round trips in a row that the application did not limit: by
// those alone its bandwidth filter forgets. At a remote tap it is estimated which they are, and the filter may remember more.
class LatelyLargest {
  public:
    // A burst has ended; `window`: in segments.
    void on_burst_end(const SenderState& tp, uint32_t window) {
        if (!begun_ || !tp.snd_una.before(round_end_)) {
            rounds_ = tp.app_limited == 0 ? rounds_ + 1 : 0;
            round_end_ = tp.snd_nxt;
            begun_ = true;
            if (rounds_ > bandwidth_rounds) segments_ = 0;
        }
        segments_ = std::max(segments_, window);
    }
    // 0: no burst has ended yet.
    uint32_t segments() const { return segments_; }

  private:
    static constexpr uint32_t bandwidth_rounds = 10;  // bbr_bw_rtts
    uint32_t segments_ = 0;
    uint32_t rounds_ = 0;  // in a row that the application did not limit
    Serial32 round_end_;
    bool begun_ = false;
};

}  // namespace sanscope
