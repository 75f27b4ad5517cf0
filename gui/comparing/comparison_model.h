// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <vector>

#include "gui/comparing/comparison_rows.h"

namespace sanscope {

// The groups of a comparison, and their rows below them.
class ComparisonModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column : int { of, figure, before, after, difference, interval, verdict, columns };
    enum Role : int {
        low = Qt::UserRole,  // of the interval, where there is one: as FigureChange has them
        high,
        change,
    };

    using QAbstractItemModel::QAbstractItemModel;

    // nullptr: nothing.
    void show(std::shared_ptr<const ComparedCaptures> captures, bool only_what_differs);
    // Light or dark: what is marked has its colours.
    void set_dark(bool dark);

    const std::vector<ComparisonGroup>& groups() const { return groups_; }
    // nullptr of a group.
    const ComparisonRow* row_of(const QModelIndex& index) const;
    // Whether its text goes on over all columns.
    bool spans(int row, const QModelIndex& parent) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant row_data(const ComparisonRow& row, int column, int role) const;

    std::shared_ptr<const ComparedCaptures> captures_;
    std::vector<ComparisonGroup> groups_;
    bool dark_ = false;
};

}  // namespace sanscope
