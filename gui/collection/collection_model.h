// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/models/column_format.h"

#include "analyzer/query/row_filter.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/tables/captures_table.h"

namespace sanscope {

// Captures as rows, those that a filter lets through, in an order; rows come while others are looked at. A column is one of the
// table `captures`, or where the time of its commands went, as a bar.
class CollectionModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit CollectionModel(QObject* parent);

    void clear();
    void append(std::vector<CaptureRow> rows);
    // Which are shown: an expression over the columns of `captures`. What is wrong with it, in which case nothing changes.
    std::optional<FilterError> set_filter(const std::string& expression);

    size_t captures() const { return rows_.size(); }
    const CaptureRow& capture(size_t number) const { return rows_[number]; }  // in the order they came
    // Of a row as it is shown, and the other way round; -1: it is not.
    size_t number_of(int row) const { return shown_[static_cast<size_t>(row)]; }
    int row_of(size_t number) const;
    const std::vector<size_t>& shown() const { return shown_; }

    static int column_named(std::string_view name);  // "budget_bar" for the bar
    static bool is_bar(int column);
    // Room that most values need, in letters.
    int characters(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;
    // By which it is; -1: as they came.
    int sorted_by() const { return sorted_by_; }

  private:
    void arrange();
    // By which a row is sorted: unknown ones behind all others, whichever way.
    struct Key {
        bool known = false;
        bool is_text = false;
        int64_t number = 0;
        QString text;
    };
    static Key key_of_cell(const Cell& cell);
    Key key_of(size_t number) const;
    void put_in_order();

    ChunkedRows<CaptureRow> rows_;
    std::unique_ptr<Table> table_;
    std::vector<ColumnFormat> formats_;  // of the table's columns
    std::vector<size_t> shown_;
    std::optional<RowFilter> filter_;
    int sorted_by_ = -1;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace sanscope
