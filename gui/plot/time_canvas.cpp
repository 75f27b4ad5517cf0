// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/plot/selected_range.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"

namespace sanscope {

TimeCanvas::TimeCanvas(ViewState& state, Direction direction, QWidget* parent)
    : QWidget(parent), state_(state), direction_(direction), gestures_(state, direction) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAutoFillBackground(false);
    setAttribute(Qt::WA_OpaquePaintEvent);
    const auto repaint = [this] { update(); };
    connect(&state_, &ViewState::range_changed, this, repaint);
    connect(&state_, &ViewState::selected_range_changed, this, repaint);
    connect(&state_, &ViewState::cursor_changed, this, repaint);
    connect(&state_, &ViewState::time_format_changed, this, repaint);
    connect(&state_, &ViewState::units_changed, this, repaint);
}

void TimeCanvas::set_margins(int before, int behind) {
    before_ = before;
    behind_ = behind;
    update();
}

TimeViewport TimeCanvas::viewport() const {
    const int whole = direction_ == Direction::rightwards ? width() : height();
    return {state_.range(), static_cast<double>(before_),
            static_cast<double>(std::max(1, whole - before_ - behind_))};
}

void TimeCanvas::draw_time_grid(QPainter& painter, const QRect& area) const {
    const TimeTicks ticks = time_ticks(viewport(), state_.whole().begin_ns, state_.time_format(),
                                       beside_text(direction_ == Direction::rightwards ? 110 : 46));
    painter.setPen(theme().grid);
    for (const TimeTick& tick : ticks.major) {
        const int at = static_cast<int>(std::lround(tick.x));
        if (direction_ == Direction::rightwards) {
            painter.drawLine(at, area.top(), at, area.bottom());
        } else {
            painter.drawLine(area.left(), at, area.right(), at);
        }
    }
}

void TimeCanvas::draw_time_axis(QPainter& painter, const QRect& axis, int64_t capture_begin_ns) const {
    const bool rightwards = direction_ == Direction::rightwards;
    const TimeTicks ticks =
        time_ticks(viewport(), capture_begin_ns, state_.time_format(), beside_text(rightwards ? 110 : 46));
    const QFontMetrics metrics(painter.font());
    painter.fillRect(axis, theme().background);
    painter.setPen(theme().axis);
    if (rightwards) {
        painter.drawLine(axis.bottomLeft(), axis.bottomRight());
        for (const TimeTick& tick : ticks.minor) {
            const int x = static_cast<int>(std::lround(tick.x));
            painter.drawLine(x, axis.bottom() - 2, x, axis.bottom());
        }
    } else {
        painter.drawLine(axis.topRight(), axis.bottomRight());
        for (const TimeTick& tick : ticks.minor) {
            const int y = static_cast<int>(std::lround(tick.x));
            painter.drawLine(axis.right() - 2, y, axis.right(), y);
        }
    }
    int free_from = axis.left();
    if (!ticks.base.isEmpty()) {
        painter.setPen(theme().faint_text);
        if (rightwards) {
            painter.drawText(axis.left() + 4, axis.top() + metrics.ascent() + 1, ticks.base);
            free_from = axis.left() + metrics.horizontalAdvance(ticks.base) + 12;
        } else {
            painter.drawText(QRect(axis.left(), axis.top(), axis.width() - 6, metrics.height()),
                             Qt::AlignRight | Qt::AlignTop, ticks.base);
        }
    }
    for (const TimeTick& tick : ticks.major) {
        const int at = static_cast<int>(std::lround(tick.x));
        painter.setPen(theme().axis);
        if (rightwards) {
            painter.drawLine(at, axis.bottom() - 5, at, axis.bottom());
            painter.setPen(theme().text);
            const int wide = metrics.horizontalAdvance(tick.label);
            const int left =
                std::clamp(at - wide / 2, axis.left(), std::max(axis.left(), axis.right() - wide));
            // The base stands on the line above where there is room for two.
            const bool two_lines = axis.height() >= 2 * metrics.height();
            if (!ticks.base.isEmpty() && !two_lines && left < free_from) continue;
            painter.drawText(left, axis.bottom() - 6 - metrics.descent(), tick.label);
        } else {
            painter.drawLine(axis.right() - 5, at, axis.right(), at);
            painter.setPen(theme().text);
            if (!ticks.base.isEmpty() && at < axis.top() + 2 * metrics.height()) continue;
            painter.drawText(
                QRect(axis.left(), at - metrics.height() / 2, axis.width() - 8, metrics.height()),
                Qt::AlignRight | Qt::AlignVCenter, tick.label);
        }
    }
}

void TimeCanvas::draw_cursor(QPainter& painter, const QRect& area) const {
    const TimeViewport view = viewport();
    const bool rightwards = direction_ == Direction::rightwards;
    draw_selected_ranges(painter, theme(), state_, view, gestures_.drawn(), area, direction_);
    if (const auto cursor = state_.cursor_ns(); cursor && state_.range().contains(*cursor)) {
        const double at = std::floor(view.x_of(*cursor)) + 0.5;
        painter.setPen(QPen(theme().cursor, 1, Qt::DashLine));
        if (rightwards) {
            painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        } else {
            painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
        }
    }
}

void TimeCanvas::wheelEvent(QWheelEvent* event) {
    const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier));
    const bool scrolled = plain && !TimeGestures::sideways(*event) && wheel_scrolls(event);
    event->setAccepted(scrolled || gestures_.wheel(*event, viewport()));
}

void TimeCanvas::mousePressEvent(QMouseEvent* event) {
    const auto buttons = Qt::LeftButton | Qt::RightButton | Qt::MiddleButton;
    if (!buttons.testFlag(event->button())) return event->ignore();
    gestures_.press(*event);
}

void TimeCanvas::mouseMoveEvent(QMouseEvent* event) {
    const TimeViewport view = viewport();
    switch (gestures_.move(*event, view)) {
        case TimeGestures::Outcome::hover: {
            const double at = gestures_.along(event->position());
            const bool inside = at >= view.origin && at < view.origin + view.length;
            state_.set_cursor(inside ? std::optional(view.time_at(at)) : std::nullopt);
            on_hover(event->pos());
            break;
        }
        case TimeGestures::Outcome::began:
            setCursor(gestures_.panning() ? Qt::ClosedHandCursor : Qt::CrossCursor);
            on_hover(std::nullopt);
            [[fallthrough]];
        case TimeGestures::Outcome::goes_on:
            if (!gestures_.panning()) update();
            break;
        default:
            break;
    }
}

void TimeCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const bool drawing = gestures_.drawn().has_value();
    const auto outcome = gestures_.release(*event);
    unsetCursor();
    if (outcome == TimeGestures::Outcome::click) on_click(event->pos(), event->modifiers());
    if (drawing) update();
}

void TimeCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) on_double_click(event->pos());
}

void TimeCanvas::leaveEvent(QEvent*) {
    state_.set_cursor(std::nullopt);
    on_hover(std::nullopt);
}

void TimeCanvas::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && gestures_.cancel()) {
        unsetCursor();
        update();
        return;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace sanscope
