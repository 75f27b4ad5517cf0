// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/candidates/paced_candidate.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Whether the application had no more to send although cwnd had room (tcp_rate_check_app_limited), which marks the rate
// samples that BBR is not to believe. A segment that is not full shows it, since what is written before it is sent
// fills it up; and so do data that come later than pacing explains, although the last that were sent were all there
// was.
class ApplicationLimit {
  public:
    // Before new data are sent.
    void before_new_data(SenderState& tp, uint32_t length, const PacedCandidate& paced);
    // … and after. `more_waiting`: the last of them did not end what was written.
    void after_new_data(const SenderState& tp, bool more_waiting, const PacedCandidate& paced);
    // The last new segment was not pushed.
    bool more_waiting() const { return more_waiting_; }

  private:
    uint64_t burst_bytes_ = 0;      // sent at once, last
    bool last_was_short_ = false;   // the last new segment was not full
    bool window_was_full_ = false;  // nearly, after the last new segment, if the sender is paced
    bool more_waiting_ = false;
};

}  // namespace sanscope
