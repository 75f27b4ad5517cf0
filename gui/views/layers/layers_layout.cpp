// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_layout.h"

#include <algorithm>

namespace sanscope {

LanePlaces lanes_of(const GroupShape& shape, GroupOpening opening) {
    LanePlaces lanes;
    if (!opening.expanded) return lanes;
    int top = header_height;
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

}  // namespace sanscope
