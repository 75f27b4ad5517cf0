// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/zipf_ranks.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

class ZipfRanksOf : public testing::TestWithParam<double> {};

INSTANTIATE_TEST_SUITE_P(Theta, ZipfRanksOf, testing::Values(0.1, 0.5, 0.99, 1.0, 1.0 + 1e-10, 1.2, 3.0));

// Pearson's test against the law itself, its sum taken term by term.
TEST_P(ZipfRanksOf, EachRankComesAsOftenAsTheLawSays) {
    constexpr uint64_t count = 200;
    constexpr unsigned draws = 200'000;
    const double theta = GetParam();
    const ZipfRanks ranks(count, theta);
    RandomNumbers random(17);
    std::vector<unsigned> seen(count + 1);
    for (unsigned i = 0; i < draws; ++i) {
        const uint64_t rank = ranks.draw(random);
        ASSERT_GE(rank, 1u);
        ASSERT_LE(rank, count);
        ++seen[rank];
    }
    double sum = 0;
    for (uint64_t rank = 1; rank <= count; ++rank) sum += std::pow(static_cast<double>(rank), -theta);
    double chi_square = 0;
    double expected = 0;  // ranks too rare for the test are taken together
    double found = 0;
    unsigned classes = 0;
    for (uint64_t rank = 1; rank <= count; ++rank) {
        expected += draws * std::pow(static_cast<double>(rank), -theta) / sum;
        found += seen[rank];
        if (expected < 10 && rank < count) continue;
        chi_square += (found - expected) * (found - expected) / expected;
        expected = found = 0;
        ++classes;
    }
    // Five standard deviations above what the statistic is on average.
    EXPECT_LT(chi_square, classes + 5 * std::sqrt(2.0 * classes));
}

TEST(ZipfRanks, ManyRanksAreDrawnWithinTheirBounds) {
    for (const uint64_t count : {uint64_t{1}, uint64_t{2}, uint64_t{3}, (uint64_t{1} << 53) - 1}) {
        for (const double theta : {0.01, 0.99, 1.0, 2.0, 100.0}) {
            const ZipfRanks ranks(count, theta);
            RandomNumbers random(count);
            for (int i = 0; i < 10'000; ++i) {
                const uint64_t rank = ranks.draw(random);
                ASSERT_GE(rank, 1u);
                ASSERT_LE(rank, count);
            }
        }
    }
}

TEST(ZipfRanks, TheSameSeedDrawsTheSame) {
    const ZipfRanks ranks(1'000'000, 0.99);
    RandomNumbers one(5);
    RandomNumbers other(5);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(ranks.draw(one), ranks.draw(other));
}

}  // namespace
}  // namespace sanscope
