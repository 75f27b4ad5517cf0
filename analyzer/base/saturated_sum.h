// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>

namespace sanscope {

// Of durations, none of them negative: a capture may claim any time, and what is too much to be counted is as much as can be.
constexpr int64_t saturated_sum(int64_t a_ns, int64_t b_ns) {
    int64_t both_ns = 0;
    return __builtin_add_overflow(a_ns, b_ns, &both_ns) ? std::numeric_limits<int64_t>::max() : both_ns;
}

}  // namespace sanscope
