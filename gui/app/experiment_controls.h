// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "gui/experimenting/experiment_choice.h"

class QMainWindow;
class QMenu;

namespace sanscope {

class ExperimentWindow;

// The command by which experiments are come to, and their window, which is made when it is first asked for and stays then. An
// experiment ends with the main window.
class ExperimentControls : public QObject {
    Q_OBJECT

  public:
    // `open_capture`: opens a file in a tab.
    // `may_run`: experiments, in this process's name.
    ExperimentControls(QMainWindow& window, QMenu* menu,
                       std::function<void(const QString& path)> open_capture,
                       bool may_run = may_run_experiments());

    void show();
    // Asks whether to, while an experiment is under way. Whether the main window may be closed at once; where the experiment
    // is to be ended first, it closes by itself afterwards.
    bool may_close();
    // nullptr before it was asked for.
    ExperimentWindow* experiments() const { return experiments_; }

  private:
    bool under_way() const;
    void ended();

    QMainWindow& window_;
    std::function<void(const QString& path)> open_capture_;
    bool may_run_;
    ExperimentWindow* experiments_ = nullptr;
    bool close_afterwards_ = false;
};

}  // namespace sanscope
