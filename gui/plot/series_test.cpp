// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "gui/plot/state_band.h"
#include "gui/plot/step_series.h"
#include "gui/plot/value_ticks.h"

namespace sanscope {
namespace {

using testing::ElementsAre;

constexpr int64_t epoch = 1'700'000'000'000'000'000;

PreparedRange prepared_of(TimeRange range, double pixels) {
    return PreparedRange::around({range, 0, pixels});
}

TEST(RowColumns, PutsEveryRowIntoItsColumn) {
    std::mt19937 random(7);
    std::vector<int64_t> times;
    int64_t at = epoch;
    for (int i = 0; i < 5000; ++i)
        times.push_back(at += static_cast<int64_t>(random() % 3 == 0 ? 0 : random() % 5000));
    const auto time_at = [&](size_t i) { return times[i]; };
    for (const double share : {0.01, 0.3, 1.0}) {
        const int64_t span = at - epoch;
        const auto width = static_cast<int64_t>(static_cast<double>(span) * share);
        const PreparedRange prepared = prepared_of({epoch + span / 3, epoch + span / 3 + width}, 500);
        const RowColumns columns = row_columns(prepared, times.size(), time_at);
        ASSERT_EQ(columns.columns(), prepared.columns());
        for (size_t c = 0; c < columns.columns(); ++c) {
            const TimeRange column = prepared.column(c);
            for (size_t i = columns.begins[c]; i < columns.begins[c + 1]; ++i) {
                ASSERT_TRUE(column.contains(times[i]));
            }
        }
        size_t inside = 0;
        for (const int64_t time : times) inside += prepared.range.contains(time) ? 1U : 0U;
        EXPECT_EQ(columns.rows(), inside);
    }
}

struct Rows {
    std::vector<int64_t> times;
    std::vector<double> values;

