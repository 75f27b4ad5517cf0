// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/live_pace.h"

#include <algorithm>
#include <utility>

namespace sanscope {

LivePace::LivePace(std::function<void()> ask) : ask_(std::move(ask)) {
    timer_.setSingleShot(true);
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { ask_(); });
}

void LivePace::on_growth() {
    if (under_way_) {
        again_ = true;
        return;
    }
    if (timer_.isActive()) return;
    const int64_t rest_ms = std::min(longest_rest_ms, took_ms_);
    const int64_t rested_ms = since_answer_.isValid() ? since_answer_.elapsed() : rest_ms;
    timer_.start(static_cast<int>(std::max<int64_t>(0, rest_ms - rested_ms)));
}

void LivePace::asked() {
    timer_.stop();
    under_way_ = true;
    again_ = false;
    since_question_.start();
}

void LivePace::answered() {
    under_way_ = false;
    took_ms_ = since_question_.isValid() ? since_question_.elapsed() : 0;
    since_answer_.start();
    if (std::exchange(again_, false)) on_growth();
}

}  // namespace sanscope
