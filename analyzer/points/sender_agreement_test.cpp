// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/sender_agreement.h"

#include <gtest/gtest.h>

#include "analyzer/points/testing/two_points.h"

namespace sanscope {
namespace {

using test::at_a;
using test::at_b;
using test::Bytes;
using test::ms;
using test::PassingConnection;
using test::TwoPoints;

std::vector<SenderAgreement> agreement(const TwoPoints& points) {
    const auto path = points.follow();
    EXPECT_TRUE(path) << path.error().message;
    if (!path) return {};
    const auto of_a = points.analysis(false, rows_for_senders());
    const auto of_b = points.analysis(true, rows_for_senders());
    const bool turned = path->points.front()->name() == "b";
    const ReplayedSenders a(*path->points[0], (turned ? of_b : of_a)->store());
    const ReplayedSenders b(*path->points[1], (turned ? of_a : of_b)->store());
    return compare_senders(*path, 0, a, b);
}

SenderAgreement of(const std::vector<SenderAgreement>& rows, Way way) {
    for (const SenderAgreement& row : rows) {
        if (row.way == way) return row;
    }
    ADD_FAILURE() << "no such sender";
    return {};
}

TEST(SenderAgreement, CapturesWithTheSameInThemAgree) {
    TwoPoints points;
    points.b_ahead_ns = 3000 * ms;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(100);
    const auto rows = agreement(points);
    ASSERT_EQ(rows.size(), 2u);
    for (const SenderAgreement& row : rows) {
        EXPECT_GE(row.acknowledgements, 100u);
        EXPECT_EQ(row.cwnd_p50_permille, 0);
        EXPECT_EQ(row.cwnd_p90_permille, 0u);
        EXPECT_GT(row.compared_ns, 0);
        EXPECT_EQ(row.agreed_ns, row.compared_ns);
        EXPECT_EQ(row.resent + row.resent_far, 0u);
    }
}

TEST(SenderAgreement, ASenderIsReplayedFromItsOwnEndFirst) {
    TwoPoints points;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(100);
    const auto rows = agreement(points);
    EXPECT_FALSE(of(rows, Way::out).own_is_b) << "the initiator is beside a";
    EXPECT_TRUE(of(rows, Way::in).own_is_b);
}

// The answer is lost between the points and sent again: the target's end has seen both copies, the other one.
TEST(SenderAgreement, AResentSegmentWhoseFirstCopyOnlyItsOwnEndSaw) {
    TwoPoints points;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(100);
    for (int i = 0; i < 3; ++i) {
        const uint32_t itt = connection.next_itt();
        connection.send(false, connection.request(itt));
        points.now += 2 * ms;
        const Bytes answer = connection.answer(itt);
        connection.send(true, answer, at_b);
        points.now += 250 * ms;
        connection.send_again(true, answer);
        points.now += 2 * ms;
        connection.send(false, {});
        points.now += ms;
        connection.reads(20);
    }
    const SenderAgreement row = of(agreement(points), Way::in);
    EXPECT_TRUE(row.own_is_b);
    EXPECT_EQ(row.resent, 3u);
    EXPECT_LE(row.resent_far, 3u);
    EXPECT_LE(row.resent_both, row.resent_far);
    EXPECT_LE(row.resent_alike, row.resent_both);
    EXPECT_EQ(of(agreement(points), Way::out).resent, 0u);
}

// Sent again for nothing, and the far capture lacks one of the copies: it is told of one end only.
TEST(SenderAgreement, WhatTheFarEndDoesNotSeeIsNotOfBoth) {
    TwoPoints points;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(100);
    const uint32_t itt = connection.next_itt();
    const Bytes request = connection.request(itt);
    connection.send(false, request);
    points.now += 250 * ms;
    connection.send_again(false, request, at_a);
    points.now += 5 * ms;
    connection.send(true, connection.answer(itt));
    points.now += 2 * ms;
    connection.send(false, {});
    connection.reads(100);
    const SenderAgreement row = of(agreement(points), Way::out);
    EXPECT_EQ(row.resent, 1u);
    EXPECT_EQ(row.resent_far, 0u);
    EXPECT_EQ(row.resent_both, 0u);
    EXPECT_EQ(row.resent_alike, 0u);
}

TEST(SenderAgreement, AnInitiatorOnTheFarSideIsNearerToTheSecondPoint) {
    TwoPoints points;
    PassingConnection here(points);
    PassingConnection there(points, true);
    here.log_in();
    there.log_in();
    here.reads(100);
    there.reads(40);
    here.reads(20);
    const auto path = points.follow();
    ASSERT_TRUE(path);
    ASSERT_EQ(path->points.front()->name(), "a");
    size_t seen = 0;
    for (const SenderAgreement& row : agreement(points)) {
        const ConnectionAtPoints& at = path->pairs[0].connections[row.at];
        const bool initiator_sends = row.way == Way::out;
        EXPECT_EQ(row.own_is_b, initiator_sends == at.contrary);
        ++seen;
    }
    EXPECT_EQ(seen, 4u);
}

TEST(SenderAgreement, WithoutAnOrderOfThePointsNobodyKnowsWhichEndIsNear) {
    TwoPoints points;
    PassingConnection connection(points);
    connection.log_in(at_a);
    for (uint32_t itt = 1; itt < 50; ++itt) {
        connection.send(false, connection.request(itt));
        points.now += 3 * ms;
        connection.send(true, connection.answer(itt), at_a);
        points.now += 3 * ms;
    }
    EXPECT_TRUE(agreement(points).empty());
}

}  // namespace
}  // namespace sanscope
