// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/workspace.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/document/filter_result.h"
#include "gui/document/open_path.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/wait_until.h"
#include "gui/testing/window_driver.h"
#include "gui/views/filter_line/filter_line.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::sample;
using testing_gui::wait_until;

const char* const with_losses = "loss-mixed-initiator.pcap.zst";

class WorkspaceTest : public testing::Test {
  protected:
    WorkspaceTest() {
        QSettings().clear();
        window = std::make_unique<MainWindow>();
        window->show();
    }
    ~WorkspaceTest() override {
        window.reset();
        QSettings().clear();
    }
    // A sample beside the workspace.
    QString copied(const char* name) const {
        const QString path = folder.filePath(QString::fromUtf8(name));
        EXPECT_TRUE(QFileInfo::exists(path) || QFile::copy(sample(name), path));
        return path;
    }
    CaptureWindow& opened(const QString& path) {
        EXPECT_TRUE(window->open({path}));
        CaptureWindow& capture = *window->current();
        settle(capture);
        return capture;
    }
    static void settle(CaptureWindow& capture) {
        EXPECT_TRUE(wait_until([&] {
            return capture.document().has_loaded() && !capture.state().whole().empty() &&
                   capture.filter_line().settled() &&
                   capture.state().selection() == capture.state().selected().selection;
        }));
        QCoreApplication::processEvents();
    }
    QString workspace() const { return folder.filePath(QStringLiteral("slow.sanscope-workspace")); }
    void save() {
        QString error;
        EXPECT_TRUE(window->save_workspace(workspace(), error)) << error.toStdString();
    }
    void write(const QByteArray& text) const {
        QFile file(workspace());
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QByteArray written() const {
        QFile file(workspace());
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }
    // What the window says was not opened; and takes the message away.
    std::string complaint() const {
        auto* const box = window->findChild<QMessageBox*>();
        if (box == nullptr) return {};
        const std::string text = box->text().toStdString();
        delete box;
        return text;
    }
    void begin_anew() {
        window = std::make_unique<MainWindow>();
        window->show();
    }

    QTemporaryDir folder;
    std::unique_ptr<MainWindow> window;
};

TEST_F(WorkspaceTest, MoreRulesOfDecodeAsThanAnybodyHasAreNotRead) {
    const auto is_read = [&](uint16_t rules, QString& error) {
        WorkspaceCapture capture;
        capture.path = folder.filePath(QStringLiteral("capture.pcap"));
        for (uint16_t port = 1; port <= rules; ++port)
            capture.decode_as.add({port, DecodeAs::Protocol::data});
        Workspace kept;
        kept.captures.append(capture);
        return read_workspace(workspace_json(kept, workspace()), workspace(), error).has_value();
    };
    QString error;
    EXPECT_TRUE(is_read(256, error)) << error.toStdString();
    EXPECT_FALSE(is_read(257, error));
    EXPECT_THAT(error.toStdString(), HasSubstr("decode_as"));
}

TEST_F(WorkspaceTest, APathOpensAgainAndNothingElseChanges) {
    const QString target = copied("loss-mixed-target.pcap.zst");
    window->open_points({copied(with_losses), target});
    ASSERT_TRUE(wait_until([&] {
        return window->current()->document().points() != nullptr &&
               window->current()->document().has_loaded();
    }));
    window->current()->show_view("ladder");
    opened(copied("nop-logout.pcap"));
    save();
    EXPECT_THAT(written().toStdString(), HasSubstr("\"loss-mixed-target.pcap.zst\""))
        << "relative, as the captures are";
    begin_anew();
    ASSERT_TRUE(window->open({workspace()}));
    EXPECT_EQ(window->captures(), 2);
    // It may be saved before they are read.
    save();
    const QString other = folder.filePath(QStringLiteral("nop-logout.pcap"));
    const auto path_of = [&]() -> std::shared_ptr<const OpenPath> {
        for (CaptureWindow* const capture : window->findChildren<CaptureWindow*>()) {
            if (capture->document().points() != nullptr) return capture->document().points();
        }
        return nullptr;
    };
    ASSERT_TRUE(wait_until([&] { return path_of() != nullptr; }));
    EXPECT_EQ(path_of()->files().size(), 2U);
    EXPECT_EQ(window->current()->document().path(), other) << "the tab in front stays";
    for (CaptureWindow* const capture : window->findChildren<CaptureWindow*>()) {
        if (capture->document().points() == nullptr) continue;
        settle(*capture);
        EXPECT_EQ(capture->current_view_name(), QStringLiteral("ladder"));
    }
    // The second saving has it, too.
    begin_anew();
    ASSERT_TRUE(window->open({workspace()}));
    EXPECT_TRUE(wait_until([&] { return path_of() != nullptr; }));
}

TEST_F(WorkspaceTest, ACaptureOfAPathThatIsGoneIsNamed) {
    const QString target = copied("loss-mixed-target.pcap.zst");
    window->open_points({copied(with_losses), target});
    ASSERT_TRUE(wait_until([&] {
        return window->current()->document().points() != nullptr &&
               window->current()->document().has_loaded();
    }));
    save();
    begin_anew();
    ASSERT_TRUE(QFile::remove(target));
    ASSERT_TRUE(window->open({workspace()}));
    EXPECT_THAT(complaint(), HasSubstr("loss-mixed-target.pcap.zst: it is not there any more"));
    EXPECT_EQ(window->captures(), 1) << "the other one opens";
    // What is missing now may be there again another time.
    save();
    EXPECT_THAT(written().toStdString(), HasSubstr("loss-mixed-target.pcap.zst"));
}

TEST_F(WorkspaceTest, PointsThatAreNonesAreAnError) {
    const auto read = [&](const char* points) {
        QString error;
        const QByteArray json =
            QByteArray(R"({"sanscope_workspace": 1, "captures": [{"path": "a.pcap", "points": )") + points +
            "}]}";
        return read_workspace(json, workspace(), error).has_value() ? std::string() : error.toStdString();
    };
    EXPECT_EQ(read(R"(["a.pcap", "b.pcap"])"), "");
    EXPECT_EQ(read("[]"), "");
    for (const char* const wrong :
         {R"(["a.pcap"])", R"(["b.pcap", "c.pcap"])", R"(["a.pcap", 7])", R"("a.pcap")", R"(["a.pcap", ""])",
          R"(["a.pcap","1","2","3","4","5","6","7","8"])"})
        EXPECT_THAT(read(wrong), HasSubstr("points")) << wrong;
}

TEST_F(WorkspaceTest, OpensAgainAsItWas) {
    TimeRange range;
    TimeRange selected;
    {
        CaptureWindow& capture = opened(copied(with_losses));
        ViewState& state = capture.state();
        const TimeRange whole = state.whole();
        range = {whole.begin_ns + whole.span_ns() / 4, whole.begin_ns + whole.span_ns() / 2};
        selected = {range.begin_ns + range.span_ns() / 8, range.begin_ns + range.span_ns() / 4};
        capture.show_view("ladder");
        capture.dock("findings")->hide();
        state.select({Selection::Kind::command, 40});
        settle(capture);
        state.set_connection(1, false);
        capture.filter_line().apply_filter(QStringLiteral("turnaround > 10ms"), QStringLiteral("commands"));
        settle(capture);
        state.set_selected_range(selected);
        state.set_range(range);
        capture.document().notes().set(77, QStringLiteral("here it waits"));
        opened(copied("nop-logout.pcap"));
        EXPECT_TRUE(window->open({copied(with_losses)}));
        save();
        EXPECT_FALSE(capture.document().notes().modified());
    }
    // A file below the folder is named relative to it: both can be moved.
    EXPECT_THAT(written().toStdString(), HasSubstr("\"path\": \"nop-logout.pcap\""));
    QSettings().remove(QStringLiteral("capture_layout"));
    begin_anew();
    ASSERT_TRUE(window->open({workspace()}));
    ASSERT_EQ(window->captures(), 2);
    CaptureWindow& capture = *window->current();
    EXPECT_EQ(QFileInfo(capture.document().path()).fileName(), QString::fromUtf8(with_losses));
    ASSERT_TRUE(wait_until([&] { return capture.state().filter() != nullptr; }));
    settle(capture);
    EXPECT_EQ(capture.state().filter()->expression, "turnaround > 10ms");
    EXPECT_EQ(capture.filter_line().language().toStdString(), "commands");
    EXPECT_EQ(capture.state().selection(), (Selection{Selection::Kind::command, 40}));
    EXPECT_EQ(capture.state().range(), range);
    EXPECT_EQ(capture.state().selected_range(), selected);
    EXPECT_EQ(capture.state().connection(), 1u);
    EXPECT_FALSE(capture.state().sender_is_target());
    EXPECT_EQ(capture.current_view_name().toStdString(), "ladder");
    EXPECT_TRUE(capture.dock("findings")->isHidden());
    EXPECT_EQ(capture.document().notes().all().at(77).toStdString(), "here it waits");
    EXPECT_FALSE(capture.document().notes().modified());
    EXPECT_EQ(complaint(), "");
}

TEST_F(WorkspaceTest, WhatIsMissingIsNamedAndTheRestOpens) {
    opened(copied(with_losses));
    opened(copied("nop-logout.pcap"));
    save();
    begin_anew();
    ASSERT_TRUE(QFile::remove(folder.filePath(QString::fromUtf8(with_losses))));
    EXPECT_TRUE(window->open({workspace()}));
    EXPECT_EQ(window->captures(), 1);
    EXPECT_THAT(complaint(), HasSubstr(with_losses));
    settle(*window->current());
}

TEST_F(WorkspaceTest, WhatIsDamagedIsAnErrorAndNothingElseChanges) {
    CaptureWindow& capture = opened(copied("nop-logout.pcap"));
    save();
    const QByteArray whole = written();
    const auto refuse = [&](const QByteArray& text, const char* why) {
        write(text);
        EXPECT_FALSE(window->open({workspace()})) << text.toStdString();
        EXPECT_THAT(complaint(), HasSubstr(why));
        EXPECT_EQ(window->captures(), 1);
        EXPECT_EQ(window->current(), &capture);
    };
    refuse("", "no workspace, or damaged");
    refuse(whole.left(whole.size() / 2), "at byte");
    refuse(QByteArray(100'000, '['), "no workspace, or damaged");
    refuse("[]", "JSON, but no workspace");
    refuse("{\"captures\": []}", "JSON, but no workspace");
    refuse("{\"sanscope_workspace\": 2}", "another version");
    refuse("{\"sanscope_workspace\": 1, \"captures\": {}}", "captures");
    refuse("{\"sanscope_workspace\": 1, \"captures\": [7]}", "captures");
    refuse("{\"sanscope_workspace\": 1, \"captures\": [{\"path\": 7}]}", "path");
    refuse("{\"sanscope_workspace\": 1, \"captures\": [{\"path\": \"a\", \"range\": {\"begin_ns\": \"9\"}}]}",
           "range");
    refuse("{\"sanscope_workspace\": 1, \"captures\": [{\"path\": \"a\", \"connection\": \"99999999999\"}]}",
           "connection");
    refuse("{\"sanscope_workspace\": 1, \"captures\": [{\"path\": \"a\", \"notes\": [{}]}]}", "notes");
}

// The view and the selected range had other names once.
TEST_F(WorkspaceTest, OpensWhatWasSavedWithFormerNames) {
    TimeRange selected;
    {
        CaptureWindow& capture = opened(copied("nop-logout.pcap"));
        const TimeRange whole = capture.state().whole();
        selected = {whole.begin_ns + whole.span_ns() / 4, whole.begin_ns + whole.span_ns() / 2};
        capture.state().set_selected_range(selected);
        capture.show_view("selected-range");
        save();
    }
    QByteArray text = written();
    ASSERT_TRUE(text.contains("\"selected_range\"") && text.contains("\"selected-range\""));
    text.replace("\"selected_range\"", "\"marked\"").replace("\"selected-range\"", "\"stretch\"");
    write(text);
    begin_anew();
    ASSERT_TRUE(window->open({workspace()}));
    CaptureWindow& capture = *window->current();
    settle(capture);
    ASSERT_TRUE(wait_until([&] { return !capture.pending().has_value(); }));
    EXPECT_EQ(capture.state().selected_range(), selected);
    EXPECT_EQ(capture.current_view_name().toStdString(), "selected-range");
}

// Values of the right types that fit no capture change nothing; a workspace within itself is no capture.
TEST_F(WorkspaceTest, WhatFitsNoCaptureIsPassedOver) {
    copied("nop-logout.pcap");
    write(
        "{\"sanscope_workspace\": 1, \"front\": 99, \"captures\": ["
        "{\"path\": \"slow.sanscope-workspace\"}, {\"path\": \"/dev/zero\"},"
        "{\"path\": \"nop-logout.pcap\", \"range\": {\"begin_ns\": \"1\", \"end_ns\": "
        "\"9223372036854775807\"},"
        "\"marked\": {\"begin_ns\": \"1\", \"end_ns\": \"2\"}, \"connection\": \"4294967295\","
        "\"selected\": {\"kind\": \"command\", \"number\": \"9223372036854775807\"},"
        "\"view\": \"nothing\", \"layout\": \"AAAA\", \"layout_seal\": \"AAAA\","
        "\"filter\": {\"expression\": \"no such column\", \"language\": \"nothing\"},"
        "\"notes\": [{\"packet\": \"9223372036854775807\", \"text\": \"x\"}]}]}");
    ASSERT_TRUE(window->open({workspace()}));
    const std::string said = complaint();
    EXPECT_THAT(said, HasSubstr("slow.sanscope-workspace: it is a workspace"));
    EXPECT_THAT(said, HasSubstr("/dev/zero"));
    ASSERT_EQ(window->captures(), 1);
    CaptureWindow& capture = *window->current();
    settle(capture);
    EXPECT_TRUE(capture.state().range().contains(capture.state().whole()));
    EXPECT_TRUE(capture.state().selected_range().empty());
    EXPECT_FALSE(capture.state().selection());
    EXPECT_EQ(capture.state().filter(), nullptr);
    EXPECT_TRUE(capture.document().notes().all().empty());
}

// What was not shown yet is not lost.
TEST_F(WorkspaceTest, OneSavedWhileItsCapturesLoadIsTheSame) {
    CaptureWindow& capture = opened(copied(with_losses));
    ViewState& state = capture.state();
    const TimeRange whole = state.whole();
    state.select({Selection::Kind::command, 40});
    settle(capture);
    state.set_connection(1, false);
    capture.filter_line().apply_filter(QStringLiteral("turnaround > 10ms"), QStringLiteral("commands"));
    settle(capture);
    state.set_selected_range({whole.begin_ns, whole.begin_ns + whole.span_ns() / 4});
    state.set_range({whole.begin_ns, whole.begin_ns + whole.span_ns() / 2});
    capture.document().notes().set(77, QStringLiteral("here it waits"));
    save();
    const QByteArray before = written();
    begin_anew();
    ASSERT_TRUE(window->open({workspace()}));
    CaptureWindow& again = *window->current();
    ASSERT_FALSE(again.document().has_loaded());
    save();
    EXPECT_EQ(written().toStdString(), before.toStdString());
    // A note made meanwhile is kept too, and is what counts of its packet.
    again.document().notes().set(5, QStringLiteral("typed"));
    again.document().notes().set(77, QStringLiteral("it does not"));
    save();
    EXPECT_THAT(written().toStdString(), HasSubstr("\"typed\""));
    again.document().notes().set(78, QStringLiteral("last"));
    ASSERT_TRUE(wait_until([&] { return !again.pending(); }));
    EXPECT_TRUE(again.document().notes().modified());
    // The filter may still be running.
    save();
    EXPECT_THAT(written().toStdString(), HasSubstr("turnaround > 10ms"));
    settle(again);
    const auto& notes = again.document().notes().all();
    ASSERT_EQ(notes.size(), 3u);
    EXPECT_EQ(notes.at(5).toStdString(), "typed");
    EXPECT_EQ(notes.at(77).toStdString(), "it does not");
}

// As where loading was stopped before them.
TEST_F(WorkspaceTest, NotesOnPacketsThatWereNotReadAreKept) {
    copied("nop-logout.pcap");
    write(
        "{\"sanscope_workspace\": 1, \"captures\": [{\"path\": \"nop-logout.pcap\","
        "\"notes\": [{\"packet\": \"1\", \"text\": \"first\"}, {\"packet\": \"99999\", \"text\": "
        "\"far\"}]}]}");
    ASSERT_TRUE(window->open({workspace()}));
    settle(*window->current());
    EXPECT_EQ(window->current()->document().notes().all().size(), 1u);
    save();
    EXPECT_THAT(written().toStdString(), HasSubstr("\"first\""));
    EXPECT_THAT(written().toStdString(), HasSubstr("\"far\""));
}

TEST_F(WorkspaceTest, ACaptureThatIsOpenStaysAsItIs) {
    const QString path = copied(with_losses);
    CaptureWindow& capture = opened(path);
    const TimeRange whole = capture.state().whole();
    capture.state().set_range({whole.begin_ns, whole.begin_ns + whole.span_ns() / 2});
    capture.document().notes().set(77, QStringLiteral("older"));
    save();
    capture.state().set_range({whole.begin_ns, whole.begin_ns + whole.span_ns() / 4});
    const TimeRange range = capture.state().range();
    capture.document().notes().set(77, QStringLiteral("newer"));
    opened(copied("nop-logout.pcap"));
    ASSERT_TRUE(window->open({workspace()}));
    ASSERT_EQ(window->current(), &capture);
    settle(capture);
    EXPECT_EQ(window->captures(), 2);
    EXPECT_EQ(capture.document().notes().all().at(77).toStdString(), "newer");
    EXPECT_TRUE(capture.document().notes().modified());
    EXPECT_EQ(capture.state().range(), range);
}

TEST_F(WorkspaceTest, WhatCouldNotBeReadAgainIsNotWritten) {
    CaptureWindow& capture = opened(copied("nop-logout.pcap"));
    save();
    const QByteArray before = written();
    capture.document().notes().set(1, QString(70'000, u'x'));
    QString error;
    EXPECT_FALSE(window->save_workspace(workspace(), error));
    EXPECT_THAT(error.toStdString(), HasSubstr("text"));
    EXPECT_EQ(written(), before);
    EXPECT_TRUE(capture.document().notes().modified());
}

// Also where its name was given without the ending.
TEST_F(WorkspaceTest, AFileIsReplacedOnlyOnceThatIsConfirmed) {
    opened(copied("nop-logout.pcap"));
    write("what was there");
    const QString without_ending = folder.filePath(QStringLiteral("slow"));
    const auto save_and = [&](QMessageBox::StandardButton answer) {
        testing_gui::answer_file_dialog(without_ending);
        int asked = 0;
        QTimer timer;
        QObject::connect(&timer, &QTimer::timeout, [&] {
            auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (box == nullptr) return;
            ++asked;
            box->button(answer)->click();
        });
        timer.start(20);
        testing_gui::action_of(*window, QStringLiteral("Save workspace"))->trigger();
        EXPECT_EQ(asked, 1);
    };
    save_and(QMessageBox::No);
    EXPECT_EQ(written(), "what was there");
    save_and(QMessageBox::Yes);
    EXPECT_THAT(written().toStdString(), HasSubstr("nop-logout.pcap"));
    EXPECT_FALSE(QFileInfo::exists(without_ending));
}

TEST(WorkspaceJson, SaysWhatItWasMadeOf) {
    Workspace workspace;
    workspace.front = 1;
    workspace.captures.append({.path = QStringLiteral("/data/a/one.pcap"),
                               .range = {1'795'259'301'500'000'001, 1'795'259'301'500'000'003},
                               .selected_range = {5, 6},
                               .connection = 3,
                               .sender_is_target = false,
                               .selection = {Selection::Kind::packet, 4711},
                               .filter = QStringLiteral("lun == 1 && name == \"x\""),
                               .filter_language = QStringLiteral("auto"),
                               .view = QStringLiteral("layers"),
                               .layout = QByteArray("\0\1", 2),
                               .notes = {{7, QString()}, {8, QStringLiteral("é")}}});
    workspace.captures.append({.path = QStringLiteral("/other/two.pcap")});
    const QString path = QStringLiteral("/data/w.sanscope-workspace");
    const QByteArray json = workspace_json(workspace, path);
    EXPECT_TRUE(json.contains("\"a/one.pcap\""));
    EXPECT_TRUE(json.contains("\"/other/two.pcap\""));
    QString error;
    const auto read = read_workspace(json, path, error);
    ASSERT_TRUE(read) << error.toStdString();
    EXPECT_EQ(workspace_json(*read, path), json);
    EXPECT_EQ(read->captures[0].range, workspace.captures[0].range);
    EXPECT_EQ(read->captures[0].layout, workspace.captures[0].layout);
    EXPECT_EQ(read->captures[0].notes.at(8).toStdString(), "é");
    // Moved with what is below it.
    const auto moved = read_workspace(json, QStringLiteral("/new/w.sanscope-workspace"), error);
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->captures[0].path.toStdString(), "/new/a/one.pcap");
    // An arrangement that somebody else wrote is not given to Qt.
    QByteArray forged = json;
    forged.replace("\"AAE=\"", "\"AAI=\"");
    ASSERT_NE(forged, json);
    const auto taken = read_workspace(forged, path, error);
    ASSERT_TRUE(taken);
    EXPECT_TRUE(taken->captures[0].layout.isEmpty());
}

}  // namespace
}  // namespace sanscope
