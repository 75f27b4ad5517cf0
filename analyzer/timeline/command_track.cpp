// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/timeline/command_track.h"

#include <limits>

namespace sanscope {

uint16_t CommandSlots::take(int64_t start_ns, int64_t end_ns) {
    while (!busy_.empty() && busy_.top().until_ns <= start_ns) {
        free_.push(busy_.top().slot);
        busy_.pop();
    }
    uint16_t slot = 0;
    if (!free_.empty()) {
        slot = free_.top();
        free_.pop();
    } else {
        // Beyond so many, all share one.
        if (used_ == std::numeric_limits<uint16_t>::max()) return used_;
        slot = used_++;
    }
    if (end_ns != no_time) busy_.push({end_ns, slot});
    return slot;
}

void CommandSlots::release(uint16_t slot, int64_t end_ns) {
    if (slot < used_) busy_.push({end_ns, slot});
}

}  // namespace sanscope
