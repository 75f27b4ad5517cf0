// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recording from the window as its user drives it: begun in the dialog, followed, looked back in, stopped, saved or not, and
// all that can go wrong meanwhile. What is recorded comes from replay_recorder, which needs no rights.
#include "gui/app/live_controls.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QProcess>
#include <QProgressDialog>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>
#include <algorithm>
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/app/message_bar.h"
#include "gui/app/recent_files.h"
#include "gui/recording/capture_dialog.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/replayed_recording.h"
#include "gui/testing/unprivileged_recorder.h"
#include "gui/testing/window_driver.h"
#include "gui/views/tables/rows_view.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::action_of;
using testing_gui::answer_file_dialog;
using testing_gui::loaded;
using testing_gui::ReplayedRecording;
using testing_gui::sample;
using testing_gui::wait_until;

const char* const with_losses = "loss-mixed-initiator.pcap.zst";
// A pcapng, as a recorder writes.
const char* const with_kernel_truth = "kernel-truth-target.pcapng.zst";

uint64_t packets_of(const QString& path) {
    const auto document = loaded(path);
    if (!document) return 0;
    EXPECT_EQ(document->warning().toStdString(), "") << "it is whole";
    return document->data()->progress().packets;
}

// Recordings without a name stand in a home of this test's own.
class LiveControlsTest : public testing::Test {
  protected:
    LiveControlsTest() {
        qputenv("HOME", home.path().toLocal8Bit());
        qputenv("SANSCOPE_REMOTE_RECORDER", REMOTE_RECORDER);
        QSettings().clear();
        open_window();
    }
    ~LiveControlsTest() override {
        close_boxes();
        window.reset();
        QSettings().clear();
        qputenv("HOME", home_before);
        qunsetenv("SANSCOPE_REMOTE_RECORDER");
    }

