// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load_report.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "captures/load/load_json.h"

#include "analyzer/export/testing/grid_table.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

LoadSummary summary() {
    LoadSummary summary;
    LoadAccount& account = summary.account;
    for (int i = 0; i < 4; ++i) {
        account.on_sent(LoadKind::read);
        account.on_done(LoadKind::read, 65536, int64_t{1'000'000} * (i + 1), 500'000);
    }
    account.on_sent(LoadKind::write);
    account.on_failed(LoadKind::write, LoadFailure::busy);
    account.on_sent(LoadKind::write);
    account.on_failed(LoadKind::write, LoadFailure::check_condition);
    account.set_elapsed(2'000'000'000, 100'000'000);
    summary.negotiated.header_digest = true;
    summary.negotiated.target_alias = "the \"big\" one";
    summary.targets = {"iscsi://192.0.2.1/iqn.2026-01.org.example:disk/0"};
    summary.queue_depth = 32;
    summary.request_bytes = 65536;
    return summary;
}

std::string json(const LoadSummary& of) {
    StringSink sink;
    EXPECT_TRUE(write_load_json(of, sink));
    return sink.text;
}

TEST(LoadReport, JsonIsOneObjectInOneLine) {
    const std::string text = json(summary());
    EXPECT_THAT(text, StartsWith("{\"seconds\":2.000000000,\"commands\":4,\"bytes\":262144,\"errors\":2,"
                                 "\"bytes_per_second\":131072.0,\"commands_per_second\":2.000,"
                                 "\"cpu_seconds\":0.100000000,\"turnaround_ns\":{\"p50\":"));
    EXPECT_THAT(text, HasSubstr("\"max\":4000000,\"mean\":2500000.0,\"stddev\":1118034.0,\"min\":1000000}"));
    EXPECT_THAT(text, HasSubstr("\"negotiated\":{\"header_digest\":\"CRC32C\",\"data_digest\":\"None\","
                                "\"max_recv_data_segment_length_initiator\":8192,"));
    EXPECT_THAT(text, HasSubstr("\"target_alias\":\"the \\\"big\\\" one\""));
    EXPECT_THAT(text, HasSubstr("\"errors_by_kind\":{\"check_condition\":1,\"busy\":1,\"task_set_full\":0,"));
    EXPECT_THAT(text, HasSubstr("\"writes\":{\"sent\":2,\"commands\":0,\"bytes\":0,\"errors\":2,"));
    EXPECT_THAT(text, Not(HasSubstr("since_due_ns")));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
    EXPECT_EQ(text.substr(text.size() - 3), "]}\n");
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
}

TEST(LoadReport, JsonOfALoadAtARateTellsTurnaroundSinceDueBesides) {
    LoadSummary at_a_rate = summary();
    at_a_rate.at_a_rate = true;
    EXPECT_THAT(json(at_a_rate), HasSubstr("\"since_due_ns\":{\"p50\":"));
    EXPECT_THAT(json(at_a_rate), HasSubstr("\"max\":4500000,"));
}

TEST(LoadReport, JsonIsNotTakenForWrittenWhereTheSinkRefuses) {
    StringSink full(10);
    EXPECT_FALSE(write_load_json(summary(), full));
}

TEST(LoadReport, TextTellsWhatWasAndWasNotDone) {
    LoadSummary told = summary();
    told.account.on_connection_lost();
    const std::string text = load_text(told);
    EXPECT_THAT(text, StartsWith("4 commands in 2.00 s: 2/s, 131 kB/s\n"));
    EXPECT_THAT(text, HasSubstr("  reads        4 commands, 262 kB\n"));
    EXPECT_THAT(text, HasSubstr("max 4.00 ms; mean 2.50 ms, SD 1.12 ms\n"));
    EXPECT_THAT(text, HasSubstr("  writes       0 commands, 0 B; 2 failed\n"));
    EXPECT_THAT(text, HasSubstr("  failed       1 CHECK CONDITION, 1 BUSY\n"));
    EXPECT_THAT(text, HasSubstr("  connections  1 lost, 0 times logged in again\n"));
    EXPECT_THAT(text, HasSubstr("  processor    100 ms; 6 min 21 s a GB, 25.0 ms a command\n"));
    EXPECT_THAT(text, HasSubstr("  negotiated   MaxRecvDataSegmentLength 8 KiB here, 8 KiB at the target"));
    EXPECT_THAT(text, Not(HasSubstr("since due")));
    EXPECT_THAT(text, Not(HasSubstr("in flight")));
    told.account.on_sent(LoadKind::read);
    EXPECT_THAT(load_text(told), HasSubstr("  unknown      1 command, still in flight\n"));
}

TEST(LoadReport, TellsWhatTcpHasOtherThanAskedFor) {
    LoadSummary told = summary();
    EXPECT_THAT(load_text(told), Not(HasSubstr("  TCP  ")));
    EXPECT_THAT(json(told), HasSubstr("\"tcp_differences\":[]"));
    told.tcp_differences = {"send buffer: 1 bytes were asked for, the connection has 2304"};
    EXPECT_THAT(load_text(told),
                HasSubstr("\n  TCP          send buffer: 1 bytes were asked for, the connection has 2304\n"));
    EXPECT_THAT(
        json(told),
        HasSubstr("\"tcp_differences\":[\"send buffer: 1 bytes were asked for, the connection has 2304\"]"));
}

TEST(LoadReport, ALineASecond) {
    const LoadAccount account = summary().account;
    EXPECT_EQ(running_line(account, 12.04, 31),
              "    12 s     131 kB/s        2 commands/s  p50 2.01 ms  p99 4.00 ms    31 in flight  1 CHECK "
              "CONDITION, 1 BUSY");
    LoadAccount silent;
    silent.set_elapsed(1'000'000'000, 0);
    EXPECT_EQ(running_line(silent, 3, 8),
              "     3 s        0 B/s        0 commands/s  p50       -  p99       -     8 in flight");
}

TEST(LoadReport, CsvRowsHaveTheHeadersColumns) {
    const std::string header(load_csv_header());
    const std::string row = load_csv_row(summary().account, 1.5, 7);
    EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(row.begin(), row.end(), ','));
    EXPECT_THAT(row, StartsWith("1.500,4,4,0,262144,2,131072.0,2.000,"));
    EXPECT_THAT(row, testing::EndsWith(",4000000,2500000,7,0.100000\n"));
    const std::string nothing = load_csv_row(LoadAccount(), 2, 0);
    EXPECT_EQ(nothing, "2.000,0,0,0,0,0,0.0,0.000,,,,,,,0,0.000000\n");
}

}  // namespace
}  // namespace sanscope
