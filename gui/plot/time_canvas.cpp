// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_canvas.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr double wheel_zoom = 1.25;   // a click of the wheel
constexpr double wheel_pan = 0.1;     // of the span
constexpr int one_movement_ms = 400;  // wheel clicks closer than this are one step of the history

}  // namespace

TimeCanvas::TimeCanvas(ViewState& state, Direction direction, QWidget* parent)
    : QWidget(parent), state_(state), direction_(direction) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAutoFillBackground(false);
    setAttribute(Qt::WA_OpaquePaintEvent);
    const auto repaint = [this] { update(); };
    connect(&state_, &ViewState::range_changed, this, repaint);
    connect(&state_, &ViewState::cursor_changed, this, repaint);
    connect(&state_, &ViewState::time_format_changed, this, repaint);
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
                                       direction_ == Direction::rightwards ? 110 : 46);
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
        time_ticks(viewport(), capture_begin_ns, state_.time_format(), rightwards ? 110 : 46);
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
    if (marked_) {
        const double begin = view.x_of(marked_->begin_ns);
        const double end = view.x_of(marked_->end_ns);
        const QRectF stretch = rightwards ? QRectF(begin, area.top(), end - begin, area.height())
                                          : QRectF(area.left(), begin, area.width(), end - begin);
        QColor fill = theme().selection_fill;
        painter.fillRect(stretch, fill);
        painter.setPen(theme().text);
        painter.drawText(stretch, Qt::AlignCenter | Qt::TextDontClip, short_duration(marked_->span_ns()));
    }
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

ViewState::Step TimeCanvas::next_step() {
    const bool fresh = !since_wheel_.isValid() || since_wheel_.elapsed() > one_movement_ms;
    since_wheel_.start();
    return fresh ? ViewState::Step::fresh : ViewState::Step::continued;
}

void TimeCanvas::wheelEvent(QWheelEvent* event) {
    const Qt::KeyboardModifiers keys = event->modifiers();
    const QPoint delta = event->angleDelta();
    // A wheel of two axes, or with Shift, pans.
    const bool sideways = std::abs(delta.x()) > std::abs(delta.y());
    if (!(keys & (Qt::ControlModifier | Qt::ShiftModifier)) && !sideways && wheel_scrolls(event)) {
        event->accept();
        return;
    }
    const double clicks = (sideways ? delta.x() : delta.y()) / 120.0;
    if (clicks == 0) return event->ignore();
    if ((keys & Qt::ShiftModifier) || (sideways && !(keys & Qt::ControlModifier))) {
        state_.pan(-clicks * wheel_pan, next_step());
    } else {
        state_.zoom(std::pow(wheel_zoom, clicks), viewport().time_at(along(event->position())), next_step());
    }
    event->accept();
}

void TimeCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::RightButton &&
        event->button() != Qt::MiddleButton) {
        return event->ignore();
    }
    gesture_ = Gesture::pressed;
    pressed_at_ = event->pos();
    pressed_button_ = event->button();
    pressed_range_ = state_.range();
    moved_ = false;
    if (event->button() == Qt::LeftButton && !(event->modifiers() & Qt::ShiftModifier) &&
        takes_drag(event->pos())) {
        gesture_ = Gesture::own;
        on_drag_begin(event->pos());
    }
}

void TimeCanvas::mouseMoveEvent(QMouseEvent* event) {
    const TimeViewport view = viewport();
    const double at = along(event->position());
    if (gesture_ == Gesture::none) {
        const bool inside = at >= view.origin && at < view.origin + view.length;
        state_.set_cursor(inside ? std::optional(view.time_at(at)) : std::nullopt);
        on_hover(event->pos());
        return;
    }
    if (gesture_ == Gesture::own) return on_drag_move(event->pos());
    if (gesture_ == Gesture::pressed) {
        if ((event->pos() - pressed_at_).manhattanLength() < QApplication::startDragDistance() / 2) return;
        const bool mark = pressed_button_ == Qt::RightButton || (event->modifiers() & Qt::ShiftModifier);
        gesture_ = mark ? Gesture::mark : Gesture::pan;
        setCursor(mark ? Qt::CrossCursor : Qt::ClosedHandCursor);
        on_hover(std::nullopt);
    }
    const double from = along(pressed_at_);
    if (gesture_ == Gesture::mark) {
        const int64_t a = view.time_at(std::clamp(from, view.origin, view.origin + view.length));
        const int64_t b = view.time_at(std::clamp(at, view.origin, view.origin + view.length));
        marked_ = TimeRange{std::min(a, b), std::max(a, b)};
        update();
    } else {
        const auto by = static_cast<int64_t>((from - at) * view.ns_per_pixel());
        state_.set_range({pressed_range_.begin_ns + by, pressed_range_.end_ns + by},
                         std::exchange(moved_, true) ? ViewState::Step::continued : ViewState::Step::fresh);
    }
}

void TimeCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const Gesture ended = std::exchange(gesture_, Gesture::none);
    unsetCursor();
    if (ended == Gesture::own) return on_drag_end(event->pos());
    if (ended == Gesture::pressed && event->button() == Qt::LeftButton)
        on_click(event->pos(), event->modifiers());
    if (ended == Gesture::mark && marked_) {
        const TimeRange range = *std::exchange(marked_, std::nullopt);
        if (!range.empty()) state_.set_range(range);
        update();
    }
}

void TimeCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) on_double_click(event->pos());
}

void TimeCanvas::leaveEvent(QEvent*) {
    state_.set_cursor(std::nullopt);
    on_hover(std::nullopt);
}

void TimeCanvas::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && gesture_ == Gesture::mark) {
        gesture_ = Gesture::none;
        marked_.reset();
        unsetCursor();
        update();
        return;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace sanscope
