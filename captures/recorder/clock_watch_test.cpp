// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/clock_watch.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::second;

TEST(ClockWatch, TellsByHowMuchTheClockWasSet) {
    ClockWatch watch;
    EXPECT_EQ(watch.look(1000 * second, 5 * second), std::nullopt);
    EXPECT_EQ(watch.look(1001 * second, 6 * second), std::nullopt);
    EXPECT_EQ(watch.look(4602 * second, 7 * second), 3600 * second);
    EXPECT_EQ(watch.look(4603 * second, 8 * second), std::nullopt);
    EXPECT_EQ(watch.look(1004 * second, 9 * second), -3600 * second);
    EXPECT_EQ(watch.look(1005 * second, 10 * second), std::nullopt);
}

TEST(ClockWatch, AClockThatIsSteeredIsNotSet) {
    ClockWatch watch;
    int64_t real_ns = 1000 * second;
    for (int64_t boot_ns = 0; boot_ns < 3600 * second; boot_ns += second) {
        real_ns += second + second / 2000;
        ASSERT_EQ(watch.look(real_ns, boot_ns), std::nullopt) << boot_ns;
    }
}

TEST(ClockWatch, TheClockOfThisHostIsNotSetMeanwhile) {
    ClockWatch watch;
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(watch.look(), std::nullopt);
}

}  // namespace
}  // namespace sanscope
