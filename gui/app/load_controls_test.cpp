// SPDX-License-Identifier: GPL-3.0-or-later
//
// Loads from the window as its user puts them on: discovered and chosen on the page, recorded, followed in the panel, stopped,
// and all that can go wrong meanwhile. The loads and their target are real ones, on the loopback interface; recordings too,
// where this user may record.
#include "gui/app/load_controls.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>
#include <algorithm>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captures/recorder/recording.h"
#include "gui/app/capture_window.h"
#include "gui/app/live_controls.h"
#include "gui/app/main_window.h"
#include "gui/generating/load_charts.h"
#include "gui/generating/load_panel.h"
#include "gui/generating/target_chooser.h"
#include "gui/testing/unprivileged_recorder.h"
#include "gui/testing/wait_until.h"
#include "gui/testing/window_driver.h"

#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::action_of;
using testing_gui::wait_until;

// `sanscope target` on a port that was free, until this goes.
class MemoryTarget {
  public:
    explicit MemoryTarget(const QStringList& options = {}) {
        process_.setStandardErrorFile(QProcess::nullDevice());
        process_.start(
            QStringLiteral(SANSCOPE),
            QStringList{QStringLiteral("target"), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:0"),
                        QStringLiteral("--json"), QStringLiteral("--size"), QStringLiteral("64M")} +
                options);
        QByteArray said;
        EXPECT_TRUE(wait_until([&] {
            said += process_.readAllStandardOutput();
            return said.contains('\n') || process_.state() == QProcess::NotRunning;
        }));
        const QJsonObject object = QJsonDocument::fromJson(said.left(said.indexOf('\n'))).object();
        address_ = object.value(QStringLiteral("listening")).toString();
        name_ = object.value(QStringLiteral("target")).toString();
        EXPECT_FALSE(address_.isEmpty()) << said.toStdString();
    }
    ~MemoryTarget() { kill(); }
    MemoryTarget(const MemoryTarget&) = delete;
    MemoryTarget& operator=(const MemoryTarget&) = delete;

    void kill() {
        process_.kill();
        process_.waitForFinished();
    }
    const QString& address() const { return address_; }
    QString lun() const { return QStringLiteral("iscsi://%1/%2/0").arg(address_, name_); }

  private:
    QProcess process_;
    QString address_;
    QString name_;
};

// Whether this user may record from the loopback interface.
bool may_record() {
    static const bool may = [] {
        const QTemporaryDir folder;
        v1::RecordingRequest request;
        request.add_interfaces("lo");
        request.set_path(folder.filePath(QStringLiteral("try.pcapng")).toStdString());
        auto recording = Recording::start(request, {.program = SANSCOPE_RECORDER});
        bool begun = false;
        bool over = !recording;
        while (!begun && !over) {
            (*recording)->poll(std::chrono::milliseconds(100), [&](const v1::RecordingEvent& event) {
                begun = begun || event.has_started();
                over = over || event.has_ended();
            });
        }
        return begun;
    }();
    return may;
}

