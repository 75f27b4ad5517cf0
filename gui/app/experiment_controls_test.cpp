// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/experiment_controls.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenu>
#include <QMessageBox>
#include <QScopeGuard>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/app/main_window.h"
#include "gui/experimenting/experiment_window.h"
#include "gui/testing/fake_generator.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/wait_until.h"
#include "gui/testing/window_driver.h"

namespace sanscope {
namespace {

using testing_gui::action_of;
using testing_gui::FakeGenerator;
using testing_gui::wait_until;

class ExperimentControlsTest : public testing::Test {
  protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }

    // Answers the question that comes next.
    static void answer(QMessageBox::StandardButton button) {
        auto* const timer = new QTimer(qApp);
        QObject::connect(timer, &QTimer::timeout, [timer, button] {
            auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (box == nullptr) return;
            timer->stop();
            timer->deleteLater();
            box->button(button)->click();
        });
        constexpr int between_looks_ms = 20;
        timer->start(between_looks_ms);
    }
};

TEST_F(ExperimentControlsTest, TheMenuOpensItsWindowAndARunsCaptureComesIntoATab) {
    MainWindow window;
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    EXPECT_EQ(window.experiments().experiments(), nullptr);
    action_of(window, QStringLiteral("Experiment"))->trigger();
    ExperimentWindow* const experiments = window.experiments().experiments();
    ASSERT_NE(experiments, nullptr);
    EXPECT_TRUE(experiments->isVisible());
    EXPECT_FALSE(experiments->isModal()) << "captures can be looked at meanwhile";
    Q_EMIT experiments->capture_wanted(testing_gui::sample("nop-logout.pcap"));
    EXPECT_EQ(window.captures(), 1);
    EXPECT_TRUE(experiments->isVisible());
    experiments->reject();
    action_of(window, QStringLiteral("Experiment"))->trigger();
    EXPECT_EQ(window.experiments().experiments(), experiments) << "what was chosen is still there";
    EXPECT_TRUE(window.close());
}

TEST_F(ExperimentControlsTest, ClosingTheMainWindowAsksAndEndsTheExperiment) {
    const QTemporaryDir folder;
    const FakeGenerator fake(
        // Waits for a child in the background: while dash starts one in the foreground by vfork(), it loses signals.
        "sleep 600 >/dev/null 2>&1 &\n"
        "trap 'echo ended > $dir/ended; kill $!; exit 130' INT\n"
        "echo '{\"kind\":\"begun\",\"runs\":2}'\nwait $!");
    // As in a window that a shell started in the background; what ignores a signal from its start on, dash cannot trap.
    const auto before = std::signal(SIGINT, SIG_IGN);
    const auto restored = qScopeGuard([before] { std::signal(SIGINT, before); });
    QMainWindow window;
    QMenu menu;
    ExperimentControls controls(
        window, &menu, [](const QString&) {}, true);
    window.show();
    EXPECT_TRUE(controls.may_close()) << "nothing was started";
    controls.show();
    ExperimentWindow& experiments = *controls.experiments();
    for (QLineEdit* const line : experiments.findChildren<QLineEdit*>()) {
        if (line->accessibleName() == QStringLiteral("Folder for what comes out"))
            line->setText(folder.path());
    }
    experiments.start();
    ASSERT_TRUE(experiments.under_way()) << experiments.message().toStdString();
    // Once its process has set what it does when it is interrupted.
    bool begun = false;
    QObject::connect(experiments.findChild<ExperimentProcess*>(), &ExperimentProcess::begun,
                     [&] { begun = true; });
    ASSERT_TRUE(wait_until([&] { return begun; }));
    answer(QMessageBox::Cancel);
    EXPECT_FALSE(controls.may_close());
    EXPECT_TRUE(experiments.under_way());
    answer(QMessageBox::Yes);
    EXPECT_FALSE(controls.may_close()) << "once the experiment has ended";
    ASSERT_TRUE(wait_until([&] { return !window.isVisible(); }));
    EXPECT_FALSE(experiments.under_way());
    EXPECT_EQ(fake.file("ended"), "ended\n");
    EXPECT_TRUE(controls.may_close());
}

}  // namespace
}  // namespace sanscope
