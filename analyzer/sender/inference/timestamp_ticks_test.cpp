// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/timestamp_ticks.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr int64_t tick = TimestampTicks::tick_us;

TEST(TimestampTicks, FirstSegmentOfATickTellsWhenTicksBegin) {
    TimestampTicks ticks;
    EXPECT_FALSE(ticks.known());
    ticks.on_sent(500, 10'900);  // its tick began at 10'100, as the third shows
    EXPECT_EQ(ticks.since(500, 11'500), 0);
    ticks.on_sent(501, 11'500);
    ticks.on_sent(502, 12'100);
    EXPECT_TRUE(ticks.known());
    EXPECT_EQ(ticks.since(500, 20'099), 9);
    EXPECT_EQ(ticks.since(500, 20'100), 10);
    EXPECT_EQ(ticks.since(502, 20'100), 8);
}

TEST(TimestampTicks, CountsOnAcrossTheWrapOfTsval) {
    TimestampTicks ticks;
    ticks.on_sent(0xffffffff, 5'000);
    ticks.on_sent(1, 7'000);
    EXPECT_EQ(ticks.since(0xffffffff, 12'000), 7);
    EXPECT_EQ(ticks.since(1, 12'000), 5);
}

TEST(TimestampTicks, FollowsAClockThatRunsSlower) {
    TimestampTicks ticks;
    // 100 parts in a million slower than ours, for a minute: without following it, six ticks off.
    uint32_t timestamp = 0;
    int64_t now_us = 0;
    for (; now_us < 60'000'000; now_us += 700) {
        timestamp = static_cast<uint32_t>(now_us * 9'999 / 10'000 / tick);
        ticks.on_sent(timestamp, now_us);
    }
    EXPECT_NEAR(static_cast<double>(ticks.since(timestamp, now_us + 20 * tick)), 20.0, 1.5);
}

}  // namespace
}  // namespace sanscope