class LoadControlsTest : public testing::Test {
  protected:
    LoadControlsTest() {
        qputenv("HOME", home.path().toLocal8Bit());
        qputenv("SANSCOPE_PROGRAM", SANSCOPE);
        qputenv("SANSCOPE_RECORDER", SANSCOPE_RECORDER);
        QSettings().clear();
        window = std::make_unique<MainWindow>();
        window->resize(1600, 960);
        window->show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get()));
        activate();
        QObject::connect(&window->load().load(), &LoadProcess::ended,
                         [this](const LoadEnd& end) { ends.push_back(end); });
    }
    ~LoadControlsTest() override {
        for (QWidget* const widget : QApplication::topLevelWidgets()) {
            if (qobject_cast<QMessageBox*>(widget) != nullptr) widget->close();
        }
        window.reset();
        QSettings().clear();
        qputenv("HOME", home_before);
        qunsetenv("SANSCOPE_PROGRAM");
        qunsetenv("SANSCOPE_RECORDER");
    }

    void activate() const {
        window->activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(window.get()));
    }
    LoadPanel& panel() const { return window->load().panel(); }
    // Ctrl+L
    GenerateDialog* open_dialog() const {
        activate();
        QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_L));
        auto* const dialog = window->findChild<GenerateDialog*>();
        EXPECT_NE(dialog, nullptr);
        return dialog;
    }
    template <class Field>
    static Field& field(const QWidget& dialog, const char* name) {
        for (Field* const one : dialog.findChildren<Field*>()) {
            if (one->accessibleName() == QString::fromUtf8(name)) return *one;
        }
        ADD_FAILURE() << "no " << name;
        return *dialog.findChild<Field*>();
    }
    static void press(const QWidget& parent, const char* text) {
        for (QPushButton* const one : parent.findChildren<QPushButton*>()) {
            if (one->isVisible() && one->text().remove(u'&').startsWith(QString::fromUtf8(text)))
                return QTest::mouseClick(one, Qt::LeftButton);
        }
        FAIL() << "no button " << text;
    }
    static void discover(GenerateDialog& dialog, const QString& address) {
        field<QLineEdit>(dialog, "Address").setText(address);
        press(dialog, "Discover");
        ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    }
    static void choose_preset(const QWidget& dialog, const char* name) {
        auto& box = field<QComboBox>(dialog, "Preset");
        box.setCurrentIndex(box.findText(QString::fromUtf8(name)));
        Q_EMIT box.activated(box.currentIndex());
    }
    static bool shows_text(const QWidget& dialog, const char* text) {
        return std::ranges::any_of(dialog.findChildren<QLabel*>(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(QString::fromUtf8(text));
        });
    }
    static LoadRun run_of(const MemoryTarget& target) {
        LoadRun run;
        run.settings.luns = QStringList(target.lun());
        run.settings.record = false;
        run.settings.end = LoadSettings::End::commands;
        run.settings.commands = 50;
        return run;
    }
    void let_end() {
        ASSERT_TRUE(wait_until([&] { return !ends.empty() && !window->load().under_way(); }));
    }
    void let_be_recorded() const {
        ASSERT_EQ(window->captures(), 1);
        ASSERT_TRUE(wait_until([&] { return !window->current()->document().loading(); }));
        EXPECT_FALSE(window->current()->recording()->running());
        EXPECT_EQ(window->current()->recording()->dropped(), 0u);
    }
    // READ commands of the capture in front that were answered.
    uint64_t reads_in_capture() const {
        const auto reading = window->current()->document().data()->try_read();
        if (!reading) return 0;
        return static_cast<uint64_t>(std::ranges::count_if(
            reading->store().commands(),
            [](const CommandRow& row) { return is_read_opcode(row.opcode) && row.response_packet != 0; }));
    }
    // What a box says just now; empty: there is none.
    static std::string shown_message() {
        for (const QWidget* const widget : QApplication::topLevelWidgets()) {
            const auto* const box = qobject_cast<const QMessageBox*>(widget);
            if (box != nullptr && box->isVisible()) return box->text().toStdString();
        }
        return {};
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
    static uint64_t count(const LoadEnd& end, const char* name) { return count_of(end.summary, name); }

    const QByteArray home_before = qgetenv("HOME");
    QTemporaryDir home;
    std::unique_ptr<MainWindow> window;
    std::vector<LoadEnd> ends;
};

TEST_F(LoadControlsTest, TheCaptureOfALoadOpensByItself) {
    if (!may_record()) GTEST_SKIP() << "the recorder has no rights";
    const MemoryTarget target;
    EXPECT_FALSE(action_of(*window, QStringLiteral("Stop the load"))->isEnabled());
    GenerateDialog* const dialog = open_dialog();
    ASSERT_NE(dialog, nullptr);
    discover(*dialog, target.address());
    choose_preset(*dialog, "Database 8K");
    field<QLineEdit>(*dialog, "Stop after").setText(QStringLiteral("2500ms"));
    // Headers are kept at first, so that each request is seen where several travel in one; not too much for a slow machine.
    EXPECT_EQ(field<QComboBox>(*dialog, "Keep of each packet").currentData().toInt(), -1);
    field<QDoubleSpinBox>(*dialog, "Rate").setValue(400);
    EXPECT_EQ(dialog->trouble().toStdString(), "") << "the only LUN is meant";
    press(*dialog, "Start");
    ASSERT_TRUE(wait_until([&] { return window->captures() == 1; })) << shown_message();
    EXPECT_TRUE(action_of(*window, QStringLiteral("Stop the load"))->isEnabled());
    EXPECT_FALSE(action_of(*window, QStringLiteral("Generate load"))->isEnabled()) << "one at a time";
    ASSERT_TRUE(wait_until([&] { return !panel().charts().series().rows().empty(); }))
        << panel().state().toStdString();
    EXPECT_TRUE(panel().isVisible());
    EXPECT_THAT(panel().figure(QStringLiteral("Throughput")).toStdString(), HasSubstr("B/s"));
    EXPECT_TRUE(window->current()->recording()->running());
    let_end();
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].status, 0) << panel().state().toStdString();
    EXPECT_EQ(panel().state().toStdString(), "Ended; every command was answered well.");
    EXPECT_GT(count(ends[0], "commands"), 0u);
    EXPECT_EQ(ends[0].summary.value(QStringLiteral("request_bytes")).toInt(), 8192);
    EXPECT_EQ(ends[0].summary.value(QStringLiteral("queue_depth")).toInt(), 32);
    let_be_recorded();
    EXPECT_EQ(reads_in_capture(), count(ends[0], "commands"));
    EXPECT_EQ(window->current()->state().connection(), 2u)
        << "that of the load, not that of the questions before";
    EXPECT_EQ(panel().figure(QStringLiteral("Errors")).toStdString(), "0");
    EXPECT_EQ(window->captures(), 1);

    // Once more, with all that was chosen.
    press(panel(), "Again");
    ASSERT_TRUE(wait_until([&] { return ends.size() == 2 && !window->load().under_way(); }))
        << shown_message();
    EXPECT_EQ(ends[1].status, 0);
    EXPECT_EQ(window->captures(), 2);
}

