// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/written_ranges.h"

#include <algorithm>
#include <cstring>

namespace sanscope {

void WrittenRanges::make_zero(uint8_t* memory, size_t begin, size_t end) {
    while (at_ < before_.size() && before_[at_].end <= begin) ++at_;
    for (size_t i = at_; i < before_.size() && before_[i].begin < end; ++i) {
        const size_t from = std::max(begin, before_[i].begin);
        const size_t to = std::min(end, before_[i].end);
        std::memset(memory + from, 0, to - from);
    }
}

void WrittenRanges::begin_again() {
    // What was not come to this time is as it was.
    const size_t filled = now_.empty() ? 0 : now_.back().end;
    for (const Range& range : before_) {
        if (range.end > filled) wrote(std::max(range.begin, filled), range.end);
    }
    before_.swap(now_);
    now_.clear();
    at_ = 0;
}

}  // namespace sanscope
