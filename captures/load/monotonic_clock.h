// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <ctime>

namespace sanscope {

inline int64_t clock_ns(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// CLOCK_MONOTONIC, nanoseconds.
inline int64_t monotonic_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

// Nanoseconds since the epoch.
inline int64_t realtime_ns() {
    return clock_ns(CLOCK_REALTIME);
}

}  // namespace sanscope
