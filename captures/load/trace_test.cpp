// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing::HasSubstr;

using test::ms;
const LunShape small{.blocks = 1000, .block_size = 512};

CommandRow row(const char* name, uint64_t lba, uint64_t blocks, int64_t request_ns,
               uint64_t block_size = 512) {
    CommandRow row;
    row.name = name;
    row.lba = lba;
    row.blocks = blocks;
    row.bytes = blocks * block_size;
    row.request_ns = request_ns;
    return row;
}

Trace made(const TraceOptions& options, const std::vector<CommandRow>& rows) {
    TraceMaker maker(options);
    for (const CommandRow& one : rows) maker.add(one);
    return maker.finish();
}

TEST(Trace, CommandsKeepTheirTimesAndOrder) {
    const Trace trace =
        made({.lun = small}, {row("READ(10)", 8, 16, 1'000'000 * ms), row("WRITE(16)", 24, 1, 1'000'005 * ms),
                              row("READ(6)", 0, 256, 1'000'002 * ms)});
    ASSERT_EQ(trace.commands.size(), 3u);
    EXPECT_EQ(trace.commands[0].offset_ns, 0);
    EXPECT_EQ(trace.commands[0].lba, 8u);
    EXPECT_EQ(trace.commands[0].blocks, 16u);
    EXPECT_FALSE(trace.commands[0].write);
    EXPECT_EQ(trace.commands[1].offset_ns, 2 * ms);
    EXPECT_EQ(trace.commands[1].blocks, 256u);
    EXPECT_EQ(trace.commands[2].offset_ns, 5 * ms);
    EXPECT_TRUE(trace.commands[2].write);
    EXPECT_EQ(trace.left_out(), "");
}

TEST(Trace, SpeedShortensTheTimesBetween) {
    const std::vector<CommandRow> rows = {row("READ(10)", 0, 1, 7 * ms), row("READ(10)", 1, 1, 17 * ms)};
    EXPECT_EQ(made({.speed = 4, .lun = small}, rows).commands[1].offset_ns, 2'500'000);
    EXPECT_EQ(made({.speed = 0.5, .lun = small}, rows).commands[1].offset_ns, 20 * ms);
    const std::vector<CommandRow> apart = {row("READ(10)", 0, 1, std::numeric_limits<int64_t>::min() + 1),
                                           row("READ(10)", 1, 1, std::numeric_limits<int64_t>::max())};
    EXPECT_EQ(made({.speed = 1e-9, .lun = small}, apart).commands[1].offset_ns, int64_t{1} << 62);
}

TEST(Trace, WhatCannotBeReplayedIsCounted) {
    CommandRow without_place = row("READ(10)", 0, 1, 0);
    without_place.lba = unknown<uint64_t>;
    CommandRow without_time = row("READ(10)", 0, 1, no_time);
    const Trace trace =
        made({.lun = small},
             {row("READ(10)", 999, 1, 0), row("READ(10)", 999, 2, 0), row("READ(16)", ~uint64_t{0} - 1, 1, 0),
              row("INQUIRY", 0, 1, 0), row("READ CAPACITY(16)", 0, 1, 0), row("WRITE SAME(10)", 0, 1, 0),
              row("WRITE(10)", 0, 0, 0), row("", 0, 1, 0), without_place, without_time});
    EXPECT_EQ(trace.commands.size(), 1u);
    EXPECT_EQ(trace.beyond, 2u);
    EXPECT_EQ(trace.others, 5u);
    EXPECT_EQ(trace.unknown, 2u);
    EXPECT_EQ(
        trace.left_out(),
        "9 of 10 commands are not replayed: 2 beyond the end of the LUN, 2 of which the capture does not "
        "tell time or place, 5 that do not read or write");
}

TEST(Trace, BlocksOfAnotherSizeStandForTheSameBytes) {
    const LunShape large_blocks{.blocks = 100, .block_size = 4096};
    const Trace trace = made({.lun = large_blocks},
                             {row("READ(10)", 16, 8, 0), row("READ(10)", 17, 8, 1), row("READ(10)", 16, 7, 2),
                              row("READ(10)", 99, 1, 3, 4096), row("READ(10)", 800, 8, 4)});
    ASSERT_EQ(trace.commands.size(), 2u);
    EXPECT_EQ(trace.commands[0].lba, 2u);
    EXPECT_EQ(trace.commands[0].blocks, 1u);
    EXPECT_EQ(trace.commands[1].lba, 99u);
    EXPECT_EQ(trace.misaligned, 2u);
    EXPECT_EQ(trace.beyond, 1u);
    const Trace smaller = made({.lun = small}, {row("WRITE(10)", 3, 2, 0, 4096)});
    ASSERT_EQ(smaller.commands.size(), 1u);
    EXPECT_EQ(smaller.commands[0].lba, 24u);
    EXPECT_EQ(smaller.commands[0].blocks, 16u);
}

TEST(Trace, ACaptureIsReadThroughTheAnalyzer) {
    const std::string samples = SANSCOPE_SAMPLES;
    const TraceOptions options{.lun = {.blocks = uint64_t{1} << 40, .block_size = 512}};
    const auto trace = load_trace({samples + "/header-digest-mixed.pcap.zst"}, options);
    ASSERT_TRUE(trace) << trace.error().message;
    unsigned writes = 0;
    int64_t before = 0;
    for (const TraceCommand& command : trace->commands) {
        writes += command.write;
        EXPECT_GE(command.offset_ns, before);
        before = command.offset_ns;
    }
    EXPECT_EQ(writes, 59u);
    EXPECT_EQ(trace->commands.size(), 59u + 61u);
    EXPECT_EQ(trace->others, 3u);
    EXPECT_GT(before, ms);

    const auto narrow = load_trace({samples + "/header-digest-mixed.pcap.zst"}, {.lun = small});
    ASSERT_TRUE(narrow) << narrow.error().message;
    EXPECT_GT(narrow->beyond, 0u);
    EXPECT_EQ(narrow->commands.size() + narrow->beyond, 59u + 61u);
}

TEST(Trace, WhatIsNoTraceIsAnError) {
    const std::string samples = SANSCOPE_SAMPLES;
    const auto refusal = [](const std::string& file, const TraceOptions& options) {
        const auto trace = load_trace({file}, options);
        return trace ? "" : trace.error().message;
    };
    EXPECT_THAT(refusal("/nowhere.pcap", {.lun = small}), HasSubstr("nowhere"));
    EXPECT_THAT(refusal(samples + "/README.md", {.lun = small}), HasSubstr("README.md"));
    EXPECT_THAT(refusal(samples + "/login-discovery-inquiry.pcap", {.lun = small}),
                HasSubstr("that do not read or write"));
    EXPECT_THAT(refusal(samples + "/nop-logout.pcap", {.speed = 0, .lun = small}), HasSubstr("speed"));
    EXPECT_THAT(refusal(samples + "/nop-logout.pcap", {}), HasSubstr("without blocks"));
}

}  // namespace
}  // namespace sanscope