    void open_window() {
        window = std::make_unique<MainWindow>();
        window->resize(1600, 960);
        window->show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get()));
        activate();
    }
    // It is not by itself once a dialog was closed.
    void activate() {
        window->activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(window.get()));
    }
    static void close_boxes() {
        for (QWidget* const widget : QApplication::topLevelWidgets()) {
            if (qobject_cast<QMessageBox*>(widget) != nullptr) widget->close();
        }
        QApplication::processEvents();
    }
    // What a box says just now; empty: there is none.
    static std::string shown_message() {
        for (const QWidget* const widget : QApplication::topLevelWidgets()) {
            const auto* const box = qobject_cast<const QMessageBox*>(widget);
            if (box != nullptr && box->isVisible()) return box->text().toStdString();
        }
        return {};
    }
    std::string message() const {
        const auto* const bar = window->current()->findChild<MessageBar*>();
        return bar->isVisible() ? bar->message().toStdString() : std::string();
    }

    // Ctrl+R
    CaptureDialog* open_dialog() {
        activate();
        QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_R));
        auto* const dialog = window->findChild<CaptureDialog*>();
        EXPECT_NE(dialog, nullptr);
        EXPECT_TRUE(dialog == nullptr || wait_until([&] { return dialog->settled(); }));
        return dialog;
    }
    static QLineEdit& edit_of(CaptureDialog& dialog, const char* name) {
        for (QLineEdit* const edit : dialog.findChildren<QLineEdit*>()) {
            if (edit->accessibleName() == QString::fromUtf8(name)) return *edit;
        }
        ADD_FAILURE() << "no " << name;
        return *dialog.findChild<QLineEdit*>();
    }
    static void choose(CaptureDialog& dialog, const char* interface) {
        auto* const list = dialog.findChild<QTreeWidget*>();
        const auto found = list->findItems(QString::fromUtf8(interface), Qt::MatchExactly);
        ASSERT_EQ(found.size(), 1) << interface;
        list->clearSelection();
        found.front()->setSelected(true);
    }
    static void click_start(CaptureDialog& dialog) {
        ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
        for (QPushButton* const button : dialog.findChildren<QPushButton*>()) {
            if (button->isDefault()) return QTest::mouseClick(button, Qt::LeftButton);
        }
    }
    // Ctrl+R, the interface, Start.
    void start(const char* interface, const QString& path = {}) {
        const int captures = window->captures();
        CaptureDialog* const dialog = open_dialog();
        ASSERT_NE(dialog, nullptr);
        choose(*dialog, interface);
        edit_of(*dialog, "File").setText(path);
        click_start(*dialog);
        ASSERT_TRUE(wait_until([&] { return window->captures() == captures + 1; })) << shown_message();
        activate();
    }
    // Stands in for ssh: reaches `storage`, which is this host, does not know others, and waits for ever at `slow`.
    QString ssh_stand_in() const {
        QString path = folder.filePath(QStringLiteral("ssh"));
        std::ofstream(path.toStdString())
            << "#!/bin/sh\nuntil [ \"$1\" = -- ]; do shift; done\ncase $2 in\n"
               "*storage) shift 2; exec sh -c \"$*\" ;;\nslow) exec sleep 600 ;;\n"
               "*) echo \"ssh: Could not resolve hostname $2\" >&2; exit 255 ;;\nesac\n";
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    void enter_host(CaptureDialog& dialog, const char* host) const {
        edit_of(dialog, "Command for ssh").setText(QLatin1Char('"') + ssh_stand_in() + QLatin1Char('"'));
        edit_of(dialog, "Recorder there").setText(QStringLiteral(REPLAY_RECORDER));
        edit_of(dialog, "On host").clear();
        QTest::keyClicks(&edit_of(dialog, "On host"), QString::fromUtf8(host));
    }
    // What is kept of each packet.
    static void choose_kept(CaptureDialog& dialog, int bytes) {
        for (QComboBox* const box : dialog.findChildren<QComboBox*>()) {
            if (box->findData(bytes) >= 0) box->setCurrentIndex(box->findData(bytes));
        }
    }
    static void ask_host(CaptureDialog& dialog) {
        for (QPushButton* const button : dialog.findChildren<QPushButton*>()) {
            if (button->text() == QStringLiteral("&Ask for its interfaces"))
                QTest::mouseClick(button, Qt::LeftButton);
        }
        ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    }
    static bool shows_text(const CaptureDialog& dialog, const char* text) {
        return std::ranges::any_of(dialog.findChildren<QLabel*>(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(QString::fromUtf8(text));
        });
    }
    CaptureWindow& capture() const { return *window->current(); }
    uint64_t packets() const { return capture().document().data()->progress().packets; }
    // So long that there is something to look back at.
    void let_come(uint64_t enough) {
        ASSERT_TRUE(wait_until([&] { return packets() >= enough; }));
    }
    void let_end() {
        ASSERT_TRUE(wait_until([&] { return !capture().document().loading(); }));
        EXPECT_FALSE(capture().recording()->running());
    }
    void stop() {
        activate();
        QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_Period));
        let_end();
    }

    // Answers the question that comes next.
    static void answer(QMessageBox::StandardButton button) {
        auto* const timer = new QTimer(qApp);
        QObject::connect(timer, &QTimer::timeout, [timer, button] {
            auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (box == nullptr) return;
            timer->deleteLater();
            timer->stop();
            QTest::mouseClick(box->button(button), Qt::LeftButton);
        });
        timer->start(20);
    }
    QAction* action(const QString& text) const { return action_of(*window, text); }
    QStringList unsaved() const {
        const QString first = window->live().unsaved().new_path(QStringLiteral("x"));
        return QFileInfo(first).dir().entryList(QDir::Files | QDir::Hidden);
    }

    const QByteArray home_before = qgetenv("HOME");
    QTemporaryDir home;
    QTemporaryDir folder;
    std::unique_ptr<MainWindow> window;
};

TEST_F(LiveControlsTest, ARecordingFillsTheViewsAndIsStopped) {
    const ReplayedRecording replayed(sample(with_losses), 1.5);
    EXPECT_FALSE(action(QStringLiteral("Stop recording"))->isEnabled());
    start("replay");
    EXPECT_TRUE(action(QStringLiteral("Stop recording"))->isEnabled());
    capture().show_view("packets");
    const auto& rows = *qobject_cast<RowsView*>(capture().view("packets"));
    ASSERT_TRUE(wait_until([&] { return rows.model().rowCount() > 100; }));
    const int before = rows.model().rowCount();
    const TimeRange seen = capture().state().range();
    ASSERT_TRUE(wait_until([&] { return rows.model().rowCount() > before; }));
    EXPECT_TRUE(capture().document().live()) << "it grew while it was recorded";
    ASSERT_TRUE(wait_until([&] { return capture().state().range().end_ns > seen.end_ns; }));
    EXPECT_NE(capture().state().connection(), 0u);
    let_come(9000);
    stop();
    EXPECT_FALSE(action(QStringLiteral("Stop recording"))->isEnabled());
    EXPECT_EQ(message(), "");
    const uint64_t shown = packets();
    ASSERT_TRUE(wait_until([&] { return static_cast<uint64_t>(rows.model().rowCount()) == shown; }));
    EXPECT_EQ(packets_of(capture().document().path()), shown);
    EXPECT_EQ(capture().recording()->totals().packets(), shown);
}

