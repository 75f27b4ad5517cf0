// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/experiment_controls.h"

#include <QMainWindow>
#include <QMenu>
#include <QMessageBox>
#include <utility>

#include "gui/experimenting/experiment_window.h"

namespace sanscope {

ExperimentControls::ExperimentControls(QMainWindow& window, QMenu* menu,
                                       std::function<void(const QString& path)> open_capture, bool may_run)
    : QObject(&window), window_(window), open_capture_(std::move(open_capture)), may_run_(may_run) {
    menu->addSeparator();
    menu->addAction(tr("&Experiment…"), this, &ExperimentControls::show);
}

void ExperimentControls::show() {
    if (experiments_ == nullptr) {
        experiments_ = new ExperimentWindow(&window_, may_run_);
        connect(experiments_, &ExperimentWindow::capture_wanted, this, [this](const QString& path) {
            open_capture_(path);
            window_.raise();
            window_.activateWindow();
        });
        // Once it has shown how it ended.
        connect(experiments_, &ExperimentWindow::ended, this, &ExperimentControls::ended,
                Qt::QueuedConnection);
    }
    experiments_->show();
    experiments_->raise();
    experiments_->activateWindow();
}

bool ExperimentControls::under_way() const {
    return experiments_ != nullptr && experiments_->under_way();
}

void ExperimentControls::ended() {
    if (!under_way() && std::exchange(close_afterwards_, false)) window_.close();
}

bool ExperimentControls::may_close() {
    if (!under_way()) return true;
    if (close_afterwards_) return false;
    const auto answer = QMessageBox::question(
        &window_, tr("An experiment is under way"),
        tr("End the experiment, and close the window then? The run that is under way is "
           "lost; those that are done are kept."),
        QMessageBox::Yes | QMessageBox::Cancel, QMessageBox::Cancel);
    if (answer != QMessageBox::Yes) return false;
    if (!under_way()) return true;
    close_afterwards_ = true;
    experiments_->stop();
    return false;
}

}  // namespace sanscope
