// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_gestures.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace sanscope {
namespace {

constexpr double wheel_zoom = 1.25;   // a click of the wheel
constexpr double wheel_pan = 0.1;     // of the span
constexpr int one_movement_ms = 400;  // wheel clicks closer than this are one step of the history

}  // namespace

bool TimeGestures::wheel(const QWheelEvent& event, const TimeViewport& viewport) {
    const QPoint delta = event.angleDelta();
    const bool sideways = std::abs(delta.x()) > std::abs(delta.y());
    const double clicks = (sideways ? delta.x() : delta.y()) / 120.0;
    if (clicks == 0) return false;
    const bool fresh = !since_wheel_.isValid() || since_wheel_.elapsed() > one_movement_ms;
    since_wheel_.start();
    const ViewState::Step step = fresh ? ViewState::Step::fresh : ViewState::Step::continued;
    const bool control = event.modifiers().testFlag(Qt::ControlModifier);
    if (event.modifiers().testFlag(Qt::ShiftModifier) || (sideways && !control)) {
        state_.pan(-clicks * wheel_pan, step);
    } else {
        state_.zoom(std::pow(wheel_zoom, clicks), viewport.time_at(event.position().x()), step);
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
        const bool mark = pressed_button_ == Qt::RightButton || event.modifiers().testFlag(Qt::ShiftModifier);
        gesture_ = mark ? Gesture::mark : Gesture::pan;
        outcome = Outcome::began;
    }
    const double from = pressed_at_.x();
    const double at = event.position().x();
    if (gesture_ == Gesture::mark) {
        const double end = viewport.origin + viewport.length;
        const int64_t a = viewport.time_at(std::clamp(from, viewport.origin, end));
        const int64_t b = viewport.time_at(std::clamp(at, viewport.origin, end));
        marked_ = TimeRange{std::min(a, b), std::max(a, b)};
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
    if (ended == Gesture::mark && marked_) {
        const TimeRange range = *std::exchange(marked_, std::nullopt);
        if (!range.empty()) state_.set_range(range);
    }
    return Outcome::none;
}

bool TimeGestures::cancel() {
    if (gesture_ != Gesture::mark) return false;
    gesture_ = Gesture::none;
    marked_.reset();
    return true;
}

}  // namespace sanscope
