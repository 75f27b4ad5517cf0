// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "analyzer/tables/table.h"

namespace sanscope {

// Some rows of another table, in any order, as a table: for exporters and views. Name, columns and cells are the other
// table's, so that a column that numbers rows keeps its numbers.
class FilteredTable final : public Table {
  public:
    // `table` must outlive this; each of `rows` is less than table.rows().
    FilteredTable(const Table& table, std::vector<size_t> rows) : table_(table), rows_(std::move(rows)) {}

    std::string_view name() const override { return table_.name(); }
    std::span<const ColumnInfo> columns() const override { return table_.columns(); }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override { table_.cell(rows_[row], column, cell); }
    void row_cells(size_t first, std::span<Cell> cells) const override {
        const size_t width = columns().size();
        for (size_t i = 0; i < cells.size(); i += width)
            table_.row_cells(rows_[first + i / width], cells.subspan(i, width));
    }

    // The row of the other table.
    size_t original_row(size_t row) const { return rows_[row]; }

  private:
    const Table& table_;
    std::vector<size_t> rows_;
};

}  // namespace sanscope
