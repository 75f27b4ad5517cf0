// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/selected_range.h"

#include <algorithm>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

// The part of it that is in sight.
QRectF area_of(TimeRange range, const TimeViewport& view, const QRectF& area, TimeDirection direction) {
    const bool rightwards = direction == TimeDirection::rightwards;
    const double first = rightwards ? area.left() : area.top();
    const double last = rightwards ? area.right() : area.bottom();
    const double begin = std::clamp(view.x_of(range.begin_ns), first, last);
    const double end = std::clamp(view.x_of(range.end_ns), first, last);
    return rightwards ? QRectF(begin, area.top(), end - begin, area.height())
                      : QRectF(area.left(), begin, area.width(), end - begin);
}

// On a ground of its own, so that it can be read over anything.
void draw_duration(QPainter& painter, const Theme& theme, const QRectF& range, const QRectF& area,
                   const QString& text) {
    const QFontMetricsF metrics(painter.font());
    QRectF box(0, 0, metrics.horizontalAdvance(text) + 8, metrics.height() + 2);
    box.moveCenter(QPointF(range.center().x(), range.top() + box.height() / 2 + 2));
    box.moveLeft(std::clamp(box.left(), area.left(), std::max(area.left(), area.right() - box.width())));
    QColor ground = theme.background;
    ground.setAlphaF(0.8F);
    painter.fillRect(box, ground);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

void draw_edges(QPainter& painter, const Theme& theme, const QRectF& range, TimeDirection direction) {
    painter.setPen(QPen(theme.axis, 1));
    if (direction == TimeDirection::rightwards) {
        painter.drawLine(range.topLeft(), range.bottomLeft());
        painter.drawLine(range.topRight(), range.bottomRight());
    } else {
        painter.drawLine(range.topLeft(), range.topRight());
        painter.drawLine(range.bottomLeft(), range.bottomRight());
    }
}

}  // namespace

void draw_selected_ranges(QPainter& painter, const Theme& theme, const ViewState& state,
                          const TimeViewport& view, std::optional<TimeRange> drawn, const QRectF& area,
                          TimeDirection direction) {
    if (const TimeRange selected = state.selected_range();
        !selected.empty() && selected.overlaps(view.range)) {
        const QRectF range = area_of(selected, view, area, direction);
        QColor fill = theme.selection_fill;
        fill.setAlpha(fill.alpha() / 2);
        painter.fillRect(range, fill);
        draw_edges(painter, theme, range, direction);
        draw_duration(painter, theme, range, area, short_duration(selected.span_ns()));
    }
    if (!drawn) return;
    const QRectF range = area_of(*drawn, view, area, direction);
    painter.fillRect(range, theme.selection_fill);
    draw_duration(painter, theme, range, area, short_duration(drawn->span_ns()));
}

}  // namespace sanscope
