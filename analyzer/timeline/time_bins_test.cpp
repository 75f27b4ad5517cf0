// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/timeline/time_bins.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace sanscope {
namespace {

struct Count {
    uint64_t n = 0;
    void add(const Count& other) { n += other.n; }
};

uint64_t sum(const TimeBins<Count>& bins) {
    uint64_t total = 0;
    for (const Count& bin : bins.bins()) total += bin.n;
    return total;
}

TEST(TimeBins, LosesNothingAndStaysSmallWhateverTheOrder) {
    for (unsigned seed = 0; seed < 5; ++seed) {
        std::mt19937_64 random(seed);
        TimeBins<Count> bins;
        std::vector<int64_t> times;
        for (size_t i = 0; i < 5000; ++i) {
            const int64_t time =
                1'700'000'000'000'000'000 + static_cast<int64_t>(random() % (1ull << (10 + i / 100)));
            times.push_back(time);
            ++bins.at(time).n;
            ASSERT_LE(bins.bins().size(), TimeBins<Count>::most);
        }
        EXPECT_EQ(sum(bins), times.size());
        // Each stands in the bin of its time.
        std::vector<uint64_t> expected(bins.bins().size());
        for (const int64_t time : times) {
            ++expected[static_cast<size_t>((time - bins.begin_ns()) / bins.width_ns())];
        }
        for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(bins.bins()[i].n, expected[i]) << i;
    }
}

TEST(TimeBins, TakesTheFarthestMoments) {
    TimeBins<Count> bins;
    constexpr int64_t far = (int64_t{1} << 62) - 1;
    for (const int64_t time : {int64_t{0}, far, -far, int64_t{5}}) ++bins.at(time).n;
    EXPECT_EQ(sum(bins), 4u);
    EXPECT_LE(bins.bins().size(), TimeBins<Count>::most);
}

}  // namespace
}  // namespace sanscope
