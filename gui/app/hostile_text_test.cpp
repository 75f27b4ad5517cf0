// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window full of names that others chose: in the capture, of its file, of interfaces elsewhere. Qt would take
// them for HTML, which loads files.
#include <QFile>
#include <QHelpEvent>
#include <QMessageBox>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/app/view_kinds.h"
#include "gui/recording/capture_dialog.h"
#include "gui/testing/conversation_capture.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"
#include "gui/testing/shown_markup.h"
#include "gui/views/overview/overview_view.h"

namespace sanscope {
namespace {

using testing_gui::ShownMarkup;
using testing_gui::wait_until;

const char* const hostile = "<img src=HOSTILE>";

class HostileTextTest : public testing::Test {
  protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        QToolTip::hideText();
        QSettings().clear();
    }
    void expect_no_markup(int at_least_seen) {
        EXPECT_TRUE(markup.found().isEmpty()) << markup.found().first().toStdString();
        EXPECT_GE(markup.seen(), at_least_seen) << "the names were not even there";
    }
    // What it shows wherever the pointer rests.
    void hover_over(QWidget& widget) {
        constexpr int steps = 24;
        for (int i = 0; i < steps * steps; ++i) {
            const QPoint at(widget.width() * (i % steps) / steps, widget.height() * (i / steps) / steps);
            testing_gui::send_mouse(widget, QEvent::MouseMove, at, Qt::NoButton);
            QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
            QApplication::sendEvent(&widget, &help);
            markup.look_at(QToolTip::text(), QString::fromLatin1(widget.metaObject()->className()));
        }
    }

    QTemporaryDir folder;
    ShownMarkup markup{QString::fromUtf8(hostile)};
};

TEST_F(HostileTextTest, NoViewTakesANameOfTheCaptureForHtml) {
    const QString path = folder.filePath(QString::fromUtf8(hostile) + QStringLiteral(".pcapng"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    const test::Bytes bytes = testing_gui::conversation_capture(hostile);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
    file.close();

    MainWindow window;
    window.resize(1600, 960);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    ASSERT_TRUE(window.open({path}));
    CaptureWindow& capture = *window.current();
    ASSERT_TRUE(wait_until([&] { return capture.document().has_loaded(); }));
    capture.go_to_packet(20);
    for (const ViewKind& kind : view_kinds()) {
        capture.show_view(kind.name);
        View* const view = capture.view(kind.name);
        ASSERT_TRUE(wait_until([&] { return view->settled(); })) << kind.name;
        markup.look_at_everything();
        hover_over(*view);
        for (QWidget* const inside : view->findChildren<QWidget*>()) {
            if (inside->isVisible() && inside->width() > 100 && inside->height() > 20) hover_over(*inside);
        }
    }
    EXPECT_TRUE(window.open({path})) << "it is open already";
    EXPECT_EQ(window.captures(), 1);
    EXPECT_FALSE(window.open({folder.filePath(QStringLiteral("<img src=HOSTILE>"))}));
    markup.look_at_everything();
    expect_no_markup(10);
    for (QMessageBox* const box : window.findChildren<QMessageBox*>()) box->close();
}

TEST_F(HostileTextTest, NoInterfaceOfAnotherHostIsTakenForHtml) {
    qputenv("SANSCOPE_RECORDER", REPLAY_RECORDER);
    qputenv("REPLAY_SAYS", hostile);
    CaptureDialog dialog;
    dialog.show();
    ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    for (QLineEdit* const edit : dialog.findChildren<QLineEdit*>()) {
        if (edit->accessibleName() == QStringLiteral("Capture filter")) edit->setText(QStringLiteral("prot"));
    }
    ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    bool told = false;
    for (const QLabel* const label : dialog.findChildren<QLabel*>())
        told = told || label->text() == QString::fromUtf8(hostile);
    EXPECT_TRUE(told) << "the filter's message";
    markup.look_at_everything();
    expect_no_markup(3);
    qunsetenv("REPLAY_SAYS");
    qunsetenv("SANSCOPE_RECORDER");
}

}  // namespace
}  // namespace sanscope
