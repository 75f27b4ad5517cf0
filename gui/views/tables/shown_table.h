// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

#include "gui/models/table_model.h"

namespace sanscope {

// What a view shows of a table, in its order, as a table for exporters; and how far one has come with it.
class ShownTable final : public Table {
  public:
    // `table` must outlive this.
    ShownTable(const Table& table, ShownRows rows) : table_(table), rows_(std::move(rows)) {}

    std::string_view name() const override { return table_.name(); }
    std::span<const ColumnInfo> columns() const override { return table_.columns(); }
    size_t rows() const override { return rows_ ? rows_->size() : table_.rows(); }
    void cell(size_t row, size_t column, Cell& cell) const override;

    // The row last asked for. Any thread.
    size_t reached() const { return reached_.load(std::memory_order_relaxed); }

  private:
    const Table& table_;
    ShownRows rows_;
    mutable std::atomic<size_t> reached_ = 0;
};

}  // namespace sanscope
