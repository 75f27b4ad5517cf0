// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/partition_index.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(PartitionIndex, IsTheBorderWhereverItLies) {
    for (uint64_t border = 10; border <= 17; ++border) {
        int asked = 0;
        const uint64_t found = partition_index(uint64_t{10}, uint64_t{17}, [&](uint64_t i) {
            EXPECT_TRUE(i >= 10 && i < 17);
            ++asked;
            return i < border;
        });
        EXPECT_EQ(found, border);
        EXPECT_LE(asked, 3);
    }
}

TEST(PartitionIndex, NothingAndTheLargestNumbers) {
    EXPECT_EQ(partition_index(5U, 5U, [](unsigned) { return true; }), 5U);
    constexpr uint64_t last = ~uint64_t{0};
    EXPECT_EQ(partition_index(last - 9, last, [](uint64_t i) { return i < ~uint64_t{0} - 3; }), last - 3);
}

}  // namespace
}  // namespace sanscope
