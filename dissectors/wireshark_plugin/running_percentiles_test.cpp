// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/running_percentiles.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace sanscope::wireshark {
namespace {

constexpr std::array<double, 4> shares = {0.5, 0.9, 0.99, 0.999};

void expect_exact_after_each(int64_t greatest) {
    std::mt19937 random(11);
    RunningPercentiles<4> running(shares);
    std::vector<int64_t> sorted;
    for (size_t n = 1; n <= 3000; ++n) {
        const auto value = static_cast<int64_t>(random() % static_cast<uint64_t>(greatest + 1));
        running.add(value);
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
        for (size_t i = 0; i < shares.size(); ++i) {
            const auto rank = static_cast<size_t>(std::ceil(shares[i] * static_cast<double>(n)));
            ASSERT_EQ(running.percentile(i), sorted[rank - 1]) << shares[i] << " of " << n;
        }
        ASSERT_EQ(running.least(), sorted.front());
        ASSERT_EQ(running.greatest(), sorted.back());
        ASSERT_EQ(running.size(), n);
    }
}

TEST(RunningPercentiles, AreExactAfterEachValue) {
    expect_exact_after_each(1'000'000'000);
}

TEST(RunningPercentiles, AreExactAmongManyEqualValues) {
    expect_exact_after_each(5);
    expect_exact_after_each(0);
}

}  // namespace
}  // namespace sanscope::wireshark