// Half a capture differs from a whole one in ways that no change made.
TEST_F(LiveControlsTest, ARecordingIsNotComparedBeforeItHasEnded) {
    const ReplayedRecording replayed(sample(with_losses), 1.5);
    start("replay");
    let_come(100);
    ASSERT_TRUE(capture().document().live());
    action(QStringLiteral("Compare with"))->trigger();
    EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
    EXPECT_THAT(capture().statusBar()->currentMessage().toStdString(), testing::HasSubstr("goes on"));
    stop();
}

TEST_F(LiveControlsTest, StaysWhereTheUserLooksAndCatchesUpWhenAsked) {
    const ReplayedRecording replayed(sample(with_losses), 4);
    start("replay");
    let_come(1000);
    ViewState& state = capture().state();
    // Closer to the end, and after it from then on.
    QTest::keyClick(window.get(), Qt::Key_L);
    EXPECT_TRUE(state.following());
    const int64_t span = state.whole().span_ns() / 4;
    state.set_range({state.whole().end_ns - span, state.whole().end_ns});
    ASSERT_TRUE(state.following());
    const TimeRange first = state.range();
    ASSERT_TRUE(wait_until([&] { return state.range().end_ns > first.end_ns; }));
    EXPECT_EQ(state.range().span_ns(), span);
    // Back, and there it stays.
    QTest::keyClick(window.get(), Qt::Key_A);
    EXPECT_FALSE(state.following());
    EXPECT_FALSE(action(QStringLiteral("Follow the end"))->isChecked());
    const TimeRange back = state.range();
    const uint64_t by_then = packets();
    let_come(by_then + 500);
    EXPECT_EQ(state.range(), back);
    ASSERT_TRUE(capture().document().live());
    QTest::keyClick(window.get(), Qt::Key_L);
    EXPECT_TRUE(state.following());
    EXPECT_TRUE(action(QStringLiteral("Follow the end"))->isChecked());
    EXPECT_EQ(state.range().end_ns, state.whole().end_ns);
    EXPECT_EQ(state.range().span_ns(), back.span_ns());
    EXPECT_GT(state.range().begin_ns, back.begin_ns);
    stop();
}

TEST_F(LiveControlsTest, IsSavedUnderANameAndBegunAgainUnderTheNext) {
    const ReplayedRecording replayed(sample(with_losses), 0.5);
    start("replay");
    let_come(1000);
    EXPECT_EQ(unsaved().size(), 1);
    const QString path = folder.filePath(QStringLiteral("san.pcapng"));
    answer_file_dialog(path);
    action(QStringLiteral("Save the recording"))->trigger();
    EXPECT_TRUE(QFileInfo::exists(path));
    EXPECT_TRUE(unsaved().isEmpty());
    EXPECT_THAT(window->windowTitle().toStdString(), HasSubstr("san.pcapng"));
    EXPECT_FALSE(action(QStringLiteral("Save the recording"))->isEnabled());
    EXPECT_TRUE(capture().document().live()) << "it goes on under its new name";
    let_come(9856);
    stop();
    EXPECT_EQ(packets_of(path), 9856u);
    EXPECT_EQ(QFileInfo(recent_files().first()).fileName().toStdString(), "san.pcapng");

    action(QStringLiteral("Begin again"))->trigger();
    ASSERT_TRUE(wait_until([&] { return window->captures() == 2; }));
    EXPECT_EQ(QFileInfo(capture().document().path()).fileName().toStdString(), "san-2.pcapng");
    let_come(1000);
    // Nothing asks: both have names.
    action(QStringLiteral("Close"))->trigger();
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 0);
    EXPECT_GE(packets_of(folder.filePath(QStringLiteral("san-2.pcapng"))), 1000u);
}

