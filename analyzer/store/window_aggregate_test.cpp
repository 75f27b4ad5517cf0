// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/window_aggregate.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

TEST(WindowAggregate, weighs_each_window_by_how_long_it_lasts) {
    WindowAggregate windows(1);
    windows.set(0, 0, 10);
    windows.set(30, 0, 50);
    windows.finish(40);
    EXPECT_DOUBLE_EQ(windows.sum().mean(), 20);
    EXPECT_NEAR(windows.sum().standard_deviation(), 17.320508, 1e-5);
    EXPECT_EQ(windows.known_share(), 1);
    EXPECT_FALSE(windows.difference_deviation());
    EXPECT_FALSE(windows.difference_mean());
    EXPECT_FALSE(windows.fairness());
}

TEST(WindowAggregate, sums_connections_from_when_each_begins_until_it_ends) {
    WindowAggregate windows(2);
    windows.set(0, 0, 10);
    windows.set(10, 1, 5);
    windows.end(20, 1);
    windows.finish(30);
    EXPECT_NEAR(windows.sum().mean(), (10 * 30 + 5 * 10) / 30.0, 1e-9);
    EXPECT_NEAR(windows.window(0).mean(), 10, 1e-9);
    EXPECT_NEAR(windows.window(1).mean(), 5, 1e-9);
}

TEST(WindowAggregate, what_was_before_the_beginning_is_known_but_takes_no_time) {
    WindowAggregate windows(2, 10);
    windows.set(0, 0, 10);
    windows.set(0, 1, 1000);
    windows.set(5, 1, 20);
    windows.finish(30);
    EXPECT_DOUBLE_EQ(windows.sum().mean(), 30);
    EXPECT_DOUBLE_EQ(windows.sum().standard_deviation(), 0);
    EXPECT_DOUBLE_EQ(windows.sum().weight(), 20);
    EXPECT_DOUBLE_EQ(windows.window(1).weight(), 20);
}

TEST(WindowAggregate, without_time_nothing_is_known) {
    WindowAggregate none(1);
    none.finish(100);
    EXPECT_FALSE(none.sum().known());
    EXPECT_FALSE(none.is_known());
    WindowAggregate moment(1);
    moment.set(5, 0, 10);
    moment.finish(5);
    EXPECT_FALSE(moment.sum().known());
}

TEST(WindowAggregate, time_in_which_one_window_is_not_known_is_left_out_and_told) {
    WindowAggregate windows(2);
    windows.set(0, 0, 10);
    windows.set(0, 1, std::nullopt);
    windows.set(60, 1, 30);
    windows.finish(100);
    EXPECT_DOUBLE_EQ(windows.sum().mean(), 40);
    EXPECT_DOUBLE_EQ(windows.known_share(), 0.4);
    EXPECT_FALSE(windows.is_known());
    EXPECT_FALSE(windows.difference_deviation());
    EXPECT_FALSE(windows.difference_mean());
}

// Two windows of which one has what the other has not: the difference deviates more than either.
TEST(WindowAggregate, the_difference_deviates_most_where_windows_are_against_each_other) {
    WindowAggregate against(2);
    WindowAggregate together(2);
    for (int i = 0; i < 10; ++i) {
        const double high = i % 2 == 0 ? 6 : 2;
        const double low = 8 - high;
        against.set(i, 0, high);
        against.set(i, 1, low);
        together.set(i, 0, high);
        together.set(i, 1, high);
    }
    against.finish(10);
    together.finish(10);
    ASSERT_TRUE(against.difference_deviation());
    EXPECT_NEAR(*against.difference_deviation(), 4, 1e-9);
    ASSERT_TRUE(against.difference_mean());
    EXPECT_NEAR(*against.difference_mean(), 0, 1e-6);
    EXPECT_NEAR(against.window(0).standard_deviation(), 2, 1e-9);
    EXPECT_NEAR(*together.difference_deviation(), 0, 1e-6);
    EXPECT_NEAR(*against.fairness(), 1, 1e-9);
}

TEST(WindowAggregate, the_difference_of_a_window_that_is_always_greater_is_that_of_the_means) {
    WindowAggregate windows(2, 50);
    windows.set(0, 0, 500);
    windows.set(0, 1, 10);
    windows.set(50, 0, 30);
    windows.finish(100);
    ASSERT_TRUE(windows.difference_mean());
    EXPECT_NEAR(*windows.difference_mean(), 20, 1e-9);
    ASSERT_TRUE(windows.difference_deviation());
    EXPECT_NEAR(*windows.difference_deviation(), 0, 1e-6);
}

TEST(WindowAggregate, of_more_connections_the_difference_is_the_root_mean_square_of_all_pairs) {
    const std::vector<std::vector<double>> values = {{1, 7, 3, 5}, {2, 2, 9, 4}, {6, 1, 1, 8}};
    WindowAggregate windows(3);
    for (size_t time = 0; time < 4; ++time) {
        for (size_t i = 0; i < 3; ++i) windows.set(static_cast<int64_t>(time), i, values[i][time]);
    }
    windows.finish(4);
    double variances = 0;
    double squares_of_means = 0;
    for (const auto& [a, b] : std::vector<std::pair<size_t, size_t>>{{0, 1}, {0, 2}, {1, 2}}) {
        Moments difference;
        for (size_t time = 0; time < 4; ++time) difference.add(values[a][time] - values[b][time]);
        variances += difference.variance() / 3;
        squares_of_means += difference.mean() * difference.mean() / 3;
    }
    ASSERT_TRUE(windows.difference_deviation());
    EXPECT_NEAR(*windows.difference_deviation(), std::sqrt(variances), 1e-9);
    ASSERT_TRUE(windows.difference_mean());
    EXPECT_NEAR(*windows.difference_mean(), std::sqrt(squares_of_means), 1e-9);
}

TEST(JainIndex, is_one_of_equal_shares_and_the_nth_part_of_one_that_has_everything) {
    EXPECT_DOUBLE_EQ(*jain_index(std::vector<double>{5, 5, 5, 5}), 1);
    EXPECT_DOUBLE_EQ(*jain_index(std::vector<double>{8, 0, 0, 0}), 0.25);
    EXPECT_FALSE(jain_index(std::vector<double>{5}));
    EXPECT_FALSE(jain_index(std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace sanscope
