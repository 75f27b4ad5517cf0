// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace sanscope::testing_gui {

// As long as this lives, recordings are made by replay_recorder, which needs no rights, of a capture that there is already.
class ReplayedRecording {
  public:
    explicit ReplayedRecording(const QString& capture, double seconds = 0.3) {
        qputenv("SANSCOPE_RECORDER", REPLAY_RECORDER);
        qputenv("REPLAY_CAPTURE", capture.toLocal8Bit());
        qputenv("REPLAY_SECONDS", QByteArray::number(seconds));
    }
    ~ReplayedRecording() {
        for (const char* const name : {"SANSCOPE_RECORDER", "REPLAY_CAPTURE", "REPLAY_SECONDS"})
            qunsetenv(name);
    }
    ReplayedRecording(const ReplayedRecording&) = delete;
    ReplayedRecording& operator=(const ReplayedRecording&) = delete;
};

}  // namespace sanscope::testing_gui
