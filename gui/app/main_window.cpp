// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/main_window.h"

#include <QAbstractButton>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <string>
#include <vector>

#include "gui/app/capture_exports.h"
#include "gui/app/capture_window.h"
#include "gui/app/coloring_rules_dialog.h"
#include "gui/app/command_palette.h"
#include "gui/app/decode_as_dialog.h"
#include "gui/app/experiment_controls.h"
#include "gui/app/export_task.h"
#include "gui/app/info_bar.h"
#include "gui/app/live_controls.h"
#include "gui/app/load_controls.h"
#include "gui/app/name_resolution.h"
#include "gui/app/packet_coloring.h"
#include "gui/app/points_controls.h"
#include "gui/app/practice_controls.h"
#include "gui/app/recent_files.h"
#include "gui/app/settings_dialog.h"
#include "gui/app/start_page.h"
#include "gui/app/start_place.h"
#include "gui/app/workspace.h"
#include "gui/collection/collection_view.h"
#include "gui/comparing/comparison_view.h"
#include "gui/document/plain_text.h"
#include "gui/document/write_file.h"
#include "gui/models/finding_place.h"
#include "gui/views/filter_line/filter_line.h"
#include "gui/views/statistics/statistics_view.h"

#include "analyzer/export/merged_capture.h"

