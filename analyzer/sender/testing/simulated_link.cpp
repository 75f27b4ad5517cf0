// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/simulated_link.h"

#include <algorithm>

namespace sanscope::simulated {

void SimulatedLink::send(WireSegment segment) {
    const Fate fate = fate_of(segment);
    const bool queue_full = transmitter_free_ns_ > time_.now() && waiting_ >= options_.queue_segments;
    if (fate.drop || queue_full) {
        ++dropped_;
        return;
    }
    if (segment.ecn_capable && (fate.mark || waiting_ >= options_.mark_from))
        segment.congestion_experienced = true;
    travel(segment, fate.hold_ns);
    if (fate.duplicate) travel(segment, fate.hold_ns);
}

SimulatedLink::Fate SimulatedLink::fate_of(const WireSegment& segment) {
    Fate fate;
    if (const auto found = by_number_.find(++sent_); found != by_number_.end()) fate = found->second;
    if (segment.length > 0) {
        const uint32_t transmission = ++transmissions_[segment.seq.value];
        if (const auto found = by_sequence_.find({segment.seq.value, transmission});
            found != by_sequence_.end())
            fate = found->second;
    }
    const int64_t now = time_.now();
    for (const Outage& outage : outages_) {
        if (now >= outage.from_ns && now < outage.to_ns) fate.drop = true;
    }
    for (const Hold& hold : holds_) {
        if (now >= hold.from_ns && now < hold.to_ns) fate.hold_ns += hold.extra_ns;
    }
    return fate;
}

void SimulatedLink::travel(const WireSegment& segment, int64_t extra_ns) {
    int64_t leaves_ns = time_.now();
    if (options_.bits_per_second > 0) {
        const uint64_t bits = (uint64_t{segment.length} + header_bytes) * 8;
        const int64_t takes_ns = static_cast<int64_t>(bits * uint64_t{second} / options_.bits_per_second);
        const int64_t begins_ns = std::max(time_.now(), transmitter_free_ns_);
        if (begins_ns > time_.now()) {
            longest_queue_ = std::max(longest_queue_, ++waiting_);
            time_.at(begins_ns, [this] { --waiting_; });
        }
        transmitter_free_ns_ = leaves_ns = begins_ns + takes_ns;
    }
    if (half_way_)
        time_.at(leaves_ns + extra_ns + options_.delay_ns / 2, [this, segment] { half_way_(segment); });
    time_.at(leaves_ns + extra_ns + options_.delay_ns, [this, segment] {
        ++delivered_;
        arrival_(segment);
    });
}

}  // namespace sanscope::simulated
