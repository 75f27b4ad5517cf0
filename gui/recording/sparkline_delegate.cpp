// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/sparkline_delegate.h"

#include <QPainter>
#include <algorithm>

#include "gui/plot/theme.h"
#include "gui/plot/value_ticks.h"

namespace sanscope {

void SparklineDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, QModelIndex());
    const std::vector<double> rates = activity_.rates(index.data(name_role).toString());
    const Theme& theme = Theme::of(option.palette);
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    if (selected) painter->fillRect(option.rect, option.palette.highlight());
    const QColor ink = selected ? option.palette.color(QPalette::HighlightedText) : theme.read;
    const QString now = rates.empty() ? QString() : value_text(rates.back(), ValueUnit::bytes_per_second);
    constexpr int words = 84;
    const QRectF line = QRectF(option.rect).adjusted(4, 3, -words - 8, -3);
    const double most = rates.empty() ? 0 : *std::ranges::max_element(rates);
    if (most > 0) {
        QPolygonF points;
        const double step = line.width() / static_cast<double>(InterfaceActivity::samples - 1);
        for (size_t i = 0; i < rates.size(); ++i) {
            const double x = line.right() - step * static_cast<double>(rates.size() - 1 - i);
            points << QPointF(x, line.bottom() - line.height() * rates[i] / most);
        }
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(ink, 1.4));
        painter->drawPolyline(points);
    } else {
        painter->setPen(theme.grid);
        painter->drawLine(QPointF(line.left(), line.bottom()), QPointF(line.right(), line.bottom()));
    }
    painter->setPen(selected ? ink : theme.faint_text);
    painter->drawText(option.rect.adjusted(0, 0, -6, 0), Qt::AlignRight | Qt::AlignVCenter, now);
    painter->restore();
}

}  // namespace sanscope
