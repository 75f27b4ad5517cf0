// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QTableView>
#include <optional>
#include <vector>

#include "gui/views/time_budgets/parts_breakdown.h"

namespace sanscope {

// A breakdown as a table: a row a group, a bar of all its parts, and a column for each part that some command has.
class BreakdownModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column : int { group, commands, mean, total, bar, first_part };
    // Of a part's column: its share, a double.
    static constexpr int share_role = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    // `parts`: those that have a column.
    void show(Breakdown breakdown, const std::vector<BudgetPart>& parts);
    const Breakdown& breakdown() const { return breakdown_; }
    // The last row is of all groups together, where there are several.
    const Breakdown::Group& group_at(int row) const;
    // Nothing of a column that is of no part.
    std::optional<BudgetPart> part_at(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QString tip(const Breakdown::Group& group, std::optional<BudgetPart> part) const;

    Breakdown breakdown_;
    std::vector<BudgetPart> parts_;
};

class BreakdownTable : public QTableView {
    Q_OBJECT

  public:
    explicit BreakdownTable(QWidget* parent);

    BreakdownModel& breakdown_model() const { return *model_; }
    void show_breakdown(Breakdown breakdown, const std::vector<BudgetPart>& parts);
    // As high as its rows need, but no more than `most` pixels.
    void fit(int most);

  Q_SIGNALS:
    // A cell was chosen: of a part, or of the group as a whole.
    void chosen(const Breakdown::Group& group, std::optional<BudgetPart> part);

  protected:
    bool viewportEvent(QEvent* event) override;

  private:
    // Which part of the row's bar a point is over.
    std::optional<BudgetPart> part_of_bar(const QModelIndex& index, QPoint at) const;
    void choose(const QModelIndex& index, std::optional<BudgetPart> part);

    BreakdownModel* model_;
};

}  // namespace sanscope
