// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace sanscope {

// A capture may claim any time. Of times no farther from the epoch than this (146 years) every difference can be known.
constexpr int64_t within_reach(int64_t time_ns) {
    constexpr int64_t farthest_ns = (int64_t{1} << 62) - 1;
    return std::clamp(time_ns, -farthest_ns, farthest_ns);
}

}  // namespace sanscope
