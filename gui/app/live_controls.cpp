// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/live_controls.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QProgressDialog>
#include <QRegularExpression>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "gui/app/capture_window.h"
#include "gui/app/export_task.h"
#include "gui/document/plain_text.h"
#include "gui/recording/capture_dialog.h"
#include "gui/recording/copy_recording.h"
#include "gui/recording/numbered_path.h"

namespace sanscope {

LiveControls::LiveControls(Window window, QMenu* menu) : window_(std::move(window)) {
    menu->addAction(tr("&Record…"), this, &LiveControls::ask_to_start)
        ->setShortcut(QKeySequence(tr("Ctrl+R")));
    stop_ = menu->addAction(tr("&Stop recording"), this, &LiveControls::stop_current);
    stop_->setShortcut(QKeySequence(tr("Ctrl+.")));
    restart_ = menu->addAction(tr("&Begin again"), this, &LiveControls::restart_current);
    restart_->setToolTip(tr("Record the same once more, in a tab of its own"));
    menu->addSeparator();
    follow_ = menu->addAction(tr("&Follow the end"));
    follow_->setCheckable(true);
    follow_->setShortcut(QKeySequence(tr("L")));
    connect(follow_, &QAction::triggered, this, [this](bool on) {
        if (CaptureWindow* const capture = window_.current()) capture->state().set_following(on);
    });
    menu->addSeparator();
    save_ = menu->addAction(tr("Save the recording &as…"), this, &LiveControls::save_current);
    update();
}

LiveControls::~LiveControls() = default;

void LiveControls::update() {
    const CaptureWindow* const capture = window_.current();
    const LiveRecording* const recording = capture == nullptr ? nullptr : capture->recording();
    stop_->setEnabled(recording != nullptr && recording->running());
    restart_->setEnabled(recording != nullptr);
    follow_->setEnabled(capture != nullptr && capture->document().live());
    follow_->setChecked(capture != nullptr && capture->state().following());
    save_->setEnabled(capture != nullptr && unsaved_.holds(capture->document().path()));
}

void LiveControls::ask_to_start() {
    auto* const dialog = new CaptureDialog(window_.parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { start(dialog->request(), dialog->remote()); });
    dialog->open();
}

void LiveControls::start(v1::RecordingRequest request, const std::optional<v1::RemoteHost>& remote,
                         const Outcome& outcome) {
    if (request.path().empty() && request.interfaces_size() > 0) {
        QString name = QString::fromStdString(request.interfaces(0));
        if (remote) name.prepend(QString::fromStdString(remote->host()) + QLatin1Char('_'));
        static const QRegularExpression not_in_names(QStringLiteral("[/:]"));
        const QString path = unsaved_.new_path(name.replace(not_in_names, QStringLiteral("_")));
        request.set_path(QFile::encodeName(path).toStdString());
    }
    QString error;
    auto recording = LiveRecording::start(request, error, remote);
    if (recording == nullptr) return fail(outcome, error);
    LiveRecording* const started = recording.get();
    connect(started, &LiveRecording::readable, this, [this, started] { begun(started); });
    connect(started, &LiveRecording::trouble, this, [this, started](const QString& text, bool fatal) {
        // Once it has a tab, that reports; what another caller is given, that caller reports once it has ended.
        const auto found = starting(started);
        if (found != starting_.end() && fatal && !found->outcome.failed)
            show_message(tr("Not recorded"), text);
    });
    connect(started, &LiveRecording::ended, this, [this, started] {
        drop(started);
        update();
    });
    starting_.push_back({std::move(recording), outcome});
    if (remote) show_connecting(*started);
}

void LiveControls::show_connecting(LiveRecording& recording) {
    constexpr int not_before_ms = 500;
    auto* const progress = new QProgressDialog(
        plain_text(tr("Waiting for %1…").arg(QString::fromStdString(recording.remote()->host()))),
        tr("Cancel"), 0, 0, window_.parent);
    progress->setWindowTitle(tr("Record"));
    progress->setMinimumDuration(not_before_ms);
    progress->setValue(0);
    connect(progress, &QProgressDialog::canceled, &recording, &LiveRecording::stop);
    for (const auto over : {&LiveRecording::readable, &LiveRecording::ended})
        connect(&recording, over, progress, &QObject::deleteLater);
}

std::vector<LiveControls::Starting>::iterator LiveControls::starting(const LiveRecording* recording) {
    return std::ranges::find_if(starting_,
                                [&](const Starting& one) { return one.recording.get() == recording; });
}

void LiveControls::fail(const Outcome& outcome, const QString& why) {
    if (outcome.failed) {
        outcome.failed(why);
    } else {
        show_message(tr("Not recorded"), why);
    }
}

// One whose file never began is of no use any more.
void LiveControls::drop(LiveRecording* recording) {
    const auto found = starting(recording);
    if (found == starting_.end()) return;
    const Outcome outcome = std::move(found->outcome);
    const QString why = recording->last_trouble();
    found->recording.release()->deleteLater();
    starting_.erase(found);
    if (outcome.failed) outcome.failed(why.isEmpty() ? tr("The recording did not begin.") : why);
}

void LiveControls::begun(LiveRecording* recording) {
    const auto found = starting(recording);
    if (found == starting_.end()) return;
    std::unique_ptr<LiveRecording> owned = std::move(found->recording);
    const Outcome outcome = std::move(found->outcome);
    starting_.erase(found);
    QString error;
    auto document = Document::follow(owned->path(), owned->growth(), error);
    if (document == nullptr) return fail(outcome, error);
    CaptureWindow* const capture = window_.show(std::move(document));
    capture->set_recording(std::move(owned));
    connect(&capture->state(), &ViewState::following_changed, this, &LiveControls::update);
    connect(&capture->document(), &Document::loaded, this, &LiveControls::update);
    update();
    if (outcome.begun) outcome.begun(*capture);
}

void LiveControls::show_message(const QString& title, const QString& text) {
    auto* const box = new QMessageBox(QMessageBox::Warning, title, text, QMessageBox::Ok, window_.parent);
    // Another host may have had a say in it.
    box->setTextFormat(Qt::PlainText);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void LiveControls::stop_current() {
    if (CaptureWindow* const capture = window_.current();
        capture != nullptr && capture->recording() != nullptr)
        capture->recording()->stop();
}

// Where the user has given a name, the next one is called after it; what has none goes to the others without.
void LiveControls::restart_current() {
    CaptureWindow* const capture = window_.current();
    if (capture == nullptr || capture->recording() == nullptr) return;
    capture->recording()->stop();
    v1::RecordingRequest request = capture->recording()->request();
    const QString path = capture->document().path();
    request.clear_path();
    if (!unsaved_.holds(path)) request.set_path(QFile::encodeName(numbered_path(path)).toStdString());
    start(std::move(request), capture->recording()->remote());
}

void LiveControls::save_current() {
    if (CaptureWindow* const capture = window_.current()) save(*capture, false);
}

bool LiveControls::save(CaptureWindow& capture, bool and_close) {
    const QString from = capture.document().path();
    const QString to =
        QFileDialog::getSaveFileName(window_.parent, tr("Save the recording"), QFileInfo(from).fileName(),
                                     tr("pcapng (*.pcapng);;All files (*)"));
    if (to.isEmpty()) return false;
    // Renaming keeps what is open, a recording that goes on among it; onto another file system it is a copy of what there is.
    if (std::rename(QFile::encodeName(from).constData(), QFile::encodeName(to).constData()) == 0) {
        moved(capture, to);
        return true;
    }
    if (errno != EXDEV) {
        show_message(tr("Not saved"), tr("%1: %2").arg(to, QString::fromLocal8Bit(std::strerror(errno))));
        return false;
    }
    if (!capture.document().loading()) {
        copy(capture, to, and_close);
    } else if (and_close && capture.recording() != nullptr) {
        connect(
            &capture.document(), &Document::loaded, &capture,
            [this, &capture, to] { copy(capture, to, true); }, Qt::SingleShotConnection);
        capture.recording()->stop();
    } else {
        show_message(tr("Not saved"), tr("%1 is on another file system: stop the recording first.").arg(to));
    }
    return false;
}

void LiveControls::copy(CaptureWindow& capture, const QString& to, bool and_close) {
    const QString from = capture.document().path();
    ExportTask<bool>::start(
        &capture, capture.document().writings(), to, tr("Saving the recording…"),
        [from = QFile::encodeName(from).toStdString(), target = QFile::encodeName(to).toStdString()](
            const ExportControl& control) { return copy_recording(from, target, control); },
        [this, &capture, from, to, and_close](const Result<bool>& whole) {
            if (!whole) {
                return show_message(tr("Not saved"),
                                    tr("%1: %2").arg(to, QString::fromStdString(whole.error().message)));
            }
            if (!*whole) return;
            QFile::remove(from);
            moved(capture, to);
            // Not from within what belongs to it.
            if (and_close) {
                QMetaObject::invokeMethod(
                    &capture, [this, &capture] { window_.close(capture); }, Qt::QueuedConnection);
            }
        });
}

void LiveControls::moved(CaptureWindow& capture, const QString& to) {
    capture.document().moved_to(to);
    window_.renamed(capture);
    update();
}

bool LiveControls::may_close(CaptureWindow& capture) {
    const QString path = capture.document().path();
    if (!unsaved_.holds(path)) return true;
    const auto answer = QMessageBox::question(
        window_.parent, tr("The recording is not saved"),
        plain_text(
            tr("%1 has no name of its own yet. Without saving, it is gone.").arg(QFileInfo(path).fileName())),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
    if (answer == QMessageBox::Save) return save(capture, true);
    if (answer == QMessageBox::Discard) to_discard_.append(path);
    return answer == QMessageBox::Discard;
}

void LiveControls::closed() {
    for (const QString& path : std::exchange(to_discard_, {})) QFile::remove(path);
}

void LiveControls::offer_left_behind() {
    const QStringList paths = unsaved_.left_behind();
    if (paths.isEmpty()) return;
    auto* const box = new QMessageBox(
        QMessageBox::Question, tr("Recordings from before"),
        tr("%n recording(s) were not saved when the window was left, the newest of %1. Open them?", nullptr,
           static_cast<int>(paths.size()))
            .arg(QLocale().toString(QFileInfo(paths.first()).lastModified(), QLocale::ShortFormat)),
        QMessageBox::NoButton, window_.parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const auto* const open = box->addButton(tr("&Open"), QMessageBox::AcceptRole);
    const auto* const remove = box->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
    box->addButton(tr("&Later"), QMessageBox::RejectRole);
    connect(box, &QMessageBox::buttonClicked, this,
            [this, open, remove, paths](const QAbstractButton* button) {
                for (const QString& path : paths) {
                    if (button == open) window_.open(path);
                    if (button == remove) QFile::remove(path);
                }
            });
    box->open();
}

}  // namespace sanscope
