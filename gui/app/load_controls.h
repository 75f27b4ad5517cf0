// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>

#include "gui/generating/generate_dialog.h"
#include "gui/generating/load_process.h"

class QAction;
class QDockWidget;
class QMainWindow;
class QMenu;

namespace sanscope {

class CaptureWindow;
class LiveControls;
class LoadPanel;

// The menu by which loads are put on targets and stopped, the panel that shows what they do, and the recording of each: it
// begins before its load does and ends shortly after, in a tab of its own. One load at a time, which ends with the window.
class LoadControls : public QObject {
    Q_OBJECT

  public:
    LoadControls(QMainWindow& window, LiveControls& live, QMenu* menu);

    void ask_to_start();
    // Only while no load is under way.
    void start(const LoadRun& run);
    // Asks whether to, while a load runs. Whether the window may be closed at once; where the load is to be stopped first, it
    // closes by itself afterwards.
    bool may_close();
    bool under_way() const { return stage_ != Stage::none; }
    LoadPanel& panel() const { return *panel_; }
    const LoadProcess& load() const { return load_; }

  private:
    enum class Stage : uint8_t { none, recording, asking, load };

    void record();
    void recorded(CaptureWindow& capture);
    void not_recorded(const QString& why);
    void put_load();
    void stop();
    void again();
    void ended(const LoadEnd& end);
    void focus_on_load();
    void update();

    QMainWindow& window_;
    LiveControls& live_;
    LoadProcess load_;
    LoadPanel* panel_;
    QDockWidget* dock_;
    QAction* start_ = nullptr;
    QAction* stop_ = nullptr;
    LoadRun run_;
    Stage stage_ = Stage::none;
    uint64_t runs_ = 0;      // begun until now; a recording of an earlier one is of no use to the next
    bool given_up_ = false;  // before the recording began
    bool close_afterwards_ = false;
    QPointer<CaptureWindow> capture_;
    bool focused_ = false;  // on the load's connection, in the capture
};

}  // namespace sanscope
