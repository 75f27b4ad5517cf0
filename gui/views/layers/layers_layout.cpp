// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_layout.h"

#include <algorithm>
#include <cmath>

namespace sanscope {
namespace {

constexpr int pdu_line_height = 15;
constexpr int compact_height = 10;
constexpr int compact_commands_height = 26;
constexpr int state_height = 16;
constexpr int packets_height = 36;
constexpr int tcp_height = 36;
constexpr int lane_gap = 2;  // above the first line and below the last
constexpr double least_bar = 1.5;
constexpr double reach = 3;    // pixels by which an item may be missed
constexpr double beyond = 50;  // pixels outside of the viewport that drawing goes on to

int lines_of(uint16_t slots) {
    return slots > most_slots ? most_slots + 1 : std::max<int>(slots, 1);
}

int lane_height(LaneKind kind, const GroupShape& shape, bool compact) {
    switch (kind) {
        case LaneKind::commands:
            return compact ? compact_commands_height
                           : std::max(compact_commands_height,
                                      lines_of(shape.slots) * slot_height(shape.slots) + 2 * lane_gap);
        case LaneKind::pdus_out:
        case LaneKind::pdus_in:
            return compact ? compact_height : pdu_lines * pdu_line_height + 2 * lane_gap;
        case LaneKind::tcp_out:
        case LaneKind::tcp_in:
            return compact ? loss_strip + compact_height : tcp_height;
        case LaneKind::state_out:
        case LaneKind::state_in:
            return compact ? compact_height : state_height;
        case LaneKind::packets:
            return compact ? compact_height : packets_height;
    }
    return 0;
}

double x_near(int64_t time_ns, const TimeViewport& viewport) {
    return std::clamp(viewport.x_of(time_ns), viewport.origin - beyond,
                      viewport.origin + viewport.length + beyond);
}

// 0 where the value lies inside.
double outside_by(double value, double low, double high) {
    return value < low ? low - value : value > high ? value - high : 0;
}

}  // namespace

int slot_height(uint16_t slots) {
    return slots <= 8 ? 16 : slots <= 16 ? 12 : 8;
}

LanePlaces lanes_of(const GroupShape& shape, GroupOpening opening) {
    LanePlaces lanes;
    if (!opening.expanded) return lanes;
    int top = header_height;
    for (size_t i = 0; i < lane_kinds; ++i) {
        const auto kind = static_cast<LaneKind>(i);
        if ((shape.lanes & bit_of(kind)) == 0) continue;
        const bool compact = (opening.compact & bit_of(kind)) != 0;
        const int height = lane_height(kind, shape, compact);
        lanes.places[lanes.count++] = {kind, top, height, compact};
        top += height;
    }
    return lanes;
}

int height_of(const GroupShape& shape, GroupOpening opening) {
    const LanePlaces lanes = lanes_of(shape, opening);
    if (lanes.count == 0) return header_height;
    const LanePlace& last = lanes.places[lanes.count - 1];
    return last.top + last.height + 4;
}

void LayersLayout::set(std::span<const GroupShape> groups,
                       const std::function<GroupOpening(size_t)>& opening) {
    tops_.resize(groups.size() + 1);
    int top = 0;
    for (size_t i = 0; i < groups.size(); ++i) {
        tops_[i] = top;
        top += height_of(groups[i], opening(i));
    }
    tops_.back() = top;
}

size_t LayersLayout::group_at(int y) const {
    if (tops_.empty() || y < 0 || y >= tops_.back()) return groups();
    return static_cast<size_t>(std::upper_bound(tops_.begin(), tops_.end(), y) - tops_.begin()) - 1;
}

QRectF rect_of(const CommandBar& bar, const GroupShape& shape, const LanePlace& lane,
               const TimeViewport& viewport) {
    const double left = x_near(bar.begin_ns, viewport);
    const double right =
        bar.end_ns == no_time ? viewport.origin + viewport.length + beyond : x_near(bar.end_ns, viewport);
    const int line = std::min(bar.slot, most_slots);
    const double high = lane.compact ? lane.height - 2 * lane_gap : slot_height(shape.slots);
    const double top = lane.top + lane_gap + (lane.compact ? 0 : line * high);
    return {left, top, std::max(least_bar, right - left), high - 1};
}

QRectF rect_of(const PduBar& bar, const LanePlace& lane, const TimeViewport& viewport) {
    const double left = x_near(bar.begin_ns, viewport);
    const double right = x_near(bar.end_ns, viewport);
    if (lane.compact) return {left, lane.top + 1.0, std::max(least_bar, right - left), lane.height - 2.0};
    return {left, lane.top + lane_gap + 0.0 + bar.line * pdu_line_height, std::max(least_bar, right - left),
            pdu_line_height - 1};
}

QRectF rect_of(const PacketTick& tick, const LanePlace& lane, uint32_t most, const TimeViewport& viewport) {
    const double x = x_near(tick.time_ns, viewport);
    if (lane.kind == LaneKind::packets) {
        // Out goes up from the middle, in down.
        const double half = lane.height / 2.0 - 1;
        const double share = std::sqrt(static_cast<double>(tick.wire_length) / std::max(most, 1u));
        const double high = std::max(3.0, std::min(1.0, share) * half);
        const double middle = lane.top + lane.height / 2.0;
        return {x, tick.direction == 0 ? middle - high : middle, least_bar, high};
    }
    const double full = lane.height - loss_strip - 2;
    const double share = std::sqrt(static_cast<double>(tick.payload) / std::max(most, 1u));
    const double high = tick.payload == 0 ? std::min(full, 5.0) : std::max(7.0, std::min(1.0, share) * full);
    const double foot = lane.top + lane.height - 1;
    return {x, foot - std::min(high, full), least_bar, std::min(high, full)};
}

QPointF center_of(const LaneLoss& mark, const LanePlace& lane, const TimeViewport& viewport) {
    return {x_near(mark.time_ns, viewport), lane.top + loss_strip / 2.0 + 0.5};
}

namespace {

uint32_t greatest(const GroupPicture& group, uint32_t PacketTick::*size) {
    uint32_t most = 1;
    for (const auto& ticks : group.ticks) {
        for (const PacketTick& tick : ticks) most = std::max(most, tick.*size);
    }
    return most;
}

}  // namespace

uint32_t greatest_payload(const GroupPicture& group) {
    return greatest(group, &PacketTick::payload);
}

uint32_t greatest_wire_length(const GroupPicture& group) {
    return greatest(group, &PacketTick::wire_length);
}

namespace {

// The nearest of the items by the distances of their rectangles.
template <class Item, class RectOf>
size_t nearest(const std::vector<Item>& items, QPointF at, double reach_y, RectOf rect) {
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

size_t direction_of(LaneKind kind) {
    return kind == LaneKind::pdus_in || kind == LaneKind::tcp_in || kind == LaneKind::state_in ? 1 : 0;
}

}  // namespace

Selection LaneHit::selection(const GroupPicture& group) const {
    switch (what) {
        case What::command:
            return {Selection::Kind::command, group.commands[index].number()};
        case What::command_column:
            if (group.command_columns[index].worst_ns == no_time) return {};
            return {Selection::Kind::command, uint64_t{group.command_columns[index].worst} + 1};
        case What::pdu:
            return {Selection::Kind::pdu, group.pdus[direction][index].number()};
        case What::packet:
            return {Selection::Kind::packet, group.ticks[direction][index].packet};
        case What::loss:
            return {Selection::Kind::loss, group.losses[direction][index].number()};
        case What::nothing:
        case What::pdu_column:
        case What::traffic_column:
        case What::state:
            break;
    }
    return {};
}

LaneHit hit_lane(const GroupPicture& group, const PreparedRange& prepared, const GroupShape& shape,
                 const LanePlace& lane, const TimeViewport& viewport, QPointF at) {
    using What = LaneHit::What;
    const int64_t time_ns = viewport.time_at(at.x());
    const size_t direction = direction_of(lane.kind);
    size_t index = 0;
    switch (lane.kind) {
        case LaneKind::commands:
            index = nearest(group.commands, at, 0,
                            [&](const CommandBar& bar) { return rect_of(bar, shape, lane, viewport); });
            if (index < group.commands.size()) return {What::command, 0, index};
            if (column_at(group.command_columns, prepared, time_ns, index) &&
                group.command_columns[index].worst_ns != no_time) {
                return {What::command_column, 0, index};
            }
            break;
        case LaneKind::pdus_out:
        case LaneKind::pdus_in: {
            const auto& bars = group.pdus[direction];
            index = nearest(bars, at, 0, [&](const PduBar& bar) { return rect_of(bar, lane, viewport); });
            if (index < bars.size()) return {What::pdu, direction, index};
            if (column_at(group.pdu_columns, prepared, time_ns, index) &&
                group.pdu_columns[index].pdus[direction] > 0) {
                return {What::pdu_column, direction, index};
            }
            break;
        }
        case LaneKind::tcp_out:
        case LaneKind::tcp_in: {
            if (at.y() < lane.top + loss_strip + 2) {
                const auto& marks = group.losses[direction];
                index = nearest(marks, at, 6, [&](const LaneLoss& mark) {
                    const QPointF center = center_of(mark, lane, viewport);
                    return QRectF(center - QPointF(3, 3), center + QPointF(3, 3));
                });
                if (index < marks.size()) return {What::loss, direction, index};
            }
            const auto& ticks = group.ticks[direction];
            // Anywhere above or below it.
            index = nearest(ticks, at, lane.height,
                            [&](const PacketTick& tick) { return rect_of(tick, lane, 1, viewport); });
            if (index < ticks.size()) return {What::packet, direction, index};
            if (column_at(group.traffic, prepared, time_ns, index) &&
                group.traffic[index].packets[direction] > 0) {
                return {What::traffic_column, direction, index};
            }
            break;
        }
        case LaneKind::state_out:
        case LaneKind::state_in: {
            const auto& spans = group.states[direction];
            const auto behind = std::ranges::upper_bound(spans, time_ns, {}, &StateSpan::begin_ns);
            if (behind == spans.begin()) break;
            const auto found = behind - 1;
            if (time_ns < found->end_ns)
                return {What::state, direction, static_cast<size_t>(found - spans.begin())};
            break;
        }
        case LaneKind::packets: {
            const size_t half = at.y() < lane.top + lane.height / 2.0 ? 0 : 1;
            for (const size_t side : {half, 1 - half}) {
                const auto& ticks = group.ticks[side];
                index = nearest(ticks, at, lane.height,
                                [&](const PacketTick& tick) { return rect_of(tick, lane, 1, viewport); });
                if (index < ticks.size()) return {What::packet, side, index};
            }
            if (column_at(group.traffic, prepared, time_ns, index)) {
                const TrafficColumn& column = group.traffic[index];
                if (column.packets[half] > 0) return {What::traffic_column, half, index};
                if (column.packets[1 - half] > 0) return {What::traffic_column, 1 - half, index};
            }
            break;
        }
    }
    return {};
}

}  // namespace sanscope