TEST_F(LoadControlsTest, StoppedInTheMiddleNothingIsLost) {
    if (!may_record()) GTEST_SKIP() << "the recorder has no rights";
    const MemoryTarget target;
    LoadRun run = run_of(target);
    run.settings.record = true;
    run.settings.end = LoadSettings::End::duration;
    run.settings.seconds = 600;
    run.settings.rate = 400;
    run.interfaces = QStringList(QStringLiteral("lo"));
    run.filter = QStringLiteral("tcp port ") + target.address().section(u':', 1);
    window->load().start(run);
    ASSERT_TRUE(wait_until([&] { return !panel().charts().series().rows().empty(); })) << shown_message();
    activate();
    QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L));
    let_end();
    EXPECT_EQ(ends[0].status, 0) << panel().state().toStdString();
    EXPECT_GT(count(ends[0], "commands"), 100u);
    EXPECT_EQ(count(ends[0], "commands"), count(ends[0], "sent")) << "what was under way was waited for";
    let_be_recorded();
    EXPECT_EQ(reads_in_capture(), count(ends[0], "commands"));
}

TEST_F(LoadControlsTest, ALoadGoesOnWithoutTheTabOfItsRecording) {
    if (!may_record()) GTEST_SKIP() << "the recorder has no rights";
    const MemoryTarget target;
    LoadRun run = run_of(target);
    run.settings.record = true;
    run.settings.rate = 100;
    run.settings.commands = 500;
    run.interfaces = QStringList(QStringLiteral("lo"));
    run.filter = QStringLiteral("tcp port ") + target.address().section(u':', 1);
    window->load().start(run);
    ASSERT_TRUE(wait_until([&] { return !panel().charts().series().rows().empty(); })) << shown_message();
    answer(QMessageBox::Discard);
    action_of(*window, QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 0);
    EXPECT_TRUE(window->load().under_way());
    let_end();
    EXPECT_EQ(ends[0].status, 0) << panel().state().toStdString();
    EXPECT_EQ(count(ends[0], "commands"), 500u);
    QTest::qWait(500);
    EXPECT_EQ(window->captures(), 0);
}

TEST_F(LoadControlsTest, StoppedBeforeItIsRecordedNothingIsPutOn) {
    if (!may_record()) GTEST_SKIP() << "the recorder has no rights";
    const MemoryTarget target;
    LoadRun run = run_of(target);
    run.settings.record = true;
    run.interfaces = QStringList(QStringLiteral("lo"));
    run.filter = QStringLiteral("tcp port ") + target.address().section(u':', 1);
    window->load().start(run);
    press(panel(), "Stop");
    ASSERT_TRUE(wait_until([&] { return !window->load().under_way(); }));
    EXPECT_EQ(panel().state().toStdString(), "Stopped before the load began.");
    ASSERT_TRUE(wait_until([&] {
        return window->captures() == 1 && !window->current()->recording()->running();
    })) << "its recording ends as well";
    EXPECT_TRUE(ends.empty());
    // The recording of a run that was given up twice begins no load when it comes after all.
    window->load().start(run);
    press(panel(), "Stop");
    press(panel(), "Stop");
    EXPECT_FALSE(window->load().under_way());
    ASSERT_TRUE(
        wait_until([&] { return window->captures() == 2 && !window->current()->recording()->running(); }));
    EXPECT_TRUE(ends.empty());
}

