// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/acknowledged_statuses.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

Arrival at(PacketNumber packet) {
    return {packet, static_cast<int64_t>(packet)};
}

TEST(AcknowledgedStatuses, AStatusMayComeUntilItIsAcknowledged) {
    AcknowledgedStatuses statuses;
    EXPECT_FALSE(statuses.before(Serial32(5), at(100))) << "nothing is known";
    statuses.on_request(Serial32(5), at(10));
    statuses.on_request(Serial32(8), at(20));
    statuses.on_request(Serial32(8), at(25));
    EXPECT_FALSE(statuses.before(Serial32(6), at(20))) << "with the packet that acknowledges it";
    EXPECT_TRUE(statuses.before(Serial32(6), at(21)));
    EXPECT_TRUE(statuses.before(Serial32(2), at(11)));
    EXPECT_FALSE(statuses.before(Serial32(2), at(10)));
    EXPECT_FALSE(statuses.before(Serial32(7), at(30))) << "one ahead, as an initiator acknowledges an R2T";
    EXPECT_FALSE(statuses.before(Serial32(9), at(30)));
}

TEST(AcknowledgedStatuses, WhatRoseLongAgoCountsAsAcknowledgedNoEarlierThanRemembered) {
    AcknowledgedStatuses statuses;
    constexpr auto steps = static_cast<uint32_t>(2 * AcknowledgedStatuses::remembered);
    for (uint32_t i = 1; i <= steps; ++i) statuses.on_request(Serial32(0xffffff00U + i), at(10 * i));
    EXPECT_TRUE(statuses.before(Serial32(0xffffff00U + steps - 10), at(10 * steps)));
    EXPECT_FALSE(statuses.before(Serial32(0xffffff00U + steps - 10), at(10 * (steps - 8))));
    EXPECT_TRUE(statuses.before(Serial32(0xffffff01U), at(10 * steps))) << "across the wrap";
    EXPECT_FALSE(statuses.before(Serial32(0xffffff01U), at(10))) << "before any step that is remembered";
}

TEST(AcknowledgedStatuses, ANumberFarOffSaysNothingOfTheOthers) {
    AcknowledgedStatuses statuses;
    statuses.on_request(Serial32(5), at(10));
    statuses.on_request(Serial32(0x40000000), at(20));
    EXPECT_FALSE(statuses.before(Serial32(6), at(30)));
    statuses.on_request(Serial32(9), at(40));
    EXPECT_TRUE(statuses.before(Serial32(6), at(50)));
    EXPECT_FALSE(statuses.before(Serial32(9), at(50)));
}

TEST(AcknowledgedStatuses, GoByTimesWhereTheFileHasAnotherOrder) {
    AcknowledgedStatuses statuses;
    statuses.on_request(Serial32(8), {20, 2000});
    EXPECT_FALSE(statuses.before(Serial32(6), {21, 1999}));
    EXPECT_TRUE(statuses.before(Serial32(6), {21, 2000}));
}

}  // namespace
}  // namespace sanscope
