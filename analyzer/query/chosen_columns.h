// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// The columns that `names` has, parted by commas, in that order: names as ColumnNames knows them. An Error, which names the
// `table`, where there is no such column, two may be meant, or one is named twice.
Result<std::vector<size_t>> columns_by_name(std::string_view names, std::string_view table,
                                            std::span<const ColumnInfo> columns);

// Some columns of another table, in the order given.
class ChosenColumns final : public Table {
  public:
    // `table` must outlive this; each of `columns` is less than table.columns().size().
    ChosenColumns(const Table& table, std::vector<size_t> columns);

    std::string_view name() const override { return table_.name(); }
    std::span<const ColumnInfo> columns() const override { return infos_; }
    size_t rows() const override { return table_.rows(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        table_.cell(row, columns_[column], cell);
    }
    void numbers(size_t first, size_t count, std::span<const NumberSlice> slices) const override;
    void cells(size_t column, size_t first, std::span<Cell> cells) const override {
        table_.cells(columns_[column], first, cells);
    }

  private:
    const Table& table_;
    std::vector<size_t> columns_;
    std::vector<ColumnInfo> infos_;
};

}  // namespace sanscope
