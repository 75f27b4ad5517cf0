// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/window_trace.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<double> bytes_of(const std::vector<WindowChange>& samples, uint32_t connection) {
    std::vector<double> all;
    for (const WindowChange& sample : samples) {
        if (sample.connection == connection) all.push_back(sample.bytes);
    }
    return all;
}

TEST(WindowTrace, HasEachWindowAsItIsAtEachStep) {
    const auto samples =
        sample_windows({{250, 9, 40}, {0, 7, 10}, {90, 7, 20}, {100, 7, 30}, {120, 9, 5}}, 50, 320, 50);
    EXPECT_THAT(bytes_of(samples, 1), ElementsAre(10, 30, 30, 30, 30, 30)) << "at 50, 100, … 300";
    EXPECT_THAT(bytes_of(samples, 2), ElementsAre(5, 5, 40, 40))
        << "from 150 on: before, there is none; until the end, though it changes no more";
    EXPECT_EQ(samples.front().time_ns, 0);
    EXPECT_THAT(sample_windows({}, 0, 100, 10), IsEmpty());
}

TEST(WindowTrace, IsReadAsItWasWritten) {
    const std::vector<WindowChange> samples{{0, 1, 1448}, {10'000'000, 1, 2896.5}, {10'000'000, 2, 0}};
    const std::string text = window_trace_csv(samples);
    EXPECT_THAT(text, HasSubstr("\n0.01,1,2896.5\n"));
    const auto read = parse_window_trace(text);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_THAT(*read, SizeIs(3));
    EXPECT_EQ((*read)[1].time_ns, 10'000'000);
    EXPECT_EQ((*read)[1].bytes, 2896.5);
    EXPECT_EQ((*read)[2].connection, 2u);
}

TEST(WindowTrace, TellsWhatIsNone) {
    EXPECT_FALSE(parse_window_trace("a,b\n"));
    for (const std::string line :
         {"1,2", "1,2,3,4", "-1,1,1", "x,1,1", "1,-1,1", "1,1,nan", "1e99,1,1", ""}) {
        const auto read = parse_window_trace(window_trace_csv({}) + line + "\n");
        ASSERT_FALSE(read) << line;
        EXPECT_THAT(read.error().message, HasSubstr("line 2"));
    }
}

TEST(WindowTrace, IsDrawnWithALineForEachConnection) {
    const ChartPanel panel = window_panel("T", {{0, 1, 1024}, {500'000'000, 1, 2048}, {0, 2, 3072}});
    ASSERT_THAT(panel.lines, SizeIs(2));
    EXPECT_EQ(panel.lines[1].label, "connection 2");
    ASSERT_THAT(panel.lines[0].points, SizeIs(2));
    EXPECT_EQ(panel.lines[0].points[1].x, 0.5);
    EXPECT_EQ(panel.lines[0].points[1].y, 2);
    EXPECT_FALSE(panel.lines[0].markers);
}

}  // namespace
}  // namespace sanscope::lab
