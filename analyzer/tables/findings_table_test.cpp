// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/findings_table.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

class FindingsTable : public testing::Test {
  protected:
    const Cell& at(size_t row, std::string_view column) {
        size_t place = 0;
        while (place < table->columns().size() && table->columns()[place].name != column) ++place;
        EXPECT_LT(place, table->columns().size()) << column;
        table->cell(row, place, cell);
        return cell;
    }

    ChunkedRows<FindingRow> rows;
    std::unique_ptr<Table> table = make_findings_table(rows);
    Cell cell;
};

TEST_F(FindingsTable, columns_begin_with_those_of_the_contract_in_its_order) {
    const char* const contract[] = {"kind",     "severity", "title",      "explanation",
                                    "evidence", "cost_ns",  "confidence", "place"};
    size_t column = 0;
    for (const char* name : contract) EXPECT_EQ(table->columns()[column++].name, name);
}

TEST_F(FindingsTable, what_is_not_known_is_empty) {
    rows.append({});
    for (const ColumnInfo& column : table->columns())
        EXPECT_EQ(at(0, column.name).kind, Cell::Kind::empty) << column.name;
}

TEST_F(FindingsTable, cells_hold_what_was_found) {
    FindingRow& row = rows.append({});
    row.kind = "target_wait";
    row.title = "Reads wait 5 ms";
    row.evidence = "one; two";
    row.cost_ns = 7;
    row.lun = 0;
    row.packet = 12;
    EXPECT_EQ(at(0, "kind").text, "target_wait");
    EXPECT_EQ(at(0, "evidence").text, "one; two");
    EXPECT_EQ(at(0, "cost_ns").integer, 7);
    EXPECT_EQ(at(0, "lun").unsigned_integer, 0u);
    EXPECT_EQ(at(0, "packet").unsigned_integer, 12u);
    EXPECT_EQ(at(0, "command").kind, Cell::Kind::empty);
}

}  // namespace
}  // namespace sanscope