TEST_F(LoadControlsTest, ATargetThatIsKilledIsToldAndItsCommandsAreCounted) {
    MemoryTarget target;
    LoadRun run = run_of(target);
    run.settings.end = LoadSettings::End::duration;
    run.settings.seconds = 600;
    run.settings.queue_depth = 4;
    window->load().start(run);
    ASSERT_TRUE(wait_until([&] { return !panel().charts().series().rows().empty(); }));
    target.kill();
    let_end();
    EXPECT_NE(ends[0].status, 0);
    EXPECT_NE(panel().messages().toStdString(), "");
    EXPECT_GT(count(ends[0], "commands"), 0u);
    EXPECT_EQ(count(ends[0], "sent"),
              count(ends[0], "commands") + count(ends[0], "errors") + count(ends[0], "in_flight"));
    EXPECT_THAT(panel().state().toStdString(),
                testing::AnyOf(HasSubstr("failed"), HasSubstr("a session was lost")));
}

TEST_F(LoadControlsTest, EveryPresetIsAPossibleLoad) {
    const MemoryTarget target;
    for (const LoadPreset& preset : load_presets()) {
        LoadRun run = run_of(target);
        apply(preset, run.settings);
        ends.clear();
        window->load().start(run);
        let_end();
        EXPECT_EQ(ends[0].status, 0) << preset.name << ": " << panel().state().toStdString();
        EXPECT_EQ(count(ends[0], "commands"), 50u) << preset.name;
        EXPECT_EQ(count(ends[0], "request_bytes"), preset.request_bytes);
        const QJsonObject negotiated = ends[0].summary.value(QStringLiteral("negotiated")).toObject();
        EXPECT_EQ(count_of(negotiated, "max_recv_data_segment_length_initiator"), preset.pdu_bytes);
    }
}

TEST_F(LoadControlsTest, WithoutATargetNothingBegins) {
    QString address;
    LoadRun run;
    {
        const MemoryTarget target;
        address = target.address();
        run = run_of(target);
    }
    GenerateDialog* const dialog = open_dialog();
    ASSERT_NE(dialog, nullptr);
    discover(*dialog, address);
    EXPECT_TRUE(shows_text(*dialog, "Connection refused"));
    EXPECT_NE(dialog->trouble().toStdString(), "");
    dialog->reject();
    // One that has gone since it was discovered.
    window->load().start(run);
    let_end();
    EXPECT_THAT(panel().state().toStdString(), HasSubstr("Connection refused"));
    EXPECT_FALSE(window->load().under_way());
    EXPECT_TRUE(action_of(*window, QStringLiteral("Generate load"))->isEnabled());
}

TEST_F(LoadControlsTest, OnlyTheRightSecretOpens) {
    const QTemporaryDir folder;
    const QString secret_file = folder.filePath(QStringLiteral("secret"));
    QFile file(secret_file);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("correct horse battery\n");
    file.close();
    QFile::setPermissions(secret_file, QFile::ReadOwner | QFile::WriteOwner);
    const MemoryTarget target(
        {QStringLiteral("--chap-user"), QStringLiteral("me"), QStringLiteral("--secret-file"), secret_file});
    GenerateDialog* const dialog = open_dialog();
    ASSERT_NE(dialog, nullptr);
    press(*dialog, "Discover");
    field<QLineEdit>(*dialog, "CHAP user").setText(QStringLiteral("me"));
    field<QLineEdit>(*dialog, "Secret").setText(QStringLiteral("a wrong secret, long enough"));
    discover(*dialog, target.address());
    EXPECT_TRUE(shows_text(*dialog, "uthentication")) << "the target says so";
    EXPECT_NE(dialog->trouble().toStdString(), "");
    field<QLineEdit>(*dialog, "Secret").setText(QStringLiteral("correct horse battery"));
    discover(*dialog, target.address());
    EXPECT_EQ(dialog->trouble().toStdString(), "");
    LoadRun run = dialog->run();
    dialog->reject();
    run.settings.record = false;
    run.settings.end = LoadSettings::End::commands;
    run.settings.commands = 50;
    window->load().start(run);
    let_end();
    EXPECT_EQ(ends[0].status, 0) << panel().state().toStdString();
    EXPECT_EQ(count(ends[0], "commands"), 50u);
    ends.clear();
    run.secrets.initiator = "a wrong secret, long enough";
    window->load().start(run);
    let_end();
    EXPECT_THAT(panel().state().toStdString(), HasSubstr("uthentication"));
    EXPECT_EQ(count(ends[0], "commands"), 0u);
}

