// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <vector>

#include "gui/views/statistics/statistics_table.h"

namespace sanscope {

// Statistics for a QTableView, put in order by any column; a table that follows another one of the same columns takes its place in
// the same order. GUI thread.
class StatisticsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    using QAbstractTableModel::QAbstractTableModel;

    // Of other columns than those shown, its rows come as they are.
    void show(StatisticsTable table);
    const StatisticsTable& table() const { return table_; }

    // The row of the table that is shown there.
    const StatisticsTable::Row& row_at(int row) const {
        return table_.rows[order_[static_cast<size_t>(row)]];
    }
    // As long as any text of a column, its header's included.
    QString longest_text(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(order_.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
    }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    // -1: as they come.
    void sort(int column, Qt::SortOrder order) override;

  private:
    void rearrange();
    void put_in_order();
    bool is_sorted_by_value(int column) const;

    StatisticsTable table_;
    std::vector<uint32_t> order_;  // rows of the table as they are shown
    int sort_column_ = -1;
    Qt::SortOrder sort_order_ = Qt::AscendingOrder;
};

}  // namespace sanscope
