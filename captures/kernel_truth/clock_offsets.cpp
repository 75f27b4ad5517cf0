// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/clock_offsets.h"

#include <cstdlib>
#include <ctime>

namespace sanscope {
namespace {

constexpr int64_t second_ns = 1'000'000'000;

int64_t now_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return int64_t{now.tv_sec} * second_ns + now.tv_nsec;
}

}  // namespace

void ClockOffsets::update() {
    // Of some tries the one that was interrupted least.
    int64_t offset = 0;
    int64_t error = INT64_MAX;
    for (int i = 0; i < 4; ++i) {
        const int64_t before = now_ns(CLOCK_MONOTONIC);
        const int64_t real = now_ns(CLOCK_REALTIME);
        const int64_t after = now_ns(CLOCK_MONOTONIC);
        if (after - before >= error) continue;
        error = after - before;
        offset = real - (before + error / 2);
    }
    // The difference is constant but for steps: what the readings' own error explains is none.
    const bool stepped = error_ns_ < 0 || std::abs(offset - real_minus_monotonic_ns_) > error + error_ns_;
    if (stepped || error < error_ns_) {
        real_minus_monotonic_ns_ = offset;
        error_ns_ = error;
    }
    const int64_t difference = now_ns(CLOCK_TAI) - now_ns(CLOCK_REALTIME);
    real_minus_tai_ns_ = -((difference + second_ns / 2) / second_ns) * second_ns;
}

int64_t ClockOffsets::real_ns(uint64_t monotonic_ns, uint64_t tai_ns) const {
    // Sums of what a kernel reported may wrap around where it reported nonsense; they are no reason to stop.
    const uint64_t sum = tai_ns != 0 ? tai_ns + static_cast<uint64_t>(real_minus_tai_ns_)
                                     : monotonic_ns + static_cast<uint64_t>(real_minus_monotonic_ns_);
    return static_cast<int64_t>(sum);
}

uint64_t ClockOffsets::monotonic_now_ns() {
    return static_cast<uint64_t>(now_ns(CLOCK_MONOTONIC));
}

ClockOffsets ClockOffsets::fixed(int64_t real_minus_monotonic_ns, int64_t real_minus_tai_ns) {
    ClockOffsets offsets;
    offsets.real_minus_monotonic_ns_ = real_minus_monotonic_ns;
    offsets.error_ns_ = 0;
    offsets.real_minus_tai_ns_ = real_minus_tai_ns;
    return offsets;
}

}  // namespace sanscope
