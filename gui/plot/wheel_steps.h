// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>

#include "gui/document/view_state.h"

namespace sanscope {

constexpr double wheel_zoom = 1.25;  // a click of the wheel
constexpr double wheel_pan = 0.1;    // of the span

// The history's steps of a wheel that moves through time: clicks that follow each other closely are one
// movement.
class WheelSteps {
  public:
    // To be called for each click.
    ViewState::Step next() {
        constexpr int one_movement_ms = 400;
        const bool fresh = !since_.isValid() || since_.elapsed() > one_movement_ms;
        since_.start();
        return fresh ? ViewState::Step::fresh : ViewState::Step::continued;
    }

  private:
    QElapsedTimer since_;
};

}  // namespace sanscope
