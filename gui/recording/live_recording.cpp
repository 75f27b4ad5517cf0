// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/live_recording.h"

#include <QFile>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "gui/recording/whole_blocks.h"

namespace sanscope {

std::unique_ptr<LiveRecording> LiveRecording::start(const v1::RecordingRequest& request, QString& error,
                                                    const std::optional<v1::RemoteHost>& remote) {
    auto recording = Recording::start(request, {.program = {}, .remote = remote});
    if (!recording) {
        error = QString::fromStdString(recording.error().message);
        return nullptr;
    }
    return std::unique_ptr<LiveRecording>(new LiveRecording(request, remote, std::move(*recording)));
}

LiveRecording::LiveRecording(const v1::RecordingRequest& request, const std::optional<v1::RemoteHost>& remote,
                             std::unique_ptr<Recording> recording)
    : request_(request),
      remote_(remote),
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
        file_ = FileDescriptor(::open(event.file_begun().path().c_str(), O_RDWR | O_CLOEXEC));
        grow_to(readable_bytes_);  // which may have been known before
    } else if (event.has_progress()) {
        totals_ = event.progress().totals();
        grow_to(event.progress().readable_bytes());
        Q_EMIT changed();
    } else if (event.has_file_ended()) {
        grow_to(event.file_ended().bytes());
    } else if (event.has_trouble()) {
        last_trouble_ = QString::fromStdString(event.trouble().message());
        Q_EMIT trouble(last_trouble_, event.trouble().fatal());
    } else if (event.has_ended()) {
        if (event.ended().has_totals()) totals_ = event.ended().totals();
        if (event.ended().why() == v1::RecordingEnded::RECORDER_DIED) keep_what_is_whole();
        Q_EMIT changed();
    }
}

// A recorder that died wrote more than it reported, mostly with half a packet at the end, which would be damage to whoever reads
// the file later.
void LiveRecording::keep_what_is_whole() {
    if (file_.get() < 0 || readable_bytes_ == 0) return;
    const uint64_t end = end_of_whole_blocks(file_.get(), readable_bytes_);
    if (::ftruncate(file_.get(), static_cast<off_t>(end)) == 0) grow_to(end);
}

void LiveRecording::grow_to(uint64_t bytes) {
    if (bytes == 0) return;
    readable_bytes_ = bytes;
    growth_->grown_to(bytes);
    if (path_.isEmpty() || std::exchange(is_readable_, true)) return;
    Q_EMIT readable();
}

}  // namespace sanscope
