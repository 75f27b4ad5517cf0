// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/arrow/arrow_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/points/points_tables.h"
#include "analyzer/tables/captures_table.h"
#include "analyzer/tables/findings_table.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using testing::UnorderedElementsAre;

std::vector<const TableInfo*> all_tables() {
    std::vector<const TableInfo*> tables;
    for (const TableInfo& table : table_infos()) tables.push_back(&table);
    tables.push_back(&findings_table);
    tables.push_back(&captures_table);
    for (const TableInfo* table : point_tables()) tables.push_back(table);
    return tables;
}

std::vector<std::string> columns_of_type(ArrowType type) {
    std::vector<std::string> names;
    for (const TableInfo* table : all_tables()) {
        for (const ColumnInfo& column : table->columns) {
            if (arrow_field(column).type == type)
                names.push_back(std::string(table->name) + "." + std::string(column.name));
        }
    }
    return names;
}

ArrowType type_of(std::string_view table_name, std::string_view column_name) {
    for (const TableInfo* table : all_tables()) {
        if (table->name != table_name) continue;
        for (const ColumnInfo& column : table->columns) {
            if (column.name == column_name) return arrow_field(column).type;
        }
    }
    ADD_FAILURE() << "no column " << column_name;
    return ArrowType::int64;
}

// A new column of text belongs here where hardly two rows have the same in it, and else is a dictionary.
TEST(ArrowField, what_is_text_and_no_dictionary) {
    EXPECT_THAT(columns_of_type(ArrowType::utf8),
                UnorderedElementsAre("captures.damage", "captures.file", "captures.finding_title",
                                     "captures.target_names", "commands.itt", "findings.evidence",
                                     "findings.explanation", "findings.place", "findings.title", "pdus.itt",
                                     "point_commands.itt", "sessions.isid"));
}

TEST(ArrowField, times_and_signs) {
    EXPECT_EQ(type_of("commands", "request_ns"), ArrowType::timestamp);
    EXPECT_EQ(type_of("commands", "turnaround_ns"), ArrowType::duration);
    EXPECT_EQ(type_of("commands", "budget_target_ns"), ArrowType::duration);
    EXPECT_EQ(type_of("commands", "residual"), ArrowType::int64);
    EXPECT_EQ(type_of("commands", "lba"), ArrowType::uint64);
    EXPECT_EQ(type_of("commands", "inferred"), ArrowType::boolean);
    EXPECT_EQ(type_of("commands", "opcode"), ArrowType::dictionary);
    EXPECT_EQ(type_of("windows", "sender"), ArrowType::dictionary);
    EXPECT_EQ(type_of("windows", "srtt_ns"), ArrowType::duration);
}

// Nothing that the analysis does not know becomes a moment of 1970.
TEST(ArrowField, a_moment_is_what_says_so) {
    for (const TableInfo* table : all_tables()) {
        for (const ColumnInfo& column : table->columns) {
            if (arrow_field(column).type != ArrowType::timestamp) continue;
            EXPECT_NE(column.description.find("since the epoch"), std::string_view::npos) << column.name;
            EXPECT_EQ(column.type, ColumnType::integer) << column.name;
        }
    }
}

}  // namespace
}  // namespace sanscope
