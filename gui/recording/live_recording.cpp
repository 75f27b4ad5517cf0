// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/live_recording.h"

#include <QFile>
#include <utility>

namespace sanscope {

std::unique_ptr<LiveRecording> LiveRecording::start(const v1::RecordingRequest& request, QString& error) {
    auto recording = Recording::start(request, {});
    if (!recording) {
        error = QString::fromStdString(recording.error().message);
        return nullptr;
    }
    return std::unique_ptr<LiveRecording>(new LiveRecording(request, std::move(*recording)));
}

LiveRecording::LiveRecording(const v1::RecordingRequest& request, std::unique_ptr<Recording> recording)
    : request_(request),
      recording_(std::move(recording)),
      notifier_(recording_->descriptor(), QSocketNotifier::Read) {
    connect(&notifier_, &QSocketNotifier::activated, this, [this] {
        const auto take_one = [this](const v1::RecordingEvent& event) { take(event); };
        if (recording_->poll(std::chrono::milliseconds(0), take_one)) return;
        notifier_.setEnabled(false);
        growth_->end();
        Q_EMIT ended();
    });
}

void LiveRecording::stop() {
    recording_->stop();
}

uint64_t LiveRecording::dropped() const {
    uint64_t count = totals_.lost_at_the_end();
    for (const auto& interface : totals_.interfaces())
        count += interface.dropped_by_kernel() + interface.dropped_by_interface();
    return count;
}

void LiveRecording::take(const v1::RecordingEvent& event) {
    if (event.has_file_begun()) {
        path_ = QFile::decodeName(QByteArray::fromStdString(event.file_begun().path()));
    } else if (event.has_progress()) {
        totals_ = event.progress().totals();
        grow_to(event.progress().readable_bytes());
        Q_EMIT changed();
    } else if (event.has_file_ended()) {
        grow_to(event.file_ended().bytes());
    } else if (event.has_trouble()) {
        Q_EMIT trouble(QString::fromStdString(event.trouble().message()), event.trouble().fatal());
    } else if (event.has_ended()) {
        if (event.ended().has_totals()) totals_ = event.ended().totals();
        Q_EMIT changed();
    }
}

void LiveRecording::grow_to(uint64_t bytes) {
    if (bytes == 0) return;
    growth_->grown_to(bytes);
    if (std::exchange(is_readable_, true)) return;
    Q_EMIT readable();
}

}  // namespace sanscope
