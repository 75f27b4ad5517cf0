// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace sanscope {
namespace {

constexpr int64_t start = 1'700'000'000'123'456'789;

std::vector<std::string> labels(const TimeTicks& ticks) {
    std::vector<std::string> all;
    for (const TimeTick& tick : ticks.major) all.push_back(tick.label.toStdString());
    return all;
}

TimeTicks ticks_of(int64_t from, int64_t span, TimeFormat format = TimeFormat::relative) {
    return time_ticks({{start + from, start + from + span}, 0, 1600}, start, format, 110);
}

TEST(TimeAxis, TicksAreRoundApartAndToldApart) {
    for (const auto format : {TimeFormat::relative, TimeFormat::utc, TimeFormat::local}) {
        for (int64_t span = 200; span < int64_t{100} * 86400 * 1'000'000'000; span = span * 3 + 7) {
            const TimeTicks ticks = ticks_of(span / 3, span, format);
            ASSERT_GE(ticks.major.size(), 2u) << span;
            ASSERT_LE(ticks.major.size(), 16u) << span;
            std::set<std::string> different;
            for (size_t i = 0; i < ticks.major.size(); ++i) {
                different.insert(ticks.major[i].label.toStdString());
                if (i > 0) {
                    EXPECT_GE(ticks.major[i].x - ticks.major[i - 1].x, 109) << span;
                }
            }
            EXPECT_EQ(different.size(), ticks.major.size())
                << span << ' ' << testing::PrintToString(labels(ticks));
            for (const std::string& label : different) {
                EXPECT_LE(label.size(), 24u) << label;
            }
        }
    }
}

TEST(TimeAxis, NearFarIntoTheCaptureLabelsAddToABase) {
    const TimeTicks ticks = ticks_of(3'600'000'000'000, 2000);
    EXPECT_FALSE(ticks.base.isEmpty());
    EXPECT_TRUE(ticks.major[1].label.startsWith(QLatin1Char('+'))) << ticks.major[1].label.toStdString();
}

TEST(TimeAxis, ClocksCountAsWatchesDo) {
    constexpr int64_t second = 1'000'000'000;
    const auto of = [](int64_t span) { return labels(ticks_of(0, span, TimeFormat::utc)); };
    EXPECT_THAT(of(3 * second), testing::Contains("22:13:20.500"));
    EXPECT_THAT(of(second / 10), testing::Contains("22:13:20.130"));
    EXPECT_THAT(of(14 * second), testing::Contains("22:13:21"));
    EXPECT_THAT(of(180 * second), testing::IsSupersetOf({"22:13:30", "22:13:45", "22:14:00"}));
    EXPECT_THAT(of(10'000 * second), testing::IsSupersetOf({"22:15", "22:30", "22:45"}));
}

TEST(TimeAxis, ABaseIsRoundAndNeverBeforeTheCapture) {
    // The capture begins at .123456789.
    const TimeTicks first = ticks_of(0, 1'000'000, TimeFormat::utc);
    EXPECT_EQ(first.base.toStdString(), "2023-11-14 22:13:20.123500 UTC");
    EXPECT_EQ(first.major.front().label.toStdString(), "+0");
    const TimeTicks later = ticks_of(5'000'000, 1'000'000, TimeFormat::utc);
    EXPECT_EQ(later.base.toStdString(), "2023-11-14 22:13:20.128 UTC");
    EXPECT_EQ(ticks_of(12'345'600'000, 500'000).base.toStdString(), "12.345\u00a0s");
    for (const auto format : {TimeFormat::relative, TimeFormat::utc, TimeFormat::local}) {
        for (int64_t from = -2'000'000; from < 3'000'000; from += 333'333) {
            for (const int64_t span : {300, 4'000, 60'000, 900'000}) {
                for (const TimeTick& tick : ticks_of(from, span, format).major) {
                    EXPECT_FALSE(tick.time_ns >= start && tick.label.startsWith(QLatin1Char('-')) &&
                                 format != TimeFormat::relative)
                        << from << ' ' << span << ' ' << tick.label.toStdString();
                }
            }
        }
    }
}

TEST(TimeAxis, CountsAgreeWithTheirNouns) {
    const auto pdus = [](uint64_t count) {
        return counted(count, QStringLiteral("PDU"), QStringLiteral("PDUs")).toStdString();
    };
    EXPECT_EQ(pdus(1), "1 PDU");
    EXPECT_EQ(pdus(0), "0 PDUs");
    EXPECT_EQ(pdus(12'400), "12.4 k PDUs");
}

TEST(TimeAxis, TellsMomentsInFull) {
    EXPECT_EQ(full_time(start + 12'345'678'901, start, TimeFormat::relative).toStdString(),
              "12.345678901\u00a0s");
    EXPECT_EQ(full_time(start - 5, start, TimeFormat::relative).toStdString(), "-0.000000005\u00a0s");
    EXPECT_EQ(full_time(start, start, TimeFormat::utc).toStdString(), "2023-11-14 22:13:20.123456789 UTC");
}

}  // namespace
}  // namespace sanscope
