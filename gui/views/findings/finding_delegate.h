// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include "analyzer/report/findings.h"

namespace sanscope {

// Paints a finding: a mark of its severity, its title, what it cost, where it is, what shows it, and its explanation in as many
// lines as that takes; below them links. One of the places of several is further in, without a mark.
class FindingDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    enum Role : int {
        title = Qt::DisplayRole,
        explanation = Qt::UserRole,
        severity,
        cost,
        evidence,   // QStringList
        place,      // of what connection or session; may be empty
        links,      // QStringList
        is_member,  // bool: one of several places
    };

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    // Which of its links is there; -1: none.
    static int link_at(const QStyleOptionViewItem& option, const QModelIndex& index, QPoint at);
};

}  // namespace sanscope
