// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/traffic_in_range.h"

#include "analyzer/base/partition_index.h"

namespace sanscope {

SenderTraffic traffic_in(const CaptureData::Reading& reading, const SenderTrack& sender, TimeRange range) {
    const size_t segments = sender.segments.size();
    const auto is_before = [&](size_t i, int64_t moment_ns) {
        return reading.timeline().time_of(PacketNumber{sender.segments[i]} + 1) < moment_ns;
    };
    const auto first_from = [&](int64_t from_ns) {
        return partition_index(size_t{0}, segments, [&](size_t i) { return is_before(i, from_ns); });
    };
    SenderTraffic traffic;
    // Of thousands of connections most are over before what is looked at.
    if (segments == 0 || is_before(segments - 1, range.begin_ns)) {
        traffic.first = traffic.last = segments;
        return traffic;
    }
    traffic.first = first_from(range.begin_ns);
    traffic.last = first_from(range.end_ns);
    traffic.payload = sender.payload.query(traffic.first, traffic.last, [&](size_t i) {
        return reading.store().segments().get<&SegmentRow::payload_length>(sender.segments[i]);
    });
    return traffic;
}

}  // namespace sanscope