TEST_F(LiveControlsTest, OneWithoutANameIsBegunAgainWithoutOne) {
    const ReplayedRecording replayed(sample(with_losses), 0.5);
    start("replay");
    let_come(100);
    action(QStringLiteral("Begin again"))->trigger();
    ASSERT_TRUE(wait_until([&] { return window->captures() == 2; }));
    EXPECT_TRUE(window->live().unsaved().holds(capture().document().path()));
    EXPECT_EQ(unsaved().size(), 2);
}

TEST_F(LiveControlsTest, ClosingWhileItIsRecordedAsks) {
    const ReplayedRecording replayed(sample(with_losses), 2);
    start("replay");
    let_come(1000);
    answer(QMessageBox::Cancel);
    action(QStringLiteral("Close"))->trigger();
    ASSERT_EQ(window->captures(), 1);
    EXPECT_TRUE(capture().recording()->running()) << "nothing has happened";
    answer(QMessageBox::Cancel);
    EXPECT_FALSE(window->close());
    EXPECT_TRUE(capture().recording()->running());
    EXPECT_EQ(unsaved().size(), 1);

    const uint64_t by_then = packets();
    const QString path = folder.filePath(QStringLiteral("kept.pcapng"));
    answer(QMessageBox::Save);
    QTimer::singleShot(200, qApp, [path] { answer_file_dialog(path); });
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 0);
    EXPECT_TRUE(unsaved().isEmpty());
    EXPECT_GE(packets_of(path), by_then);
}

TEST_F(LiveControlsTest, DiscardedItIsGone) {
    const ReplayedRecording replayed(sample(with_losses), 0.5);
    start("replay");
    let_come(1000);
    answer(QMessageBox::Discard);
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 0);
    EXPECT_TRUE(unsaved().isEmpty());
    EXPECT_TRUE(recent_files().isEmpty());
}

TEST_F(LiveControlsTest, AWindowThatStaysOpenAfterAllDiscardsNothing) {
    const ReplayedRecording replayed(sample(with_losses), 0.5);
    start("replay");
    let_come(100);
    start("replay");
    let_come(100);
    answer(QMessageBox::Discard);
    QTimer::singleShot(300, qApp, [] { answer(QMessageBox::Cancel); });
    EXPECT_FALSE(window->close());
    EXPECT_EQ(unsaved().size(), 2);
}

// The folder of shared memory is on another file system than that of temporary files, as a rule.
TEST_F(LiveControlsTest, OntoAnotherFileSystemItIsCopiedBehindTheWindow) {
    const QTemporaryDir elsewhere(QStringLiteral("/dev/shm/sanscope-test-XXXXXX"));
    struct stat here {};
    struct stat there {};
    ASSERT_EQ(::stat(qPrintable(home.path()), &here), 0);
    if (!elsewhere.isValid() || ::stat(qPrintable(elsewhere.path()), &there) != 0 ||
        here.st_dev == there.st_dev)
        GTEST_SKIP() << "there is no second file system to save to";
    const ReplayedRecording replayed(sample(with_losses), 0.3);
    start("replay");
    let_come(100);
    const QString path = elsewhere.filePath(QStringLiteral("san.pcapng"));
    answer_file_dialog(path);
    action(QStringLiteral("Save the recording"))->trigger();
    EXPECT_THAT(shown_message(), HasSubstr("stop the recording first"));
    close_boxes();
    EXPECT_FALSE(QFileInfo::exists(path));
    let_come(9856);
    stop();
    answer_file_dialog(path);
    action(QStringLiteral("Save the recording"))->trigger();
    ASSERT_TRUE(wait_until([&] { return capture().document().path() == path; })) << shown_message();
    EXPECT_TRUE(unsaved().isEmpty());
    EXPECT_EQ(packets_of(path), 9856u);

    // While it is recorded: saved as it is closed, it is stopped, copied and closed one after the other.
    start("replay");
    let_come(1000);
    const QString other = elsewhere.filePath(QStringLiteral("other.pcapng"));
    answer(QMessageBox::Save);
    QTimer::singleShot(200, qApp, [other] { answer_file_dialog(other); });
    action(QStringLiteral("Close"))->trigger();
    ASSERT_TRUE(wait_until([&] { return window->captures() == 1; })) << shown_message();
    EXPECT_TRUE(unsaved().isEmpty());
    EXPECT_GE(packets_of(other), 1000u);
}

