// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/line_chart.h"

#include <cstdio>
#include <cstdlib>
#include <gmock/gmock.h>
#include <limits>

namespace sanscope::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> labels(const AxisScale& axis) {
    std::vector<std::string> all;
    for (const Tick& tick : axis.ticks) all.push_back(tick.label);
    return all;
}

TEST(AxisTicks, LinearOnesAreRoundAndBeginAtZero) {
    EXPECT_THAT(labels(linear_axis(3, 47.5)), ElementsAre("0", "10", "20", "30", "40", "50"));
    EXPECT_THAT(labels(linear_axis(0, 16)), ElementsAre("0", "5", "10", "15", "20"));
    EXPECT_THAT(labels(linear_axis(0, 0.9)), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1"));
    EXPECT_THAT(labels(linear_axis(-3, 2)), ElementsAre("-3", "-2", "-1", "0", "1", "2"));
    EXPECT_THAT(labels(linear_axis(0, 0)).size(), ::testing::Gt(1u));
}

TEST(AxisTicks, LogarithmicOnesSurroundTheData) {
    EXPECT_THAT(labels(logarithmic_axis(0.001, 1)), ElementsAre("0.001", "0.01", "0.1", "1"));
    EXPECT_THAT(labels(logarithmic_axis(0.5, 20)), ElementsAre("0.5", "1", "2", "5", "10", "20"));
    EXPECT_THAT(labels(logarithmic_axis(3, 3)), ElementsAre("2", "5"));
    EXPECT_THAT(labels(logarithmic_axis(1, 1)), ElementsAre("1", "2"));
    EXPECT_NEAR(logarithmic_axis(1, 100).place(10), 0.5, 1e-9);
}

TEST(AxisTicks, SizesArePowersOfTwo) {
    EXPECT_THAT(labels(sizes_axis(32768, 16776704)),
                ElementsAre("32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M", "8M", "16M"));
    EXPECT_THAT(labels(sizes_axis(4096, 4096)), ElementsAre("4K", "8K"));
}

std::string a_chart() {
    ChartPanel panel{.title = "A < B & \"C\"",
                     .x_heading = "x",
                     .y_heading = "y",
                     .x_axis = AxisScale::Kind::sizes,
                     .y_axis = AxisScale::Kind::logarithmic,
                     .lines = {}};
    panel.lines.push_back({"32 KiB", {{32768, 1, 0, 2}, {65536, 100, 90, 110}, {131072, 0, 0, 0}}});
    panel.lines.push_back({"socket", {{32768, 50, 50, 50}}, true});
    ChartPanel linear = panel;
    linear.x_axis = linear.y_axis = AxisScale::Kind::linear;
    linear.lines[0].points.push_back({1, std::numeric_limits<double>::quiet_NaN(), 0, 0});
    return chart_svg(
        "Test", {panel, linear, ChartPanel{.title = "empty", .x_heading = {}, .y_heading = {}, .lines = {}}});
}

TEST(LineChart, LeavesOutWhatAnAxisHasNot) {
    const std::string svg = a_chart();
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf\"")));
    EXPECT_THAT(svg, HasSubstr("A &lt; B &amp; &quot;C&quot;"));
    EXPECT_THAT(svg, HasSubstr("nothing was measured yet"));
}

TEST(LineChart, IsWellFormed) {
    if (std::system("command -v xmllint >/dev/null") != 0) GTEST_SKIP() << "xmllint is not installed";
    std::FILE* const lint = ::popen("xmllint --noout -", "w");
    ASSERT_NE(lint, nullptr);
    const std::string svg = a_chart();
    EXPECT_EQ(std::fwrite(svg.data(), 1, svg.size(), lint), svg.size());
    EXPECT_EQ(::pclose(lint), 0);
}

TEST(LineChart, ALineWithoutMarkersIsALineAlone) {
    const ChartLine line{.label = "window", .points = {{0, 1, 1, 1}, {1, 2, 2, 2}}, .markers = false};
    const std::string drawn =
        chart_svg("T", {{.title = "P", .x_heading = "x", .y_heading = "y", .lines = {line}}});
    EXPECT_THAT(drawn, HasSubstr("<polyline"));
    EXPECT_THAT(drawn, Not(HasSubstr("<circle")));
}

}  // namespace
}  // namespace sanscope::lab
