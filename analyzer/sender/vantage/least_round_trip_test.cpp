// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/least_round_trip.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;

TEST(LeastRoundTrip, IsLearntFromTheSoonestAnswer) {
    LeastRoundTrip round_trip(-1);
    EXPECT_EQ(round_trip.ns(), 0);
    round_trip.on_answer(12 * ms);
    EXPECT_EQ(round_trip.ns(), 12 * ms);
    round_trip.on_answer(20 * ms);
    EXPECT_EQ(round_trip.ns(), 12 * ms);
}

TEST(LeastRoundTrip, OneSoonAnswerDoesNotRefuteTheOneThatWasKnown) {
    LeastRoundTrip round_trip(10 * ms);
    round_trip.on_answer(2 * ms);
    EXPECT_EQ(round_trip.ns(), 10 * ms) << "the tap may have missed what was answered";
    round_trip.on_answer(8 * ms);
    EXPECT_EQ(round_trip.ns(), 8 * ms) << "the second least";
    round_trip.on_answer(1 * ms);
    EXPECT_EQ(round_trip.ns(), 2 * ms);
}

TEST(LeastRoundTrip, TimeThatNoPathTakesIsNotKnown) {
    LeastRoundTrip round_trip(11'000 * ms);
    EXPECT_EQ(round_trip.ns(), 0);
    round_trip.on_answer(12 * ms);
    EXPECT_EQ(round_trip.ns(), 12 * ms);
}

}  // namespace
}  // namespace sanscope
