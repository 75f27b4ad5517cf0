// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/saturated_sum.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(SaturatedSum, StaysAtTheMostThereIs) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(saturated_sum(2, 3), 5);
    EXPECT_EQ(saturated_sum(most - 1, 1), most);
    EXPECT_EQ(saturated_sum(most / 2 + 1, most / 2 + 1), most);
    EXPECT_EQ(saturated_sum(most, 1), most);
}

}  // namespace
}  // namespace sanscope