TEST_F(LoadControlsTest, OnlyTheNamedLunIsWrittenTo) {
    const MemoryTarget target({QStringLiteral("--serial"), QStringLiteral("ABC-1")});
    LoadRun run = run_of(target);
    run.settings.read_percent = 0;
    run.settings.writable_serials = QStringList(QStringLiteral("ABC-2"));
    window->load().start(run);
    let_end();
    EXPECT_THAT(panel().state().toStdString(), HasSubstr("unit serial number is 'ABC-1'"));
    ends.clear();
    run.settings.writable_serials = QStringList(QStringLiteral("ABC-1"));
    window->load().start(run);
    let_end();
    EXPECT_EQ(ends[0].status, 0) << panel().state().toStdString();
    EXPECT_EQ(count_of(ends[0].summary.value(QStringLiteral("writes")).toObject(), "commands"), 50u);
    // What was allowed once is asked again.
    press(panel(), "Again");
    EXPECT_FALSE(window->load().under_way());
    auto* const dialog = window->findChild<GenerateDialog*>();
    ASSERT_NE(dialog, nullptr);
    dialog->reject();
}

TEST_F(LoadControlsTest, WithoutRightsTheLoadMayGoOnUnrecorded) {
    const testing_gui::UnprivilegedRecorder recorder;
    if (!recorder.usable()) GTEST_SKIP() << "without setpriv, root cannot be without rights";
    const MemoryTarget target;
    LoadRun run = run_of(target);
    run.settings.record = true;
    run.interfaces = QStringList(QStringLiteral("lo"));
    window->load().start(run);
    ASSERT_TRUE(wait_until([&] { return !shown_message().empty() || window->captures() == 1; }));
    if (window->captures() == 1) {
        let_end();
        GTEST_SKIP() << "the recorder has been granted its rights";
    }
    EXPECT_THAT(shown_message(), HasSubstr("sudo setcap"));
    EXPECT_TRUE(ends.empty()) << "nothing is put on before it is answered";
    press(*window, "Cancel");
    ASSERT_TRUE(wait_until([&] { return !window->load().under_way(); }));
    EXPECT_THAT(panel().state().toStdString(), HasSubstr("the recording did not begin"));
    EXPECT_TRUE(ends.empty());

    window->load().start(run);
    ASSERT_TRUE(wait_until([&] { return !shown_message().empty(); }));
    press(*window, "Load without recording");
    let_end();
    EXPECT_EQ(ends[0].status, 0) << panel().state().toStdString();
    EXPECT_EQ(count(ends[0], "commands"), 50u);
    EXPECT_EQ(window->captures(), 0);
}

TEST_F(LoadControlsTest, ClosingTheWindowAsksAndStopsTheLoad) {
    const MemoryTarget target;
    LoadRun run = run_of(target);
    run.settings.end = LoadSettings::End::duration;
    run.settings.seconds = 600;
    run.settings.rate = 100;
    window->load().start(run);
    ASSERT_TRUE(wait_until([&] { return window->load().load().process() != 0; }));
    const auto pid = static_cast<pid_t>(window->load().load().process());
    answer(QMessageBox::Cancel);
    EXPECT_FALSE(window->close());
    EXPECT_EQ(window->load().load().state(), LoadProcess::State::running);
    answer(QMessageBox::Yes);
    EXPECT_FALSE(window->close()) << "once the load has ended";
    ASSERT_TRUE(wait_until([&] { return !window->isVisible(); }));
    EXPECT_EQ(ends.size(), 1u);
    EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(LoadControlsTest, ALoadDoesNotOutliveAKilledWindow) {
    const MemoryTarget target;
    QProcess other;
    other.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    other.start(QStringLiteral(GENERATING_WINDOW), {target.lun()});
    QByteArray said;
    ASSERT_TRUE(wait_until([&] {
        said += other.readAllStandardOutput();
        return said.contains('\n');
    }));
    const pid_t load = said.trimmed().toInt();
    ASSERT_GT(load, 0);
    EXPECT_EQ(::kill(load, 0), 0);
    ::kill(static_cast<pid_t>(other.processId()), SIGKILL);
    ASSERT_TRUE(other.waitForFinished());
    EXPECT_TRUE(wait_until([&] { return ::kill(load, 0) != 0; }));
}

}  // namespace
}  // namespace sanscope
