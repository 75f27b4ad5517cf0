// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/written_ranges.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace sanscope {
namespace {

TEST(WrittenRanges, ZerosAreWrittenOnlyWhereThereMayBeSomethingElse) {
    std::vector<uint8_t> memory(100, 7);
    WrittenRanges ranges(100);
    ranges.make_zero(memory.data(), 0, 50);
    EXPECT_EQ(std::ranges::count(memory, 0), 50) << "anything may have been there";
    memory[60] = memory[61] = 9;
    ranges.wrote(60, 62);
    ranges.begin_again();
    // What is not told is not seen: had it been written to, it would be.
    memory[10] = 5;
    ranges.make_zero(memory.data(), 0, 70);
    EXPECT_EQ(memory[10], 5);
    EXPECT_EQ(memory[60], 0);
    EXPECT_EQ(memory[61], 0);
    EXPECT_EQ(memory[62], 0) << "of before";
    EXPECT_EQ(memory[70], 7);
}

TEST(WrittenRanges, BuffersOfAnyContentsComeOutAsTheyWereMeant) {
    std::mt19937 random(17);
    const auto below = [&](size_t limit) { return random() % limit; };
    for (const size_t longest : {3u, 40u, 3000u}) {
        constexpr size_t capacity = 60'000;
        std::vector<uint8_t> memory(capacity, 0xee);
        WrittenRanges ranges(capacity);
        for (int fill = 0; fill < 30; ++fill) {
            std::vector<uint8_t> meant;
            const size_t until = below(capacity);
            while (meant.size() < until) {
                const size_t begin = meant.size();
                const size_t end = std::min(capacity, begin + 1 + below(longest));
                if (below(2) == 0) {
                    meant.resize(end, 0);
                    ranges.make_zero(memory.data(), begin, end);
                } else {
                    meant.resize(end, static_cast<uint8_t>(1 + below(255)));
                    std::copy(meant.begin() + static_cast<std::ptrdiff_t>(begin), meant.end(),
                              memory.begin() + static_cast<std::ptrdiff_t>(begin));
                    ranges.wrote(begin, end);
                }
            }
            ASSERT_TRUE(std::equal(meant.begin(), meant.end(), memory.begin())) << longest << ", " << fill;
            ranges.begin_again();
        }
    }
}

}  // namespace
}  // namespace sanscope
