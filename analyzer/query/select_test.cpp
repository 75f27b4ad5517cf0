// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/select.h"

#include <gtest/gtest.h>
#include <string>
#include <variant>

#include "analyzer/export/csv_writer.h"
#include "analyzer/query/filtered_table.h"
#include "analyzer/query/testing/shelf_table.h"

namespace sanscope {
namespace {

// Rows 0 to `rows` - 1, with their numbers; counts the cells asked for, and sets a flag at one of them.
class CountingTable final : public Table {
  public:
    explicit CountingTable(size_t rows) : rows_(rows) {}
    std::string_view name() const override { return "counting"; }
    std::span<const ColumnInfo> columns() const override { return columns_; }
    size_t rows() const override { return rows_; }
    void cell(size_t row, size_t, Cell& cell) const override {
        cells++;
        if (row == stop_at) stop = true;
        cell.set(uint64_t{row});
    }

    mutable size_t cells = 0;
    size_t stop_at = static_cast<size_t>(-1);
    mutable std::atomic<bool> stop = false;

  private:
    size_t rows_;
    std::vector<ColumnInfo> columns_ = {{"number", ColumnType::unsigned_integer, ""},
                                        {"other", ColumnType::unsigned_integer, ""}};
};

RowFilter filter(std::string_view expression, const Table& table) {
    return std::get<RowFilter>(RowFilter::compile(expression, table.name(), table.columns()));
}

TEST(Select, all_rows_or_a_part_of_them) {
    const CountingTable table(1000);
    const RowFilter even_ends = filter("number < 3 or number >= 998", table);
    std::vector<size_t> rows;
    EXPECT_EQ(select(even_ends, table, 0, table.rows(), rows).next, 1000u);
    EXPECT_EQ(rows, (std::vector<size_t>{0, 1, 2, 998, 999}));

    rows = {77};
    EXPECT_EQ(select(even_ends, table, 2, 999, rows).next, 999u);
    EXPECT_EQ(rows, (std::vector<size_t>{77, 2, 998}));
}

TEST(Select, beyond_the_last_row_there_are_none) {
    const CountingTable table(10);
    const RowFilter all = filter("number", table);
    std::vector<size_t> rows;
    EXPECT_EQ(select(all, table, 8, 1'000'000, rows).next, 10u);
    EXPECT_EQ(rows, (std::vector<size_t>{8, 9}));
    EXPECT_EQ(select(all, table, 50, 60, rows).next, 10u);
    EXPECT_EQ(select(all, table, 5, 3, rows).next, 3u);
    EXPECT_EQ(rows.size(), 2u);
}

TEST(Select, parts_make_the_whole) {
    const CountingTable table(1000);
    const RowFilter some = filter("number in {5..600, 700, 990..2000}", table);
    std::vector<size_t> whole;
    select(some, table, 0, 1000, whole);
    std::vector<size_t> parts;
    for (size_t first = 0; first < 1000; first += 7) select(some, table, first, first + 7, parts);
    EXPECT_EQ(parts, whole);
}

TEST(Select, stops_soon_and_can_go_on) {
    CountingTable table(100'000);
    table.stop_at = 5000;
    const RowFilter all = filter("number >= 0", table);
    std::vector<size_t> rows;
    const SelectOutcome stopped = select(all, table, 0, table.rows(), rows, &table.stop);
    EXPECT_GT(stopped.next, 5000u);
    EXPECT_LT(stopped.next, 5200u);
    EXPECT_EQ(rows.size(), stopped.next);

    table.stop = false;
    EXPECT_EQ(select(all, table, stopped.next, table.rows(), rows, &table.stop).next, 100'000u);
    EXPECT_EQ(rows.size(), 100'000u);
    for (size_t i = 0; i < rows.size(); i++) ASSERT_EQ(rows[i], i);
}

TEST(Select, a_stop_before_the_start_is_one) {
    const CountingTable table(10);
    const std::atomic<bool> stop = true;
    std::vector<size_t> rows;
    EXPECT_EQ(select(filter("number", table), table, 0, 10, rows, &stop).next, 0u);
    EXPECT_TRUE(rows.empty());
}

TEST(Select, cells_are_fetched_once_and_only_where_they_decide) {
    const CountingTable table(1000);
    std::vector<size_t> rows;
    select(filter("number > 10 and number < 20 and not number == 15", table), table, 0, 1000, rows);
    EXPECT_EQ(rows.size(), 8u);
    EXPECT_EQ(table.cells, 1000u);

    table.cells = 0;
    select(filter("number < 10 and other < 5", table), table, 0, 1000, rows);
    EXPECT_EQ(table.cells, 1010u);

    table.cells = 0;
    select(filter("number >= 10 or other < 5", table), table, 0, 1000, rows);
    EXPECT_EQ(table.cells, 1010u);
}

TEST(Select, counts_the_patterns_given_up) {
    const GridTable table({{"t", ColumnType::text, ""}},
                          {{text_cell(std::string(100, 'a') + "b")}, {text_cell("aaa")}, {text_cell("b")}});
    std::vector<size_t> rows;
    const SelectOutcome selection = select(filter("t matches \"^(a+)+$\"", table), table, 0, 3, rows);
    EXPECT_EQ(selection.given_up, 1u);
    EXPECT_EQ(rows, (std::vector<size_t>{1}));
}

TEST(FilteredTable, is_exported_like_any_other) {
    const GridTable table = test::shelf();
    std::vector<size_t> rows;
    select(filter("id >= 2", table), table, 0, table.rows(), rows);
    const FilteredTable filtered(table, rows);
    EXPECT_EQ(filtered.name(), table.name());
    EXPECT_EQ(filtered.rows(), 2u);
    EXPECT_EQ(filtered.original_row(1), 3u);

    StringSink all;
    StringSink some;
    ASSERT_TRUE(write_csv(table, all));
    ASSERT_TRUE(write_csv(filtered, some));
    std::vector<std::string> lines;
    for (size_t at = 0; at < all.text.size();) {
        const size_t end = all.text.find('\n', at) + 1;
        lines.push_back(all.text.substr(at, end - at));
        at = end;
    }
    EXPECT_EQ(some.text, lines.at(0) + lines.at(2) + lines.at(4));
}

TEST(FilteredTable, without_rows) {
    const GridTable table = test::shelf();
    StringSink sink;
    EXPECT_TRUE(write_csv(FilteredTable(table, {}), sink));
    EXPECT_EQ(sink.text.find('\n'), sink.text.size() - 1);
}

}  // namespace
}  // namespace sanscope
