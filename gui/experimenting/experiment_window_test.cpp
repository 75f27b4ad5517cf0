// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window of experiments as its user has it: chosen, planned, run by a script that stands for `sanscope`, cancelled, looked at
// while another process writes into the folder.
#include "gui/experimenting/experiment_window.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/experimenting/experiment_figure.h"
#include "gui/experimenting/experiment_form.h"
#include "gui/testing/fake_generator.h"
#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_gui::FakeGenerator;
using testing_gui::runs_on;
using testing_gui::wait_until;

class ExperimentWindowTest : public testing::Test {
  protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        window.reset();
        QSettings().clear();
    }

    // Two runs of iSCSI, and two of plain sockets.
    void open(bool may_run = true) {
        window = std::make_unique<ExperimentWindow>(nullptr, may_run);
        QObject::connect(window.get(), &ExperimentWindow::capture_wanted,
                         [this](const QString& path) { wanted.push_back(path.toStdString()); });
        window->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(window.get()));
        choose("oguchi-fig6-7");
        enter("operation", 2, "read");
        enter("queue_depth", 2, "1");
        enter("delay_ms", 2, "0, 4");
        enter("pdu_bytes", 2, "32K");
        field<QSpinBox>("Repetitions of each run").setValue(1);
        field<QLineEdit>("Folder for what comes out").setText(folder.path());
    }
    template <class Field>
    Field& field(const char* name) const {
        for (Field* const one : window->findChildren<Field*>()) {
            if (one->accessibleName() == QString::fromUtf8(name)) return *one;
        }
        ADD_FAILURE() << "no " << name;
        return *window->findChild<Field*>();
    }
    QPushButton& button(const char* text) const {
        for (QPushButton* const one : window->findChildren<QPushButton*>()) {
            if (one->text().remove(u'&') == QString::fromUtf8(text)) return *one;
        }
        ADD_FAILURE() << "no " << text;
        return *window->findChild<QPushButton*>();
    }
    void choose(const char* name) const {
        auto& list = field<QListWidget>("Experiments");
        for (int row = 0; row < list.count(); ++row) {
            if (list.item(row)->text().startsWith(QString::fromUtf8(name))) return list.setCurrentRow(row);
        }
        ADD_FAILURE() << "no " << name;
    }
    // A setting's values: column 2 has only these, column 3 other ones.
    void enter(const char* name, int column, const char* values) const {
        const auto columns = lab::setting_columns();
        const auto found = std::ranges::find(columns, std::string_view(name), &lab::SettingColumn::name);
        ASSERT_NE(found, columns.end());
        field<QTableWidget>("Settings of the experiment")
            .item(static_cast<int>(found - columns.begin()), column)
            ->setText(QString::fromUtf8(values));
    }
    std::string state(int row) const {
        return window->runs().index(row, RunsModel::state).data().toString().toStdString();
    }
    std::string message() const { return window->message().toStdString(); }
    int rows() const { return window->runs().rowCount(); }
    int row_of(lab::Load load) const {
        const auto& runs = window->runs().runs();
        const auto found =
            std::ranges::find_if(runs, [&](const ShownRun& run) { return run.run.settings.load == load; });
        return static_cast<int>(found - runs.begin());
    }
    // As `sanscope experiment` does when a run is done.
    void record(int row, double seconds = 5) const {
        auto file = lab::RunRecordFile::open(folder.filePath(QStringLiteral("runs.csv")).toStdString());
        ASSERT_TRUE(file) << file.error().message;
        lab::RunRecord done;
        done.run = window->runs().run(row)->run;
        done.link = "netem";
        done.seconds = seconds;
        done.measured[lab::Measure::bytes_per_second] = 7e6 + 1e6 * row;
        ASSERT_TRUE(file->append(done));
    }
    void keep_capture(int row) const {
        const QString path = capture_path(folder.path(), window->runs().run(row)->run, 5);
        QDir(folder.path()).mkdir(QStringLiteral("captures"));
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    // Two lines of a script: the run begins, and it goes on once the file is there.
    std::string news(const char* kind, int number, int row, const char* more = "") const {
        const QString label = window->runs().index(row, RunsModel::settings).data().toString();
        return fmt::format(
            "echo '{{\"kind\":\"{}\",\"number\":{},\"of\":2,\"label\":\"{}\",\"repetition\":1{}}}'\n", kind,
            number, label.toStdString(), more);
    }
    std::string wait_for(const char* file) const {
        return fmt::format("while [ ! -e '{}/{}' ]; do sleep 0.02; done\n", folder.path().toStdString(),
                           file);
    }
    void make(const char* name) const {
        QFile file(folder.filePath(QString::fromUtf8(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    QMessageBox* asked() const {
        const auto boxes = window->findChildren<QMessageBox*>();
        const auto shown =
            std::ranges::find_if(boxes, [](const QMessageBox* box) { return box->isVisible(); });
        return shown == boxes.end() ? nullptr : *shown;
    }
    static void answer(const QMessageBox& box, const char* text) {
        for (QAbstractButton* const one : box.buttons()) {
            if (one->text().remove(u'&') == QString::fromUtf8(text)) return one->click();
        }
        ADD_FAILURE() << "no " << text;
    }

    QTemporaryDir folder;
    std::unique_ptr<ExperimentWindow> window;
    std::vector<std::string> wanted;
};

TEST_F(ExperimentWindowTest, OffersEachExperimentWithASentenceAndItsPlan) {
    open();
    auto& list = field<QListWidget>("Experiments");
    EXPECT_EQ(static_cast<size_t>(list.count()), lab::experiments().size());
    const int chosen_before = list.currentRow();  // with four of its runs
    for (int row = 0; row < list.count(); ++row) {
        list.setCurrentRow(row);
        const lab::Experiment& experiment = lab::experiments()[static_cast<size_t>(row)];
        EXPECT_THAT(list.item(row)->text().toStdString(), HasSubstr(std::string(experiment.title)));
        EXPECT_THAT(field<QPlainTextEdit>("What the experiment is about").toPlainText().toStdString(),
                    HasSubstr(std::string(experiment.method)));
        EXPECT_THAT(window->plan().toStdString(), StartsWith(std::string(experiment.name) + ": "));
        EXPECT_THAT(window->plan().toStdString(), HasSubstr("about"));
        EXPECT_EQ(static_cast<size_t>(field<QComboBox>("Figure").count()), experiment.drawings.size());
        EXPECT_GT(rows(), row == chosen_before ? 3 : 10);
        EXPECT_EQ(message(), "");
    }
}

TEST_F(ExperimentWindowTest, WhatIsChosenIsPlannedAndIsTheCommand) {
    open();
    EXPECT_EQ(rows(), 4);
    EXPECT_EQ(window->plan().toStdString(), "oguchi-fig6-7: 4 runs of 5 s; about 25 s");
    EXPECT_THAT(window->command().toStdString(),
                HasSubstr("experiment oguchi-fig6-7 --only operation=read --only delay_ms=0,4 --only "
                          "pdu_bytes=32K --only queue_depth=1 --repetitions 1 -o " +
                          folder.path().toStdString()));
    EXPECT_THAT(window->command().toStdString(), Not(StartsWith("sudo")));
    enter("delay_ms", 2, "");
    enter("delay_ms", 3, "7");
    EXPECT_EQ(rows(), 2);
    EXPECT_THAT(window->command().toStdString(), HasSubstr("--set delay_ms=7 --only operation=read"));
    for (QCheckBox* const box : window->findChildren<QCheckBox*>()) box->setChecked(true);
    EXPECT_THAT(window->command().toStdString(), HasSubstr("--keep-captures"));
    EXPECT_EQ(window->plan().toStdString(), "oguchi-fig6-7: 2 runs of 5 s; about 16 s")
        << "recording takes time";
    // Another experiment begins with its own values.
    choose("zhu-fig3-14");
    EXPECT_THAT(window->command().toStdString(), Not(HasSubstr("--set")));
    EXPECT_THAT(window->command().toStdString(), HasSubstr("-o " + folder.path().toStdString()));
}

TEST_F(ExperimentWindowTest, WhatCannotBeIsToldAndStartsNothing) {
    open();
    EXPECT_TRUE(button("Start").isEnabled());
    enter("delay_ms", 2, "77");
    EXPECT_THAT(message(), HasSubstr("no run of this experiment has these settings"));
    EXPECT_FALSE(button("Start").isEnabled());
    EXPECT_EQ(window->command().toStdString(), "");
    EXPECT_EQ(rows(), 0);
    enter("delay_ms", 2, "");
    enter("mtu", 3, "1");
    EXPECT_THAT(message(), HasSubstr("from 576 to 9000"));
    enter("mtu", 3, "");
    EXPECT_EQ(message(), "");
    EXPECT_TRUE(button("Start").isEnabled());
    field<QLineEdit>("Folder for what comes out").setText(QString());
    EXPECT_THAT(message(), HasSubstr("Which folder"));
    EXPECT_FALSE(button("Start").isEnabled());
}

TEST_F(ExperimentWindowTest, AFolderWithSomethingElseIsNotTaken) {
    QFile file(folder.filePath(QStringLiteral("runs.csv")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("precious\n");
    file.close();
    open();
    EXPECT_THAT(message(), HasSubstr("choose another folder"));
    EXPECT_FALSE(button("Start").isEnabled());
    field<QLineEdit>("Folder for what comes out").setText(folder.filePath(QStringLiteral("other")));
    EXPECT_EQ(message(), "");
    EXPECT_TRUE(button("Start").isEnabled());
}

TEST_F(ExperimentWindowTest, WithoutTheRightTheCommandIsThereToBeCopied) {
    const FakeGenerator fake("echo \"$*\" > $dir/asked");
    open(false);
    EXPECT_FALSE(button("Start").isEnabled());
    window->start();
    EXPECT_FALSE(window->under_way());
    EXPECT_THAT(window->command().toStdString(), StartsWith("sudo "));
    EXPECT_THAT(field<QLabel>("The right to run it").text().toStdString(), HasSubstr("need root"));
    QTest::mouseClick(&button("Copy"), Qt::LeftButton);
    EXPECT_EQ(QGuiApplication::clipboard()->text(), window->command());
    EXPECT_EQ(fake.file("asked"), "");
}

TEST_F(ExperimentWindowTest, TheFigureGrowsWithWhatAnotherProcessWrites) {
    open(false);
    const int iscsi = row_of(lab::Load::iscsi);
    EXPECT_TRUE(window->figure().picture().lines.empty());
    record(iscsi);
    ASSERT_TRUE(wait_until([&] { return state(iscsi) == "done"; }, 10'000));
    EXPECT_EQ(window->figure().picture().lines.size(), 1u);
    EXPECT_THAT(window->plan().toStdString(), HasSubstr("3 runs of 5 s, 1 of 4 are done"));
    record(row_of(lab::Load::socket));
    ASSERT_TRUE(wait_until([&] { return window->figure().picture().lines.size() == 2; }, 10'000));
}

TEST_F(ExperimentWindowTest, RunsOneAfterTheOtherWithWhatBecomesOfEach) {
    open();
    const FakeGenerator fake("echo \"$*\" > $dir/asked\necho '{\"kind\":\"begun\",\"runs\":2}'\n" +
                             news("run", 1, 0) + wait_for("first") +
                             news("done", 1, 0, ",\"text\":\"7\",\"seconds_left\":6") + news("run", 2, 1) +
                             wait_for("second") + news("failed", 2, 1, ",\"text\":\"no route\"") +
                             "echo '{\"kind\":\"ended\",\"status\":3,\"done\":1,\"failed\":1}'\n"
                             "echo 'sanscope: 1 run failed' >&2\nexit 3");
    QTest::mouseClick(&button("Start"), Qt::LeftButton);
    EXPECT_TRUE(window->under_way());
    EXPECT_FALSE(window->form().isEnabled());
    EXPECT_FALSE(button("Start").isEnabled());
    ASSERT_TRUE(wait_until([&] { return state(0) == "under way"; }));
    EXPECT_THAT(message(), HasSubstr("Run 1 of 2"));
    record(0);
    make("first");
    ASSERT_TRUE(wait_until([&] { return state(1) == "under way"; }));
    EXPECT_EQ(state(0), "done");
    EXPECT_FALSE(window->figure().picture().lines.empty());
    make("second");
    ASSERT_TRUE(wait_until([&] { return !window->under_way(); }));
    EXPECT_EQ(state(1), "failed: no route");
    EXPECT_THAT(message(), HasSubstr("1 run was done, 1 failed"));
    EXPECT_TRUE(button("Start").isEnabled()) << "it tries again";
    EXPECT_TRUE(window->form().isEnabled());
    EXPECT_THAT(fake.file("asked"), StartsWith("experiment oguchi-fig6-7 --only "));
    EXPECT_THAT(fake.file("asked"), HasSubstr(" --events"));
}

TEST_F(ExperimentWindowTest, WhyItDidNotRunIsTold) {
    open();
    const FakeGenerator fake("echo 'sanscope: not installed, but needed: iperf3' >&2; exit 1");
    window->start();
    ASSERT_TRUE(wait_until([&] { return !window->under_way(); }));
    EXPECT_EQ(message(), "not installed, but needed: iperf3");
    EXPECT_TRUE(button("Start").isEnabled());
}

TEST_F(ExperimentWindowTest, CancellingKeepsWhatIsDone) {
    open();
    const FakeGenerator fake("trap 'exit 130' INT\n" + news("run", 1, 0) + runs_on);
    record(2);
    window->start();
    ASSERT_TRUE(wait_until([&] { return state(0) == "under way" && state(2) == "done"; }));
    QTest::mouseClick(&button("Cancel"), Qt::LeftButton);
    ASSERT_TRUE(wait_until([&] { return !window->under_way(); }));
    EXPECT_THAT(message(), StartsWith("Cancelled. Runs that are done are kept"));
    EXPECT_EQ(state(0), "to come");
    EXPECT_EQ(state(2), "done");
    EXPECT_TRUE(button("Start").isEnabled());
}

TEST_F(ExperimentWindowTest, ClosingAsksWhileItRuns) {
    open();
    const FakeGenerator fake("trap 'exit 130' INT\n" + news("run", 1, 0) + runs_on);
    window->start();
    ASSERT_TRUE(wait_until([&] { return state(0) == "under way"; }));
    window->close();
    EXPECT_TRUE(window->isVisible());
    ASSERT_NE(asked(), nullptr);
    answer(*asked(), "Cancel");
    EXPECT_TRUE(window->under_way());
    EXPECT_TRUE(window->isVisible());
    window->reject();
    ASSERT_TRUE(wait_until([&] { return asked() != nullptr; }));
    answer(*asked(), "Close only the window");
    EXPECT_FALSE(window->isVisible());
    EXPECT_TRUE(window->under_way());
    window->show();
    window->reject();
    ASSERT_TRUE(wait_until([&] { return asked() != nullptr; }));
    answer(*asked(), "End it");
    ASSERT_TRUE(wait_until([&] { return !window->under_way(); }));
    EXPECT_FALSE(window->isVisible());
    window->show();
    window->reject();
    EXPECT_FALSE(window->isVisible()) << "nobody is asked while nothing runs";
}

TEST_F(ExperimentWindowTest, APointOpensTheCaptureOfItsRun) {
    open(false);
    const int iscsi = row_of(lab::Load::iscsi);
    record(iscsi);
    keep_capture(iscsi);
    ASSERT_TRUE(wait_until([&] { return state(iscsi) == "done"; }, 10'000));
    window->figure().replot();
    const auto place = window->figure().place_of(0);
    ASSERT_TRUE(place);
    QTest::mouseClick(&window->figure(), Qt::LeftButton, {}, place->toPoint());
    const std::string path = capture_path(folder.path(), window->runs().run(iscsi)->run, 5).toStdString();
    EXPECT_THAT(wanted, ElementsAre(path));
    auto& table = field<QTableView>("Runs of the experiment");
    EXPECT_EQ(table.currentIndex().row(), iscsi) << "it is shown in the table";
    QTest::keyClick(&table, Qt::Key_Return);
    EXPECT_THAT(wanted, ElementsAre(path, path));
}

TEST_F(ExperimentWindowTest, ARunWithoutACaptureSaysSo) {
    open(false);
    const int iscsi = row_of(lab::Load::iscsi);
    const int socket = row_of(lab::Load::socket);
    auto& table = field<QTableView>("Runs of the experiment");
    const auto enter_row = [&](int row) {
        table.selectRow(row);
        QTest::keyClick(&table, Qt::Key_Return);
    };
    enter_row(iscsi);
    EXPECT_THAT(message(), HasSubstr("has not been made yet"));
    record(iscsi);
    record(socket);
    ASSERT_TRUE(wait_until([&] { return state(iscsi) == "done" && state(socket) == "done"; }, 10'000));
    enter_row(iscsi);
    EXPECT_THAT(message(), HasSubstr("“Keep the captures”"));
    enter_row(socket);
    EXPECT_THAT(message(), HasSubstr("plain sockets"));
    EXPECT_THAT(wanted, IsEmpty());
}

TEST_F(ExperimentWindowTest, ATransferOverUdpHasNoCaptureToBeKept) {
    open(false);
    choose("zhu-fig3-14");
    field<QLineEdit>("Folder for what comes out").setText(folder.path());
    const int blast = row_of(lab::Load::blast);
    ASSERT_LT(blast, rows());
    record(blast, lab::find_experiment("zhu-fig3-14")->seconds);
    ASSERT_TRUE(wait_until([&] { return state(blast) == "done"; }, 10'000));
    auto& table = field<QTableView>("Runs of the experiment");
    table.selectRow(blast);
    QTest::keyClick(&table, Qt::Key_Return);
    EXPECT_THAT(message(), HasSubstr("over UDP, of which no captures are kept"));
}

TEST_F(ExperimentWindowTest, ARunOfAnotherLengthIsAnotherRun) {
    open(false);
    const int iscsi = row_of(lab::Load::iscsi);
    record(iscsi, 1);
    keep_capture(iscsi);
    record(row_of(lab::Load::socket));
    ASSERT_TRUE(wait_until([&] { return state(row_of(lab::Load::socket)) == "done"; }, 10'000));
    EXPECT_EQ(state(iscsi), "to come");
}

TEST_F(ExperimentWindowTest, ChoosesAgainWhatWasChosenLast) {
    const FakeGenerator fake("exit 0");
    open();
    choose("zhu-fig3-14");
    for (QCheckBox* const box : window->findChildren<QCheckBox*>()) box->setChecked(true);
    window->start();
    ASSERT_TRUE(wait_until([&] { return !window->under_way(); }));
    window = std::make_unique<ExperimentWindow>(nullptr, true);
    EXPECT_THAT(window->command().toStdString(), HasSubstr("experiment zhu-fig3-14 --keep-captures"));
}

}  // namespace
}  // namespace sanscope
