// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/chosen_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/query/filtered_table.h"
#include "analyzer/query/testing/shelf_table.h"
#include "analyzer/tables/row_reader.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string why_not(std::string_view names) {
    const std::vector<ColumnInfo> columns = test::shelf_columns();
    const auto chosen = columns_by_name(names, "shelf", columns);
    return chosen ? "" : chosen.error().message;
}

TEST(ColumnsByName, InTheOrderNamed) {
    const std::vector<ColumnInfo> columns = test::shelf_columns();
    EXPECT_THAT(*columns_by_name("label,id,Wait_NS", "shelf", columns), ElementsAre(8, 0, 4));
    EXPECT_THAT(*columns_by_name("sold", "shelf", columns), ElementsAre(11));
}

TEST(ColumnsByName, WhatIsNoneIsTold) {
    EXPECT_THAT(why_not("id,lable"), HasSubstr("no column \"lable\" in shelf; did you mean label?"));
    EXPECT_THAT(why_not("zzzzzz"), HasSubstr("no column \"zzzzzz\" in shelf"));
    for (const char* names : {"", ",", "id,", ",id", "id,,size"})
        EXPECT_THAT(why_not(names), HasSubstr("no column \"\" in shelf")) << names;
    EXPECT_THAT(why_not("id,size,id"), HasSubstr("column id is named twice"));
}

TEST(ChosenColumns, HasTheCellsOfTheTable) {
    const auto whole = test::shelf();
    const std::vector<size_t> wanted = {8, 4, 11, 0};
    const ChosenColumns chosen(whole, wanted);
    ASSERT_EQ(chosen.columns().size(), wanted.size());
    ASSERT_EQ(chosen.rows(), whole.rows());
    EXPECT_EQ(chosen.name(), whole.name());
    for (size_t i = 0; i < wanted.size(); i++) {
        EXPECT_EQ(chosen.columns()[i].name, whole.columns()[wanted[i]].name);
        std::vector<Cell> column(chosen.rows());
        chosen.cells(i, 0, column);
        for (size_t row = 0; row < chosen.rows(); row++) {
            Cell expected;
            Cell alone;
            whole.cell(row, wanted[i], expected);
            chosen.cell(row, i, alone);
            for (const Cell& cell : {alone, column[row]}) {
                ASSERT_EQ(cell.kind, expected.kind);
                if (expected.kind == Cell::Kind::text) {
                    EXPECT_EQ(cell.text, expected.text);
                } else if (expected.kind == Cell::Kind::boolean) {
                    EXPECT_EQ(cell.boolean, expected.boolean);
                } else if (expected.kind != Cell::Kind::empty) {
                    EXPECT_EQ(cell.unsigned_integer, expected.unsigned_integer);
                }
            }
        }
    }
}

TEST(ChosenColumns, NumbersAreThoseOfTheRowsAskedFor) {
    const auto whole = test::shelf();
    const ChosenColumns chosen(whole, {4, 11, 0});
    constexpr size_t count = 2;
    uint64_t values[2][count];
    uint8_t known[2][count];
    chosen.numbers(1, count, std::vector<NumberSlice>{{2, values[0], known[0]}, {0, values[1], known[1]}});
    EXPECT_THAT(values[0], ElementsAre(2, 0));
    EXPECT_THAT(known[0], ElementsAre(1, 0));
    EXPECT_THAT(values[1], ElementsAre(1'500'000, 0));
    EXPECT_THAT(known[1], ElementsAre(1, 0));
}

TEST(ChosenColumns, OfSomeRows) {
    const auto whole = test::shelf();
    const FilteredTable rows(whole, {3, 1});
    const ChosenColumns chosen(rows, {7});
    Cell cell;
    chosen.cell(0, 0, cell);
    EXPECT_EQ(cell.text, "0x00");
    chosen.cell(1, 0, cell);
    EXPECT_EQ(cell.text, "0x2a");
}

TEST(FilteredTable, GivesItsRowsByRow) {
    const auto whole = test::shelf();
    const FilteredTable rows(whole, {3, 1});
    size_t seen = 0;
    for_each_row(rows, [&](std::span<const Cell> cells) {
        EXPECT_EQ(cells.size(), whole.columns().size());
        EXPECT_EQ(cells[7].text, seen++ == 0 ? "0x00" : "0x2a");
        return true;
    });
    EXPECT_EQ(seen, 2U);
}

}  // namespace
}  // namespace sanscope
