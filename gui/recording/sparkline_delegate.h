// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include "gui/recording/interface_activity.h"

namespace sanscope {

// Draws what an interface carries as a line that moves on, with its newest rate in words. The item's text is the interface's
// name. `activity` must outlive it.
class SparklineDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    SparklineDelegate(const InterfaceActivity& activity, QObject* parent)
        : QStyledItemDelegate(parent), activity_(activity) {}
    static constexpr int name_role = Qt::UserRole;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

  private:
    const InterfaceActivity& activity_;
};

}  // namespace sanscope
