// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/figure_table.h"

#include <QHeaderView>
#include <algorithm>

namespace sanscope {
namespace {

constexpr int most_rows_in_sight = 6;
constexpr int least_parent_height = 320;

}  // namespace

FigureTable::FigureTable(const QString& accessible_name, QWidget* parent) : QTableWidget(parent) {
    setAccessibleName(accessible_name);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::NoSelection);
    verticalHeader()->hide();
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    hide();
}

void FigureTable::begin(const QStringList& columns, int rows) {
    clear();
    setColumnCount(static_cast<int>(columns.size()));
    setRowCount(rows);
    setHorizontalHeaderLabels(columns);
    horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void FigureTable::set(int row, int column, const QString& text) {
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
    setItem(row, column, item);
}

void FigureTable::fit() {
    const int line = parentWidget()->fontMetrics().height() + 4;
    verticalHeader()->setDefaultSectionSize(line);
    resizeColumnsToContents();
    setFixedHeight(horizontalHeader()->sizeHint().height() + std::min(rowCount(), most_rows_in_sight) * line +
                   4);
    setVisible(rowCount() > 0 && parentWidget()->height() > least_parent_height);
}

}  // namespace sanscope
