// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gui/plot/time_viewport.h"
#include "gui/views/layers/layers_picture.h"

namespace sanscope {

// Where everything of the layers stands: heights in device-independent pixels, y from the top of the first group.

constexpr int header_height = 26;
constexpr uint16_t most_slots = 32;  // of a commands lane; the rest share one more line
constexpr int loss_strip = 10;       // above the segments of a TCP lane

struct LanePlace {
    LaneKind kind = LaneKind::commands;
    int top = 0;  // within the group
    int height = 0;
    bool compact = false;
};

struct LanePlaces {
    std::array<LanePlace, lane_kinds> places;
    size_t count = 0;
    std::span<const LanePlace> all() const& { return {places.data(), count}; }
    std::span<const LanePlace> all() const&& = delete;
};

// How a group is opened: whether at all, and the lanes that are made small (bits).
struct GroupOpening {
    bool expanded = false;
    uint8_t compact = 0;
};

LanePlaces lanes_of(const GroupShape& shape, GroupOpening opening);
int height_of(const GroupShape& shape, GroupOpening opening);
// Of a slot's line in a commands lane.
int slot_height(uint16_t slots);

// The groups below each other.
class LayersLayout {
  public:
    void set(std::span<const GroupShape> groups, const std::function<GroupOpening(size_t)>& opening);

    int height() const { return tops_.empty() ? 0 : tops_.back(); }
    size_t groups() const { return tops_.empty() ? 0 : tops_.size() - 1; }
    int top_of(size_t group) const { return tops_[group]; }
    int bottom_of(size_t group) const { return tops_[group + 1]; }
    // The group at this height; groups() beyond the last.
    size_t group_at(int y) const;

  private:
    std::vector<int> tops_;  // one more than there are groups
};

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

// What is at a point of a lane.
struct LaneHit {
    enum class What : uint8_t {
        nothing,
        command,
        command_column,
        pdu,
        pdu_column,
        packet,
        traffic_column,
        loss,
        state
    };

    What what = What::nothing;
    size_t direction = 0;
    size_t index = 0;  // in the list of the group's picture

    // What a click selects; none: nothing.
    Selection selection(const GroupPicture& group) const;
    bool operator==(const LaneHit&) const = default;
};

// `at`: x in the viewport's pixels, y from the group's top, within the lane. Of several the nearest, of equally near ones that
// which is drawn last. Items may be missed by some pixels.
LaneHit hit_lane(const GroupPicture& group, const PreparedRange& prepared, const GroupShape& shape,
                 const LanePlace& lane, const TimeViewport& viewport, QPointF at);

}  // namespace sanscope
