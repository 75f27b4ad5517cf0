// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/traffic_in_range.h"

#include "analyzer/base/partition_index.h"

namespace sanscope {

SenderTraffic traffic_in(const CaptureData::Reading& reading, const SenderTrack& sender, TimeRange range) {
    const auto first_from = [&](int64_t from_ns) {
        return partition_index(size_t{0}, sender.segments.size(), [&](size_t i) {
            return reading.timeline().time_of(PacketNumber{sender.segments[i]} + 1) < from_ns;
        });
    };
    SenderTraffic traffic;
    traffic.first = first_from(range.begin_ns);
    traffic.last = first_from(range.end_ns);
    traffic.payload = sender.payload.query(traffic.first, traffic.last, [&](size_t i) {
        return reading.store().segments()[sender.segments[i]].payload_length;
    });
    return traffic;
}

}  // namespace sanscope
