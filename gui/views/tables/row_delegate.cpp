// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/row_delegate.h"

#include <QPainter>
#include <algorithm>

#include "analyzer/query/column_meaning.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {

RowDelegate::RowDelegate(const TableModel& model, QObject* parent)
    : QStyledItemDelegate(parent), model_(model) {
    const auto columns = model.access().columns();
    const auto number = [&](std::string_view name) {
        const auto found = find_column(columns, name);
        return found ? static_cast<int>(*found) : -1;
    };
    if (model.access().name() == "losses") kind_column_ = number("kind");
    if (model.access().name() == "commands") {
        name_column_ = number("name");
        opcode_column_ = number("opcode");
    }
}

// Of a number some of the digits would be another number.
QString RowDelegate::shortened(const QString& text, bool is_number, const QFontMetrics& metrics, int room) {
    if (is_number) return metrics.horizontalAdvance(text) <= room ? text : QString(QChar(0x2026));
    return metrics.elidedText(text, Qt::ElideRight, room);
}

void RowDelegate::paint_mark(QPainter& painter, const Theme& theme, const QModelIndex& index,
                             const QString& text, QPointF center) const {
    if (index.column() == kind_column_) {
        const auto* const kind = std::ranges::find(loss_kind_names, text.toStdString());
        if (kind == std::end(loss_kind_names)) return;
        draw_loss_mark(painter, theme, static_cast<LossKind>(kind - std::begin(loss_kind_names)), center);
        return;
    }
    Cell cell;
    if (!model_.cell(index.row(), opcode_column_, cell) || cell.kind != Cell::Kind::text) return;
    const uint opcode =
        QString::fromUtf8(cell.text.data(), static_cast<qsizetype>(cell.text.size())).toUInt(nullptr, 16);
    const double half = 3.5 * text_scale();
    painter.fillRect(QRectF(center.x() - half, center.y() - half, 2 * half, 2 * half),
                     theme.command_color(static_cast<uint16_t>(opcode)));
}

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const auto group = !option.state.testFlag(QStyle::State_Enabled) ? QPalette::Disabled
                       : option.state.testFlag(QStyle::State_Active) ? QPalette::Active
                                                                     : QPalette::Inactive;
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    QColor pen = option.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text);
    if (selected) {
        painter->fillRect(option.rect, option.palette.brush(group, QPalette::Highlight));
    } else {
        const QVariant highlighted = index.data(Qt::BackgroundRole);
        if (highlighted.isValid()) painter->fillRect(option.rect, highlighted.value<QBrush>());
        const QVariant colour = index.data(Qt::ForegroundRole);
        if (colour.isValid()) pen = colour.value<QBrush>().color();
    }
    const QString text = index.data(Qt::DisplayRole).toString();
    QRect room = option.rect.adjusted(margin(), 0, -margin(), 0);
    if (extra_width(index.column()) > 0) {
        paint_mark(*painter, Theme::of(option.palette), index, text,
                   QPointF(room.left() + 4.5 * text_scale(), room.center().y() + 0.5));
        room.setLeft(room.left() + mark() + 2);
    }
    if (!text.isEmpty()) {
        painter->setPen(pen);
        painter->setFont(option.font);
        const bool right = model_.format(index.column()).right_aligned();
        // To measure text takes longer than to draw it; mostly there is room for its widest letters.
        const int widest = option.fontMetrics.maxWidth() < 4 * option.fontMetrics.averageCharWidth()
                               ? option.fontMetrics.maxWidth()
                               : 2 * option.fontMetrics.averageCharWidth();
        const bool fits =
            text.size() * (right ? option.fontMetrics.averageCharWidth() + 2 : widest) <= room.width();
        painter->drawText(room,
                          static_cast<int>(Qt::AlignVCenter | Qt::TextSingleLine) |
                              static_cast<int>(right ? Qt::AlignRight : Qt::AlignLeft),
                          fits ? text : shortened(text, right, option.fontMetrics, room.width()));
    }
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setPen(QPen(pen, 1, Qt::DotLine));
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
}

}  // namespace sanscope
