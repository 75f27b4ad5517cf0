// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/clock_offsets.h"

#include <chrono>
#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

int64_t now_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

TEST(ClockOffsets, prefers_the_clock_that_is_stepped_with_the_packets) {
    const ClockOffsets offsets = ClockOffsets::fixed(1000, -37);
    EXPECT_EQ(offsets.real_ns(5, 2037), 2000);
    EXPECT_EQ(offsets.real_ns(5, 0), 1005);
}

// Either clock of the same moment comes to what CLOCK_REALTIME says before and after it.
TEST(ClockOffsets, come_to_real_time_from_both_clocks) {
    ClockOffsets offsets;
    offsets.update();
    const int64_t slack_ns = 100'000;
    for (int i = 0; i < 100; ++i) {
        offsets.update();
        const int64_t before = now_ns(CLOCK_REALTIME);
        const auto monotonic = static_cast<uint64_t>(now_ns(CLOCK_MONOTONIC));
        const auto tai = static_cast<uint64_t>(now_ns(CLOCK_TAI));
        const int64_t after = now_ns(CLOCK_REALTIME);
        EXPECT_THAT(offsets.real_ns(monotonic, 0),
                    testing::AllOf(testing::Ge(before - slack_ns), testing::Le(after + slack_ns)));
        EXPECT_THAT(offsets.real_ns(monotonic, tai), testing::AllOf(testing::Ge(before), testing::Le(after)));
    }
}

}  // namespace
}  // namespace sanscope
