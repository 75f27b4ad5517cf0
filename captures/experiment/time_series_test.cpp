// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/time_series.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

TEST(AggregateWindow, WeighsEachWindowByHowLongItLasts) {
    const auto window = aggregate_window({{0, 1, 10}, {30, 1, 50}, {40, 1, 0}}, 0);
    ASSERT_TRUE(window);
    EXPECT_DOUBLE_EQ(window->mean, 20);  // 10 for 30, 50 for 10
    EXPECT_NEAR(window->deviation, 17.320508, 1e-5);
}

TEST(AggregateWindow, SumsConnections) {
    const auto window = aggregate_window({{10, 2, 5}, {0, 1, 10}, {20, 1, 10}}, 0);
    ASSERT_TRUE(window);
    EXPECT_DOUBLE_EQ(window->mean, 12.5);
    EXPECT_DOUBLE_EQ(window->deviation, 2.5);
}

TEST(AggregateWindow, KnowsWhatWasBeforeTheBeginning) {
    const auto window = aggregate_window({{0, 1, 10}, {0, 2, 1000}, {5, 2, 20}, {30, 1, 0}}, 10);
    ASSERT_TRUE(window);
    EXPECT_DOUBLE_EQ(window->mean, 30);
    EXPECT_DOUBLE_EQ(window->deviation, 0);
}

TEST(AggregateWindow, IsNothingWithoutTime) {
    EXPECT_FALSE(aggregate_window({}, 0));
    EXPECT_FALSE(aggregate_window({{5, 1, 10}}, 0));
    EXPECT_FALSE(aggregate_window({{5, 1, 10}, {8, 1, 10}}, 8));
}

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