    StepSeries steps(const PreparedRange& prepared) const {
        const auto time_at = [&](size_t i) { return times[i]; };
        return make_steps(
            row_columns(prepared, times.size(), time_at), time_at, [&](size_t i) { return values[i]; },
            [&](size_t first, size_t last) {
                Extent extent;
                for (size_t i = first; i < last; ++i) extent.add(values[i]);
                return extent;
            });
    }
    double at(int64_t time_ns) const {
        double value = no_value;
        for (size_t i = 0; i < times.size() && times[i] <= time_ns; ++i) value = values[i];
        return value;
    }
};

Rows random_rows(size_t count) {
    std::mt19937 random(11);
    Rows rows;
    int64_t at = epoch;
    for (size_t i = 0; i < count; ++i) {
        rows.times.push_back(at += 1 + static_cast<int64_t>(random() % 2000));
        rows.values.push_back(random() % 10 == 0 ? no_value : static_cast<double>(random() % 50));
    }
    return rows;
}

TEST(StepSeries, NearItTellsEveryValueAtItsMoment) {
    const Rows rows = random_rows(300);
    const TimeRange range{rows.times[100], rows.times[200]};
    const StepSeries series = rows.steps(prepared_of(range, 1000));
    for (int64_t at = range.begin_ns; at < range.end_ns; at += 97) {
        const double expected = rows.at(at);
        const double found = value_at(series, at);
        ASSERT_TRUE(expected == found || (std::isnan(expected) && std::isnan(found))) << at - epoch;
    }
}

TEST(StepSeries, FarItKeepsLeastAndGreatestOfEachColumn) {
    const Rows rows = random_rows(20'000);
    const TimeRange range{rows.times[3000], rows.times[17'000]};
    const PreparedRange prepared = prepared_of(range, 300);
    const StepSeries series = rows.steps(prepared);
    ASSERT_LT(series.size(), prepared.columns() + 2);
    size_t checked = 0;
    for (size_t i = 1; i < series.size(); ++i) {
        const StepPoint& point = series[i];
        Extent expected;
        double last = no_value;
        for (size_t row = 0; row < rows.times.size(); ++row) {
            if (rows.times[row] < point.time_ns || rows.times[row] >= point.time_ns + prepared.ns_per_column)
                continue;
            expected.add(rows.values[row]);
            last = rows.values[row];
        }
        ASSERT_TRUE(expected.any);
        ASSERT_EQ(point.min, expected.min);
        ASSERT_EQ(point.max, expected.max);
        ASSERT_TRUE(point.last == last || (std::isnan(point.last) && std::isnan(last)));
        ++checked;
    }
    EXPECT_GT(checked, 200u);
}

TEST(StepSeries, DrawsLevelsAndStepsAndLeavesGaps) {
    const TimeViewport time{{0, 100}, 10, 100};
    const ValueScale scale{0, 10, 0, 100, false};
    const auto point = [](int64_t at, double value) { return StepPoint{at, value, value, value, value}; };
    const StepSeries series{point(-50, 2), point(20, 8), point(40, no_value), point(60, 5)};
    std::vector<QLineF> lines;
    step_lines(series, time, scale, 90, lines);
    EXPECT_THAT(lines, ElementsAre(QLineF(8, 80, 30, 80), QLineF(30, 80, 30, 20), QLineF(30, 20, 50, 20),
                                   QLineF(70, 50, 100, 50)));
    // A line into what is not known has no upright end.
    std::vector<QRectF> band;
    step_band(series, {point(-50, 3), point(20, 9), point(60, 6)}, time, scale, 90, band);
    EXPECT_THAT(band, ElementsAre(QRectF(8, 70, 22, 10), QRectF(30, 10, 20, 10), QRectF(70, 40, 30, 10)));
}

TEST(StateBand, NearItJoinsAndFarItSharesOut) {
    std::vector<StateBand::Change> few{{epoch, 0}, {epoch + 1000, 3}, {epoch + 1500, 3}, {epoch + 2000, 0}};
    const PreparedRange near = prepared_of({epoch, epoch + 4000}, 1000);
    const StateBand band = StateBand::of(near, few, epoch + 3000);
    ASSERT_EQ(band.spans.size(), 3u);
    EXPECT_EQ(band.spans[1].range, (TimeRange{epoch + 1000, epoch + 2000}));
    EXPECT_EQ(band.spans[2].range.end_ns, epoch + 3000);
    EXPECT_EQ(band.span_at(epoch + 1700)->state, 3);
    EXPECT_EQ(band.span_at(epoch + 3000), nullptr);

    std::mt19937 random(5);
    std::vector<StateBand::Change> many;
    int64_t at = epoch;
    for (int i = 0; i < 20'000; ++i) {
        many.push_back({at, static_cast<uint8_t>(random() % 5)});
        at += 1 + static_cast<int64_t>(random() % 900);
    }
    const PreparedRange far = prepared_of({epoch, at}, 400);
    const StateBand shares = StateBand::of(far, many, at);
    ASSERT_TRUE(shares.spans.empty());
    std::array<double, StateBand::most_states> spent{};
    for (const auto& column : shares.columns) {
        double all = 0;
        for (size_t state = 0; state < spent.size(); ++state) {
            const double part = static_cast<double>(column.share[state]);
            all += part;
            spent[state] += part * static_cast<double>(far.ns_per_column);
        }
        EXPECT_LE(all, 1.0001);
    }
    std::array<double, StateBand::most_states> expected{};
    for (size_t i = 0; i < many.size(); ++i) {
        const int64_t end = i + 1 < many.size() ? many[i + 1].time_ns : at;
        expected[many[i].state] += static_cast<double>(end - many[i].time_ns);
    }
    for (size_t state = 0; state < spent.size(); ++state) {
        EXPECT_NEAR(spent[state], expected[state], expected[state] * 1e-4 + 1);
    }
}

std::vector<std::string> labels(const ValueTicks& ticks) {
    std::vector<std::string> found;
    for (const auto& tick : ticks.major) found.push_back(tick.label.toStdString());
    return found;
}

TEST(ValueTicks, AreRoundAndHaveUnits) {
    EXPECT_THAT(labels(value_ticks({0, 350'000, 0, 200, false}, ValueUnit::bytes, 50)),
                ElementsAre("0", "100\u00a0kB", "200\u00a0kB", "300\u00a0kB"));
    EXPECT_THAT(labels(value_ticks({50e3, 20e6, 0, 300, true}, ValueUnit::nanoseconds, 40)),
                ElementsAre("100\u00a0µs", "1\u00a0ms", "10\u00a0ms"));
    EXPECT_THAT(labels(value_ticks({0, 3, 0, 300, false}, ValueUnit::count, 20)),
                ElementsAre("0", "1", "2", "3"));
    EXPECT_THAT(labels(value_ticks({0, 40, 0, 40, false}, ValueUnit::count, 27)), ElementsAre("0", "40"));
    EXPECT_THAT(labels(value_ticks({0, 18, 0, 27, false}, ValueUnit::count, 27)), ElementsAre("0", "10"));
    EXPECT_TRUE(value_ticks({0, 1, 0, 0, false}, ValueUnit::bytes, 20).major.empty());
    EXPECT_TRUE(value_ticks({0, 1, 0, 100, true}, ValueUnit::bytes, 20).major.empty());
}

TEST(ValueTicks, NeverCrowdNorLeaveTheirScale) {
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        const bool logarithmic = i % 2 == 0;
        const double lower = logarithmic ? std::pow(10.0, static_cast<double>(random() % 6)) : 0;
        const double upper = lower + std::pow(10.0, static_cast<double>(random() % 90) / 9.0) + 1;
        const ValueScale scale{lower, upper, 10, 50 + static_cast<double>(random() % 800), logarithmic};
        const ValueTicks ticks = value_ticks(scale, ValueUnit::nanoseconds, 25);
        for (size_t tick = 0; tick < ticks.major.size(); ++tick) {
            EXPECT_GE(ticks.major[tick].value, lower * (1 - 1e-6));
            EXPECT_LE(ticks.major[tick].value, upper * (1 + 1e-6));
            if (tick > 0) {
                EXPECT_GE(scale.y_of(ticks.major[tick - 1].value) - scale.y_of(ticks.major[tick].value),
                          std::min(24.9, (scale.bottom - scale.top) / 2));
            }
        }
    }
}

TEST(ValueRange, HoldsWhatIsToBeSeenAndFillsMostOfIt) {
    std::mt19937 random(9);
    for (int i = 0; i < 3000; ++i) {
        const double a = std::pow(10.0, 1 + static_cast<double>(random() % 1000) / 100);
        const double b = a * (1 + static_cast<double>(random() % 1000) / 20);
        const ValueRange zero = round_range(0, b, true);
        EXPECT_EQ(zero.lower, 0);
        EXPECT_GE(zero.upper, b);
        EXPECT_LE(zero.upper, b * 1.4);
        const ValueRange both = round_range(a, b, false);
        EXPECT_LE(both.lower, a);
        EXPECT_GE(both.upper, b);
        const ValueRange log = round_log_range(a, b);
        EXPECT_LE(log.lower, a);
        EXPECT_GE(log.upper, b);
        EXPECT_GE(log.upper, log.lower * 5);
    }
    const ValueScale scale{1e3, 1e9, 20, 320, true};
    EXPECT_NEAR(scale.value_at(scale.y_of(12'345)), 12'345, 1e-6);
    EXPECT_NEAR(scale.y_of(1e6), 170, 1e-9);
}

}  // namespace
}  // namespace sanscope
