// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/timeline/command_track.h"

#include <limits>

namespace sanscope {

void CommandSlots::give_up_the_earliest() {
    while (!without_end_.empty()) {
        const Place& earliest = without_end_.front();
        if (kept_by_[earliest.slot] == earliest.ticket) {
            if (slots_kept_ <= most_without_end || earliest.ticket + patience > tickets_) return;
            kept_by_[earliest.slot] = 0;
            --slots_kept_;
            free_.push(earliest.slot);
        }
        without_end_.pop_front();
    }
}

CommandSlots::Place CommandSlots::take(int64_t start_ns, int64_t end_ns) {
    ++tickets_;
    while (!busy_.empty() && busy_.top().until_ns <= start_ns) {
        free_.push(busy_.top().slot);
        busy_.pop();
    }
    give_up_the_earliest();
    uint16_t slot = 0;
    if (!free_.empty()) {
        slot = free_.top();
        free_.pop();
    } else {
        // Beyond so many, all share one.
        if (used_ == std::numeric_limits<uint16_t>::max()) return {tickets_, used_};
        slot = used_++;
        kept_by_.push_back(0);
    }
    const Place place{tickets_, slot};
    if (end_ns != no_time) {
        busy_.push({end_ns, slot});
    } else {
        kept_by_[slot] = tickets_;
        without_end_.push_back(place);
        ++slots_kept_;
    }
    return place;
}

void CommandSlots::release(const Place& place, int64_t end_ns) {
    if (place.slot >= used_ || kept_by_[place.slot] != place.ticket) return;
    kept_by_[place.slot] = 0;
    --slots_kept_;
    busy_.push({end_ns, place.slot});
}

}  // namespace sanscope
