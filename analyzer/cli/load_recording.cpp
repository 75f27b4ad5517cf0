// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/load_recording.h"

#include <chrono>
#include <fmt/core.h>
#include <utility>

#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

using std::chrono::milliseconds;

// The last packets may still be on their way to the recorder.
constexpr milliseconds after_the_load{300};
constexpr milliseconds step{50};

}  // namespace

Result<std::unique_ptr<LoadRecording>> LoadRecording::begin(const v1::RecordingRequest& request,
                                                            ShowMessage show_message) {
    std::unique_ptr<LoadRecording> one(new LoadRecording(std::move(show_message)));
    auto recording = Recording::start(request, {});
    if (!recording) return recording.error();
    one->recording_ = std::move(*recording);
    while (!one->begun_ && !one->ended_) {
        one->recording_->poll(step, [&](const v1::RecordingEvent& event) { one->take(event); });
        if (InterruptHandler::interrupted) return Error{"interrupted"};
    }
    if (one->begun_) return one;
    return Error{one->fault_.empty() ? "the recording did not begin" : one->fault_};
}

void LoadRecording::take(const v1::RecordingEvent& event) {
    report_.take(event);
    if (event.has_started()) {
        begun_ = true;
    } else if (event.has_trouble()) {
        if (begun_) {
            show_message_(event.trouble().message());
        } else if (fault_.empty()) {
            fault_ = event.trouble().message();
        }
    } else if (event.has_ended()) {
        ended_ = true;
        const v1::RecordingTotals& totals = event.ended().totals();
        uint64_t lost = totals.lost_at_the_end();
        for (const auto& interface : totals.interfaces())
            lost += interface.dropped_by_kernel() + interface.dropped_by_interface();
        whole_ = lost == 0;
        if (lost > 0) {
            show_message_(
                fmt::format("{} of the recording {} dropped: fewer bytes of each (--snapshot-length) "
                            "or a larger --buffer-size may save them",
                            counted_exactly(lost, "packet"), lost == 1 ? "was" : "were"));
        }
    }
}

void LoadRecording::follow() {
    if (!ended_) recording_->poll(milliseconds(0), [&](const v1::RecordingEvent& event) { take(event); });
}

std::string LoadRecording::end() {
    const auto until = std::chrono::steady_clock::now() + after_the_load;
    while (!ended_ && std::chrono::steady_clock::now() < until)
        recording_->poll(step, [&](const v1::RecordingEvent& event) { take(event); });
    if (!ended_) recording_->stop();
    while (!ended_) recording_->poll(step, [&](const v1::RecordingEvent& event) { take(event); });
    return report_.finish();
}

}  // namespace sanscope