TEST_F(LiveControlsTest, WhatAKilledWindowLeftIsOfferedAndWhole) {
    const ReplayedRecording replayed(sample(with_losses), 3);
    QProcess other;
    other.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    other.start(QStringLiteral(RECORDING_WINDOW),
                {QStringLiteral("replay"), QCoreApplication::applicationName()});
    QByteArray said;
    ASSERT_TRUE(wait_until([&] {
        said += other.readAllStandardOutput();
        return said.contains("recording");
    }));
    window->live().offer_left_behind();
    EXPECT_EQ(shown_message(), "") << "it is somebody's still";
    ::kill(static_cast<pid_t>(other.processId()), SIGKILL);
    ASSERT_TRUE(other.waitForFinished());
    const QStringList left = unsaved();
    ASSERT_EQ(left.size(), 1);
    // The recorder sees that nobody listens any more, and ends its file.
    const QString path =
        QFileInfo(window->live().unsaved().new_path(QStringLiteral("x"))).dir().filePath(left.first());
    qint64 size = -1;
    ASSERT_TRUE(wait_until([&] {
        QTest::qWait(200);
        return std::exchange(size, QFileInfo(path).size()) == QFileInfo(path).size();
    }));
    window->live().offer_left_behind();
    EXPECT_THAT(shown_message(), HasSubstr("not saved when the window was left"));
    for (QPushButton* const button : window->findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("&Open")) QTest::mouseClick(button, Qt::LeftButton);
    }
    ASSERT_TRUE(wait_until([&] { return window->captures() == 1 && !capture().document().loading(); }));
    EXPECT_EQ(message(), "");
    EXPECT_GE(packets(), 100u);
    EXPECT_LT(packets(), 9856u) << "it was killed before the end";
    EXPECT_TRUE(action(QStringLiteral("Save the recording"))->isEnabled());
    // Open here, it is offered to nobody else.
    close_boxes();
    window->live().offer_left_behind();
    EXPECT_EQ(shown_message(), "");
}

TEST_F(LiveControlsTest, ARecorderThatIsKilledIsToldOnceAndLosesNothing) {
    const ReplayedRecording replayed(sample(with_kernel_truth), 3);
    start("replay");
    let_come(200);
    const pid_t recorder = capture().recording()->process();
    ASSERT_GT(recorder, 0);
    ::kill(recorder, SIGKILL);
    let_end();
    EXPECT_EQ(message(), "sanscope-recorder was ended by signal 9 (Killed)");
    EXPECT_EQ(shown_message(), "");
    EXPECT_GE(packets(), 200u);
    EXPECT_EQ(packets_of(capture().document().path()), packets()) << "all that is in the file is shown";
    EXPECT_TRUE(action(QStringLiteral("Save the recording"))->isEnabled());
    EXPECT_FALSE(action(QStringLiteral("Stop recording"))->isEnabled());
}

TEST_F(LiveControlsTest, AnInterfaceThatGoesDownAndComesBackIsToldAndRecordedOn) {
    const ReplayedRecording replayed(sample(with_losses), 3);
    start("flapping");
    ASSERT_TRUE(wait_until([&] { return message() == "flapping is down; it is waited for"; }));
    const uint64_t by_then = packets();
    ASSERT_TRUE(wait_until([&] { return message() == "flapping is up again"; }));
    EXPECT_TRUE(capture().document().live());
    let_come(by_then + 1000);
    stop();
    EXPECT_EQ(packets_of(capture().document().path()), packets());
}

