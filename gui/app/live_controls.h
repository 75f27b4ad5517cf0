// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gui/document/document.h"
#include "gui/recording/live_recording.h"
#include "gui/recording/unsaved_recordings.h"

class QAction;
class QMenu;
class QWidget;

namespace sanscope {

class CaptureWindow;

// The menu by which recordings are begun, stopped and followed, and what becomes of their files.
class LiveControls : public QObject {
    Q_OBJECT

  public:
    struct Window {
        QWidget* parent = nullptr;
        std::function<CaptureWindow*()> current;
        // Shows a document in a tab of its own, in front.
        std::function<CaptureWindow*(std::unique_ptr<Document> document)> show;
        std::function<void(CaptureWindow&)> renamed;  // its file has another name
        std::function<void(const QString& path)> open;
        std::function<void(CaptureWindow&)> close;  // as its user would
    };

    LiveControls(Window window, QMenu* menu);
    ~LiveControls() override;

    // What became of a start: one of them is called, once. Without `failed`, the user gets a message.
    struct Outcome {
        std::function<void(CaptureWindow&)> begun;
        std::function<void(const QString& why)> failed;
    };

    void ask_to_start();
    // Records, on another host if one is given; a request without a path gets one among the unsaved recordings.
    void start(v1::RecordingRequest request, const std::optional<v1::RemoteHost>& remote = std::nullopt,
               const Outcome& outcome = {});
    // What acts on the capture in front is enabled as that allows.
    void update();
    // Of a recording that has no name yet: asks what is to become of it. Whether the capture may be closed; where it is saved
    // behind the window first, it closes by itself afterwards.
    bool may_close(CaptureWindow& capture);
    // What was to be discarded goes, once its window was closed; or stays, where another one was kept open.
    void closed();
    void kept_open() { to_discard_.clear(); }
    // Opens what earlier windows left behind, if the user wants it.
    void offer_left_behind();
    const UnsavedRecordings& unsaved() const { return unsaved_; }

  private:
    struct Starting {
        std::unique_ptr<LiveRecording> recording;
        Outcome outcome;
    };
    std::vector<Starting>::iterator starting(const LiveRecording* recording);
    void fail(const Outcome& outcome, const QString& why);
    void begun(LiveRecording* recording);
    // Until it has begun, or failed: which may take as long as somebody needs to log in.
    void show_connecting(LiveRecording& recording);
    void show_message(const QString& title, const QString& text);
    void stop_current();
    void restart_current();
    void save_current();
    // Asks where to, then moves it there. Whether it stands there now; onto another file system it is copied behind the window,
    // of what is still recorded after its end, and then it is closed, both if `and_close`.
    bool save(CaptureWindow& capture, bool and_close);
    void copy(CaptureWindow& capture, const QString& to, bool and_close);
    void moved(CaptureWindow& capture, const QString& to);
    void drop(LiveRecording* recording);

    Window window_;
    UnsavedRecordings unsaved_;
    QStringList to_discard_;
    std::vector<Starting> starting_;  // whose files have not begun
    QAction* stop_ = nullptr;
    QAction* restart_ = nullptr;
    QAction* follow_ = nullptr;
    QAction* save_ = nullptr;
};

}  // namespace sanscope
