// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/unit_occupation.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

using namespace std::chrono_literals;
using TimePoint = UnitOccupation::TimePoint;

constexpr TimePoint now{100s};

TEST(UnitOccupation, EachUnitIsFreeUntilItIsTaken) {
    UnitOccupation units(2);
    EXPECT_EQ(units.free_from(0, now), now);
    EXPECT_EQ(units.occupy(0, now, 3ms), now + 3ms);
    EXPECT_EQ(units.free_from(0, now + 1ms), now + 3ms);
    EXPECT_EQ(units.free_from(0, now + 4ms), now + 4ms);
    EXPECT_EQ(units.free_from(1, now), now);
}

TEST(UnitOccupation, OneCommandWaitsForTheOther) {
    UnitOccupation units(1);
    units.occupy(0, now, 3ms);
    EXPECT_EQ(units.occupy(0, now + 1ms, 3ms), now + 6ms);
    EXPECT_EQ(units.occupy(0, now + 10ms, 3ms), now + 13ms);
}

TEST(UnitOccupation, HoweverManyComeItEnds) {
    UnitOccupation units(1);
    for (int i = 0; i < 1000; ++i) units.occupy(0, now, 60s);
    EXPECT_EQ(units.free_from(0, now), now + 1h);
}

}  // namespace
}  // namespace sanscope
