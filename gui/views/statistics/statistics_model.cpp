// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/statistics/statistics_model.h"

#include <QFont>
#include <algorithm>
#include <numeric>
#include <utility>

namespace sanscope {
namespace {

Qt::Alignment alignment(bool of_value) {
    return Qt::AlignVCenter | (of_value ? Qt::AlignRight : Qt::AlignLeft);
}

}  // namespace

void StatisticsModel::show(StatisticsTable table) {
    if (table.columns != table_.columns || table.rows.size() < table_.rows.size()) {
        if (table.columns != table_.columns) sort_column_ = -1;
        beginResetModel();
        table_ = std::move(table);
        put_in_order();
        endResetModel();
        return;
    }
    // Of a capture that grows, rows become more: those that there were are the first.
    const auto before = static_cast<uint32_t>(table_.rows.size());
    const auto rows = static_cast<uint32_t>(table.rows.size());
    if (rows > before) beginInsertRows({}, rowCount(), static_cast<int>(rows) - 1);
    table_ = std::move(table);
    for (uint32_t row = before; row < rows; ++row) order_.push_back(row);
    if (rows > before) endInsertRows();
    if (sort_column_ >= 0) rearrange();
    if (rows > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void StatisticsModel::sort(int column, Qt::SortOrder order) {
    if (column == sort_column_ && order == sort_order_) return;
    sort_column_ = column;
    sort_order_ = order;
    rearrange();
}

// What is selected goes where its row goes.
void StatisticsModel::rearrange() {
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const std::vector<uint32_t> before = order_;
    put_in_order();
    std::vector<int> places(order_.size());
    for (size_t place = 0; place < order_.size(); ++place) places[order_[place]] = static_cast<int>(place);
    for (const QModelIndex& kept : persistentIndexList())
        changePersistentIndex(kept, index(places[before[static_cast<size_t>(kept.row())]], kept.column()));
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

// By what cells stand for, not by how that is written.
void StatisticsModel::put_in_order() {
    order_.resize(table_.rows.size());
    std::iota(order_.begin(), order_.end(), 0u);
    if (sort_column_ < 0 || sort_column_ >= columnCount()) return;
    const auto column = static_cast<size_t>(sort_column_);
    const auto less = [&](uint32_t a, uint32_t b) {
        const StatisticsTable::Cell& one = table_.rows[a].cells[column];
        const StatisticsTable::Cell& other = table_.rows[b].cells[column];
        // What has none stands before what has one, so that this is an order.
        if (!one.value || !other.value) {
            return std::pair(one.value.has_value(), one.words) <
                   std::pair(other.value.has_value(), other.words);
        }
        return *one.value < *other.value;
    };
    if (sort_order_ == Qt::AscendingOrder) {
        std::ranges::stable_sort(order_, less);
    } else {
        std::ranges::stable_sort(order_, [&](uint32_t a, uint32_t b) { return less(b, a); });
    }
}

// Only the greatest number is written out; of other figures, which have three digits and a unit, none.
QString StatisticsModel::longest_text(int column) const {
    QString longest = table_.columns[column];
    const auto consider = [&](const QString& text) {
        if (text.size() > longest.size()) longest = text;
    };
    StatisticsTable::Cell greatest{{}, 0, StatisticsTable::Format::number};
    for (const StatisticsTable::Row& row : table_.rows) {
        const StatisticsTable::Cell& cell = row.cells[static_cast<size_t>(column)];
        switch (cell.format) {
            case StatisticsTable::Format::words:
                consider(cell.words);
                break;
            case StatisticsTable::Format::number:
                greatest.value = std::max(greatest.value, cell.value);
                break;
            default:
                consider(QStringLiteral("000 Mbit/s"));
        }
    }
    if (*greatest.value > 0) consider(greatest.text());
    return longest;
}

bool StatisticsModel::is_sorted_by_value(int column) const {
    return std::ranges::any_of(table_.rows, [&](const StatisticsTable::Row& row) {
        return row.cells[static_cast<size_t>(column)].value.has_value();
    });
}

QVariant StatisticsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const StatisticsTable::Cell& cell = row_at(index.row()).cells[static_cast<size_t>(index.column())];
    switch (role) {
        case Qt::DisplayRole:
            return cell.text();
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(alignment(cell.value.has_value()));
        case Qt::FontRole: {
            if (!cell.stands_out) return {};
            QFont bold;
            bold.setBold(true);
            return bold;
        }
        default:
            return {};
    }
}

QVariant StatisticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    switch (role) {
        case Qt::DisplayRole:
            return table_.columns[section];
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(alignment(is_sorted_by_value(section)));
        case Qt::InitialSortOrderRole:
            return std::ranges::any_of(table_.rows,
                                       [&](const StatisticsTable::Row& row) {
                                           return row.cells[static_cast<size_t>(section)].is_figure;
                                       })
                       ? Qt::DescendingOrder
                       : Qt::AscendingOrder;
        default:
            return {};
    }
}

}  // namespace sanscope