TEST_F(LiveControlsTest, AnotherHostIsAskedForItsInterfacesAndRecordsThroughSsh) {
    const ReplayedRecording replayed(sample(with_kernel_truth), 1);
    CaptureDialog* const dialog = open_dialog();
    ASSERT_NE(dialog, nullptr);
    EXPECT_FALSE(dialog->remote());
    EXPECT_EQ(dialog->request().snap_length(), 0u);
    enter_host(*dialog, "admin@storage");
    // Nobody has been asked yet.
    const auto* const list = dialog->findChild<QTreeWidget*>();
    EXPECT_EQ(list->topLevelItemCount(), 0);
    EXPECT_EQ(dialog->request().keep(), v1::RecordingRequest::HEADERS);
    choose_kept(*dialog, 128);
    EXPECT_EQ(dialog->request().snap_length(), 128u);
    EXPECT_EQ(dialog->request().keep(), v1::RecordingRequest::ALL);
    ask_host(*dialog);
    EXPECT_EQ(list->topLevelItemCount(), 2);
    choose(*dialog, "replay");
    click_start(*dialog);
    ASSERT_TRUE(wait_until([&] { return window->captures() == 1; })) << shown_message();
    activate();
    let_come(200);
    EXPECT_TRUE(capture().document().live());
    EXPECT_THAT(QFileInfo(capture().document().path()).fileName().toStdString(),
                testing::StartsWith("admin@storage_replay_"));
    stop();
    EXPECT_EQ(message(), "");
    EXPECT_EQ(packets_of(capture().document().path()), packets());

    // The same host once more.
    action(QStringLiteral("Begin again"))->trigger();
    ASSERT_TRUE(wait_until([&] { return window->captures() == 2; })) << shown_message();
    EXPECT_EQ(capture().recording()->remote()->host(), "admin@storage");
    let_come(200);
    stop();

    // And it is remembered, with its interface, without being asked.
    CaptureDialog* const again = open_dialog();
    ASSERT_NE(again, nullptr);
    ASSERT_TRUE(again->remote());
    EXPECT_EQ(again->remote()->host(), "admin@storage");
    EXPECT_EQ(again->remote()->recorder(), REPLAY_RECORDER);
    EXPECT_THAT(again->request().interfaces(), testing::ElementsAre("replay"));
    EXPECT_EQ(again->findChild<QTreeWidget*>()->topLevelItemCount(), 0);
    // Once it is, what was remembered is chosen in the list.
    ask_host(*again);
    EXPECT_EQ(edit_of(*again, "Interface names").text().toStdString(), "");
    EXPECT_THAT(again->request().interfaces(), testing::ElementsAre("replay"));
    EXPECT_EQ(again->request().snap_length(), 128u);
    // This host again: its own interfaces, and what was kept of packets here.
    edit_of(*again, "On host").clear();
    ASSERT_TRUE(wait_until([&] { return again->settled(); }));
    EXPECT_EQ(again->findChild<QTreeWidget*>()->topLevelItemCount(), 2);
    EXPECT_EQ(again->request().snap_length(), 0u);
    EXPECT_EQ(again->request().keep(), v1::RecordingRequest::HEADERS);
}

TEST_F(LiveControlsTest, WhatSshSaysIsTold) {
    const ReplayedRecording replayed(sample(with_kernel_truth));
    CaptureDialog* dialog = open_dialog();
    ASSERT_NE(dialog, nullptr);
    enter_host(*dialog, "nowhere");
    ask_host(*dialog);
    EXPECT_TRUE(shows_text(*dialog, "nowhere: ssh: Could not resolve hostname nowhere"));
    EXPECT_EQ(window->captures(), 0);
    edit_of(*dialog, "Interface names").setText(QStringLiteral("eth0, eth1"));
    EXPECT_THAT(dialog->request().interfaces(), testing::ElementsAre("eth0", "eth1"));
    click_start(*dialog);
    ASSERT_TRUE(wait_until([&] { return !shown_message().empty(); }));
    EXPECT_EQ(shown_message(), "nowhere: ssh: Could not resolve hostname nowhere");
    EXPECT_EQ(window->captures(), 0);
    EXPECT_TRUE(unsaved().isEmpty());
    close_boxes();

    dialog = open_dialog();
    ASSERT_NE(dialog, nullptr);
    enter_host(*dialog, "storage");
    edit_of(*dialog, "Recorder there").setText(QStringLiteral("/nowhere/sanscope-recorder"));
    click_start(*dialog);
    ASSERT_TRUE(wait_until([&] { return !shown_message().empty(); }));
    EXPECT_THAT(shown_message(), HasSubstr("there is no sanscope-recorder on storage"));
}

