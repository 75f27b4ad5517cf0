// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/clock_watch.h"

#include <ctime>
#include <utility>

namespace sanscope {
namespace {

int64_t now_ns(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::optional<int64_t> ClockWatch::look(int64_t real_ns, int64_t boot_ns) {
    const int64_t offset_ns = real_ns - boot_ns;
    const int64_t step_ns = offset_ns - std::exchange(offset_ns_, offset_ns).value_or(offset_ns);
    if (step_ns < least_step_ns && step_ns > -least_step_ns) return std::nullopt;
    return step_ns;
}

std::optional<int64_t> ClockWatch::look() {
    // Whoever is interrupted between two clocks sees no step: the moment is that of the shortest look.
    constexpr int looks = 3;
    int64_t best_real_ns = 0;
    int64_t best_boot_ns = 0;
    int64_t shortest_ns = INT64_MAX;
    for (int i = 0; i < looks; ++i) {
        const int64_t before_ns = now_ns(CLOCK_BOOTTIME);
        const int64_t real_ns = now_ns(CLOCK_REALTIME);
        const int64_t took_ns = now_ns(CLOCK_BOOTTIME) - before_ns;
        if (took_ns >= shortest_ns) continue;
        shortest_ns = took_ns;
        best_real_ns = real_ns;
        best_boot_ns = before_ns;
    }
    return look(best_real_ns, best_boot_ns);
}

}  // namespace sanscope
