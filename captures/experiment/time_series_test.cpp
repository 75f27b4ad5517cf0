// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/time_series.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

TEST(RiseTo, IsTheEndOfTheFirstStepThatIsFastEnough) {
    const std::vector<DataArrival> arrivals{{101, 10}, {112, 40}, {125, 100}, {138, 90}};
    const auto half = rise_to(0.5, arrivals, 100, 10, 1);
    ASSERT_TRUE(half);
    EXPECT_EQ(half->time_ns, 30);
    EXPECT_EQ(half->bytes, 150u);
    const auto little = rise_to(0.4, arrivals, 100, 10, 1);
    ASSERT_TRUE(little);
    EXPECT_EQ(little->time_ns, 20);
    EXPECT_EQ(little->bytes, 50u);
}

TEST(RiseTo, OneFastStepIsNotTheHighestRate) {
    std::vector<DataArrival> arrivals{{5, 20},   {15, 95},  {25, 105}, {35, 90},
                                      {45, 110}, {55, 200}, {75, 100}};
    const auto most = rise_to(0.9, arrivals, 0, 10, 2);  // 155 a step
    ASSERT_TRUE(most);
    EXPECT_EQ(most->time_ns, 60);
    const auto smooth = rise_to(0.9, arrivals, 0, 10, 8);  // 90 a step, with one in which nothing came
    ASSERT_TRUE(smooth);
    EXPECT_EQ(smooth->time_ns, 20);
    EXPECT_EQ(smooth->bytes, 115u);
}

TEST(RiseTo, DoesNotCountWhatWasBeforeTheStart) {
    EXPECT_FALSE(rise_to(0.5, {{1, 1000}}, 100, 10, 1));
    EXPECT_FALSE(rise_to(0.5, {}, 0, 10, 1));
}

}  // namespace
}  // namespace sanscope::lab
