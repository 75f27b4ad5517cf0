// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/load_controls.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <utility>

#include "gui/app/capture_window.h"
#include "gui/app/live_controls.h"
#include "gui/generating/load_panel.h"

namespace sanscope {
namespace {

// The last packets, those of the logout among them, may still be on their way to the recorder.
constexpr int after_the_load_ms = 300;
constexpr int dock_height = 270;

v1::RecordingRequest recording_of(const LoadRun& run) {
    v1::RecordingRequest request;
    for (const QString& interface : run.interfaces) request.add_interfaces(interface.toStdString());
    if (run.interfaces.isEmpty()) request.add_interfaces("any");
    request.set_filter(run.filter.toStdString());
    if (run.settings.keep_headers) request.set_keep(v1::RecordingRequest::HEADERS);
    request.set_snap_length(run.settings.keep_headers ? 0 : run.settings.snap_length);
    request.set_kernel_truth(run.settings.kernel_truth);
    return request;
}

}  // namespace

LoadControls::LoadControls(QMainWindow& window, LiveControls& live, QMenu* menu)
    : QObject(&window),
      window_(window),
      live_(live),
      panel_(new LoadPanel(&window)),
      dock_(new QDockWidget(tr("Load"), &window)) {
    dock_->setObjectName(QStringLiteral("load"));
    dock_->setWidget(panel_);
    dock_->setAllowedAreas(Qt::TopDockWidgetArea | Qt::BottomDockWidgetArea);
    window_.addDockWidget(Qt::BottomDockWidgetArea, dock_);
    dock_->hide();
    start_ = menu->addAction(tr("&Generate load…"), this, &LoadControls::ask_to_start);
    start_->setShortcut(QKeySequence(tr("Ctrl+L")));
    stop_ = menu->addAction(tr("&Stop the load"), this, &LoadControls::stop);
    stop_->setShortcut(QKeySequence(tr("Ctrl+Shift+L")));
    menu->addSeparator();
    QAction* const shown = dock_->toggleViewAction();
    shown->setText(tr("Show the load’s &panel"));
    menu->addAction(shown);

    connect(panel_, &LoadPanel::stop_asked, this, &LoadControls::stop);
    connect(panel_, &LoadPanel::again_asked, this, &LoadControls::again);
    connect(&load_, &LoadProcess::begun, panel_, [this] { panel_->show_state(tr("The load runs.")); });
    connect(&load_, &LoadProcess::second, panel_, &LoadPanel::add);
    connect(&load_, &LoadProcess::second, this, &LoadControls::focus_on_load);
    connect(&load_, &LoadProcess::message, panel_, &LoadPanel::show_message);
    connect(&load_, &LoadProcess::stopping, panel_, [this] { panel_->show_stopping(load_.state()); });
    connect(&load_, &LoadProcess::ended, this, &LoadControls::ended);
    update();
}

void LoadControls::update() {
    start_->setEnabled(!under_way());
    stop_->setEnabled(under_way());
}

void LoadControls::ask_to_start() {
    auto* const dialog = new GenerateDialog(&window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { start(dialog->run()); });
    dialog->open();
}

void LoadControls::start(const LoadRun& run) {
    if (under_way()) return;
    run_ = run;
    ++runs_;
    capture_.clear();
    given_up_ = close_afterwards_ = focused_ = false;
    panel_->begin(run.settings);
    if (!dock_->isVisible()) {
        dock_->show();
        window_.resizeDocks({dock_}, {dock_height}, Qt::Vertical);
    }
    if (run.settings.record) {
        record();
    } else {
        put_load();
    }
    update();
}

void LoadControls::record() {
    stage_ = Stage::recording;
    panel_->show_state(tr("The recording begins."));
    const auto waits = [this, number = runs_] { return stage_ == Stage::recording && number == runs_; };
    live_.start(recording_of(run_), std::nullopt,
                {.begun =
                     [this, waits](CaptureWindow& capture) {
                         if (waits()) {
                             recorded(capture);
                         } else {
                             capture.recording()->stop();
                         }
                     },
                 .failed =
                     [this, waits](const QString& why) {
                         if (waits()) not_recorded(why);
                     }});
}

void LoadControls::recorded(CaptureWindow& capture) {
    capture_ = &capture;
    if (!given_up_) return put_load();
    ended({.status = 1, .summary = {}, .why = tr("Stopped before the load began.")});
}

void LoadControls::not_recorded(const QString& why) {
    stage_ = Stage::asking;
    if (given_up_) return ended({.status = 1, .summary = {}, .why = tr("Stopped before the load began.")});
    panel_->show_state(tr("The recording did not begin."));
    auto* const box = new QMessageBox(QMessageBox::Warning, tr("Not recorded"),
                                      tr("%1\n\nThe load can be put on without a recording.").arg(why),
                                      QMessageBox::Cancel, &window_);
    box->setTextFormat(Qt::PlainText);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->addButton(tr("&Load without recording"), QMessageBox::AcceptRole);
    connect(box, &QDialog::finished, this, [this, box] {
        if (stage_ != Stage::asking) return;
        if (box->buttonRole(box->clickedButton()) == QMessageBox::AcceptRole) return put_load();
        ended({.status = 1, .summary = {}, .why = tr("No load was put on: the recording did not begin.")});
    });
    box->open();
}

void LoadControls::put_load() {
    stage_ = Stage::load;
    panel_->show_state(tr("The load begins."));
    load_.start(run_.settings, run_.secrets);
}

void LoadControls::stop() {
    switch (stage_) {
        case Stage::none:
            break;
        case Stage::recording:
            if (given_up_)
                return ended({.status = 1, .summary = {}, .why = tr("Stopped before the load began.")});
            given_up_ = true;
            panel_->show_state(tr("Stopping, once the recording has begun."));
            break;
        case Stage::asking:
            ended({.status = 1, .summary = {}, .why = tr("Stopped before the load began.")});
            break;
        case Stage::load:
            load_.stop();
            break;
    }
}

// The first connection of a recorded load is the one by which its LUNs were asked about themselves; views of one connection are
// to show that of the load, unless their user has looked at another one meanwhile.
void LoadControls::focus_on_load() {
    if (focused_ || capture_ == nullptr) return;
    ViewState& state = capture_->state();
    uint32_t busiest = 0;
    bool target_sends = false;
    if (const auto reading = capture_->document().data()->try_read()) {
        const auto& rows = reading->store().connections();
        uint64_t most = 0;
        for (uint32_t i = 0; i < rows.size(); ++i) {
            const uint64_t bytes = rows[i].bytes_in + rows[i].bytes_out;
            if (!rows[i].iscsi || bytes <= most) continue;
            most = bytes;
            busiest = i + 1;
            target_sends = rows[i].bytes_in > rows[i].bytes_out;
        }
    }
    if (busiest <= 1) return;
    focused_ = true;
    if (state.connection() <= 1) state.set_connection(busiest, target_sends);
}

// What may be written to is not said again by a press of a button.
void LoadControls::again() {
    if (under_way()) return;
    if (run_.settings.writes()) {
        ask_to_start();
    } else {
        start(LoadRun(run_));
    }
}

void LoadControls::ended(const LoadEnd& end) {
    stage_ = Stage::none;
    panel_->show_end(end);
    update();
    QTimer::singleShot(after_the_load_ms, this, [this, capture = std::exchange(capture_, {})] {
        if (capture != nullptr && capture->recording() != nullptr) capture->recording()->stop();
        if (!under_way() && std::exchange(close_afterwards_, false)) window_.close();
    });
}

bool LoadControls::may_close() {
    if (!under_way()) return true;
    if (!close_afterwards_) {
        const auto answer = QMessageBox::question(&window_, tr("A load is under way"),
                                                  tr("Stop the load, and close the window then?"),
                                                  QMessageBox::Yes | QMessageBox::Cancel, QMessageBox::Yes);
        if (answer != QMessageBox::Yes) return false;
        if (!under_way()) return true;
    }
    close_afterwards_ = true;
    stop();
    return false;
}

}  // namespace sanscope
