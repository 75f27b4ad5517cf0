// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

ExperimentChoice a_choice() {
    return {.wishes = {.name = "oguchi-fig6-7"}, .folder = QStringLiteral("/tmp/oguchi")};
}

TEST(ExperimentChoice, SaysOnlyWhatIsNotTheExperimentsOwn) {
    EXPECT_EQ(experiment_arguments(a_choice()).join(u' ').toStdString(),
              "experiment oguchi-fig6-7 -o /tmp/oguchi");
}

TEST(ExperimentChoice, SaysAllThatIsChosen) {
    ExperimentChoice choice = a_choice();
    choice.wishes.set = {"delay_ms=0,7", "mtu=9000"};
    choice.wishes.only = {"load=iscsi"};
    choice.wishes.repetitions = 2;
    choice.wishes.seconds = 2.5;
    choice.keep_captures = true;
    EXPECT_EQ(experiment_arguments(choice).join(u' ').toStdString(),
              "experiment oguchi-fig6-7 --set delay_ms=0,7 --set mtu=9000 --only load=iscsi --repetitions 2 "
              "--seconds 2.5 --keep-captures -o /tmp/oguchi");
}

TEST(ExperimentChoice, TheCommandHasWordsThatAShellTakesAsTheyAre) {
    ExperimentChoice choice = a_choice();
    choice.folder = QStringLiteral("/tmp/it's $HOME; rm -rf");
    const QString program = QStringLiteral("/opt/san scope");
    EXPECT_EQ(experiment_command(choice, program, true).toStdString(),
              R"(sudo '/opt/san scope' experiment oguchi-fig6-7 -o '/tmp/it'\''s $HOME; rm -rf')");
    EXPECT_EQ(experiment_command(a_choice(), QStringLiteral("sanscope"), false).toStdString(),
              "sanscope experiment oguchi-fig6-7 -o /tmp/oguchi");
}

TEST(ExperimentChoice, ACaptureLiesInTheFolderOfTheCaptures) {
    const std::string path = capture_path(QStringLiteral("/tmp/oguchi"), {}, 5).toStdString();
    EXPECT_THAT(path, testing::StartsWith("/tmp/oguchi/captures/repetition=1-"));
    EXPECT_THAT(path, testing::EndsWith(".pcapng"));
}

}  // namespace
}  // namespace sanscope
