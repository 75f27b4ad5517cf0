// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_series.h"

#include <gtest/gtest.h>

#include "gui/generating/load_charts.h"

namespace sanscope {
namespace {

LoadSecond second(double at, double rate, double p99_ns) {
    LoadSecond one;
    one.at = at;
    one.bytes_per_second = rate * 1000;
    one.commands_per_second = rate;
    one.commands = static_cast<uint64_t>(rate);
    one.p50_ns = p99_ns / 2;
    one.p99_ns = p99_ns;
    one.errors = 1;
    return one;
}

TEST(LoadSeries, KeepsEachSecondOfAShortLoad) {
    LoadSeries series;
    for (size_t i = 1; i <= LoadSeries::most_rows; ++i) series.add(second(static_cast<double>(i), 10, 1000));
    EXPECT_EQ(series.rows().size(), LoadSeries::most_rows);
    EXPECT_EQ(series.rows()[4].at, 5);
    // A clock that stands still, or turns back, adds nothing.
    series.add(second(3, 10, 1000));
    EXPECT_EQ(series.rows().size(), LoadSeries::most_rows);
}

TEST(LoadSeries, StaysSmallHoweverLongALoadLasts) {
    constexpr int a_week = 7 * 24 * 3600;
    LoadSeries series;
    for (int i = 1; i <= a_week; ++i) series.add(second(i, i % 2 == 0 ? 10 : 30, i == 300'000 ? 5e9 : 1e6));
    EXPECT_LE(series.rows().size(), LoadSeries::most_rows);
    EXPECT_GE(series.rows().size(), LoadSeries::most_rows / 2);
    EXPECT_EQ(series.rows().back().at, a_week);
    uint64_t errors = 0;
    double worst = 0;
    for (const LoadSecond& row : series.rows()) {
        errors += row.errors;
        worst = std::max(worst, *row.p99_ns);
        // The last one may be of less than two seconds.
        if (&row != &series.rows().back()) {
            EXPECT_NEAR(row.commands_per_second, 20, 0.5) << row.at;
        }
    }
    EXPECT_EQ(errors, static_cast<uint64_t>(a_week));
    EXPECT_EQ(worst, 5e9) << "the slowest is not lost among others";
}

TEST(LoadSeries, WhatIsLeftInTheEndMakesNoPeak) {
    LoadSeries series;
    series.add(second(1, 10, 1000));
    series.add(second(2, 10, 1000));
    LoadSecond rest = second(2.001, 5000, 2000);
    rest.commands = 5;
    series.add(rest);
    ASSERT_EQ(series.rows().size(), 2u);
    EXPECT_NEAR(series.rows()[1].commands_per_second, 15 / 1.001, 0.01);
    EXPECT_EQ(series.rows()[1].commands, 15u);
    EXPECT_EQ(series.rows()[1].errors, 2u);
    EXPECT_EQ(series.rows()[1].p99_ns, 2000);
}

TEST(LoadSeries, SecondsWithoutTurnaroundHaveNone) {
    LoadSeries series;
    LoadSecond none = second(1, 0, 0);
    none.p50_ns.reset();
    none.p99_ns.reset();
    series.add(none);
    for (size_t i = 2; i <= LoadSeries::most_rows + 1; ++i) {
        LoadSecond one = i == 2 ? second(2, 4, 700) : none;
        one.at = static_cast<double>(i);
        series.add(one);
    }
    EXPECT_EQ(series.rows()[0].p99_ns, 700);
    EXPECT_EQ(series.rows()[1].p99_ns, std::nullopt);
}

TEST(LoadCharts, DrawWhateverComes) {
    LoadCharts charts;
    charts.resize(900, 200);
    EXPECT_FALSE(charts.grab().isNull());
    LoadSecond strange = second(1, 1e300, 1e300);
    strange.p50_ns = 0;
    charts.add(strange);
    charts.add(second(1e9, 0, 1));
    EXPECT_FALSE(charts.grab().isNull());
    EXPECT_EQ(charts.series().rows().size(), 2u);
    charts.clear();
    EXPECT_TRUE(charts.series().rows().empty());
    EXPECT_FALSE(charts.grab().isNull());
}

}  // namespace
}  // namespace sanscope
