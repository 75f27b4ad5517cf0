// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QPoint>
#include <Qt>
#include <optional>

#include "gui/document/view_state.h"
#include "gui/plot/time_viewport.h"

class QMouseEvent;
class QWheelEvent;

namespace sanscope {

// The movements through time with mouse and wheel, as TimeCanvas has them, for widgets that are none: wheel: zoom about the
// pointer (Shift, or sideways: pan); drag: pan; Shift or right button + drag: mark a stretch and zoom into it. The viewport is
// that of the moment of the event, rightwards.
class TimeGestures {
  public:
    explicit TimeGestures(ViewState& state) : state_(state) {}

    // False where it does nothing.
    bool wheel(const QWheelEvent& event, const TimeViewport& viewport);
    void press(const QMouseEvent& event);

    enum class Outcome : uint8_t { hover, pending, began, goes_on, click, none };
    // hover: no button is down; pending: not far enough to be a drag; began: it is one from now on.
    Outcome move(const QMouseEvent& event, const TimeViewport& viewport);
    // click: the left button went up where it went down.
    Outcome release(const QMouseEvent& event);
    // Gives up a marked stretch; false where there is none.
    bool cancel();

    std::optional<TimeRange> marked() const { return marked_; }
    bool panning() const { return gesture_ == Gesture::pan; }

  private:
    enum class Gesture : uint8_t { none, pressed, pan, mark };

    ViewState& state_;
    Gesture gesture_ = Gesture::none;
    QPoint pressed_at_;
    Qt::MouseButton pressed_button_ = Qt::NoButton;
    TimeRange pressed_range_;
    bool moved_ = false;
    std::optional<TimeRange> marked_;
    QElapsedTimer since_wheel_;
};

}  // namespace sanscope