TEST_F(LiveControlsTest, WaitingForAHostCanBeLeft) {
    const ReplayedRecording replayed(sample(with_kernel_truth));
    CaptureDialog* const dialog = open_dialog();
    ASSERT_NE(dialog, nullptr);
    enter_host(*dialog, "slow");
    edit_of(*dialog, "Interface names").setText(QStringLiteral("eth0"));
    click_start(*dialog);
    const auto waiting = [&] {
        auto* const shown = window->findChild<QProgressDialog*>();
        return shown != nullptr && shown->isVisible() ? shown : nullptr;
    };
    ASSERT_TRUE(wait_until([&] { return waiting() != nullptr; }));
    EXPECT_EQ(waiting()->labelText().toStdString(), "Waiting for slow…");
    QTest::mouseClick(waiting()->findChild<QPushButton*>(), Qt::LeftButton);
    ASSERT_TRUE(wait_until([&] { return window->findChild<QProgressDialog*>() == nullptr; }));
    EXPECT_EQ(shown_message(), "");
    EXPECT_EQ(window->captures(), 0);
    EXPECT_TRUE(unsaved().isEmpty());
}

TEST_F(LiveControlsTest, WhatTheKernelToldGrowsInItsTables) {
    const ReplayedRecording replayed(sample(with_kernel_truth), 2);
    start("replay");
    capture().show_view("kernel-windows");
    const auto& rows = *qobject_cast<RowsView*>(capture().view("kernel-windows"));
    ASSERT_TRUE(wait_until([&] { return rows.model().rowCount() > 10; }));
    const int before = rows.model().rowCount();
    ASSERT_TRUE(wait_until([&] { return rows.model().rowCount() > before; }));
    EXPECT_TRUE(capture().document().live()) << "it grew while it was recorded";
    stop();
    ASSERT_TRUE(wait_until([&] { return rows.settled(); }));
    const auto reading = capture().document().data()->try_read();
    EXPECT_EQ(static_cast<size_t>(rows.model().rowCount()), reading->store().kernel_windows().size());
    capture().show_view("kernel-ca-transitions");
    const auto& transitions = *qobject_cast<RowsView*>(capture().view("kernel-ca-transitions"));
    const size_t reported_of = reading->store().kernel_ca_transitions().size();
    EXPECT_GT(reported_of, 0u);
    EXPECT_TRUE(
        wait_until([&] { return static_cast<size_t>(transitions.model().rowCount()) == reported_of; }));
}

TEST_F(LiveControlsTest, AWrongFilterIsToldAsItIsTypedAndNothingBegins) {
    const ReplayedRecording replayed(sample(with_losses));
    QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_R));
    auto* const dialog = window->findChild<CaptureDialog*>();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(wait_until([&] { return dialog->settled(); }));
    for (QLineEdit* const edit : dialog->findChildren<QLineEdit*>()) {
        if (edit->accessibleName() != QStringLiteral("Capture filter")) continue;
        edit->clear();
        QTest::keyClicks(edit, QStringLiteral("tcp prot 3260"));
    }
    ASSERT_TRUE(wait_until([&] { return dialog->settled(); }));
    bool is_told = false;
    for (const QLabel* const label : dialog->findChildren<QLabel*>())
        is_told = is_told || label->text().contains(QStringLiteral("syntax error"));
    EXPECT_TRUE(is_told);
    QTest::keyClick(dialog, Qt::Key_Return);
    EXPECT_TRUE(dialog->isVisible());
    EXPECT_EQ(window->captures(), 0);
    EXPECT_TRUE(unsaved().isEmpty());
}

// The recorder itself, as a user without rights runs it.
TEST_F(LiveControlsTest, WithoutRightsTheCommandThatGrantsThemIsTold) {
    const testing_gui::UnprivilegedRecorder recorder;
    if (!recorder.usable()) GTEST_SKIP() << "without setpriv, root cannot be without rights";
    v1::RecordingRequest request;
    request.add_interfaces("lo");
    window->live().start(request);
    ASSERT_TRUE(wait_until([&] { return !shown_message().empty() || window->captures() == 1; }));
    if (window->captures() == 1) GTEST_SKIP() << "the recorder has been granted its rights";
    EXPECT_THAT(shown_message(), HasSubstr("sudo setcap"));
    EXPECT_TRUE(unsaved().isEmpty());
}

}  // namespace
}  // namespace sanscope
