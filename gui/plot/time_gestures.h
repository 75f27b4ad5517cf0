// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <Qt>
#include <optional>

#include "gui/document/view_state.h"
#include "gui/plot/time_viewport.h"
#include "gui/plot/wheel_steps.h"

class QMouseEvent;
class QWheelEvent;

namespace sanscope {

enum class TimeDirection : uint8_t { rightwards, downwards };

// The movements through time with mouse and wheel that are alike wherever it is drawn: wheel: zoom about the
// pointer (Shift, or sideways: pan); drag: pan; Shift + drag: select a range; right button + drag: zoom into it. The viewport is
// that of the moment of the event.
class TimeGestures {
  public:
    explicit TimeGestures(ViewState& state, TimeDirection direction = TimeDirection::rightwards)
        : state_(state), direction_(direction) {}

    // Where a point of the widget is in the direction of time.
    double along(QPointF point) const {
        return direction_ == TimeDirection::rightwards ? point.x() : point.y();
    }
    // Turned sideways more than up or down.
    static bool sideways(const QWheelEvent& event);

    // False where it does nothing.
    bool wheel(const QWheelEvent& event, const TimeViewport& viewport);
    void press(const QMouseEvent& event);

    enum class Outcome : uint8_t { hover, pending, began, goes_on, click, none };
    // hover: no button is down; pending: not far enough to be a drag; began: it is one from now on.
    Outcome move(const QMouseEvent& event, const TimeViewport& viewport);
    // click: the left button went up where it went down.
    Outcome release(const QMouseEvent& event);
    // Gives up the range being drawn; false where there is none.
    bool cancel();

    // The range being drawn, to be selected or zoomed into.
    std::optional<TimeRange> drawn() const { return drawn_; }
    bool panning() const { return gesture_ == Gesture::pan; }

  private:
    enum class Gesture : uint8_t { none, pressed, pan, select, zoom };

    ViewState& state_;
    TimeDirection direction_;
    Gesture gesture_ = Gesture::none;
    QPoint pressed_at_;
    Qt::MouseButton pressed_button_ = Qt::NoButton;
    TimeRange pressed_range_;
    bool moved_ = false;
    std::optional<TimeRange> drawn_;
    WheelSteps wheel_steps_;
};

}  // namespace sanscope
