// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/models/column_format.h"
#include "gui/models/filter_language.h"
#include "gui/models/table_access.h"

namespace sanscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

const ColumnInfo& column_of(std::string_view table, std::string_view name) {
    const auto columns = columns_of_table(table);
    return columns[*find_column(columns, name)];
}

std::string shown(std::string_view table, std::string_view column, auto value, TimeReference time = {}) {
    Cell cell;
    cell.set(value);
    return ColumnFormat(column_of(table, column)).text(cell, time).toStdString();
}

TEST(ColumnFormat, TellsValuesInTheUnitsOfPeople) {
    EXPECT_EQ(shown("commands", "turnaround_ns", int64_t{1'240'512}), "1.24 ms");
    EXPECT_EQ(shown("commands", "bytes", uint64_t{65'536}), "64 KiB");
    EXPECT_EQ(shown("commands", "bytes", uint64_t{1} << 20), "1 MiB");
    EXPECT_EQ(shown("commands", "bytes", uint64_t{1536}), "1,536 B");
    EXPECT_EQ(shown("connections", "bytes_in", uint64_t{123'456'789}), "123 MB");
    EXPECT_EQ(shown("commands", "lba", uint64_t{1'234'567}), "1234567");
    EXPECT_EQ(shown("commands", "residual", int64_t{-512}), "-512 B");
    EXPECT_EQ(shown("commands", "opcode", std::string_view("0x28")), "0x28");
    EXPECT_EQ(shown("connections", "iscsi", false), "");
    constexpr int64_t start = 1'795'259'301'000'000'000;
    EXPECT_EQ(shown("commands", "request_ns", start + 1'500'000'000, {start, TimeFormat::relative}),
              "1.500000000\u00a0s");
    EXPECT_EQ(shown("commands", "request_ns", start, {start, TimeFormat::utc}),
              "2026-11-21 11:08:21.000000000 UTC");
}

TEST(ColumnFormat, DurationsSizesAndCountsAreLookedAtLargestFirst) {
    const auto largest_first = [](std::string_view table, std::string_view name) {
        return ColumnFormat(column_of(table, name)).largest_first();
    };
    EXPECT_TRUE(largest_first("commands", "turnaround_ns"));
    EXPECT_TRUE(largest_first("commands", "bytes"));
    EXPECT_TRUE(largest_first("commands", "queue_depth"));
    EXPECT_TRUE(largest_first("connections", "retransmissions_in"));
    EXPECT_TRUE(largest_first("losses", "delay_ns"));
    EXPECT_FALSE(largest_first("commands", "request_ns"));
    EXPECT_FALSE(largest_first("commands", "command"));
    EXPECT_FALSE(largest_first("commands", "lba"));
    EXPECT_FALSE(largest_first("commands", "name"));
    EXPECT_FALSE(largest_first("packets", "seq"));
    EXPECT_FALSE(largest_first("packets", "packet"));
}

TEST(ColumnFormat, AStatusIsWrittenAsStandardsDoAndFilteredAsTheTableDoes) {
    const ColumnFormat status(column_of("commands", "status"));
    Cell cell;
    cell.set(std::string_view("CHECK_CONDITION"));
    EXPECT_EQ(status.text(cell, {}).toStdString(), "CHECK CONDITION");
    EXPECT_EQ(status.exact(cell, {}).toStdString(), "CHECK CONDITION");
    EXPECT_EQ(status.literal(cell).toStdString(), "\"CHECK_CONDITION\"");
    EXPECT_EQ(shown("losses", "kind", std::string_view("out_of_order")), "out_of_order");
}

TEST(ColumnFormat, WhatHasNoAnswerYetIsUnderWay) {
    const ColumnFormat outcome(column_of("commands", "outcome"));
    Cell cell;
    cell.set(std::string_view("unanswered"));
    EXPECT_EQ(outcome.text_so_far(cell, {}).toStdString(), "under way");
    EXPECT_EQ(outcome.text(cell, {}).toStdString(), "unanswered");
    cell.set(std::string_view("aborted"));
    EXPECT_EQ(outcome.text_so_far(cell, {}).toStdString(), "aborted");
}

TEST(ColumnFormat, TitlesAreWordsAndTooltipsTellTheName) {
    EXPECT_EQ(ColumnFormat(column_of("commands", "turnaround_ns")).title().toStdString(), "Turnaround");
    EXPECT_EQ(ColumnFormat(column_of("packets", "window")).title().toStdString(), "Window, unscaled");
    EXPECT_EQ(ColumnFormat(column_of("packets", "time_ns")).title().toStdString(), "Time");
    EXPECT_EQ(ColumnFormat(column_of("losses", "time_ns")).title().toStdString(), "Time at sender");
    EXPECT_EQ(ColumnFormat(column_of("commands", "cmd_sn")).title().toStdString(), "CmdSN");
    EXPECT_EQ(ColumnFormat(column_of("commands", "request_ns")).title().toStdString(), "Request time");
    EXPECT_EQ(ColumnFormat(column_of("commands", "request_packet")).title().toStdString(), "Request packet");
    EXPECT_EQ(ColumnFormat(column_of("connections", "rtt_min_ns")).title().toStdString(), "RTT min");
    EXPECT_THAT(ColumnFormat(column_of("commands", "turnaround_ns")).tooltip().toStdString(),
                HasSubstr("turnaround_ns"));
    EXPECT_THAT(ColumnFormat(column_of("commands", "request_ns")).tooltip().toStdString(),
                HasSubstr("In filters: request_time or request_ns"));
    EXPECT_THAT(ColumnFormat(column_of("commands", "queue_depth")).tooltip().toStdString(),
                ::testing::EndsWith("In filters: queue_depth"));
    // A title is a title of one column only.
    for (const TableKind& table : table_kinds()) {
        std::vector<std::string> titles;
        for (const ColumnInfo& column : columns_of_table(table.name)) {
            titles.push_back(ColumnFormat(column).title().toStdString());
        }
        std::ranges::sort(titles);
        EXPECT_EQ(std::ranges::adjacent_find(titles), titles.end()) << table.name;
        for (const std::string_view name : table.columns) {
            EXPECT_TRUE(find_column(columns_of_table(table.name), name)) << table.name << "." << name;
        }
    }
}

// What a row's menu offers as a filter is one, and holds for the row.
TEST(ColumnFormat, LiteralsStandInFilters) {
    struct Case {
        std::string_view table;
        std::string_view column;
        std::string_view text;
    };
    for (const auto& [table, column, text] :
         {Case{"commands", "name", "READ(10)"}, Case{"commands", "itt", "0x0000001f"},
          Case{"pdus", "sender", "192.0.2.1:3260"},
          Case{"sessions", "target_name", "iqn.2026-01.org.x:a\"b\\c"},
          Case{"commands", "outcome", "unanswered"}, Case{"losses", "kind", "rto"}}) {
        Cell cell;
        cell.set(text);
        const std::string literal = ColumnFormat(column_of(table, column)).literal(cell).toStdString();
        const std::string expression = std::string(column) + " == " + literal;
        EXPECT_TRUE(read_column_filter(expression, table).filter) << expression;
    }
}

TEST(FilterLanguage, TakesTheFirstTableThatHasTheColumns) {
    const auto table_for = [](const char* expression) {
        const ColumnFilter read = read_column_filter(expression, automatic_filter);
        return read.filter ? std::string(read.table) : std::string("none");
    };
    EXPECT_EQ(table_for("turnaround_ns > 10ms"), "commands");
    EXPECT_EQ(table_for("data_digest == bad"), "pdus");
    EXPECT_EQ(table_for("flags contains \"SYN\""), "packets");
    EXPECT_EQ(table_for("retransmissions_out > 10"), "connections");
    EXPECT_EQ(table_for("initiator_name contains \"x\""), "sessions");
    EXPECT_EQ(table_for("kind == rto"), "losses");
    EXPECT_EQ(table_for("cwnd < ssthresh"), "windows");
    EXPECT_EQ(read_column_filter("cwnd < ssthresh", "kernel_windows").table, "kernel_windows");
    EXPECT_EQ(table_for("tcp.analysis.retransmission"), "none");
    EXPECT_EQ(table_for("turnaround_ns >"), "none");
    EXPECT_TRUE(read_column_filter("opcode == 0x01", "pdus").filter);
    EXPECT_EQ(read_column_filter("opcode == 0x01", "pdus").table, "pdus");
}

TEST(FilterLanguage, AnErrorIsThatOfTheTableThatWasMeant) {
    const ColumnFilter wanting = read_column_filter("kind == ", automatic_filter);
    EXPECT_EQ(wanting.table, "losses");
    EXPECT_TRUE(wanting.meant);
    EXPECT_EQ(wanting.error.position, std::string_view("kind ==").size() + 1);
    const ColumnFilter wrong_unit = read_column_filter("turnaround_ns > 10KiB", automatic_filter);
    EXPECT_EQ(wrong_unit.table, "commands");
    EXPECT_EQ(wrong_unit.error.position, 16u);
    EXPECT_EQ(wrong_unit.error.length, 5u);
    EXPECT_FALSE(read_column_filter("tcp.port == 3260", automatic_filter).meant);
}

// What a user reads above a column is a name for it.
TEST(FilterLanguage, TakesEveryHeaderOfEveryTable) {
    for (const TableKind& table : table_kinds()) {
        for (const ColumnInfo& column : columns_of_table(table.name)) {
            QString header = ColumnFormat(column).title();
            const std::string quoted = QStringLiteral("\"%1\"").arg(header).toStdString();
            EXPECT_TRUE(read_column_filter(quoted, table.name).filter) << table.name << ": " << quoted;
            header.remove(QLatin1Char(','));
            header.replace(QLatin1Char(' '), QLatin1Char('_'));
            const std::string joined = header.toStdString();
            EXPECT_TRUE(read_column_filter(joined, table.name).filter) << table.name << ": " << joined;
            const std::string small = header.toLower().toStdString();
            EXPECT_TRUE(read_column_filter(small, table.name).filter) << table.name << ": " << small;
        }
    }
    EXPECT_EQ(read_column_filter("Turnaround > 10ms", automatic_filter).table, "commands");
    EXPECT_TRUE(read_column_filter("turnaround > 10ms", automatic_filter).filter);
    EXPECT_TRUE(read_column_filter("\"Queue depth\" > 4 and turnaround > 10ms", automatic_filter).filter);
    EXPECT_FALSE(read_column_filter("tcp.window > 10", automatic_filter).meant);
}

TEST(FilterLanguage, SuggestsWhatIsNearestOfAllTables) {
    const ColumnFilter command = read_column_filter("turnaroud > 10ms", automatic_filter);
    EXPECT_EQ(command.table, "commands");
    EXPECT_EQ(command.error.message, "no column \"turnaroud\" in commands; did you mean turnaround?");
    const ColumnFilter window = read_column_filter("sstresh > 4KiB", automatic_filter);
    EXPECT_EQ(window.table, "windows");
    EXPECT_EQ(window.error.message, "no column \"sstresh\" in windows; did you mean ssthresh?");
    EXPECT_FALSE(read_column_filter("tcp.port == 3260", automatic_filter).error.edits);
}

TEST(FilterLanguage, CompletesOverAllTablesThatFit) {
    const auto texts = [](const TableCompletion& completion) {
        std::vector<std::string> all;
        for (const auto& entry : completion.entries) all.push_back(entry.candidate.text);
        return all;
    };
    const TableCompletion columns = complete_column_filter("turn", 4, automatic_filter);
    EXPECT_THAT(texts(columns), Contains("turnaround_ns"));
    EXPECT_EQ(columns.begin, 0u);
    EXPECT_EQ(columns.end, 4u);
    const TableCompletion shared = complete_column_filter("connection", 10, automatic_filter);
    ASSERT_EQ(shared.entries.front().candidate.text, "connection");
    EXPECT_THAT(shared.entries.front().tables, HasSubstr("commands, pdus"));
    const TableCompletion values = complete_column_filter("kind == r", 9, automatic_filter);
    EXPECT_EQ(values.entries.front().candidate.text, "rto");
    EXPECT_TRUE(complete_column_filter("nothing_like_it == ", 19, automatic_filter).entries.empty());
}

TEST(FilterLanguage, FindsTheFieldBehindWhichTheCursorIs) {
    EXPECT_EQ(field_prefix("tcp.por", 7), "tcp.por");
    EXPECT_EQ(field_prefix("ip and (tcp.an > 1", 14), "tcp.an");
    EXPECT_EQ(field_prefix("tcp.port == 32", 14), "");
    EXPECT_EQ(field_prefix("frame contains \"tcp.", 20), "");
    EXPECT_EQ(field_prefix("", 0), "");
    EXPECT_EQ(field_prefix("ip ", 3), "");
}

}  // namespace
}  // namespace sanscope
