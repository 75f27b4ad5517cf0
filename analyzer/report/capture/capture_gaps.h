// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/engine/engine.h"

namespace sanscope {

// Of several files with time between them: what is between them is no time of the capture.

// How much of the time between the two moments lies in gaps.
inline int64_t gaps_between_ns(const Engine::Totals& totals, int64_t from_ns, int64_t to_ns) {
    int64_t sum_ns = 0;
    if (from_ns == no_time || to_ns == no_time) return 0;
    for (const Engine::Gap& gap : totals.gaps)
        sum_ns += std::max<int64_t>(0, std::min(to_ns, gap.end_ns) - std::max(from_ns, gap.begin_ns));
    return sum_ns;
}

// Until when what began at that moment can be seen to go on: the next gap, or the end.
inline int64_t seen_until_ns(const Engine::Totals& totals, int64_t time_ns) {
    const auto next = std::ranges::find_if(
        totals.gaps, [=](const Engine::Gap& gap) { return time_ns != no_time && gap.begin_ns >= time_ns; });
    return next == totals.gaps.end() ? totals.last_ns : next->begin_ns;
}

}  // namespace sanscope
