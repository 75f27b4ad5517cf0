// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gui/plot/text_scale.h"
#include "gui/views/layers/lanes/lane.h"

namespace sanscope {

// Where everything of the layers stands: heights in device-independent pixels, y from the top of the first group.

inline int header_height() {
    return beside_text(26);
}

struct LanePlaces {
    std::array<LanePlace, lane_kinds> places;
    size_t count = 0;
    std::span<const LanePlace> all() const& { return {places.data(), count}; }
    std::span<const LanePlace> all() const&& = delete;
};

// How a group is opened: whether at all, and the lanes that are made small.
struct GroupOpening {
    bool expanded = false;
    LaneBits compact = 0;
};

LanePlaces lanes_of(const GroupShape& shape, GroupOpening opening);
int height_of(const GroupShape& shape, GroupOpening opening);

// The groups below each other. The idle ones, which come last, are behind one line until that is opened.
class LayersLayout {
  public:
    void set(std::span<const GroupShape> groups, const std::function<GroupOpening(size_t)>& opening,
             bool idle_open = false);

    int height() const { return height_; }
    // Those that stand somewhere.
    size_t groups() const { return tops_.empty() ? 0 : tops_.size() - 1; }
    // Of the line for idle ones; nothing where there are none.
    std::optional<int> idle_top() const { return idle_top_; }
    size_t idle() const { return idle_; }
    bool is_idle_line(int y) const {
        return idle_top_ && y >= *idle_top_ && y < *idle_top_ + header_height();
    }
    int top_of(size_t group) const { return tops_[group]; }
    int bottom_of(size_t group) const { return tops_[group + 1]; }
    // The group at this height; groups() where there is none.
    size_t group_at(int y) const;
    // The first that reaches below this height; groups() where none does.
    size_t first_below(int y) const;

  private:
    std::vector<int> tops_;  // one more than there are groups
    int height_ = 0;
    std::optional<int> idle_top_;
    size_t idle_ = 0;
};

}  // namespace sanscope
