// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/json_writer.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "analyzer/export/testing/grid_table.h"

namespace sanscope {
namespace {

std::string json(const Table& table) {
    StringSink sink;
    EXPECT_TRUE(write_json_lines(table, sink));
    return sink.text;
}

std::string json_of_text(std::string text) {
    const std::string all = json(GridTable({{"t", ColumnType::text, ""}}, {{text_cell(std::move(text))}}));
    return all.substr(5, all.size() - 7);  // the value alone
}

TEST(WriteJsonLines, a_table_without_rows_is_nothing) {
    EXPECT_EQ(json(GridTable({{"a", ColumnType::text, ""}}, {})), "");
}

TEST(WriteJsonLines, cells_of_every_kind) {
    const GridTable table(
        {{"i", ColumnType::integer, ""},
         {"u", ColumnType::unsigned_integer, ""},
         {"t", ColumnType::text, ""},
         {"b", ColumnType::boolean, ""}},
        {{number_cell(std::numeric_limits<int64_t>::min()), number_cell(std::numeric_limits<uint64_t>::max()),
          text_cell("READ(10)"), number_cell(true)},
         {nothing(), nothing(), nothing(), nothing()},
         {number_cell(int64_t{-1}), number_cell(uint64_t{0}), text_cell("x"), number_cell(false)}});
    const std::string expected =
        "{\"i\":-9223372036854775808,\"u\":18446744073709551615,\"t\":\"READ(10)\",\"b\":true}\n"
        "{\"i\":null,\"u\":null,\"t\":null,\"b\":null}\n"
        "{\"i\":-1,\"u\":0,\"t\":\"x\",\"b\":false}\n";
    EXPECT_EQ(json(table), expected);
}

TEST(WriteJsonLines, quotes_and_backslashes_are_escaped) {
    EXPECT_EQ(json_of_text(R"(a"b\c)"), R"("a\"b\\c")");
    EXPECT_EQ(json_of_text("a/b,c"), R"("a/b,c")");
}

TEST(WriteJsonLines, control_characters_are_escaped) {
    EXPECT_EQ(json_of_text("a\nb\tc"), R"("a\u000ab\u0009c")");
    EXPECT_EQ(json_of_text(std::string("a\0b", 3)), R"("a\u0000b")");
    EXPECT_EQ(json_of_text("\x1b[31m\x7f"), R"("\u001b[31m\u007f")");
    EXPECT_EQ(json_of_text("\xc2\x9bK"), R"("\u009bK")");
}

TEST(WriteJsonLines, utf_8_is_kept_and_what_is_not_is_replaced) {
    EXPECT_EQ(json_of_text("Gerät €😀"), "\"Gerät €😀\"");
    EXPECT_EQ(json_of_text("a\xff\xfez"), "\"a\ufffd\ufffdz\"");
    EXPECT_EQ(json_of_text("\xed\xa0\x80"), "\"\ufffd\ufffd\ufffd\"");
    EXPECT_EQ(json_of_text("cut \xe2\x82"), "\"cut \ufffd\ufffd\"");
}

TEST(WriteJsonLines, a_sink_that_refuses_ends_the_writing) {
    const std::vector<GridTable::Row> rows(100'000, {text_cell(std::string(100, 'x'))});
    StringSink sink(100'000);
    EXPECT_FALSE(write_json_lines(GridTable({{"t", ColumnType::text, ""}}, rows), sink));
    EXPECT_LE(sink.calls, 3u);
}

}  // namespace
}  // namespace sanscope
