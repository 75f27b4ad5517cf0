// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/start_place.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QProcess>
#include <QSettings>
#include <QStatusBar>
#include <QTest>
#include <gtest/gtest.h>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/document/filter_result.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/window_driver.h"
#include "gui/views/filter_line/filter_line.h"

namespace sanscope {
namespace {

using testing_gui::action_of;
using testing_gui::sample;
using testing_gui::wait_until;

const char* const with_losses = "loss-mixed-initiator.pcap.zst";

class StartPlaceTest : public testing::Test {
  protected:
    StartPlaceTest() {
        QSettings().clear();
        window = std::make_unique<MainWindow>();
        window->show();
    }
    ~StartPlaceTest() override {
        window.reset();
        QSettings().clear();
    }
    CaptureWindow& opened_at(const StartPlace& place) {
        window->open_at(sample(with_losses), place);
        CaptureWindow& capture = *window->current();
        EXPECT_TRUE(wait_until([&] { return capture.document().has_loaded(); }));
        EXPECT_TRUE(wait_until([&] {
            return capture.state().selection() == capture.state().selected().selection &&
                   capture.filter_line().settled();
        }));
        QCoreApplication::processEvents();
        return capture;
    }
    std::unique_ptr<MainWindow> window;
};

TEST_F(StartPlaceTest, APacketIsSelectedAndFramedInItsView) {
    CaptureWindow& capture = opened_at({.at = QStringLiteral("8209"),
                                        .views = {QStringLiteral("ladder")},
                                        .filter = QStringLiteral("turnaround_ns > 10ms")});
    EXPECT_EQ(capture.state().selection(), (Selection{Selection::Kind::packet, 8209}));
    EXPECT_TRUE(capture.state().range().contains(capture.state().selected().story));
    EXPECT_LT(capture.state().range().span_ns(), 2 * capture.state().selected().story.span_ns());
    EXPECT_EQ(capture.current_view_name(), QStringLiteral("ladder"));
    ASSERT_TRUE(wait_until([&] { return capture.state().filter() != nullptr; }));
    EXPECT_EQ(capture.state().filter()->expression, "turnaround_ns > 10ms");
}

// The first packet at the moment or after it: relative, and as a UTC time.
TEST_F(StartPlaceTest, AMomentLeadsToThePacketThere) {
    CaptureWindow& capture = opened_at({.at = QStringLiteral("500ms")});
    const auto reading = capture.document().data()->read();
    const int64_t moment_ns = capture.state().whole().begin_ns + 500'000'000;
    const PacketNumber packet = capture.state().selection().number;
    ASSERT_GT(packet, 1u);
    EXPECT_GE(reading.timeline().time_of(packet), moment_ns);
    EXPECT_LT(reading.timeline().time_of(packet - 1), moment_ns);
    EXPECT_TRUE(capture.state().range().contains(reading.timeline().time_of(packet)));
}

TEST_F(StartPlaceTest, AFindingLeadsWhereItsClickDoes) {
    CaptureWindow& capture = opened_at({.finding = QStringLiteral("lost_segments")});
    EXPECT_EQ(capture.state().selection().kind, Selection::Kind::packet);
    EXPECT_TRUE(capture.state().range().contains(capture.state().selected().story));
    EXPECT_LT(capture.state().range().span_ns(), capture.state().whole().span_ns() / 4);
}

TEST_F(StartPlaceTest, WhatTheCaptureHasNotIsSaidAndNothingMoves) {
    for (const StartPlace& place :
         {StartPlace{.at = QStringLiteral("99999999")}, StartPlace{.at = QStringLiteral("0")},
          StartPlace{.at = QStringLiteral("100s")}, StartPlace{.at = QStringLiteral("2020-01-01T00:00:00")},
          StartPlace{.finding = QStringLiteral("no_iscsi")}}) {
        CaptureWindow& capture = opened_at(place);
        EXPECT_FALSE(capture.statusBar()->currentMessage().isEmpty()) << place.at.toStdString();
        EXPECT_FALSE(capture.state().selection());
        EXPECT_EQ(capture.state().range(), capture.state().first_view());
        capture.statusBar()->clearMessage();
    }
}

TEST(StartPlace, WhatIsNoPlaceIsTold) {
    EXPECT_TRUE(fault_of({}).isEmpty());
    for (const char* const at : {"4711", "1.25", "12us", "2026-11-21T10:33:56.5"})
        EXPECT_TRUE(fault_of({.at = QString::fromUtf8(at)}).isEmpty()) << at;
    for (const char* const at : {"soon", "-1", "12 parsecs", "99999999999999999999999"})
        EXPECT_FALSE(fault_of({.at = QString::fromUtf8(at)}).isEmpty()) << at;
    EXPECT_FALSE(fault_of({.finding = QStringLiteral("lost_segment")}).isEmpty());
    EXPECT_FALSE(fault_of({.views = {QStringLiteral("laddr")}}).isEmpty());
    EXPECT_FALSE(fault_of({.at = QStringLiteral("1"), .finding = QStringLiteral("lost_segments")}).isEmpty());
}

// What is copied leads back: the shell's words of it are the arguments that open the same place.
TEST_F(StartPlaceTest, ACopiedLinkLeadsBack) {
    const QString filter = QStringLiteral("name == \"READ(16)\" and turnaround_ns > 1ms");
    CaptureWindow& capture =
        opened_at({.at = QStringLiteral("4711"), .views = {QStringLiteral("windows")}, .filter = filter});
    ASSERT_TRUE(wait_until([&] { return capture.state().filter() != nullptr; }));
    action_of(*window, QStringLiteral("Copy a link"))->trigger();
    const QString link = QApplication::clipboard()->text();
    QProcess shell;
    ASSERT_TRUE(link.startsWith(QStringLiteral("sanscope-gui ")));
    shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QStringLiteral("printf '%s\\n' ") +
                                                                      link.section(QLatin1Char(' '), 1)});
    if (!shell.waitForFinished() || shell.exitStatus() != QProcess::NormalExit) GTEST_SKIP() << "no shell";
    const QStringList words =
        QString::fromUtf8(shell.readAllStandardOutput()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    EXPECT_EQ(words, (QStringList{QFileInfo(sample(with_losses)).absoluteFilePath(), QStringLiteral("--at"),
                                  QStringLiteral("4711"), QStringLiteral("--view"), QStringLiteral("windows"),
                                  QStringLiteral("--filter"), filter}));
}

}  // namespace
}  // namespace sanscope
