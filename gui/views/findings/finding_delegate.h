// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include "analyzer/report/findings.h"

namespace sanscope {

// Paints a finding: a mark of its severity, its title, what it cost, what shows it, and its explanation in as many lines as
// that takes.
class FindingDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    enum Role : int {
        title = Qt::DisplayRole,
        explanation = Qt::UserRole,
        severity,
        cost,
        evidence,  // QStringList
    };

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace sanscope
