// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_layout.h"

#include <algorithm>

namespace sanscope {

LanePlaces lanes_of(const GroupShape& shape, GroupOpening opening) {
    LanePlaces lanes;
    if (!opening.expanded) return lanes;
    int top = header_height();
    for (const Lane* const lane : all_lanes()) {
        if ((shape.lanes & bit_of(lane->kind())) == 0) continue;
        const bool compact = (opening.compact & bit_of(lane->kind())) != 0;
        const int height = lane->height(shape, compact);
        lanes.places[lanes.count++] = {lane->kind(), top, height, compact};
        top += height;
    }
    return lanes;
}

int height_of(const GroupShape& shape, GroupOpening opening) {
    const LanePlaces lanes = lanes_of(shape, opening);
    if (lanes.count == 0) return header_height();
    const LanePlace& last = lanes.places[lanes.count - 1];
    return last.top + last.height + 4;
}

void LayersLayout::set(std::span<const GroupShape> groups, const std::function<GroupOpening(size_t)>& opening,
                       bool idle_open) {
    const auto first_idle =
        static_cast<size_t>(std::ranges::find(groups, true, &GroupShape::idle) - groups.begin());
    idle_ = groups.size() - first_idle;
    idle_top_.reset();
    tops_.clear();
    int top = 0;
    for (size_t i = 0; i < groups.size(); ++i) {
        if (i == first_idle) {
            idle_top_ = top;
            top += header_height();
            if (!idle_open) break;
        }
        tops_.push_back(top);
        top += height_of(groups[i], opening(i));
    }
    height_ = top;
    // The line is no part of the group above it.
    tops_.push_back(idle_top_ && !idle_open ? *idle_top_ : top);
}

size_t LayersLayout::group_at(int y) const {
    if (tops_.empty() || y < 0 || y >= tops_.back() || is_idle_line(y)) return groups();
    return static_cast<size_t>(std::upper_bound(tops_.begin(), tops_.end(), y) - tops_.begin()) - 1;
}

size_t LayersLayout::first_below(int y) const {
    if (tops_.empty()) return 0;
    const auto next = std::upper_bound(tops_.begin() + 1, tops_.end(), y);
    return std::min(static_cast<size_t>(next - tops_.begin()) - 1, groups());
}

}  // namespace sanscope
