// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/lanes/lane.h"

namespace sanscope {

const std::array<const Lane*, lane_kinds>& all_lanes() {
    static const std::array<const Lane*, lane_kinds> lanes{
        &commands_lane(), &pdu_lane(0),          &pdu_lane(1),          &tcp_lane(0),
        &tcp_lane(1),     &window_lane(0),       &window_lane(1),       &state_lane(0),
        &state_lane(1),   &kernel_state_lane(0), &kernel_state_lane(1), &packets_lane()};
    return lanes;
}

const Lane& lane_of(LaneKind kind) {
    return *all_lanes()[static_cast<size_t>(kind)];
}

bool has_data_sender(const TrackRows& rows, size_t direction) {
    const SenderTrack& sender = rows.sender(direction);
    const SenderTrack& other = rows.sender(1 - direction);
    if (sender.windows.empty()) return false;
    return !sender.ca_transitions.empty() || sender.payload.total() * 20 >= other.payload.total();
}

}  // namespace sanscope
