// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// How a burst of segments ended: why nothing more was sent before the next event.
struct BurstEnd {
    bool sent = true;               // something was
    bool more_waiting = false;      // surely: the last segment was full and not pushed
    bool clocked = false;           // an acknowledgement had just come
    uint32_t in_flight_before = 0;  // segments, before the first of the burst
    int64_t pause_us = 0;           // since the segment sent before the burst
    int64_t duration_us = 0;        // from its first segment to its last
    uint32_t segments = 0;
    bool explained = false;          // some candidate's window ends about where it did
    bool receiver_may_hold = false;  // the receiver's window, whose scale is not known, may have ended it
    bool estimated = false;          // events are in the order that RemoteSender estimates
};

}  // namespace sanscope
