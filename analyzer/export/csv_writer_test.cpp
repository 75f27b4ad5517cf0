// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/csv_writer.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "analyzer/export/testing/grid_table.h"

namespace sanscope {
namespace {

std::string csv(const Table& table) {
    StringSink sink;
    EXPECT_TRUE(write_csv(table, sink));
    return sink.text;
}

std::string csv_of_text(std::string text) {
    const std::string all = csv(GridTable({{"t", ColumnType::text, ""}}, {{text_cell(std::move(text))}}));
    return all.substr(2, all.size() - 3);  // without header row and last line end
}

TEST(WriteCsv, a_table_without_rows_is_its_header) {
    EXPECT_EQ(csv(GridTable({{"a", ColumnType::text, ""}, {"b", ColumnType::integer, ""}}, {})), "a,b\n");
}

TEST(WriteCsv, cells_of_every_kind) {
    const GridTable table(
        {{"i", ColumnType::integer, ""},
         {"u", ColumnType::unsigned_integer, ""},
         {"t", ColumnType::text, ""},
         {"b", ColumnType::boolean, ""}},
        {{number_cell(std::numeric_limits<int64_t>::min()), number_cell(std::numeric_limits<uint64_t>::max()),
          text_cell("READ(10)"), number_cell(true)},
         {nothing(), nothing(), nothing(), nothing()},
         {number_cell(int64_t{-1}), number_cell(uint64_t{0}), text_cell("x"), number_cell(false)}});
    EXPECT_EQ(csv(table),
              "i,u,t,b\n"
              "-9223372036854775808,18446744073709551615,READ(10),1\n"
              ",,,\n"
              "-1,0,x,0\n");
}

TEST(WriteCsv, separators_and_quotes_are_quoted) {
    EXPECT_EQ(csv_of_text("a b"), "a b");
    EXPECT_EQ(csv_of_text("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_of_text("say \"a\""), "\"say \"\"a\"\"\"");
    EXPECT_EQ(csv_of_text("two\r\nlines"), "\"two\r\nlines\"");
}

TEST(WriteCsv, utf_8_is_kept) {
    EXPECT_EQ(csv_of_text("Gerät €"), "\"Gerät €\"");
}

TEST(WriteCsv, what_is_no_text_becomes_the_replacement_character) {
    EXPECT_EQ(csv_of_text("a\xffz"), "\"a\ufffdz\"");
    EXPECT_EQ(csv_of_text("\x1b[31m"), "\"\ufffd[31m\"");
    EXPECT_EQ(csv_of_text(std::string("a\0b", 3)), "\"a\ufffdb\"");
    EXPECT_EQ(csv_of_text("\xc2\x9bK"), "\"\ufffdK\"");
}

TEST(WriteSpreadsheetCsv, no_text_is_a_formula) {
    const auto written = [](std::string_view text) {
        StringSink sink;
        EXPECT_TRUE(write_spreadsheet_csv(
            GridTable({{"t", ColumnType::text, ""}}, {{text_cell(std::string(text))}}), sink));
        return sink.text.substr(2);
    };
    EXPECT_EQ(written("=cmd|'/c calc'!A1"), "'=cmd|'/c calc'!A1\n");
    EXPECT_EQ(written("+1"), "'+1\n");
    EXPECT_EQ(written("-1"), "'-1\n");
    EXPECT_EQ(written("@SUM(A1)"), "'@SUM(A1)\n");
    EXPECT_EQ(written("=HYPERLINK(\"x\",\"y\")"), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\n");
    EXPECT_EQ(written("iqn.2026-11.org.example:disk"), "iqn.2026-11.org.example:disk\n");
    EXPECT_EQ(csv(GridTable({{"t", ColumnType::text, ""}}, {{text_cell("=1")}})), "t\n=1\n")
        << "exact unless asked";
}

TEST(WriteCsv, tables_larger_than_a_block_come_out_whole) {
    std::vector<GridTable::Row> rows;
    std::string expected = "t\n";
    for (size_t i = 0; i < 3000; i++) {
        rows.push_back({text_cell(std::string(i % 97 + 1, 'x'))});
        expected += std::string(i % 97 + 1, 'x') + "\n";
    }
    rows.push_back({text_cell(std::string(200'000, 'y'))});
    expected += std::string(200'000, 'y') + "\n";
    EXPECT_EQ(csv(GridTable({{"t", ColumnType::text, ""}}, rows)), expected);
}

TEST(WriteCsv, a_sink_that_refuses_ends_the_writing) {
    const std::vector<GridTable::Row> rows(100'000, {text_cell(std::string(100, 'x'))});
    StringSink sink(100'000);
    EXPECT_FALSE(write_csv(GridTable({{"t", ColumnType::text, ""}}, rows), sink));
    EXPECT_LE(sink.calls, 3u);
}

TEST(WriteCsv, a_sink_that_refuses_only_the_last_block_is_noticed) {
    StringSink sink(0);
    EXPECT_FALSE(write_csv(GridTable({{"t", ColumnType::text, ""}}, {}), sink));
}

}  // namespace
}  // namespace sanscope
