// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProgressDialog>
#include <QTimer>
#include <functional>
#include <memory>
#include <type_traits>

#include "gui/document/latest_job.h"
#include "gui/document/writings.h"

#include "analyzer/base/result.h"
#include "analyzer/export/export_control.h"

namespace sanscope {

// Writes something behind the window, with its progress and a button to cancel in a dialog. `write` gets the control to
// watch; `done` its outcome on the GUI thread, but not once `parent` is gone. Nothing waits; what would end it with `parent` can ask
// `writings`, which must outlive it.
template <class Outcome>
class ExportTask : public QObject {
  public:
    using Write = std::function<Result<Outcome>(const ExportControl& control)>;
    using Done = std::function<void(const Result<Outcome>& outcome)>;

    static void start(QWidget* parent, Writings& writings, const QString& path, const QString& title,
                      Write write, Done done) {
        new ExportTask(parent, writings, path, title, std::move(write), std::move(done));
    }

  private:
    struct Figures {
        StopFlag stop = false;
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    ExportTask(QWidget* parent, Writings& writings, const QString& path, const QString& title, Write write,
               Done done)
        : QObject(parent), figures_(std::make_shared<Figures>()), dialog_(title, tr("Cancel"), 0, 0, parent) {
        dialog_.setWindowModality(Qt::WindowModal);
        dialog_.setMinimumDuration(300);
        dialog_.setAutoReset(false);
        connect(&dialog_, &QProgressDialog::canceled, this, [figures = figures_] { figures->stop = true; });
        connect(&timer_, &QTimer::timeout, this, [this] { show_progress(); });
        constexpr int between_looks_ms = 50;
        timer_.start(between_looks_ms);
        writings.begin(path);
        job_.request(
            [figures = figures_, write = std::move(write)](const StopFlag&) {
                ExportControl control;
                control.stop = &figures->stop;
                control.progress = [&](uint64_t part, uint64_t whole) {
                    figures->done = part;
                    figures->total = whole;
                };
                return std::make_shared<Result<Outcome>>(write(control));
            },
            [this, &writings, path, done = std::move(done)](const std::shared_ptr<Result<Outcome>>& outcome) {
                timer_.stop();
                dialog_.hide();
                done(*outcome);
                writings.end(path, is_written(*outcome));
                deleteLater();
            });
    }
    ~ExportTask() override { figures_->stop = true; }

    static bool is_written(const Result<Outcome>& outcome) {
        if (!outcome) return false;
        if constexpr (requires { outcome->stopped; }) return !outcome->stopped;
        if constexpr (std::is_same_v<Outcome, bool>) return *outcome;
        return true;
    }

    void show_progress() {
        const uint64_t total = figures_->total;
        constexpr int steps = 1000;
        if (total == 0) return;
        dialog_.setMaximum(steps);
        dialog_.setValue(static_cast<int>(std::min<uint64_t>(figures_->done * steps / total, steps)));
    }

    std::shared_ptr<Figures> figures_;
    QProgressDialog dialog_;
    QTimer timer_;
    LatestJob<std::shared_ptr<Result<Outcome>>> job_;
};

}  // namespace sanscope
