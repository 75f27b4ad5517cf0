// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/completion.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "analyzer/query/testing/shelf_table.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// `|` is the cursor.
Completion at_cursor(std::string text, std::span<const ColumnInfo> columns) {
    const size_t cursor = text.find('|');
    text.erase(cursor, 1);
    return complete(text, cursor, columns);
}

std::vector<std::string> texts(const Completion& completion) {
    std::vector<std::string> result;
    for (const Candidate& candidate : completion.candidates) result.push_back(candidate.text);
    return result;
}

std::vector<std::string> shelf(const std::string& text) {
    static const std::vector<ColumnInfo> columns = test::shelf_columns();
    return texts(at_cursor(text, columns));
}

TEST(Complete, an_empty_line_offers_all_columns) {
    std::vector<std::string> expected;
    for (const ColumnInfo& column : test::shelf_columns()) expected.emplace_back(column.name);
    expected.emplace_back("not");
    expected.emplace_back("(");
    EXPECT_EQ(shelf("|"), expected);
    EXPECT_EQ(shelf("id and |"), expected);
    EXPECT_EQ(shelf("(|"), expected);
    EXPECT_EQ(shelf("!|"), expected);
    EXPECT_EQ(shelf("id == 5 or |"), shelf("|"));
}

TEST(Complete, beginnings_go_before_other_places) {
    EXPECT_THAT(shelf("s|"),
                ElementsAre("size", "start_ns", "state", "sold", "least_size", "wait_ns", "end_ns", "alias"));
    EXPECT_THAT(shelf("id and not sta|"), ElementsAre("start_ns", "state"));
    EXPECT_THAT(shelf("xyz|"), IsEmpty());
}

TEST(Complete, columns_are_found_by_their_headers) {
    EXPECT_THAT(shelf("Wai|"), ElementsAre("wait_ns"));
    EXPECT_THAT(shelf("START_T|"), ElementsAre("start_ns"));
    EXPECT_THAT(shelf("wait |"), ElementsAre("==", "!=", ">", ">=", "<", "<=", "in", "not in", "and", "or"));
    EXPECT_THAT(shelf("\"Least size\" > |"), ElementsAre("size"));
}

TEST(Complete, tells_what_a_column_is) {
    const auto columns = test::shelf_columns();
    const Completion completion = at_cursor("wai|", columns);
    ASSERT_EQ(completion.candidates.size(), 1u);
    EXPECT_EQ(completion.candidates[0].kind, Candidate::Kind::column);
    EXPECT_EQ(completion.candidates[0].type, "a duration");
    EXPECT_EQ(completion.candidates[0].description, "From order to delivery, nanoseconds");
}

TEST(Complete, the_word_under_the_cursor_is_replaced) {
    const auto columns = test::shelf_columns();
    const auto range = [&](const std::string& text) {
        const Completion completion = at_cursor(text, columns);
        return std::pair(completion.begin, completion.end);
    };
    using Range = std::pair<size_t, size_t>;
    EXPECT_EQ(range("id and wa| > 5"), Range(7, 9));
    EXPECT_EQ(range("id and wa|it > 5"), Range(7, 11));
    EXPECT_EQ(range("id and |wait > 5"), Range(7, 7));
    EXPECT_EQ(range("id |"), Range(3, 3));
    EXPECT_EQ(range("|"), Range(0, 0));
    EXPECT_EQ(complete("id", 99, columns).end, 2u);
}

TEST(Complete, signs_are_those_of_the_column) {
    EXPECT_THAT(shelf("id |"), ElementsAre("==", "!=", ">", ">=", "<", "<=", "in", "not in", "and", "or"));
    EXPECT_THAT(shelf("(sold |"), ElementsAre("==", "!=", "and", "or", ")"));
    EXPECT_THAT(shelf("label con|"), ElementsAre("contains"));
    EXPECT_THAT(shelf("code m|"), ElementsAre("matches"));
    EXPECT_THAT(shelf("id con|"), IsEmpty());
}

TEST(Complete, values_are_those_of_the_column) {
    EXPECT_THAT(shelf("state == |"), ElementsAre("Open", "Shut", "alias", "label", "alias"));
    EXPECT_THAT(shelf("state == S|"), ElementsAre("Shut"));
    EXPECT_THAT(shelf("sold == |"), ElementsAre("true", "false", "paid"));
    EXPECT_THAT(shelf("size > |"), ElementsAre("least_size"));
    EXPECT_THAT(shelf("wait_ns > |"), IsEmpty());
    EXPECT_THAT(shelf("state in |"), ElementsAre("{"));
    EXPECT_THAT(shelf("state not in |"), ElementsAre("{"));
    EXPECT_THAT(shelf("state in {|"), ElementsAre("Open", "Shut", "alias"));
    EXPECT_THAT(shelf("state in {Open, O|"), ElementsAre("Open"));
    EXPECT_THAT(shelf("state in {Open |"), ElementsAre(",", "..", "}"));
}

TEST(Complete, statuses) {
    const auto found = texts(at_cursor("status == CH|", commands_table.columns));
    EXPECT_THAT(found, ElementsAre("CHECK_CONDITION"));
}

TEST(Complete, after_a_condition_comes_a_connective) {
    EXPECT_THAT(shelf("id == 5 |"), ElementsAre("and", "or"));
    EXPECT_THAT(shelf("(id == 5 a|"), ElementsAre("and"));
    EXPECT_THAT(shelf("(id == 5 |"), ElementsAre("and", "or", ")"));
    EXPECT_THAT(shelf("(id == 5) |"), ElementsAre("and", "or"));
    EXPECT_THAT(shelf("id in {1, 2} |"), ElementsAre("and", "or"));
    EXPECT_THAT(shelf("label contains \"x\" |"), ElementsAre("and", "or"));
}

TEST(Complete, nothing_in_quotes_and_behind_errors) {
    EXPECT_THAT(shelf("label == \"i|\""), IsEmpty());
    EXPECT_THAT(shelf("label == \"i|"), IsEmpty());
    EXPECT_THAT(shelf("nonsense |"), IsEmpty());
    EXPECT_THAT(shelf("id == 5 6 and |"), IsEmpty());
    EXPECT_THAT(shelf("id = |"), IsEmpty());
    EXPECT_THAT(shelf("id) |"), IsEmpty());
}

TEST(Complete, what_stands_behind_the_cursor_does_not_matter) {
    EXPECT_EQ(shelf("sta| == = \""), shelf("sta|"));
}

// Taking a candidate leaves an expression in which the next completion finds its way.
TEST(Complete, candidates_of_all_tables_are_understood) {
    for (const TableInfo& table : table_infos()) {
        for (const ColumnInfo& column : table.columns) {
            const std::string expression(column.name);
            EXPECT_TRUE(
                std::holds_alternative<RowFilter>(RowFilter::compile(expression, table.name, table.columns)));
            for (const Candidate& value :
                 complete(expression + " == ", expression.size() + 4, table.columns).candidates) {
                const auto compiled =
                    RowFilter::compile(expression + " == " + value.text, table.name, table.columns);
                EXPECT_TRUE(std::holds_alternative<RowFilter>(compiled))
                    << expression << " == " << value.text;
            }
        }
    }
}

}  // namespace
}  // namespace sanscope
