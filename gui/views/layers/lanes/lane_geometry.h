// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <algorithm>
#include <vector>

#include "gui/plot/text_scale.h"
#include "gui/views/layers/lanes/lane.h"

namespace sanscope {

constexpr uint16_t most_slots = 32;  // of a commands lane; the rest share one more line
constexpr int loss_strip = 10;       // above the segments of a TCP lane
constexpr int lane_gap = 2;          // above the first line and below the last
inline int compact_height() {
    return beside_text(10);
}
inline int pdu_line_height() {
    return beside_text(15);
}

// Of a slot's line in a commands lane.
int slot_height(uint16_t slots);

// Where an item is drawn: x in the viewport's pixels, cut not far outside of it; y from the group's top.
QRectF rect_of(const CommandBar& bar, const GroupShape& shape, const LanePlace& lane,
               const TimeViewport& viewport);
QRectF rect_of(const PduBar& bar, const LanePlace& lane, const TimeViewport& viewport);
// Of a tick in a TCP lane or in the packets lane; `most`: the greatest size, at the lane's full height.
QRectF rect_of(const PacketTick& tick, const LanePlace& lane, uint32_t most, const TimeViewport& viewport);
QPointF center_of(const LaneLoss& mark, const LanePlace& lane, const TimeViewport& viewport);
// The sizes that stand for the full height of lanes of ticks, of all ticks drawn.
uint32_t greatest_payload(const GroupPicture& group);
uint32_t greatest_wire_length(const GroupPicture& group);

// 0 where the value lies inside.
inline double outside_by(double value, double low, double high) {
    return value < low ? low - value : value > high ? value - high : 0;
}

// The nearest of the items by the distances of their rectangles; items.size(): none within reach.
template <class Item, class RectOf>
size_t nearest(const std::vector<Item>& items, QPointF at, double reach_y, RectOf rect) {
    constexpr double reach = 3;  // pixels by which an item may be missed
    size_t best = items.size();
    double least = reach + 0.001;
    for (size_t i = 0; i < items.size(); ++i) {
        const QRectF r = rect(items[i]);
        if (outside_by(at.y(), r.top(), r.bottom()) > reach_y) continue;
        const double away = outside_by(at.x(), r.left(), r.right());
        if (away <= least) {
            least = away;
            best = i;
        }
    }
    return best;
}

// The column of a moment, if the grid has it.
template <class Column>
bool column_at(const std::vector<Column>& columns, const PreparedRange& prepared, int64_t time_ns,
               size_t& index) {
    if (columns.empty() || !prepared.range.contains(time_ns)) return false;
    index = static_cast<size_t>((time_ns - prepared.range.begin_ns) / prepared.ns_per_column);
    return index < columns.size();
}

}  // namespace sanscope
