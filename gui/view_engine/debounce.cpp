// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/debounce.h"

#include <utility>

namespace sanscope {

Debounce::Debounce(int rest_ms, std::function<void()> ask, int loading_rest_ms)
    : rest_ms_(rest_ms), loading_rest_ms_(loading_rest_ms), ask_(std::move(ask)) {
    timer_.setSingleShot(true);
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { ask_(); });
}

void Debounce::look(bool loading, bool asked) {
    if (loading) {
        if (!timer_.isActive()) timer_.start(loading_rest_ms_);
        return;
    }
    if (asked) return timer_.stop();
    const bool at_rest = !since_movement_.isValid() || since_movement_.elapsed() > rest_ms_;
    since_movement_.start();
    if (at_rest) return ask_();
    timer_.start(rest_ms_);
}

}  // namespace sanscope
