// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/pacing.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

constexpr int64_t start = 1'000'000;
using test::ms;

TEST(Pacing, WithoutOptionsASlotSendsOnceItIsFree) {
    Pacing pacing({}, start);
    EXPECT_EQ(pacing.due_ns(start), start);
    pacing.on_sent();
    pacing.on_ended(start + 50);
    EXPECT_EQ(pacing.due_ns(start + 50), start + 50);
    EXPECT_EQ(pacing.overdue(start + ms), 0u);
}

TEST(Pacing, AThinkTimeFollowsEachAnswer) {
    Pacing pacing({.think_time_ns = 3 * ms}, start);
    pacing.on_sent();
    pacing.on_ended(start + 50);
    EXPECT_EQ(pacing.due_ns(start + 50), start + 50 + 3 * ms);
}

TEST(Pacing, ARateKeepsItsTimesHoweverLateCommandsAreSent) {
    Pacing pacing({.rate = 1000}, start);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(pacing.due_ns(start + 100 * ms), start + i * ms);
        pacing.on_sent();
    }
    EXPECT_EQ(pacing.overdue(start + 4 * ms), 0u);
    EXPECT_EQ(pacing.overdue(start + 7 * ms), 3u);
    EXPECT_EQ(pacing.overdue(start - 1), 0u);
}

TEST(Pacing, WorkersTakeTurnsInOneRate) {
    constexpr unsigned workers = 3;
    std::vector<int64_t> due;
    for (unsigned worker = 0; worker < workers; ++worker) {
        Pacing pacing({.rate = 250}, start, worker, workers);
        for (int i = 0; i < 10; ++i) {
            due.push_back(pacing.due_ns(start) - start);
            EXPECT_EQ(pacing.overdue(due.back() + start), 1u);
            EXPECT_EQ(pacing.overdue(due.back() + start - 1), 0u);
            pacing.on_sent();
        }
    }
    std::sort(due.begin(), due.end());
    for (size_t i = 0; i < due.size(); ++i) EXPECT_EQ(due[i], static_cast<int64_t>(i) * 4 * ms);
}

TEST(Pacing, ALongRunAtAnUnevenRateDoesNotDrift) {
    Pacing pacing({.rate = 7}, 0);
    for (int i = 0; i < 7 * 3600; ++i) pacing.on_sent();
    EXPECT_NEAR(static_cast<double>(pacing.due_ns(0)), 3600e9, 1);
}

TEST(Pacing, ABurstIsFollowedByItsPauseOnceAllOfItIsAnswered) {
    Pacing pacing({.burst = 3, .burst_pause_ns = 10 * ms}, start);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(pacing.due_ns(start), start);
        pacing.on_sent();
    }
    EXPECT_EQ(pacing.due_ns(start), Pacing::not_before_answer);
    pacing.on_ended(start + 1);
    pacing.on_ended(start + 2);
    EXPECT_EQ(pacing.due_ns(start + 1), Pacing::not_before_answer);
    pacing.on_ended(start + 3);
    EXPECT_EQ(pacing.due_ns(start + 1), start + 3 + 10 * ms);
    pacing.on_sent();
    EXPECT_EQ(pacing.due_ns(start + 20 * ms), start + 20 * ms);
}

TEST(Pacing, ABurstThatIsLongerThanTheQueueGoesOnAsSlotsGetFree) {
    Pacing pacing({.burst = 2, .burst_pause_ns = 10 * ms}, start);
    pacing.on_sent();
    pacing.on_ended(start + 5);
    EXPECT_EQ(pacing.due_ns(start + 5), start + 5);
    pacing.on_sent();
    EXPECT_EQ(pacing.due_ns(start + 5), Pacing::not_before_answer);
    pacing.on_ended(start + 9);
    EXPECT_EQ(pacing.due_ns(start + 9), start + 9 + 10 * ms);
}

TEST(Pacing, BurstsAtARateAreDueTogether) {
    Pacing pacing({.rate = 1000, .burst = 4}, start);
    std::vector<int64_t> due;
    for (int i = 0; i < 9; ++i) {
        due.push_back((pacing.due_ns(start) - start) / ms);
        pacing.on_sent();
    }
    EXPECT_THAT(due, testing::ElementsAre(0, 0, 0, 0, 4, 4, 4, 4, 8));
    EXPECT_EQ(pacing.overdue(start + 8 * ms), 3u);
}

TEST(Pacing, WhatContradictsItselfIsRefused) {
    EXPECT_TRUE(check_pacing({}));
    EXPECT_TRUE(check_pacing({.rate = 100}));
    EXPECT_TRUE(check_pacing({.rate = 100, .burst = 8}));
    EXPECT_TRUE(check_pacing({.think_time_ns = 1, .burst = 8, .burst_pause_ns = 1}));
    EXPECT_FALSE(check_pacing({.rate = -1}));
    EXPECT_FALSE(check_pacing({.rate = NAN}));
    EXPECT_FALSE(check_pacing({.rate = 2e9}));
    EXPECT_FALSE(check_pacing({.think_time_ns = -1}));
    EXPECT_FALSE(check_pacing({.rate = 1, .think_time_ns = 1}));
    EXPECT_FALSE(check_pacing({.rate = 1, .burst = 2, .burst_pause_ns = 1}));
    EXPECT_FALSE(check_pacing({.burst_pause_ns = 1}));
    EXPECT_FALSE(check_pacing({.burst = 1}));
}

}  // namespace
}  // namespace sanscope
