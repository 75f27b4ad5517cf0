// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/collection/budget_bar_delegate.h"

#include <QPainter>
#include <cmath>

#include "gui/collection/collection_model.h"
#include "gui/plot/budget_bar.h"
#include "gui/plot/theme.h"

namespace sanscope {

void BudgetBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);  // what is selected
    const auto& model = static_cast<const CollectionModel&>(*index.model());
    const CaptureRow& row = model.capture(model.number_of(index.row()));
    if (!row.budgets_known) return;
    const QRectF room = QRectF(option.rect).adjusted(6, 4, -6, -4);
    draw_budget_bar(*painter, Theme::of(option.palette),
                    QRectF(std::ceil(room.left()), room.top(), std::floor(room.width()), room.height()),
                    row.budgets_ns);
}

}  // namespace sanscope
