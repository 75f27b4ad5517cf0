// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "gui/document/view_state.h"
#include "gui/plot/theme.h"
#include "gui/plot/time_gestures.h"
#include "gui/plot/time_viewport.h"

namespace sanscope {

// A widget drawn along the common time range, with the movements of TimeGestures; Ctrl+wheel zooms also where the wheel
// scrolls. The moment under the pointer is told to all views.
class TimeCanvas : public QWidget {
    Q_OBJECT

  public:
    using Direction = TimeDirection;

    TimeCanvas(ViewState& state, Direction direction, QWidget* parent);

    // Where time runs: the widget's rectangle without the margins that hold labels.
    TimeViewport viewport() const;
    const Theme& theme() const { return Theme::of(palette()); }
    ViewState& state() const { return state_; }

  protected:
    // Pixels kept free along the direction of time: left and right, or above and below.
    void set_margins(int before, int behind);
    // To be drawn last: the selected range, the one being drawn, the line of the moment under the pointer.
    void draw_cursor(QPainter& painter, const QRect& area) const;
    // The time axis along the top (or the left) edge of `area`, with its grid lines through `area`.
    void draw_time_grid(QPainter& painter, const QRect& area) const;
    void draw_time_axis(QPainter& painter, const QRect& axis, int64_t capture_begin_ns) const;

    // A plain wheel over this: whether it scrolls something else than time. Default: no.
    virtual bool wheel_scrolls(QWheelEvent*) { return false; }
    virtual void on_click(QPoint, Qt::KeyboardModifiers) {}
    virtual void on_double_click(QPoint) {}
    virtual void on_hover(std::optional<QPoint>) {}

    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    ViewState& state_;
    Direction direction_;
    int before_ = 0;
    int behind_ = 0;
    TimeGestures gestures_;
};

}  // namespace sanscope
