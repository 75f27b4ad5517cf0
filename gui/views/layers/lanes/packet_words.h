// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/views/layers/lanes/lane.h"

namespace sanscope {

// Of a hit on a packet, or on a column of many: alike in the lanes of TCP and of packets.
QString packet_words(const LaneScene& scene, const LaneHit& hit, const Lane::Moment& moment);
LaneHit packet_hit(const LaneScene& scene, size_t direction, QPointF at);
LaneHit traffic_hit(const LaneScene& scene, size_t direction, QPointF at);

QString text_of(std::string_view text);
// "1.25 s, 16 µs long".
QString column_moment(const LaneScene& scene, size_t index, const Lane::Moment& moment);

}  // namespace sanscope
