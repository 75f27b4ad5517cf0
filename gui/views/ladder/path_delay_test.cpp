// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/path_delay.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
constexpr int64_t at = 1'700'000'000 * (1000 * ms);

PathDelay delay_of(Vantage vantage, int64_t rtt_ns) {
    ResultStore store(ResultStore::Keep::everything());
    uint32_t number = 0;
    ConnectionRow& row = store.add_connection(number);
    row.vantage = vantage;
    row.rtt_min_ns = rtt_ns;
    return PathDelay::of(store, number);
}

TEST(PathDelay, AtTheInitiatorItsOwnMomentsAreExact) {
    const PathDelay delay = delay_of(Vantage::initiator, 4 * ms);
    EXPECT_EQ(delay.transit(Role::initiator, at), (PacketTransit{at, at + 2 * ms}));
    EXPECT_EQ(delay.transit(Role::target, at), (PacketTransit{at - 2 * ms, at}));
    EXPECT_EQ(delay.tap(), 0);
    EXPECT_TRUE(delay.measured);
}

TEST(PathDelay, AtTheTargetItIsTheOtherWayRound) {
    const PathDelay delay = delay_of(Vantage::target, 4 * ms);
    EXPECT_EQ(delay.transit(Role::initiator, at), (PacketTransit{at - 2 * ms, at}));
    EXPECT_EQ(delay.transit(Role::target, at), (PacketTransit{at, at + 2 * ms}));
    EXPECT_EQ(delay.tap(), 1);
}

TEST(PathDelay, OnTheWayBothEndsAreEstimated) {
    const PathDelay delay = delay_of(Vantage::middle, 4 * ms + 2);
    EXPECT_EQ(delay.one_way_ns(), 2 * ms + 1);
    for (const Role sender : {Role::initiator, Role::target}) {
        const PacketTransit transit = delay.transit(sender, at);
        EXPECT_NEAR(static_cast<double>(at - transit.left_ns), ms, 1);
        EXPECT_NEAR(static_cast<double>(transit.arrival_ns - at), ms, 1);
    }
    EXPECT_EQ(delay.tap(), 0.5);
}

TEST(PathDelay, AnUnknownPlaceIsTakenForTheInitiators) {
    const PathDelay delay = delay_of(Vantage::unknown, 4 * ms);
    EXPECT_EQ(delay.vantage, Vantage::unknown);
    EXPECT_EQ(delay.transit(Role::target, at), (PacketTransit{at - 2 * ms, at}));
}

TEST(PathDelay, WithoutARoundTripNothingTakesTime) {
    for (const Vantage vantage : {Vantage::unknown, Vantage::initiator, Vantage::target, Vantage::middle}) {
        const PathDelay delay = delay_of(vantage, no_time);
        EXPECT_FALSE(delay.measured);
        EXPECT_EQ(delay.transit(Role::initiator, at), (PacketTransit{at, at}));
    }
    EXPECT_FALSE(delay_of(Vantage::initiator, -5).measured);
}

TEST(PathDelay, WhatASenderMeasuredServesWhereTheConnectionTellsNone) {
    ResultStore store(ResultStore::Keep::everything());
    uint32_t number = 0;
    store.add_connection(number).vantage = Vantage::target;
    store.add_sender(number, Side::a).set_rtt_min(9 * ms);
    store.add_sender(number, Side::b).set_rtt_min(6 * ms);
    EXPECT_EQ(PathDelay::of(store, number).to_initiator_ns, 3 * ms);
}

TEST(PathDelay, AnImpossibleRoundTripOverflowsNothing) {
    const PathDelay delay = delay_of(Vantage::initiator, INT64_MAX);
    EXPECT_LE(delay.to_target_ns, 30'000 * ms);
}

}  // namespace
}  // namespace sanscope
