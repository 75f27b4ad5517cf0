// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"

namespace sanscope {

// What two open captures have in common, as far as is worth saying before they are held against each other.
struct SharedConnections {
    size_t count = 0;  // TCP connections that both have
    // All of these begin and end at the same moments: rather two copies of one capture than two points.
    bool same_times = false;
};

// The same connection has the sequence numbers of both SYNs in both captures, whatever its addresses are there; or, where a SYN
// is missing, the same addresses and ports at overlapping times, and segments that begin at the same sequence numbers. Both must be
// complete. Takes some nanoseconds a segment, on a worker.
SharedConnections find_shared_connections(const CaptureData::Reading& a, const CaptureData::Reading& b,
                                          const StopFlag& stop);

}  // namespace sanscope
