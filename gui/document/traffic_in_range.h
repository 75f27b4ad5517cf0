// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "gui/document/capture_data.h"
#include "gui/document/time_range.h"

namespace sanscope {

// The TCP segments of one sender that were captured in a range of time.
struct SenderTraffic {
    size_t first = 0;      // in SenderTrack::segments
    size_t last = 0;       // behind the last of them
    uint64_t payload = 0;  // bytes, what was sent again counts again

    uint64_t segments() const { return last - first; }
};

// Looks at a few of them only. Any thread.
SenderTraffic traffic_in(const CaptureData::Reading& reading, const SenderTrack& sender, TimeRange range);

}  // namespace sanscope
