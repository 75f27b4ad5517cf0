// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/prepared_view.h"

#include <QLoggingCategory>
#include <algorithm>
#include <chrono>

namespace sanscope {
namespace {

// QT_LOGGING_RULES="sanscope.pictures=true": how long after a packet was recorded a picture may show it.
Q_LOGGING_CATEGORY(pictures_log, "sanscope.pictures", QtWarningMsg)

double milliseconds_since(int64_t time_ns) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<double>(std::chrono::nanoseconds(now).count() - time_ns) / 1e6;
}

}  // namespace

PreparedViewBase::PreparedViewBase(Document& document, QWidget* parent) : View(document, parent) {
    rest_.setSingleShot(true);
    connect(&rest_, &QTimer::timeout, this, &PreparedViewBase::refresh);
    connect(&document, &Document::grown, this, [this] { on_growth(); });
    connect(&document, &Document::loaded, this, [this] {
        on_loaded();
        on_growth();
    });
    connect(&state(), &ViewState::filter_changed, this, &PreparedViewBase::renew);
    connect(&state(), &ViewState::range_changed, this, &PreparedViewBase::refresh);
}

bool PreparedViewBase::settled() const {
    if (went_out_of_sight()) return !preparing();
    return !preparing() && !rest_.isActive() && (!wants_picture() || (!stale_ && serves()));
}

// While the capture is loaded there is always something new: no more than a fifth of the time goes into drawing it up. A
// recording brings less of it, and is to be seen as it comes.
int64_t PreparedViewBase::rest_ms() const {
    constexpr int64_t most_live_ms = 25;
    constexpr int64_t most_loading_ms = 2000;
    if (!document().loading()) return 0;
    return document().live() ? std::min(most_live_ms, took_ms_) : std::min(most_loading_ms, 4 * took_ms_);
}

void PreparedViewBase::prepare_unless_resting() {
    const bool in_sight = serves();
    if (!stale_ && in_sight) return;
    const int64_t rested_ms = since_picture_.isValid() ? since_picture_.elapsed() : rest_ms();
    // What is not in sight at all is not to be waited for.
    if (in_sight && rested_ms < rest_ms()) {
        if (!rest_.isActive()) rest_.start(static_cast<int>(rest_ms() - rested_ms));
        return;
    }
    rest_.stop();
    stale_ = false;
    start_preparing();
}

void PreparedViewBase::refresh() {
    if (went_out_of_sight()) return rest_.stop();
    if (wants_picture() && ready()) prepare_unless_resting();
    redraw();
}

void PreparedViewBase::renew() {
    stale_ = true;
    refresh();
}

void PreparedViewBase::on_picture_taken(int64_t took_ms, int64_t newest_ns) {
    took_ms_ = took_ms;
    if (document().live() && newest_ns > 0) {
        qCDebug(pictures_log, "%s: %.1f ms after the last packet", metaObject()->className(),
                milliseconds_since(newest_ns));
    }
    since_picture_.start();
    // The one that is under way was asked for later, and is of what is in sight by now.
    if (preparing()) return redraw();
    refresh();
}

}  // namespace sanscope
