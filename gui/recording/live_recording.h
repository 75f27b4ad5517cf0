// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <QString>
#include <memory>
#include <optional>
#include <sys/types.h>

#include "captures/recorder/recording.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/ingest/growing_file.h"

namespace sanscope {

// A recording as the window has it: sanscope-recorder works in its own process, its events arrive on the GUI thread. The
// recording ends with this. GUI thread only.
class LiveRecording : public QObject {
    Q_OBJECT

  public:
    // nullptr and `error` where the recorder cannot be started; what it says itself comes as trouble(). `remote`: the host
    // that records; nothing: this one.
    static std::unique_ptr<LiveRecording> start(const v1::RecordingRequest& request, QString& error,
                                                const std::optional<v1::RemoteHost>& remote = std::nullopt);

    // What is recorded by then is written; the signal ended() says when.
    void stop();
    bool running() const { return recording_->state() != Recording::State::ended; }

    const v1::RecordingRequest& request() const { return request_; }
    const std::optional<v1::RemoteHost>& remote() const { return remote_; }
    // Of the file, and how far it may be read; known from readable() on.
    const QString& path() const { return path_; }
    const std::shared_ptr<FileGrowth>& growth() const { return growth_; }
    const v1::RecordingTotals& totals() const { return totals_; }
    // What went wrong last; empty where nothing did.
    const QString& last_trouble() const { return last_trouble_; }
    // The recorder's; 0 once it has ended.
    pid_t process() const { return recording_->process(); }
    // Packets that did not make it into the file, wherever they were lost.
    uint64_t dropped() const;

  Q_SIGNALS:
    void readable();  // the file has begun; once
    void changed();   // the totals
    void trouble(const QString& message, bool fatal);
    void ended();  // the last one

  private:
    LiveRecording(const v1::RecordingRequest& request, const std::optional<v1::RemoteHost>& remote,
                  std::unique_ptr<Recording> recording);
    void take(const v1::RecordingEvent& event);
    void grow_to(uint64_t bytes);
    void keep_what_is_whole();

    v1::RecordingRequest request_;
    std::optional<v1::RemoteHost> remote_;
    std::unique_ptr<Recording> recording_;
    QSocketNotifier notifier_;
    QString path_;
    FileDescriptor file_;  // the same, whatever it is called by now
    uint64_t readable_bytes_ = 0;
    QString last_trouble_;
    std::shared_ptr<FileGrowth> growth_ = std::make_shared<FileGrowth>();
    bool is_readable_ = false;
    v1::RecordingTotals totals_;
};

}  // namespace sanscope
