// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/points/shared_connections.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

constexpr size_t first_ones = 16;   // segments that a SYN is looked for among
constexpr size_t looked_for = 512;  // segments with payload of each side
constexpr size_t enough = 8;        // of them found: no two streams have as many in common by chance

// Of the initiator, of the target.
using SynNumbers = std::pair<uint32_t, uint32_t>;

std::optional<uint32_t> syn_of(const ResultStore& store, const SenderTrack& sender) {
    for (size_t i = 0; i < std::min(first_ones, sender.segments.size()); ++i) {
        const SegmentRow& segment = store.segments()[sender.segments[i]];
        if ((segment.flags & tcp_syn) != 0) return segment.seq;
    }
    return std::nullopt;
}

std::optional<SynNumbers> syns_of(const CaptureData::Reading& reading, ConnectionNumber connection) {
    const ConnectionTrack* const track = reading.timeline().track(connection);
    if (track == nullptr) return std::nullopt;
    const ConnectionRow& row = reading.store().connection(connection);
    const auto initiator = syn_of(reading.store(), track->sender(row.side_of(Role::initiator)));
    const auto target = syn_of(reading.store(), track->sender(row.side_of(Role::target)));
    if (!initiator || !target) return std::nullopt;
    return SynNumbers{*initiator, *target};
}

// The segments of one side at one point begin where some of the other point's do, even if offload made others of them.
bool have_segments_in_common(const CaptureData::Reading& a, ConnectionNumber connection_a,
                             const CaptureData::Reading& b, ConnectionNumber connection_b) {
    const ConnectionTrack* const track_a = a.timeline().track(connection_a);
    const ConnectionTrack* const track_b = b.timeline().track(connection_b);
    if (track_a == nullptr || track_b == nullptr) return false;
    const ConnectionRow& row_a = a.store().connection(connection_a);
    const ConnectionRow& row_b = b.store().connection(connection_b);
    size_t found = 0;
    for (const Role role : {Role::initiator, Role::target}) {
        const auto& at_a = track_a->sender(row_a.side_of(role)).segments;
        const auto& at_b = track_b->sender(row_b.side_of(role)).segments;
        std::unordered_set<uint32_t> begins;
        for (const uint32_t row : at_b) {
            const SegmentRow& segment = b.store().segments()[row];
            if (segment.payload_length > 0) begins.insert(segment.seq);
        }
        const size_t step = std::max<size_t>(at_a.size() / looked_for, 1);
        for (size_t i = 0; i < at_a.size(); i += step) {
            const SegmentRow& segment = a.store().segments()[at_a[i]];
            if (segment.payload_length > 0 && begins.contains(segment.seq)) ++found;
        }
    }
    return found >= enough;
}

bool overlap(const ConnectionRow& a, const ConnectionRow& b) {
    return a.start_ns != no_time && b.start_ns != no_time && a.start_ns <= b.end_ns && b.start_ns <= a.end_ns;
}

}  // namespace

SharedConnections find_shared_connections(const CaptureData::Reading& a, const CaptureData::Reading& b,
                                          const StopFlag& stop) {
    std::map<SynNumbers, ConnectionNumber> by_syns;
    std::multimap<std::array<uint64_t, 6>, ConnectionNumber> by_ends;
    const auto ends_of = [](const ConnectionRow& row) {
        return std::array<uint64_t, 6>{
            row.initiator.address.words[0], row.initiator.address.words[1], row.initiator.port,
            row.target.address.words[0],    row.target.address.words[1],    row.target.port};
    };
    const auto& of_b = b.store().connections();
    for (size_t i = 0; i < of_b.size(); ++i) {
        const auto number = ConnectionNumber(static_cast<uint32_t>(i + 1));
        if (const auto syns = syns_of(b, number)) by_syns.emplace(*syns, number);
        by_ends.emplace(ends_of(of_b[i]), number);
    }
    SharedConnections shared;
    shared.same_times = true;
    const auto& of_a = a.store().connections();
    for (size_t i = 0; i < of_a.size() && !stop; ++i) {
        const auto number = ConnectionNumber(static_cast<uint32_t>(i + 1));
        const ConnectionRow& row = of_a[i];
        ConnectionNumber other = 0;
        const auto syns = syns_of(a, number);
        if (syns) {
            const auto found = by_syns.find(*syns);
            if (found != by_syns.end()) other = found->second;
        }
        const auto [first, last] = by_ends.equal_range(ends_of(row));
        for (auto at = first; other == 0 && at != last; ++at) {
            // With both SYNs in both captures those have told.
            const bool told = syns && syns_of(b, at->second);
            if (!told && overlap(row, of_b[at->second - 1]) &&
                have_segments_in_common(a, number, b, at->second))
                other = at->second;
        }
        if (other == 0) continue;
        ++shared.count;
        const ConnectionRow& there = of_b[other - 1];
        if (row.start_ns != there.start_ns || row.end_ns != there.end_ns) shared.same_times = false;
    }
    if (shared.count == 0) shared.same_times = false;
    return shared;
}

}  // namespace sanscope
