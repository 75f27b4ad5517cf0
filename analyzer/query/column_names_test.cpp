// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/column_names.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/query/column_header.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/query/testing/shelf_table.h"
#include "analyzer/tables/findings_table.h"
#include "analyzer/tables/packets_table.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct NamedTable {
    std::string_view name;
    std::span<const ColumnInfo> columns;
};

std::vector<NamedTable> all_tables() {
    std::vector<NamedTable> tables;
    for (const TableInfo& table : table_infos()) tables.push_back({table.name, table.columns});
    tables.push_back({findings_table.name, findings_table.columns});
    tables.push_back({packets_table_name, packets_table_columns()});
    return tables;
}

std::string error_of(const std::string& expression, const NamedTable& table) {
    const auto compiled = RowFilter::compile(expression, table.name, table.columns);
    const auto* const error = std::get_if<FilterError>(&compiled);
    return error == nullptr ? std::string() : error->message;
}

std::vector<std::string> near(const std::string& word, std::span<const ColumnInfo> columns) {
    const ColumnNames names(columns);
    std::vector<std::string> result;
    for (const auto& suggestion : names.near(word)) result.emplace_back(suggestion.name);
    return result;
}

TEST(ColumnNames, every_header_of_every_table_is_a_name) {
    for (const NamedTable& table : all_tables()) {
        const ColumnNames names(table.columns);
        for (size_t i = 0; i < table.columns.size(); ++i) {
            const std::string header = column_header(table.columns[i]);
            const std::string plain = plain_column_name(header);
            std::string capitals = plain;
            std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
            for (const std::string& word : {header, plain, capitals}) {
                EXPECT_THAT(names.find(word), ElementsAre(i)) << table.name << ": " << word;
            }
            for (const std::string& condition : {plain, capitals, '"' + header + '"'}) {
                EXPECT_EQ(error_of(condition, table), "") << table.name << ": " << condition;
            }
        }
    }
}

TEST(ColumnNames, a_header_says_the_same_as_the_name) {
    const GridTable table = test::shelf();
    const auto where = [&](const std::string& expression) { return test::rows_where(expression, table); };
    EXPECT_EQ(where("wait >= 10ms"), where("wait_ns >= 10ms"));
    EXPECT_EQ(where("wait >= 10ms"), "0");
    EXPECT_EQ(where("Wait == 1.5ms"), "1");
    EXPECT_EQ(where("LEAST_SIZE < 4KiB and \"Least size\" > 1B"), "1");
    EXPECT_EQ(where("1.5ms == \"Wait\""), "1");
    EXPECT_EQ(where("end_time > start_time"), "0");
    EXPECT_EQ(where("\"End time\" > \"Start time\""), "0");
    EXPECT_EQ(where("Sold == paid"), "0 3");
    EXPECT_EQ(where("\"Label\" == \"READ(10)\""), "0");
    EXPECT_EQ(where("Wait"), "0 1 3");
}

// Beside a column of text a word is text, unless it is a column's name letter by letter.
TEST(ColumnNames, text_that_is_a_header_stays_text) {
    const GridTable table({{"label", ColumnType::text, "What it is called"},
                           {"alias", ColumnType::text, "What it is called besides"}},
                          {{text_cell("Alias"), text_cell("x")}, {text_cell("y"), text_cell("y")}});
    EXPECT_EQ(test::rows_where("label == Alias", table), "0");
    EXPECT_EQ(test::rows_where("label == \"alias\"", table), "");
    EXPECT_EQ(test::rows_where("label == alias", table), "1");
}

TEST(ColumnNames, one_of_several_is_not_guessed) {
    const GridTable table({{"wait", ColumnType::unsigned_integer, "How many wait"},
                           {"wait_ns", ColumnType::integer, "From order to delivery, nanoseconds"}},
                          {{number_cell(uint64_t{3}), number_cell(int64_t{7})}});
    EXPECT_EQ(test::rows_where("Wait > 1", table), "!0+4 Wait could be wait or wait_ns: write which");
    EXPECT_EQ(test::rows_where("wait > 1 and \"Wait\" < 2", table),
              "!13+6 Wait could be wait or wait_ns: write which");
    EXPECT_EQ(test::rows_where("wait == 3", table), "0");
    EXPECT_EQ(test::rows_where("wait_ns == 7ns", table), "0");
}

TEST(ColumnNames, the_nearest_names_are_suggested) {
    EXPECT_THAT(near("turnaroud", commands_table.columns), ElementsAre("turnaround"));
    EXPECT_THAT(near("Tunraround", commands_table.columns), ElementsAre("turnaround"));
    EXPECT_THAT(near("request_tme", commands_table.columns), ElementsAre("request_time"));
    EXPECT_THAT(near("reqest_packet", commands_table.columns), ElementsAre("request_packet"));
    EXPECT_THAT(near("cwn", windows_table.columns), ElementsAre("cwnd", "cwnd_low", "cwnd_high"));
    EXPECT_THAT(near("bandwidth", commands_table.columns), IsEmpty());
    EXPECT_THAT(near("", commands_table.columns), IsEmpty());
    EXPECT_THAT(near(std::string(100'000, 'a'), commands_table.columns), IsEmpty());
    const NamedTable commands{commands_table.name, commands_table.columns};
    EXPECT_EQ(error_of("turnaroud > 10ms", commands),
              "no column \"turnaroud\" in commands; did you mean turnaround?");
    EXPECT_EQ(error_of("\"Turnaroud\" > 10ms", commands),
              "no column \"Turnaroud\" in commands; did you mean turnaround?");
    EXPECT_EQ(error_of("cwn > 4KiB", {windows_table.name, windows_table.columns}),
              "no column \"cwn\" in windows; did you mean cwnd, cwnd_low or cwnd_high?");
}

TEST(ColumnNames, what_is_between_words_does_not_matter) {
    EXPECT_EQ(plain_column_name("Request time"), "request_time");
    EXPECT_EQ(plain_column_name("Window, unscaled"), "window_unscaled");
    EXPECT_EQ(plain_column_name("  R2Ts__"), "r2ts");
    EXPECT_EQ(plain_column_name("tcp.window"), "tcp.window");
    EXPECT_EQ(plain_column_name("…"), "…");
    EXPECT_EQ(plain_column_name("-"), "");
}

}  // namespace
}  // namespace sanscope
