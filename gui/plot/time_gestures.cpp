// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_gestures.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace sanscope {

bool TimeGestures::sideways(const QWheelEvent& event) {
    return std::abs(event.angleDelta().x()) > std::abs(event.angleDelta().y());
}

bool TimeGestures::wheel(const QWheelEvent& event, const TimeViewport& viewport) {
    const QPoint delta = event.angleDelta();
    const bool pans = sideways(event);
    const double clicks = (pans ? delta.x() : delta.y()) / 120.0;
    if (clicks == 0) return false;
    const ViewState::Step step = wheel_steps_.next();
    const bool control = event.modifiers().testFlag(Qt::ControlModifier);
    if (event.modifiers().testFlag(Qt::ShiftModifier) || (pans && !control)) {
        state_.pan(-clicks * wheel_pan, step);
    } else {
        state_.zoom(std::pow(wheel_zoom, clicks), viewport.time_at(along(event.position())), step);
    }
    return true;
}

void TimeGestures::press(const QMouseEvent& event) {
    gesture_ = Gesture::pressed;
    pressed_at_ = event.pos();
    pressed_button_ = event.button();
    pressed_range_ = state_.range();
    moved_ = false;
}

TimeGestures::Outcome TimeGestures::move(const QMouseEvent& event, const TimeViewport& viewport) {
    if (gesture_ == Gesture::none) return Outcome::hover;
    Outcome outcome = Outcome::goes_on;
    if (gesture_ == Gesture::pressed) {
        if ((event.pos() - pressed_at_).manhattanLength() < QApplication::startDragDistance() / 2) {
            return Outcome::pending;
        }
        const bool select = event.modifiers().testFlag(Qt::ShiftModifier);
        gesture_ = pressed_button_ == Qt::RightButton ? Gesture::zoom
                   : select                           ? Gesture::select
                                                      : Gesture::pan;
        outcome = Outcome::began;
    }
    const double from = along(pressed_at_);
    const double at = along(event.position());
    if (gesture_ != Gesture::pan) {
        const double end = viewport.origin + viewport.length;
        const int64_t a = viewport.time_at(std::clamp(from, viewport.origin, end));
        const int64_t b = viewport.time_at(std::clamp(at, viewport.origin, end));
        drawn_ = TimeRange{std::min(a, b), std::max(a, b)};
    } else {
        const auto by = static_cast<int64_t>((from - at) * viewport.ns_per_pixel());
        state_.set_range({pressed_range_.begin_ns + by, pressed_range_.end_ns + by},
                         std::exchange(moved_, true) ? ViewState::Step::continued : ViewState::Step::fresh);
    }
    return outcome;
}

TimeGestures::Outcome TimeGestures::release(const QMouseEvent& event) {
    const Gesture ended = std::exchange(gesture_, Gesture::none);
    if (ended == Gesture::pressed && event.button() == Qt::LeftButton) return Outcome::click;
    const TimeRange drawn = std::exchange(drawn_, std::nullopt).value_or(TimeRange());
    if (drawn.empty()) return Outcome::none;
    if (ended == Gesture::zoom) state_.set_range(drawn);
    if (ended == Gesture::select) state_.set_selected_range(drawn);
    return Outcome::none;
}

bool TimeGestures::cancel() {
    if (gesture_ != Gesture::select && gesture_ != Gesture::zoom) return false;
    gesture_ = Gesture::none;
    drawn_.reset();
    return true;
}

}  // namespace sanscope
