// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/running_percentiles.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace sanscope::wireshark {
namespace {

constexpr std::array<double, 4> shares = {0.5, 0.9, 0.99, 0.999};

// Against all values in order, after each of them.
template <class Next>
void expect_within_bounds(Next next) {
    RunningPercentiles<4> running(shares);
    std::vector<int64_t> sorted;
    for (size_t n = 1; n <= 3000; ++n) {
        const int64_t value = next(n);
        running.add(value);
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
        for (size_t i = 0; i < shares.size(); ++i) {
            const auto rank = static_cast<size_t>(std::ceil(shares[i] * static_cast<double>(n)));
            const auto exact = static_cast<double>(sorted[rank - 1]);
            ASSERT_NEAR(static_cast<double>(running.percentile(i)), exact, exact / 512)
                << shares[i] << " of " << n;
        }
        ASSERT_EQ(running.least(), sorted.front());
        ASSERT_EQ(running.greatest(), sorted.back());
        ASSERT_EQ(running.size(), n);
    }
}

TEST(RunningPercentiles, AreNearAfterEachValue) {
    std::mt19937_64 random(11);
    expect_within_bounds([&](size_t) { return static_cast<int64_t>(random() % 1'000'000'000); });
    // Of all magnitudes.
    expect_within_bounds([&](size_t) { return static_cast<int64_t>((random() >> 1) >> (random() % 63)); });
}

TEST(RunningPercentiles, AreExactAmongSmallValuesAndManyEqualOnes) {
    std::mt19937_64 random(11);
    expect_within_bounds([&](size_t) { return static_cast<int64_t>(random() % 6); });
    expect_within_bounds([](size_t) { return 0; });
    expect_within_bounds([](size_t) { return 511; });
}

TEST(RunningPercentiles, AreNearWhereValuesRiseFallOrLieFarApart) {
    expect_within_bounds([](size_t n) { return static_cast<int64_t>(n * n * 1000); });
    expect_within_bounds([](size_t n) { return static_cast<int64_t>((3001 - n) * 1'000'003); });
    expect_within_bounds([](size_t n) { return n % 2 == 0 ? 1 : std::numeric_limits<int64_t>::max(); });
}

TEST(RunningPercentiles, TakeWhatIsBelowNothingForNothing) {
    RunningPercentiles<4> running(shares);
    running.add(-5);
    EXPECT_EQ(running.least(), 0);
    EXPECT_EQ(running.percentile(0), 0);
    EXPECT_EQ(running.greatest(), 0);
}

}  // namespace
}  // namespace sanscope::wireshark
