// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/lanes/lane_geometry.h"

#include <cmath>

namespace sanscope {
namespace {

constexpr double least_bar = 1.5;
constexpr double beyond = 50;  // pixels outside of the viewport that drawing goes on to

double x_near(int64_t time_ns, const TimeViewport& viewport) {
    return std::clamp(viewport.x_of(time_ns), viewport.origin - beyond,
                      viewport.origin + viewport.length + beyond);
}

}  // namespace

int slot_height(uint16_t slots) {
    return beside_text(slots <= 8 ? 18 : slots <= 16 ? 14 : 8);
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
    return {left, lane.top + lane_gap + 0.0 + bar.line * pdu_line_height(), std::max(least_bar, right - left),
            pdu_line_height() - 1.0};
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

}  // namespace sanscope
