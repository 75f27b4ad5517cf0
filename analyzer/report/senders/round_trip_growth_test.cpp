// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/round_trip_growth.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;

TEST(RoundTripGrowth, AQueueOfItsOwnDataIsAsLongAsTheyAre) {
    RoundTripGrowth growth;
    for (uint32_t i = 1; i <= 50; ++i) growth.add(i * 1448, 10 * ms + i * ms / 5, ms);
    EXPECT_NEAR(growth.correlation(), 1, 1e-9);
}

TEST(RoundTripGrowth, WhatIsLongWhateverIsInFlightShowsNone) {
    RoundTripGrowth growth;
    for (uint32_t i = 1; i <= 50; ++i) growth.add(i * 1448, (10 + i * 7 % 5) * ms, ms);
    EXPECT_NEAR(growth.correlation(), 0, 0.15);
}

TEST(RoundTripGrowth, ShorterRoundTripsWithMoreInFlightAreBelowNought) {
    RoundTripGrowth growth;
    for (uint32_t i = 1; i <= 50; ++i) growth.add(i * 1448, (100 - i) * ms, ms);
    EXPECT_NEAR(growth.correlation(), -1, 1e-9);
}

TEST(RoundTripGrowth, WhereAlwaysAsMuchIsInFlightNothingShows) {
    RoundTripGrowth growth;
    for (uint32_t i = 1; i <= 50; ++i) growth.add(100'000 + i * 100, 10 * ms + i * ms, ms);
    EXPECT_EQ(growth.correlation(), 0);
}

TEST(RoundTripGrowth, OfNothingNothingShows) {
    RoundTripGrowth growth;
    EXPECT_EQ(growth.correlation(), 0);
    growth.add(1448, ms, 0);
    growth.add(1448, ms, ms);
    EXPECT_EQ(growth.correlation(), 0);
}

// A short time with a long round trip counts little.
TEST(RoundTripGrowth, CountsByTime) {
    RoundTripGrowth growth;
    for (int i = 0; i < 20; ++i) {
        growth.add(10'000, 10 * ms, 100 * ms);
        growth.add(20'000, 20 * ms, 100 * ms);
    }
    growth.add(10'000, 100 * ms, ms / 10);
    EXPECT_GT(growth.correlation(), 0.95);
}

}  // namespace
}  // namespace sanscope
