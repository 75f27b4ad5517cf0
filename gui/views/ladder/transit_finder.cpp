// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/transit_finder.h"

#include <algorithm>

namespace sanscope {
namespace {

constexpr int64_t longest_queue_ns = 200'000'000;
constexpr size_t most_windows = 200'000;

}  // namespace

TransitFinder::TransitFinder(const CaptureData::Reading& reading, uint32_t connection, TimeRange range,
                             std::shared_ptr<const MeasuredTransits> points)
    : points_(std::move(points)), delay_(PathDelay::of(reading.store(), connection)) {
    if (points_ != nullptr && points_->round_trip_ns() != no_time)
        delay_ = PathDelay::between(points_->round_trip_ns(), points_->ends().here_is_initiator);
    const ResultStore& store = reading.store();
    initiator_ = store.connection(connection).side_of(Role::initiator);
    int64_t queue_ns = 0;
    for (const SenderSummary& sender : store.senders()) {
        if (sender.connection() != connection || sender.srtt_max_ns() == no_time) continue;
        queue_ns = std::max(queue_ns, sender.srtt_max_ns());
    }
    reach_ns_ = delay_.one_way_ns() + std::clamp<int64_t>(queue_ns, 0, longest_queue_ns);
    const ConnectionTrack& track = *reading.timeline().track(connection);
    if (points_ != nullptr) return;
    if (delay_.to_initiator_ns > 0) take_windows(reading, track.sender(initiator_), Role::initiator, range);
    if (delay_.to_target_ns > 0)
        take_windows(reading, track.sender(other_side(initiator_)), Role::target, range);
}

void TransitFinder::take_windows(const CaptureData::Reading& reading, const SenderTrack& track, Role sender,
                                 TimeRange range) {
    const auto& windows = reading.store().windows();
    const auto& segments = reading.store().segments();
    const auto time_at = [&](uint32_t row) { return windows[row].time_ns; };
    const size_t first = first_not_before(track.windows, range.begin_ns - 2 * reach_ns_, time_at);
    const size_t last = first_not_before(track.windows, range.end_ns + 2 * reach_ns_, time_at);
    // Seen from so far, a queue is less than a pixel.
    if (last - first > most_windows) return;
    auto& left = left_[index_of(sender)];
    left.reserve(last - first);
    for (size_t i = first; i < last; ++i) {
        const WindowRow& row = windows[track.windows[i]];
        if (row.packet == 0 || row.packet > segments.size()) continue;
        if (segments[row.packet - 1].sender == row.sender)
            left.emplace_back(static_cast<uint32_t>(row.packet), within_reach(row.time_ns));
    }
    // Of several rows the last one is of the packet itself, others of what it showed.
    std::ranges::stable_sort(left, {}, &std::pair<uint32_t, int64_t>::first);
}

PacketTransit TransitFinder::transit(PacketNumber packet, Role sender, int64_t captured_ns) const {
    PacketTransit transit = delay_.transit(sender, captured_ns);
    if (points_ != nullptr) {
        const MeasuredPacket* const measured = points_->find(sender, packet);
        if (measured == nullptr || !measured->far.known()) return transit;
        const int64_t far_ns = measured->far.time_ns;
        const bool leaves_here = (sender == Role::initiator) == points_->ends().here_is_initiator;
        // Copies that are told apart by their order alone may be taken for each other: none arrives before it left.
        return leaves_here ? PacketTransit{captured_ns, std::max(far_ns, captured_ns)}
                           : PacketTransit{std::min(far_ns, captured_ns), captured_ns};
    }
    const auto& left = left_[index_of(sender)];
    auto it = std::ranges::upper_bound(left, packet, {}, &std::pair<uint32_t, int64_t>::first);
    if (it == left.begin() || (--it)->first != packet) return transit;
    transit.left_ns = std::clamp(it->second, transit.left_ns - reach_ns_, transit.left_ns);
    return transit;
}

}  // namespace sanscope
