// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/comparing/interval_delegate.h"

#include <QApplication>
#include <QPainter>
#include <algorithm>

#include "gui/comparing/comparison_model.h"
#include "gui/plot/theme.h"

namespace sanscope {
namespace {

constexpr int drawing_width = 120;
constexpr int drawing_margin = 8;
constexpr double reach = 0.5;  // of a ratio or a share, to either side

// Where a difference lies in the drawing; beyond its reach, at its end.
double place(double value, const QRectF& room) {
    return room.center().x() + std::clamp(value / reach, -1.0, 1.0) * room.width() / 2;
}

// An end that lies beyond the drawing is an arrow, one within it a bar.
void paint_end(QPainter& painter, double value, double x, double y) {
    constexpr double size = 3.5;
    if (value < -reach || value > reach) {
        const double back = value < 0 ? size : -size;
        painter.drawLine(QPointF(x, y), QPointF(x + back, y - size));
        painter.drawLine(QPointF(x, y), QPointF(x + back, y + size));
    } else {
        painter.drawLine(QPointF(x, y - size), QPointF(x, y + size));
    }
}

}  // namespace

void IntervalDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    const QVariant low = index.data(ComparisonModel::low);
    if (!low.isValid()) return QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem words(option);
    initStyleOption(&words, index);
    const QString text = words.text;
    words.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &words, painter, words.widget);

    const Theme& theme = Theme::of(option.palette);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const QVariant marked = index.data(Qt::ForegroundRole);
    const QColor ink = selected           ? option.palette.color(QPalette::HighlightedText)
                       : marked.isValid() ? marked.value<QColor>()
                                          : option.palette.color(QPalette::Text);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setFont(words.font);
    const QRectF cell(option.rect);
    const QRectF room(cell.left() + drawing_margin, cell.top(), drawing_width, cell.height());
    const double y = room.center().y();
    painter->setPen(QPen(theme.axis, 1, Qt::DotLine));
    painter->drawLine(QPointF(room.center().x(), cell.top()), QPointF(room.center().x(), cell.bottom()));
    painter->setPen(QPen(ink, 1.4));
    const double from = low.toDouble();
    const double to = index.data(ComparisonModel::high).toDouble();
    painter->drawLine(QPointF(place(from, room), y), QPointF(place(to, room), y));
    paint_end(*painter, from, place(from, room), y);
    paint_end(*painter, to, place(to, room), y);
    painter->setBrush(ink);
    painter->setPen(Qt::NoPen);
    painter->drawEllipse(QPointF(place(index.data(ComparisonModel::change).toDouble(), room), y), 2.6, 2.6);
    painter->setPen(ink);
    painter->drawText(cell.adjusted(drawing_width + 2 * drawing_margin, 0, 0, 0),
                      Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
    painter->restore();
}

QSize IntervalDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize words = QStyledItemDelegate::sizeHint(option, index);
    if (!index.data(ComparisonModel::low).isValid()) return words;
    return {words.width() + drawing_width + 2 * drawing_margin, words.height()};
}

}  // namespace sanscope
