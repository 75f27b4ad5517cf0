// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/log_histogram.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace sanscope {
namespace {

TEST(LogHistogram, TellsNothingOfNothing) {
    const LogHistogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.percentile_ns(0.5), 0);
    EXPECT_EQ(histogram.mean_ns(), 0);
    EXPECT_EQ(histogram.standard_deviation_ns(), 0);
    EXPECT_EQ(histogram.max_ns(), 0);
}

TEST(LogHistogram, TellsSmallValuesExactly) {
    LogHistogram histogram;
    for (int64_t value = 1; value <= 100; ++value) histogram.add(value % 60);
    EXPECT_EQ(histogram.min_ns(), 0);
    EXPECT_EQ(histogram.max_ns(), 59);
    EXPECT_EQ(histogram.percentile_ns(0), 0);
    EXPECT_EQ(histogram.percentile_ns(1), 59);
    EXPECT_EQ(histogram.percentile_ns(0.01), 0);
    EXPECT_EQ(histogram.percentile_ns(0.02), 1);
}

TEST(LogHistogram, TellsPercentilesOfAnySizeWithinOnePartIn128) {
    std::mt19937_64 random(3);
    for (const double magnitude : {1e3, 1e6, 1e9, 1e12, 1e18}) {
        LogHistogram histogram;
        std::vector<int64_t> values;
        for (int i = 0; i < 5000; ++i) {
            const double part = static_cast<double>(random() >> 11) / static_cast<double>(1ull << 53);
            values.push_back(static_cast<int64_t>(magnitude * part * part));
            histogram.add(values.back());
        }
        std::sort(values.begin(), values.end());
        for (const double fraction : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
            const auto rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(values.size())));
            const auto exact = static_cast<double>(values[rank - 1]);
            EXPECT_NEAR(static_cast<double>(histogram.percentile_ns(fraction)), exact, exact / 128 + 1);
        }
        EXPECT_EQ(histogram.max_ns(), values.back());
        EXPECT_EQ(histogram.min_ns(), values.front());
    }
}

TEST(LogHistogram, TellsNoPercentileBeyondTheLeastAndTheGreatestValue) {
    LogHistogram histogram;
    histogram.add(1'000'001);
    EXPECT_EQ(histogram.percentile_ns(0.5), 1'000'001);
    histogram.add(1'000'003);
    EXPECT_GE(histogram.percentile_ns(0.5), 1'000'001);
    EXPECT_LE(histogram.percentile_ns(1), 1'000'003);
}

TEST(LogHistogram, TakesTheExtremes) {
    LogHistogram histogram;
    histogram.add(-5);
    histogram.add(std::numeric_limits<int64_t>::min());
    EXPECT_EQ(histogram.max_ns(), 0);
    histogram.add(std::numeric_limits<int64_t>::max());
    EXPECT_EQ(histogram.max_ns(), std::numeric_limits<int64_t>::max());
    EXPECT_EQ(histogram.min_ns(), 0);
    EXPECT_EQ(histogram.percentile_ns(0.5), 0);
    EXPECT_GT(histogram.percentile_ns(1), std::numeric_limits<int64_t>::max() / 128 * 127);
}

TEST(LogHistogram, TellsMeanAndDeviation) {
    LogHistogram histogram;
    for (const int64_t value : {2, 4, 4, 4, 5, 5, 7, 9}) histogram.add(value);
    EXPECT_DOUBLE_EQ(histogram.mean_ns(), 5);
    EXPECT_DOUBLE_EQ(histogram.standard_deviation_ns(), 2);
}

TEST(LogHistogram, IsTheSameAddedInPartsAndAtOnce) {
    LogHistogram small;
    LogHistogram large;
    LogHistogram all;
    for (int64_t i = 1; i < 1000; ++i) {
        (i < 300 ? small : large).add(i * i);
        all.add(i * i);
    }
    LogHistogram sum;
    sum.add(LogHistogram());
    sum.add(small);
    sum.add(large);
    EXPECT_EQ(sum.count(), all.count());
    EXPECT_EQ(sum.min_ns(), all.min_ns());
    EXPECT_EQ(sum.max_ns(), all.max_ns());
    EXPECT_DOUBLE_EQ(sum.mean_ns(), all.mean_ns());
    EXPECT_DOUBLE_EQ(sum.standard_deviation_ns(), all.standard_deviation_ns());
    for (const double fraction : {0.01, 0.3, 0.5, 0.99}) {
        EXPECT_EQ(sum.percentile_ns(fraction), all.percentile_ns(fraction));
    }
}

TEST(LogHistogram, APercentileHoldsWhereWhatIsMissingWouldNotMoveIt) {
    LogHistogram histogram;
    EXPECT_FALSE(histogram.percentile_holds(0.5, 0)) << "of nothing";
    for (int64_t i = 1; i <= 900; ++i) histogram.add(1000 * i);
    for (const double fraction : {0.0, 0.05, 0.3, 0.95, 1.0})
        EXPECT_TRUE(histogram.percentile_holds(fraction, 0)) << fraction;
    EXPECT_TRUE(histogram.percentile_holds(0.8, 100)) << "700 to 800 µs";
    EXPECT_FALSE(histogram.percentile_holds(0.3, 100)) << "200 to 300 µs";
    EXPECT_FALSE(histogram.percentile_holds(0.05, 100)) << "any of the hundred";
    EXPECT_FALSE(histogram.percentile_holds(0.95, 100)) << "any of the hundred";
    EXPECT_TRUE(histogram.moments_hold(9));
    EXPECT_FALSE(histogram.moments_hold(10));
}

}  // namespace
}  // namespace sanscope
