// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/estimate.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;

TEST(TimeBlocks, AStretchIsSharedOutAmongThem) {
    const TimeBlocks blocks(1000, 1000 + 24 * 10);
    EXPECT_EQ(blocks.index_of(1000), 0U);
    EXPECT_EQ(blocks.index_of(1019), 1U);
    EXPECT_EQ(blocks.index_of(5000), TimeBlocks::count - 1);
    EXPECT_EQ(blocks.index_of(INT64_MIN), 0U);
    std::array<double, TimeBlocks::count> parts{};
    blocks.spread(1005, 1027, [&](size_t block, double ns) { parts[block] += ns; });
    EXPECT_DOUBLE_EQ(parts[0], 5);
    EXPECT_DOUBLE_EQ(parts[1], 10);
    EXPECT_DOUBLE_EQ(parts[2], 7);
    EXPECT_DOUBLE_EQ(parts[3], 0);
    blocks.spread(INT64_MIN, INT64_MAX, [&](size_t, double ns) { EXPECT_NEAR(ns, 10, 1e-9); });
    TimeBlocks(5, 5).spread(0, 10, [&](size_t, double) { ADD_FAILURE(); });
    TimeBlocks(INT64_MIN, INT64_MAX).spread(INT64_MIN, INT64_MAX, [&](size_t, double ns) {
        EXPECT_GT(ns, 0);
    });
}

TEST(Estimate, QuantilesAreThoseOfTheValues) {
    BlockedDurations durations;
    for (int i = 0; i < 24'000; ++i) durations.add(static_cast<size_t>(i % 24), (i / 24 + 1) * ms);
    EXPECT_NEAR(estimate_quantile(durations, 0.5).value, 500e6, 8e6);
    EXPECT_NEAR(estimate_quantile(durations, 0.99).value, 990e6, 16e6);
    EXPECT_FALSE(estimate_quantile(BlockedDurations(), 0.5).known);
}

// The error of a mean of independent blocks is known: its standard deviation over the root of their number.
TEST(Estimate, TheErrorOfIndependentBlocksIsThatOfTheirMean) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(100, 10);
    double sum = 0;
    constexpr int many = 50;
    for (int i = 0; i < many; ++i) {
        BlockedSums sums;
        for (size_t block = 0; block < TimeBlocks::count; ++block) sums.add(block, normal(random), 1);
        const Estimate estimate = estimate_quotient(sums, Scale::difference);
        EXPECT_EQ(estimate.no_error, NoError::none);
        sum += estimate.error;
    }
    // What neighbours seem to have in common by chance only widens it.
    EXPECT_GT(sum / many, 10 / std::sqrt(24.0) * 0.95);
    EXPECT_LT(sum / many, 10 / std::sqrt(24.0) * 1.6);
}

TEST(Estimate, WhatDriftsIsHardlyMoreThanOneDraw) {
    BlockedSums sums;
    for (size_t block = 0; block < TimeBlocks::count; ++block)
        sums.add(block, 100 + static_cast<double>(block), 1);
    const Estimate estimate = estimate_quotient(sums, Scale::ratio);
    EXPECT_GT(estimate.error, 0.05);  // of values from 100 to 123
    EXPECT_LT(estimate.freedom, 5);
}

TEST(Estimate, WhatNeverMovedHasNoError) {
    BlockedSums sums;
    for (size_t block = 0; block < TimeBlocks::count; ++block) sums.add(block, 0.1 * 3, 0.3);
    EXPECT_EQ(estimate_quotient(sums, Scale::ratio).no_error, NoError::never_moved);
}

TEST(Estimate, AFewBlocksAreTooFew) {
    BlockedSums sums;
    for (size_t block = 0; block < 7; ++block) sums.add(block, static_cast<double>(block + 1), 1);
    EXPECT_EQ(estimate_quotient(sums, Scale::ratio).no_error, NoError::too_few);
}

// Of 1000 commands in each block some 8 are slow, or 12: the 99th percentile is 1 ms in the one capture and 10 ms in the
// other, and neither is surely so.
TEST(Estimate, APercentileBetweenTwoKindsMayBeEither) {
    std::mt19937 random(3);
    const auto with_slow = [&](double mean) {
        BlockedDurations durations;
        std::poisson_distribution<int> number(mean);
        for (size_t block = 0; block < TimeBlocks::count; ++block) {
            const int slow = number(random);
            for (int i = 0; i < 1000; ++i) durations.add(block, i < slow ? 10 * ms : ms);
        }
        return estimate_quantile(durations, 0.99);
    };
    const Estimate below = with_slow(9.5);
    EXPECT_NEAR(below.value, 1e6, 0.1e6);
    EXPECT_GT(below.error, std::log(10.0) / 4);
    const Estimate surely_below = with_slow(2);
    EXPECT_LT(surely_below.error, 0.02);
}

TEST(Estimate, RareEventsInBurstsSayLess) {
    std::array<double, TimeBlocks::count> alone{};
    std::array<double, TimeBlocks::count> burst{};
    for (size_t block = 0; block < TimeBlocks::count; block += 2) alone[block] = 1;
    burst[5] = 12;
    const Estimate few = estimate_rate(alone, 10'000);
    const Estimate many = estimate_rate(burst, 10'000);
    EXPECT_DOUBLE_EQ(few.value, many.value);
    EXPECT_GT(many.error, 2.5 * few.error);
    EXPECT_GT(estimate_rate({}, 10'000).error, 0);  // that none was seen does not mean that there can be none
    EXPECT_FALSE(estimate_rate(alone, 0).known);
}

}  // namespace
}  // namespace sanscope