namespace sanscope {
namespace {

constexpr double key_pan = 0.15;  // of the span
constexpr double key_zoom = 1.5;

void zoom(CaptureWindow& capture, double factor) {
    ViewState& state = capture.state();
    const TimeRange range = state.range();
    state.zoom(factor, state.cursor_ns().value_or(range.begin_ns + range.span_ns() / 2),
               ViewState::Step::fresh);
}

QStringList local_files(const QMimeData& data) {
    QStringList paths;
    for (const QUrl& url : data.urls()) {
        if (url.isLocalFile()) paths.append(url.toLocalFile());
    }
    return paths;
}

// Those of the capture which the user removed before it was opened anew.
void remove_comments(Notes& notes, const std::vector<PacketNumber>& of, bool in_no_file) {
    const bool modified = notes.modified() || in_no_file;
    const PacketNotes noted_since = notes.changes();
    for (const PacketNumber packet : of) {
        if (!noted_since.contains(packet)) notes.remove(packet);
    }
    if (!modified) notes.saved();
}

// Empty: it can be.
QString why_not_decoded_otherwise(CaptureWindow& capture) {
    if (capture.document().live()) {
        return MainWindow::tr(
            "The recording goes on. It is decoded otherwise once it is stopped, saved, closed and opened "
            "again.");
    }
    if (!capture.document().writings().paths().isEmpty())
        return MainWindow::tr("A file of this capture is being written. It is decoded otherwise after that.");
    return capture.recording() == nullptr
               ? QString()
               : MainWindow::tr(
                     "A recording is decoded otherwise once it is saved, closed and opened again.");
}

// Packets and connections keep their numbers, rows of iSCSI do not: of these, the packet stays selected.
Selection kept_by_decode_as(const Selection& selection, const SelectedThings& selected) {
    if (selection.kind == Selection::Kind::packet || selection.kind == Selection::Kind::connection)
        return selection;
    if (selected.selection != selection || selected.packet == 0) return {};
    return {Selection::Kind::packet, selected.packet};
}

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      settings_(new Settings(this)),
      coloring_(new PacketColoring(this)),
      names_(new NameResolution(this)),
      info_bar_(new InfoBar(this)),
      writings_(new Writings(this)),
      stack_(new QStackedWidget(this)),
      start_page_(new StartPage(this)),
      tabs_(new QTabWidget(this)) {
    setAcceptDrops(true);
    setWindowTitle(QStringLiteral("sanscope"));
    tabs_->setTabsClosable(true);
    tabs_->setMovable(true);
    tabs_->setDocumentMode(true);
    tabs_->setAccessibleName(tr("Open captures"));
    stack_->addWidget(start_page_);
    stack_->addWidget(tabs_);
    auto* const centre = new QWidget(this);
    auto* const column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(info_bar_);
    column->addWidget(stack_, 1);
    setCentralWidget(centre);
    start_page_->set_recent(recent_files());
    connect(start_page_, &StartPage::open_asked, this, &MainWindow::ask_for_files);
    connect(start_page_, &StartPage::record_asked, this, [this] { live_->ask_to_start(); });
    connect(start_page_, &StartPage::load_asked, this, [this] { load_->ask_to_start(); });
    connect(start_page_, &StartPage::practice_asked, this, [this] { practice_->ask(); });
    connect(start_page_, &StartPage::file_chosen, this, [this](const QString& path) { open({path}); });
    connect(tabs_, &QTabWidget::tabCloseRequested, this, &MainWindow::close_tab);
    connect(tabs_, &QTabWidget::currentChanged, this, &MainWindow::on_current_changed);
    make_points();
    make_menus();
    set_rate_unit(settings_->rates());
    connect(settings_, &Settings::theme_changed, this, [this] { apply_theme(settings_->theme()); });
    connect(settings_, &Settings::time_format_changed, this, &MainWindow::apply_settings);
    connect(settings_, &Settings::rates_changed, this, &MainWindow::apply_settings);
    connect(settings_, &Settings::movable_views_changed, this, &MainWindow::apply_settings);
    connect(coloring_, &PacketColoring::changed, this, &MainWindow::apply_coloring);
    connect(names_, &NameResolution::changed, this, &MainWindow::apply_host_names);
    resize(1600, 960);
    restoreGeometry(QSettings().value(QStringLiteral("window_geometry")).toByteArray());
    on_current_changed();
}

MainWindow::~MainWindow() = default;

CaptureWindow* MainWindow::current() const {
    return qobject_cast<CaptureWindow*>(tabs_->currentWidget());
}

int MainWindow::captures() const {
    int captures = 0;
    for (int i = 0; i < tabs_->count(); ++i)
        captures += qobject_cast<CaptureWindow*>(tabs_->widget(i)) != nullptr ? 1 : 0;
    return captures;
}

bool MainWindow::open(const QStringList& paths) {
    QStringList errors;
    for (const QString& path : paths) {
        QString error;
        if (!open_one(path, error)) errors.append(QStringLiteral("%1: %2").arg(path, error));
    }
    show_not_opened(errors);
    return errors.isEmpty();
}

void MainWindow::show_not_opened(const QStringList& errors) {
    if (errors.isEmpty()) return;
    auto* const box = new QMessageBox(QMessageBox::Warning, tr("Not opened"),
                                      errors.join(QStringLiteral("\n\n")), QMessageBox::Ok, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void MainWindow::merge(const QStringList& paths) {
    for (const QString& path : paths) {
        if (is_workspace(path)) {
            return show_not_opened(
                {QStringLiteral("%1: %2").arg(path, tr("a workspace is no capture to merge"))});
        }
    }
    const QString target = live_->unsaved().new_path(QStringLiteral("merged"));
    if (target.isEmpty())
        return show_not_opened({tr("There is no folder in which the merge could be written.")});
    std::vector<std::string> files;
    for (const QString& path : paths) files.push_back(QFile::encodeName(path).toStdString());
    ExportTask<MergedCapture>::start(
        this, *writings_, target, tr("Merging captures…"),
        [files = std::move(files), target = QFile::encodeName(target).toStdString()](
            const ExportControl& control) { return merge_captures(files, target, control); },
        [this, target](const Result<MergedCapture>& outcome) {
            if (!outcome) return show_not_opened({QString::fromStdString(outcome.error().message)});
            if (!outcome->stopped) show_merged(target, *outcome);
        });
}

void MainWindow::show_merged(const QString& path, const MergedCapture& merged) {
    if (!open({path})) return;
    constexpr int long_enough_ms = 8000;
    QString text = tr("The captures are merged in order of time. Their clocks are taken as they are.");
    if (merged.left_out > 0) {
        const QString count = QLocale().toString(static_cast<qulonglong>(merged.left_out));
        text += (merged.left_out == 1 ? tr(" %1 record could not be merged.")
                                      : tr(" %1 records could not be merged."))
                    .arg(count);
    }
    current()->statusBar()->showMessage(text, long_enough_ms);
    QStringList errors;
    for (const Damage& damage : merged.damage) {
        const QString file = QFile::decodeName(QByteArray::fromStdString(damage.file));
        const QString message = QString::fromStdString(damage.message);
        errors.append(
            damage.at_byte == 0
                ? QStringLiteral("%1: %2").arg(file, message)
                : tr("%1: damaged at byte %2: %3. What comes before is merged.")
                      .arg(file, QLocale().toString(static_cast<qulonglong>(damage.at_byte)), message));
    }
    show_not_opened(errors);
}

void MainWindow::open_points(const QStringList& paths) {
    points_->open(paths);
}

void MainWindow::make_points() {
    points_ =
        new PointsControls({this,
                            [this] {
                                std::vector<CaptureWindow*> captures;
                                for (int i = 0; i < tabs_->count(); ++i) {
                                    if (auto* const capture = qobject_cast<CaptureWindow*>(tabs_->widget(i)))
                                        captures.push_back(capture);
                                }
                                return captures;
                            },
                            [this](const QString& path) { return open({path}) ? current() : nullptr; },
                            [this](CaptureWindow& capture) { close_tab(tabs_->indexOf(&capture)); },
                            [this](const QString& why) { show_not_opened({why}); }},
                           *info_bar_);
    points_->setParent(this);
}

// Of several: each in a tab, or all as one.
void MainWindow::ask_how_to_open(const QStringList& paths) {
    auto* const box = new QMessageBox(
        QMessageBox::Question, tr("Open several captures"),
        tr("Open each of the %1 captures in a tab of its own, show them as points of one path, as initiator "
           "and target, or merge them into one, in order of time? Clocks are compared along a path; merging "
           "takes them as they are.")
            .arg(paths.size()),
        QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const each = box->addButton(tr("Open &each"), QMessageBox::AcceptRole);
    QPushButton* const merged = box->addButton(tr("&Merge"), QMessageBox::AcceptRole);
    QPushButton* const points = box->addButton(tr("As &points of one path"), QMessageBox::AcceptRole);
    connect(points, &QPushButton::clicked, this, [this, paths] { open_points(paths); });
    box->setDefaultButton(each);
    connect(each, &QPushButton::clicked, this, [this, paths] { open(paths); });
    connect(merged, &QPushButton::clicked, this, [this, paths] { merge(paths); });
    box->open();
}

void MainWindow::ask_to_merge() {
    const QString folder =
        recent_files().isEmpty() ? QString() : QFileInfo(recent_files().first()).absolutePath();
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, tr("Captures to merge into one"), folder,
        tr("Captures (*.pcap *.pcapng *.cap *.dmp *.pcap.* *.pcapng.*);;All files (*)"));
    if (!paths.isEmpty()) merge(paths);
}

bool MainWindow::open_one(const QString& path, QString& error, const DecodeAs& rules) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    for (int i = 0; i < tabs_->count(); ++i) {
        const auto* const capture = qobject_cast<const CaptureWindow*>(tabs_->widget(i));
        if (capture == nullptr || QFileInfo(capture->document().path()).absoluteFilePath() != whole) continue;
        tabs_->setCurrentIndex(i);
        return true;
    }
    if (QFileInfo(path).isDir()) return open_folder(path) != nullptr;
    if (is_workspace(path)) return open_workspace(path, error);
    auto document = Document::open(path, error, rules);
    if (document == nullptr) return false;
    CaptureWindow* const capture = show_document(std::move(document));
    if (live_->unsaved().holds(path)) {
        capture->claim_file();
    } else {
        add_recent_file(path);
    }
    return true;
}

// What is missing is named; the rest opens.
bool MainWindow::open_workspace(const QString& path, QString& error) {
    QFile file(path);
    constexpr qint64 more_than_any = (qint64{16} << 20) + 1;
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) {
        error = file.errorString().isEmpty() ? tr("it is no file") : file.errorString();
        return false;
    }
    const std::optional<Workspace> workspace = read_workspace(file.read(more_than_any), path, error);
    if (!workspace) return false;
    QStringList errors;
    QList<QStringList> paths;
    QPointer<CaptureWindow> front;
    for (qsizetype i = 0; i < workspace->captures.size(); ++i) {
        const WorkspaceCapture& kept = workspace->captures[i];
        const int before = captures();
        QString why;
        if (!QFileInfo(kept.path).isFile()) {
            why = tr("it is not there any more");
        } else if (is_workspace(kept.path)) {
            why = tr("it is a workspace, not a capture");
        } else if (open_one(kept.path, why, kept.decode_as)) {
            CaptureWindow* const capture = current();
            // One that was open before stays as it is looked at.
            if (captures() > before) {
                capture->set_pending(kept);
                if (!kept.points.isEmpty()) paths.append(kept.points);
                capture->set_wanted_points(kept.points);
                once_loaded(*capture, [kept](CaptureWindow& loaded) { restore(loaded, kept); });
            }
            if (i == workspace->front) front = capture;
            continue;
        }
        errors.append(QStringLiteral("%1: %2").arg(kept.path, why));
    }
    if (front != nullptr) tabs_->setCurrentWidget(front);
    for (const QStringList& points : paths) {
        const auto missing =
            std::ranges::find_if(points, [](const QString& point) { return !QFileInfo(point).isFile(); });
        if (missing == points.end()) {
            points_->restore(points);
        } else {
            errors.append(QStringLiteral("%1: %2").arg(
                *missing, tr("it is not there any more, and its path is not shown without it")));
        }
    }
    add_recent_file(path);
    show_not_opened(errors);
    return true;
}

bool MainWindow::save_workspace(const QString& path, QString& error) {
    Workspace workspace;
    for (int i = 0; i < tabs_->count(); ++i) {
        const auto* const capture = qobject_cast<const CaptureWindow*>(tabs_->widget(i));
        if (capture == nullptr) continue;
        if (capture == current()) workspace.front = static_cast<int>(workspace.captures.size());
        workspace.captures.append(workspace_of(*capture));
    }
    const QByteArray json = workspace_json(workspace, path);
    // What could not be read again is not written: notes may be too many or too long.
    if (!read_workspace(json, path, error)) return false;
    error = write_file(path, json);
    if (!error.isEmpty()) return false;
    for (int i = 0; i < tabs_->count(); ++i) {
        if (const auto* const capture = qobject_cast<const CaptureWindow*>(tabs_->widget(i)))
            capture->document().notes().saved();
    }
    add_recent_file(path);
    return true;
}

void MainWindow::ask_to_save_workspace() {
    const QString beside = QFileInfo(current()->document().path()).absolutePath();
    // Whether to replace a file is asked of the name with its ending, which the dialog does not know.
    QString path = QFileDialog::getSaveFileName(this, tr("Save the workspace"), beside,
                                                tr("Workspaces (*%1)").arg(workspace_ending()), nullptr,
                                                QFileDialog::DontConfirmOverwrite);
    if (path.isEmpty()) return;
    if (!is_workspace(path)) path += workspace_ending();
    if (QFileInfo::exists(path) &&
        QMessageBox::question(
            this, tr("Save the workspace"),
            plain_text(tr("%1 exists already. Replace it?").arg(QFileInfo(path).fileName())),
            QMessageBox::Yes | QMessageBox::No, QMessageBox::No) != QMessageBox::Yes)
        return;
    QString error;
    if (save_workspace(path, error)) return;
    auto* const box = new QMessageBox(QMessageBox::Warning, tr("The workspace was not saved"),
                                      QStringLiteral("%1: %2").arg(path, error), QMessageBox::Ok, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void MainWindow::ask_for_workspace() {
    const QString folder =
        recent_files().isEmpty() ? QString() : QFileInfo(recent_files().first()).absolutePath();
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a workspace"), folder,
                                                      tr("Workspaces (*%1)").arg(workspace_ending()));
    if (!path.isEmpty()) open({path});
}

CaptureWindow* MainWindow::show_document(std::unique_ptr<Document> document) {
    auto* const capture = new CaptureWindow(std::move(document), tabs_);
    connect(&capture->state(), &ViewState::history_changed, this, &MainWindow::update_actions);
    connect(capture, &CaptureWindow::decode_as_wanted, this,
            [this, capture](uint32_t connection) { ask_for_decode_as(*capture, connection); });
    connect(&capture->document(), &Document::loaded, capture,
            [this, capture] { points_->consider(*capture); });
    capture->state().set_time_format(settings_->time_format());
    capture->set_movable(settings_->movable_views());
    capture->set_packet_colors(coloring_->colors());
    capture->set_host_names(names_->sources());
    connect(capture, &CaptureWindow::unnamed_in_sight, names_, &NameResolution::want);
    tabs_->addTab(capture, QString());
    show_name(*capture);
    tabs_->setCurrentWidget(capture);
    stack_->setCurrentWidget(tabs_);
    capture->setFocus();
    return capture;
}

void MainWindow::ask_for_decode_as(CaptureWindow& capture, uint32_t connection) {
    if (const QString why = why_not_decoded_otherwise(capture); !why.isEmpty())
        return capture.statusBar()->showMessage(why);
    auto* const dialog = new DecodeAsDialog(capture.document().data(), connection, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const QPointer<CaptureWindow> window(&capture);
    connect(dialog, &DecodeAsDialog::rules_chosen, this, [this, window](const DecodeAs& rules) {
        if (window != nullptr) decode_as(*window, rules);
    });
    dialog->open();
}

void MainWindow::decode_as(CaptureWindow& capture, const DecodeAs& rules) {
    if (rules == capture.document().data()->decode_as()) return;
    if (const QString why = why_not_decoded_otherwise(capture); !why.isEmpty())
        return capture.statusBar()->showMessage(why);
    const QString path = capture.document().path();
    QString error;
    auto document = Document::open(path, error, rules);
    if (document == nullptr) return show_not_opened({QStringLiteral("%1: %2").arg(path, error)});
    WorkspaceCapture kept = workspace_of(capture);
    kept.decode_as = rules;
    kept.selection = kept_by_decode_as(kept.selection, capture.state().selected());
    // Packets keep their numbers.
    const std::shared_ptr<const OpenPath> points = capture.document().points();
    const bool notes_in_no_file = capture.document().notes().modified();
    const std::map<PacketNumber, QString> notes = capture.document().notes().all();
    const int index = tabs_->indexOf(&capture);
    tabs_->removeTab(index);
    delete &capture;
    CaptureWindow* const fresh = show_document(std::move(document));
    tabs_->tabBar()->moveTab(tabs_->indexOf(fresh), index);
    if (live_->unsaved().holds(path)) fresh->claim_file();
    if (points != nullptr) fresh->document().set_points(points);
    if (notes_in_no_file) fresh->document().notes().merge(notes);
    fresh->set_pending(kept);
    once_loaded(*fresh, [kept, notes_in_no_file](CaptureWindow& loaded) {
        restore(loaded, kept);
        remove_comments(loaded.document().notes(), kept.uncommented, notes_in_no_file);
    });
}

ComparisonView* MainWindow::compare(const QString& before, const QString& after) {
    const auto find_open = [this](const QString& path) -> std::shared_ptr<const CaptureData> {
        const QString whole = QFileInfo(path).absoluteFilePath();
        for (int i = 0; i < tabs_->count(); ++i) {
            const auto* const capture = qobject_cast<const CaptureWindow*>(tabs_->widget(i));
            if (capture == nullptr || QFileInfo(capture->document().path()).absoluteFilePath() != whole)
                continue;
            const auto& loaded = capture->document().data();
            if (loaded->complete() && !loaded->stopped()) return loaded;
        }
        return nullptr;
    };
    auto* const comparison = new ComparisonView(before, after, find_open, tabs_);
    const auto show_title = [this, comparison] {
        tabs_->setTabText(tabs_->indexOf(comparison), comparison->title());
        on_current_changed();
    };
    connect(comparison, &ComparisonView::title_changed, this, show_title);
    connect(comparison, &ComparisonView::finding_wanted, this,
            [this](const QString& path, const Finding& finding) {
                open_and_act(path,
                             [finding](CaptureWindow& capture) { show_place(capture.document(), finding); });
            });
    connect(comparison, &ComparisonView::commands_wanted, this,
            [this](const QString& path, const QString& filter) {
                open_and_act(path, [filter](CaptureWindow& capture) {
                    capture.show_view("turnaround");
                    capture.show_view("commands");
                    if (!filter.isEmpty())
                        capture.filter_line().apply_filter(filter, QStringLiteral("commands"));
                });
            });
    tabs_->addTab(comparison, comparison->title());
    tabs_->setTabToolTip(tabs_->indexOf(comparison), plain_text(QStringLiteral("%1\n%2").arg(before, after)));
    tabs_->setCurrentWidget(comparison);
    stack_->setCurrentWidget(tabs_);
    comparison->setFocus();
    on_current_changed();
    return comparison;
}

CollectionView* MainWindow::open_folder(const QString& path) {
    const QString whole = QDir(path).absolutePath();
    for (int i = 0; i < tabs_->count(); ++i) {
        auto* const open = qobject_cast<CollectionView*>(tabs_->widget(i));
        if (open == nullptr || open->folder() != whole) continue;
        tabs_->setCurrentIndex(i);
        return open;
    }
    auto* const collection = new CollectionView(whole, tabs_);
    connect(collection, &CollectionView::capture_wanted, this, [this](const QString& file, quint64 packet) {
        if (packet == 0) {
            open({file});
        } else {
            open_at(file, {.at = QString::number(packet)});
        }
    });
    tabs_->addTab(collection, collection->title());
    tabs_->setTabToolTip(tabs_->indexOf(collection), plain_text(whole));
    tabs_->setCurrentWidget(collection);
    stack_->setCurrentWidget(tabs_);
    collection->setFocus();
    on_current_changed();
    return collection;
}

void MainWindow::ask_for_folder() {
    const QString folder =
        recent_files().isEmpty() ? QString() : QFileInfo(recent_files().first()).absolutePath();
    const QString path = QFileDialog::getExistingDirectory(this, tr("A folder of captures"), folder);
    if (!path.isEmpty()) open_folder(path);
}

void MainWindow::open_at(const QString& path, const StartPlace& place) {
    open_and_act(path, [place](CaptureWindow& capture) {
        const QString lacking = go_to(capture, place);
        if (!lacking.isEmpty()) capture.statusBar()->showMessage(lacking);
    });
}

void MainWindow::open_and_act(const QString& path, std::function<void(CaptureWindow&)> act) {
    if (open({path}) && !is_workspace(path)) once_loaded(*current(), std::move(act));
}

void MainWindow::once_loaded(CaptureWindow& capture, std::function<void(CaptureWindow&)> act) {
    if (capture.document().has_loaded()) return act(capture);
    connect(
        &capture.document(), &Document::loaded, &capture,
        [window = &capture, act = std::move(act)] { act(*window); }, Qt::SingleShotConnection);
}

void MainWindow::show_name(CaptureWindow& capture) {
    const int index = tabs_->indexOf(&capture);
    const QFileInfo file(capture.document().path());
    tabs_->setTabText(index, file.fileName());
    tabs_->setTabToolTip(index, plain_text(file.absoluteFilePath()));
    if (&capture == current()) on_current_changed();
}

LiveControls* MainWindow::make_live(QMenu* menu) {
    auto* const live = new LiveControls(
        {this, [this] { return current(); },
         [this](std::unique_ptr<Document> document) { return show_document(std::move(document)); },
         [this](CaptureWindow& capture) {
             show_name(capture);
             add_recent_file(capture.document().path());
         },
         [this](const QString& path) { open({path}); },
         [this](CaptureWindow& capture) { close_tab(tabs_->indexOf(&capture)); }},
        menu);
    live->setParent(this);
    return live;
}

void MainWindow::close_tab(int index) {
    auto* const capture = qobject_cast<CaptureWindow*>(tabs_->widget(index));
    if (capture == nullptr) {
        QWidget* const other = tabs_->widget(index);
        tabs_->removeTab(index);
        delete other;
    } else {
        const QPointer<CaptureWindow> closing(capture);
        if (!may_close(*capture, [this, closing] { close_tab(tabs_->indexOf(closing)); }))
            return live_->kept_open();
        // Closed already, by what had been waited for, while that was asked.
        if (closing == nullptr) return;
        capture->save_layout();
        points_->closing(*capture);
        tabs_->removeTab(index);
        delete capture;
        // Other captures want theirs again as they are painted.
        names_->forget_wanted();
        live_->closed();
    }
    if (tabs_->count() == 0) {
        start_page_->set_recent(recent_files());
        stack_->setCurrentWidget(start_page_);
    }
}

// Whether what is being written may be ended, or has ended.
bool MainWindow::may_end(Writings& writings, const std::function<void()>& again) {
    if (writings.paths().isEmpty()) return true;
    QMessageBox box(QMessageBox::Question, tr("A file is being written"),
                    tr("Not all of it is written yet: %1").arg(writings.paths().join(QStringLiteral(", "))),
                    QMessageBox::Cancel, this);
    box.setTextFormat(Qt::PlainText);
    const QAbstractButton* const wait = box.addButton(tr("&Wait, then close"), QMessageBox::AcceptRole);
    const QAbstractButton* const end =
        box.addButton(tr("&Close without the file"), QMessageBox::DestructiveRole);
    bool failed = false;
    connect(&writings, &Writings::ended, &box, [&](bool all_written) { failed = !all_written; });
    const QPointer<Writings> asked_of(&writings);
    box.exec();
    if (asked_of == nullptr) return true;
    if (box.clickedButton() == end) return true;
    if (box.clickedButton() != wait || failed) return false;
    if (writings.paths().isEmpty()) return true;
    call_once_written(writings, again);
    return false;
}

// Not where that fails: what went wrong is shown.
void MainWindow::call_once_written(Writings& writings, std::function<void()> again) {
    connect(
        &writings, &Writings::ended, this,
        [this, again = std::move(again)](bool all_written) {
            // Not from within what belongs to it.
            if (all_written) QMetaObject::invokeMethod(this, again, Qt::QueuedConnection);
        },
        Qt::SingleShotConnection);
}

// Neither a file that is being written nor notes that nothing keeps are lost without a question.
bool MainWindow::may_close(CaptureWindow& capture, const std::function<void()>& again) {
    Writings& writings = capture.document().writings();
    const QPointer<CaptureWindow> asked_of(&capture);
    if (!writings.paths().isEmpty()) {
        tabs_->setCurrentWidget(&capture);
        if (!may_end(writings, again)) return false;
        if (asked_of == nullptr) return true;
    }
    if (live_->unsaved().holds(capture.document().path())) {
        tabs_->setCurrentWidget(&capture);
        if (!live_->may_close(capture)) return false;
    }
    if (!capture.document().notes().modified()) return true;
    tabs_->setCurrentWidget(&capture);
    const auto answer = QMessageBox::question(
        this, tr("Notes are not saved"),
        plain_text(tr("%1 has bookmarks or notes that are in no file. Close it without them?")
                       .arg(QFileInfo(capture.document().path()).fileName())),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
    if (asked_of == nullptr) return true;
    if (answer == QMessageBox::Save) {
        ask_to_save_with_notes(capture);
        if (!writings.paths().isEmpty()) call_once_written(writings, again);
    }
    return answer == QMessageBox::Discard;
}

void MainWindow::on_current_changed() {
    const CaptureWindow* const capture = current();
    const auto* const comparison = qobject_cast<const ComparisonView*>(tabs_->currentWidget());
    const auto* const collection = qobject_cast<const CollectionView*>(tabs_->currentWidget());
    const QString name = capture != nullptr      ? QFileInfo(capture->document().path()).fileName()
                         : comparison != nullptr ? comparison->title()
                         : collection != nullptr ? collection->title()
                                                 : QString();
    setWindowTitle(name.isEmpty() ? QStringLiteral("sanscope") : QStringLiteral("%1 – sanscope").arg(name));
    fill_view_menu();
    update_actions();
}

void MainWindow::update_actions() {
    const CaptureWindow* const capture = current();
    for (QAction* const action : needing_capture_) action->setEnabled(capture != nullptr);
    close_->setEnabled(tabs_->count() > 0);
    live_->update();
    if (capture == nullptr) return;
    back_->setEnabled(capture->state().can_go_back());
    forward_->setEnabled(capture->state().can_go_forward());
    const auto format = static_cast<int>(settings_->time_format());
    for (QAction* const action : time_formats_->actions())
        action->setChecked(action->data().toInt() == format);
}

QAction* MainWindow::add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                         std::function<void(CaptureWindow&)> act) {
    QAction* const action = menu->addAction(text);
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, [this, act = std::move(act)] {
        if (CaptureWindow* const capture = current()) act(*capture);
    });
    needing_capture_.append(action);
    return action;
}

void MainWindow::make_menus() {
    QMenu* const file = menuBar()->addMenu(tr("&File"));
    QAction* const open_action = file->addAction(tr("&Open…"), this, &MainWindow::ask_for_files);
    open_action->setShortcut(QKeySequence::Open);
    file->addAction(tr("Open a &folder of captures…"), this, &MainWindow::ask_for_folder);
    QMenu* const recent = file->addMenu(tr("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fill_recent(recent); });
    file->addAction(tr("Open as points of one pat&h…"), points_, &PointsControls::ask_for_files);
    file->addAction(tr("Mer&ge captures…"), this, &MainWindow::ask_to_merge);
    file->addAction(tr("Co&mpare with…"), this, &MainWindow::ask_to_compare);
    file->addAction(tr("Open wor&kspace…"), this, &MainWindow::ask_for_workspace);
    add(file, tr("Save work&space…"), {}, [this](CaptureWindow&) { ask_to_save_workspace(); });
    file->addSeparator();
    add(file, tr("&Save a copy with notes…"), {QKeySequence::Save}, ask_to_save_with_notes);
    add(file, tr("Save a copy to share…"), {}, ask_to_save_to_share);
    add(file, tr("Export the view as a &picture…"), {QKeySequence(tr("Ctrl+E"))}, ask_to_export_picture);
    add(file, tr("Export the &rows in front as CSV…"), {QKeySequence(tr("Ctrl+Shift+C"))},
        ask_to_export_rows);
    add(file, tr("Export the selected &packets…"), {QKeySequence(tr("Ctrl+Shift+E"))}, ask_to_export_packets);
    add(file, tr("Open in &Wireshark"), {QKeySequence(tr("Ctrl+Shift+W"))}, open_in_wireshark);
    file->addSeparator();
    close_ = file->addAction(tr("&Close"), this, [this] { close_tab(tabs_->currentIndex()); });
    close_->setShortcut(QKeySequence(tr("Ctrl+W")));
    QAction* const quit = file->addAction(tr("&Quit"), this, &QWidget::close);
    quit->setShortcut(QKeySequence::Quit);

    QMenu* const edit = menuBar()->addMenu(tr("&Edit"));
    add(edit, tr("&Find packet…"), {QKeySequence(tr("Ctrl+Shift+F"))},
        [](CaptureWindow& capture) { capture.ask_to_find(); });
    add(edit, tr("Find &next"), {QKeySequence(tr("F3"))},
        [](CaptureWindow& capture) { capture.find_next(true); });
    add(edit, tr("Find &previous"), {QKeySequence(tr("Shift+F3"))},
        [](CaptureWindow& capture) { capture.find_next(false); });
    edit->addSeparator();
    add(edit, tr("Set or unset time &reference"), {QKeySequence(tr("Ctrl+T"))},
        [](CaptureWindow& capture) { capture.toggle_time_reference(); });
    edit->addSeparator();
    QAction* const settings = edit->addAction(tr("&Settings…"), this, &MainWindow::show_settings);
    settings->setShortcut(QKeySequence(tr("Ctrl+,")));

    live_ = make_live(menuBar()->addMenu(tr("&Capture")));
    QMenu* const generate = menuBar()->addMenu(tr("Ge&nerate"));
    load_ = new LoadControls(*this, *live_, generate);
    experiments_ = new ExperimentControls(*this, generate, [this](const QString& path) { open({path}); });

    QMenu* const go = menuBar()->addMenu(tr("&Go"));
    add(go, tr("&Filter"), {QKeySequence::Find}, [](CaptureWindow& capture) { capture.focus_filter(); });
    add(go, tr("To &packet…"), {QKeySequence(tr("Ctrl+G"))}, [this](CaptureWindow&) { ask_for_packet(); });
    add(go, tr("To the &next of its kind"), {QKeySequence(tr("N"))},
        [](CaptureWindow& capture) { capture.select_neighbour(1); });
    add(go, tr("To the p&revious of its kind"), {QKeySequence(tr("P"))},
        [](CaptureWindow& capture) { capture.select_neighbour(-1); });

    add(go, tr("&Copy a link to here"), {}, [](CaptureWindow& capture) {
        QApplication::clipboard()->setText(link_to(capture));
        constexpr int long_enough_ms = 8000;
        capture.statusBar()->showMessage(tr("The command that opens this place is on the clipboard."),
                                         long_enough_ms);
    });
    go->addSeparator();
    add(go, tr("&Bookmark the selected packet"), {QKeySequence(tr("Ctrl+B"))},
        [](CaptureWindow& capture) { capture.toggle_bookmark(); });

    QMenu* const time = menuBar()->addMenu(tr("&Time"));
    add(time, tr("Zoom &in"), {QKeySequence(tr("W")), QKeySequence(tr("+")), QKeySequence(tr("="))},
        [](CaptureWindow& capture) { zoom(capture, key_zoom); });
    add(time, tr("Zoom &out"), {QKeySequence(tr("S")), QKeySequence(tr("-"))},
        [](CaptureWindow& capture) { zoom(capture, 1 / key_zoom); });
    add(time, tr("&Earlier"), {QKeySequence(tr("A"))},
        [](CaptureWindow& capture) { capture.state().pan(-key_pan, ViewState::Step::fresh); });
    add(time, tr("&Later"), {QKeySequence(tr("D"))},
        [](CaptureWindow& capture) { capture.state().pan(key_pan, ViewState::Step::fresh); });
    add(time, tr("&Frame the selection"), {QKeySequence(tr("F"))},
        [](CaptureWindow& capture) { capture.document().frame_when_resolved(); });
    add(time, tr("&Zoom to the selected range"), {QKeySequence(tr("M"))}, [](CaptureWindow& capture) {
        if (!capture.state().selected_range().empty())
            capture.state().set_range(capture.state().selected_range());
    });
    add(time, tr("&Select the range in sight"), {QKeySequence(tr("Shift+M"))},
        [](CaptureWindow& capture) { capture.state().set_selected_range(capture.state().range()); });
    add(time, tr("&Clear the selected range"), {},
        [](CaptureWindow& capture) { capture.state().set_selected_range({}); });
    add(time, tr("&All of the capture"), {QKeySequence(tr("0"))},
        [](CaptureWindow& capture) { capture.state().show_all(); });
    add(time, tr("All &iSCSI traffic, as at first"), {QKeySequence(tr("I"))},
        [](CaptureWindow& capture) { capture.state().show_first_view(); });
    time->addSeparator();
    back_ = add(time, tr("&Back"), {QKeySequence::Undo, QKeySequence(tr("Alt+Left"))},
                [](CaptureWindow& capture) { capture.state().go_back(); });
    forward_ = add(time, tr("Fo&rward"), {QKeySequence::Redo, QKeySequence(tr("Alt+Right"))},
                   [](CaptureWindow& capture) { capture.state().go_forward(); });
    time->addSeparator();
    time_formats_ = new QActionGroup(this);
    const auto add_format = [&](const QString& text, TimeFormat format) {
        QAction* const action =
            add(time, text, {}, [this, format](CaptureWindow&) { settings_->set_time_format(format); });
        action->setCheckable(true);
        action->setData(static_cast<int>(format));
        time_formats_->addAction(action);
    };
    add_format(tr("&Seconds since the capture began"), TimeFormat::relative);
    add_format(tr("&Date and time of day"), TimeFormat::local);
    add_format(tr("&UTC"), TimeFormat::utc);

    QMenu* const analyze = menuBar()->addMenu(tr("&Analyze"));
    add(analyze, tr("Decode &As…"), {QKeySequence(tr("Ctrl+Shift+U"))}, [this](CaptureWindow& capture) {
        capture.document().when_resolved(&capture, [this, &capture](const SelectedThings& things) {
            ask_for_decode_as(capture, things.connection);
        });
    });

    add(analyze, tr("&Follow TCP stream"), {QKeySequence(tr("Ctrl+Alt+Shift+T"))},
        [](CaptureWindow& capture) { capture.follow_selected_stream(); });

    QMenu* const statistics = menuBar()->addMenu(tr("&Statistics"));
    for (size_t i = 0; i < statistics_pages; ++i) {
        const auto page = static_cast<StatisticsPage>(i);
        add(statistics, statistics_page_title(page), {}, [page](CaptureWindow& capture) {
            capture.show_view("statistics");
            if (auto* const view = qobject_cast<StatisticsView*>(capture.view("statistics")))
                view->show_page(page);
        });
    }

    statistics->addSeparator();
    add(statistics, tr("&I/O graph"), {}, [](CaptureWindow& capture) { capture.show_view("io-graph"); });

    view_menu_ = menuBar()->addMenu(tr("&View"));
    QMenu* const help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Commands…"), this, [this] { (new CommandPalette(*menuBar(), this))->open(); })
        ->setShortcut(QKeySequence(tr("Ctrl+Shift+P")));
    practice_ = new PracticeControls(
        this, [this](const QString& path) { return open({path}) ? current() : nullptr; });
    help->addAction(tr("&Practice…"), practice_, &PracticeControls::ask);
    QAction* const keys = help->addAction(tr("&Keys and gestures"), this, &MainWindow::show_keys);
    keys->setShortcuts({QKeySequence(QKeySequence::HelpContents), QKeySequence(tr("?"))});
    help->addAction(tr("&About sanscope"), this, &MainWindow::show_about);
}

void MainWindow::fill_view_menu() {
    view_menu_->clear();
    CaptureWindow* const capture = current();
    if (capture == nullptr) {
        view_menu_->addAction(tr("(no capture is open)"))->setEnabled(false);
        return;
    }
    for (const ViewKind& kind : view_kinds()) {
        view_menu_->addAction(kind.translated_title(), capture,
                              [capture, &kind] { capture->show_view(kind.name); });
    }
    view_menu_->addSeparator();
    QMenu* const shown = view_menu_->addMenu(tr("&Shown"));
    for (const ViewKind& kind : view_kinds()) shown->addAction(capture->dock(kind.name)->toggleViewAction());
    QAction* const move = view_menu_->addAction(tr("&Move views"), settings_, &Settings::set_movable_views);
    move->setCheckable(true);
    move->setChecked(settings_->movable_views());
    QAction* const colorize =
        view_menu_->addAction(tr("&Colorize packets"), coloring_, &PacketColoring::set_on);
    colorize->setCheckable(true);
    colorize->setChecked(coloring_->on());
    view_menu_->addAction(tr("Coloring &rules…"), this, &MainWindow::show_coloring_rules);
    QMenu* const resolution = view_menu_->addMenu(tr("Name resol&ution"));
    resolution->addAction(tr("Names from a &hosts file…"), this, &MainWindow::ask_for_hosts_file);
    QAction* const of_captures = resolution->addAction(tr("Names in the &capture file"), names_,
                                                       &NameResolution::set_uses_names_of_captures);
    of_captures->setCheckable(true);
    QAction* const by_dns =
        resolution->addAction(tr("Ask the name &service (DNS)"), names_, &NameResolution::set_uses_dns);
    by_dns->setCheckable(true);
    by_dns->setToolTip(tr("Asks this host's name service for the addresses in sight that have no name yet"));
    resolution->setToolTipsVisible(true);
    const auto follow = [this, of_captures, by_dns] {
        of_captures->setChecked(names_->uses_names_of_captures());
        by_dns->setChecked(names_->uses_dns());
    };
    follow();
    connect(names_, &NameResolution::changed, of_captures, follow);
    resolution->addAction(tr("&Addresses only"), this, [this] {
        names_->set_file({});
        names_->set_uses_names_of_captures(false);
        names_->set_uses_dns(false);
    });
    QAction* const next =
        view_menu_->addAction(tr("&Next view"), capture, [capture] { capture->focus_neighbour_view(1); });
    next->setShortcuts({QKeySequence(tr("F6")), QKeySequence(tr("Ctrl+Tab"))});
    QAction* const previous = view_menu_->addAction(tr("&Previous view"), capture,
                                                    [capture] { capture->focus_neighbour_view(-1); });
    previous->setShortcuts({QKeySequence(tr("Shift+F6")), QKeySequence(tr("Ctrl+Shift+Tab"))});
    view_menu_->addAction(tr("&Arrange as at first"), capture, [capture] { capture->reset_layout(); });
}

void MainWindow::fill_recent(QMenu* menu) {
    menu->clear();
    for (const QString& path : recent_files()) {
        menu->addAction(QFileInfo(path).fileName(), this, [this, path] { open({path}); })
            ->setToolTip(plain_text(path));
    }
    menu->setToolTipsVisible(true);
    if (menu->isEmpty()) {
        menu->addAction(tr("(none yet)"))->setEnabled(false);
        return;
    }
    menu->addSeparator();
    menu->addAction(tr("&Clear"), this, [this] {
        clear_recent_files();
        start_page_->set_recent({});
    });
}

void MainWindow::ask_for_files() {
    const QString folder =
        recent_files().isEmpty() ? QString() : QFileInfo(recent_files().first()).absolutePath();
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, tr("Open captures"), folder,
        tr("Captures (*.pcap *.pcapng *.cap *.dmp *.pcap.* *.pcapng.*);;All files (*)"));
    if (!paths.isEmpty()) open(paths);
}

QString MainWindow::ask_for_file(const QString& title, const QString& beside) {
    return QFileDialog::getOpenFileName(
        this, title, beside.isEmpty() ? QString() : QFileInfo(beside).absolutePath(),
        tr("Captures (*.pcap *.pcapng *.cap *.dmp *.pcap.* *.pcapng.*);;All files (*)"));
}

// The capture in front is taken for the one from before the change, which the tab's Swap turns round.
void MainWindow::ask_to_compare() {
    CaptureWindow* const capture = current();
    // Of a part of it, what is found would be taken for a change.
    if (capture != nullptr && capture->document().live()) {
        return capture->statusBar()->showMessage(
            tr("The recording goes on: it can be compared once it has ended."));
    }
    const QString recent = recent_files().isEmpty() ? QString() : recent_files().first();
    const QString before = capture != nullptr
                               ? capture->document().path()
                               : ask_for_file(tr("The capture from before the change"), recent);
    if (before.isEmpty()) return;
    const QString after = ask_for_file(
        tr("The capture from after the change, to compare with %1").arg(QFileInfo(before).fileName()),
        before);
    if (!after.isEmpty()) compare(before, after);
}

void MainWindow::ask_for_packet() {
    CaptureWindow* const capture = current();
    const auto packets = static_cast<int>(
        std::min<uint64_t>(capture->document().data()->progress().packets, std::numeric_limits<int>::max()));
    if (packets == 0) return;
    const auto now = static_cast<int>(std::max<PacketNumber>(1, capture->state().selected().packet));
    bool asked = false;
    const int number =
        QInputDialog::getInt(this, tr("Go to packet"), tr("Number of the packet, 1 to %1").arg(packets), now,
                             1, std::numeric_limits<int>::max(), 1, &asked);
    if (asked) capture->go_to_packet(static_cast<PacketNumber>(number));
}

void MainWindow::show_settings() {
    auto* dialog = findChild<SettingsDialog*>();
    if (dialog == nullptr) {
        dialog = new SettingsDialog(*settings_, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::apply_settings() {
    const bool other_rates = rate_unit() != settings_->rates();
    set_rate_unit(settings_->rates());
    for (int i = 0; i < tabs_->count(); ++i) {
        auto* const capture = qobject_cast<CaptureWindow*>(tabs_->widget(i));
        if (capture == nullptr) continue;
        capture->state().set_time_format(settings_->time_format());
        capture->set_movable(settings_->movable_views());
        if (other_rates) capture->state().tell_units_changed();
    }
    update_actions();
}

void MainWindow::apply_coloring() {
    const ThemedRowColors colors = coloring_->colors();
    for (int i = 0; i < tabs_->count(); ++i) {
        if (auto* const capture = qobject_cast<CaptureWindow*>(tabs_->widget(i)))
            capture->set_packet_colors(colors);
    }
}

void MainWindow::show_coloring_rules() {
    auto* dialog = findChild<ColoringRulesDialog*>();
    if (dialog == nullptr) {
        dialog = new ColoringRulesDialog(*coloring_, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::ask_for_hosts_file() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Names from a hosts file"),
        names_->file().isEmpty() ? QStringLiteral("/etc") : QFileInfo(names_->file()).absolutePath());
    if (path.isEmpty()) return;
    const QString fault = names_->set_file(path);
    if (!fault.isEmpty()) QMessageBox::warning(this, tr("No names"), plain_text(fault));
}

void MainWindow::apply_host_names() {
    for (int i = 0; i < tabs_->count(); ++i) {
        if (auto* const capture = qobject_cast<CaptureWindow*>(tabs_->widget(i)))
            capture->set_host_names(names_->sources());
    }
}

void MainWindow::show_keys() {
    QMessageBox box(this);
    box.setWindowTitle(tr("Keys and gestures"));
    box.setTextFormat(Qt::RichText);
    box.setText(
        tr("<table cellpadding=3>"
           "<tr><td><b>W S</b>, <b>+ −</b>, wheel</td><td>closer, farther, about the pointer</td></tr>"
           "<tr><td><b>A D</b>, <b>← →</b>, Shift+wheel, drag</td><td>earlier, later</td></tr>"
           "<tr><td>right drag</td><td>zoom to that range</td></tr>"
           "<tr><td>Shift+drag</td><td>select a range: its figures are in the view <i>Selected "
           "range</i>; <b>M</b> zooms to it, <b>Esc</b> clears it</td></tr>"
           "<tr><td><b>F</b>, double click</td><td>frame what is selected</td></tr>"
           "<tr><td><b>0</b>, Home</td><td>all of the capture</td></tr>"
           "<tr><td><b>I</b></td><td>all of its iSCSI traffic, as at first</td></tr>"
           "<tr><td><b>N P</b></td><td>next, previous row of what is selected</td></tr>"
           "<tr><td><b>Alt+←</b>, <b>Alt+→</b></td><td>back to where you looked before, and forward</td></tr>"
           "<tr><td><b>Ctrl+Shift+P</b></td><td>any command, by parts of its name</td></tr>"
           "<tr><td><b>Ctrl+F</b></td><td>filter</td></tr>"
           "<tr><td><b>Ctrl+G</b></td><td>go to a packet</td></tr>"
           "<tr><td><b>Ctrl+B</b></td><td>bookmark what is selected, and write a note</td></tr>"
           "<tr><td><b>Ctrl+Shift+F</b>, <b>F3</b>, <b>Shift+F3</b></td><td>find a packet, the next one, the "
           "previous one</td></tr>"
           "<tr><td><b>Ctrl+T</b></td><td>times in Packets are told from the selected packet, or no "
           "longer</td></tr>"
           "<tr><td><b>Ctrl+Alt+Shift+T</b></td><td>follow the TCP stream of what is selected</td></tr>"
           "<tr><td><b>Ctrl+,</b></td><td>settings: theme, times, rates</td></tr>"
           "<tr><td><b>Tab</b>, <b>F6</b></td><td>next view</td></tr>"
           "<tr><td><b>Ctrl+R</b>, <b>Ctrl+.</b></td><td>record, stop recording</td></tr>"
           "<tr><td><b>Ctrl+L</b>, <b>Ctrl+Shift+L</b></td><td>put load on a target, stop it</td></tr>"
           "<tr><td><b>L</b></td><td>follow the end of what is recorded, or stay</td></tr>"
           "</table>"));
    box.exec();
}

void MainWindow::show_about() {
    QMessageBox::about(
        this, tr("About sanscope"),
        tr("<h3>sanscope %1</h3><p>Opens captures of IP storage networks and shows where the time goes, "
           "layer by layer.</p><p>Free software under the GNU General Public License, version 3 or "
           "later.</p>")
            .arg(QApplication::applicationVersion()));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!local_files(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QStringList paths = local_files(*event->mimeData());
    if (paths.isEmpty()) return;
    event->acceptProposedAction();
    const bool all_captures =
        std::ranges::none_of(paths, [](const QString& path) { return is_workspace(path); });
    if (paths.size() > 1 && all_captures) return ask_how_to_open(paths);
    open(paths);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    const auto again = [this] { close(); };
    if (!may_end(*writings_, again) || !load_->may_close() || !experiments_->may_close())
        return event->ignore();
    QSettings().setValue(QStringLiteral("window_geometry"), saveGeometry());
    // Some may be closed while it is asked about others.
    std::vector<QPointer<CaptureWindow>> open_ones;
    open_ones.reserve(static_cast<size_t>(tabs_->count()));
    for (int i = 0; i < tabs_->count(); ++i)
        open_ones.emplace_back(qobject_cast<CaptureWindow*>(tabs_->widget(i)));
    for (const QPointer<CaptureWindow>& capture : open_ones) {
        if (capture == nullptr || may_close(*capture, again)) continue;
        live_->kept_open();
        return event->ignore();
    }
    live_->closed();
    if (const CaptureWindow* const capture = current()) capture->save_layout();
    QMainWindow::closeEvent(event);
}

}  // namespace sanscope
