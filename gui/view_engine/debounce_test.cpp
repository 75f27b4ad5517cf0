// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/debounce.h"

#include <gtest/gtest.h>

#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing_gui::wait_until;

constexpr int never_ms = 3'600'000;

TEST(Debounce, AreAskedForAtOnceWhereNothingHasMoved) {
    int asked = 0;
    Debounce statistics(never_ms, [&] { ++asked; });
    statistics.look(false, false);
    EXPECT_EQ(asked, 1);
    EXPECT_FALSE(statistics.waiting());
}

TEST(Debounce, OfAMovementAreAskedForOnceItRests) {
    int asked = 0;
    Debounce statistics(50, [&] { ++asked; });
    for (int i = 0; i < 1000; ++i) statistics.look(false, false);
    EXPECT_LT(asked, 1000);
    EXPECT_TRUE(statistics.waiting());
    const int before = asked;
    ASSERT_TRUE(wait_until([&] { return !statistics.waiting(); }));
    EXPECT_EQ(asked, before + 1);
}

TEST(Debounce, AreNotAskedForTwice) {
    int asked = 0;
    Debounce statistics(never_ms, [&] { ++asked; });
    statistics.look(false, false);
    statistics.look(false, false);
    EXPECT_TRUE(statistics.waiting());
    statistics.look(false, true);
    EXPECT_FALSE(statistics.waiting());
    EXPECT_EQ(asked, 1);
}

TEST(Debounce, OfAGrowingCaptureAreAskedForNowAndThen) {
    int asked = 0;
    Debounce statistics(
        never_ms, [&] { ++asked; }, 1);
    for (int round = 1; round <= 3; ++round) {
        for (int i = 0; i < 100; ++i) statistics.look(true, i % 2 == 0);
        EXPECT_EQ(asked, round - 1);
        ASSERT_TRUE(wait_until([&] { return !statistics.waiting(); }));
        EXPECT_EQ(asked, round);
    }
}

}  // namespace
}  // namespace sanscope
