// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_process.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "gui/testing/fake_generator.h"
#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_gui::FakeGenerator;
using testing_gui::runs_on;
using testing_gui::wait_until;

class ExperimentProcessTest : public testing::Test {
  protected:
    ExperimentProcessTest() {
        QObject::connect(process.get(), &ExperimentProcess::message,
                         [this](const QString& text) { messages.push_back(text.toStdString()); });
        QObject::connect(process.get(), &ExperimentProcess::begun,
                         [this](uint64_t runs) { begun.push_back(runs); });
        QObject::connect(process.get(), &ExperimentProcess::told,
                         [this](const RunTold& run) { told.push_back(run); });
        QObject::connect(process.get(), &ExperimentProcess::ended,
                         [this](const ExperimentEnd& end) { ends.push_back(end); });
    }
    void start() const { process->start({QStringLiteral("experiment"), QStringLiteral("a name")}); }
    void run() {
        start();
        ASSERT_TRUE(wait_until([&] { return !ends.empty(); }));
        ASSERT_EQ(ends.size(), 1u);
        EXPECT_EQ(process->state(), ExperimentProcess::State::idle);
    }

    std::unique_ptr<ExperimentProcess> process = std::make_unique<ExperimentProcess>();
    std::vector<std::string> messages;
    std::vector<uint64_t> begun;
    std::vector<RunTold> told;
    std::vector<ExperimentEnd> ends;
};

TEST_F(ExperimentProcessTest, TellsWhatItsProcessTells) {
    const FakeGenerator fake(
        "echo \"$*\" > $dir/arguments\n"
        "echo '{\"kind\":\"message\",\"text\":\"bbr is left out\"}'\n"
        "echo '{\"kind\":\"begun\",\"runs\":2,\"done\":1,\"seconds\":8}'\n"
        "echo '{\"kind\":\"run\",\"number\":1,\"of\":2,\"label\":\"reads, 4 ms\",\"repetition\":3}'\n"
        "echo "
        "'{\"kind\":\"done\",\"number\":1,\"of\":2,\"label\":\"reads, 4 "
        "ms\",\"repetition\":3,\"text\":\"12\",\"seconds_left\":4}'\n"
        "echo "
        "'{\"kind\":\"failed\",\"number\":2,\"of\":2,\"label\":\"x\",\"repetition\":1,\"text\":\"no "
        "route\"}'\n"
        "echo '{\"kind\":\"ended\",\"status\":3,\"done\":1,\"failed\":1}'\n"
        "echo 'sanscope: 1 run failed' >&2; exit 3");
    run();
    EXPECT_EQ(fake.file("arguments"), "experiment a name --events\n");
    EXPECT_THAT(messages, ElementsAre("bbr is left out"));
    EXPECT_THAT(begun, ElementsAre(2u));
    ASSERT_EQ(told.size(), 3u);
    EXPECT_EQ(told[0].kind, RunTold::Kind::begins);
    EXPECT_EQ(told[0].label.toStdString(), "reads, 4 ms");
    EXPECT_EQ(told[0].repetition, 3u);
    EXPECT_EQ(told[0].of, 2u);
    EXPECT_EQ(told[1].kind, RunTold::Kind::done);
    EXPECT_EQ(told[1].text.toStdString(), "12");
    EXPECT_EQ(told[1].seconds_left, 4);
    EXPECT_EQ(told[2].kind, RunTold::Kind::failed);
    EXPECT_EQ(told[2].number, 2u);
    EXPECT_EQ(told[2].seconds_left, 0);
    EXPECT_EQ(ends[0].status, 3);
    EXPECT_EQ(ends[0].done, 1u);
    EXPECT_EQ(ends[0].failed, 1u);
    EXPECT_EQ(ends[0].why.toStdString(), "1 run failed");
}

TEST_F(ExperimentProcessTest, WhateverComesIsEndured) {
    const FakeGenerator fake(
        "echo rubbish; echo '{\"kind\":7}'; echo '{\"kind\":\"unheard of\"}'; echo '{\"kind\":\"run\"}'\n"
        "echo '{\"kind\":\"done\",\"number\":5,\"of\":2}'; echo '{\"kind\":\"message\",\"text\":[1]}'\n"
        "head -c 5000000 /dev/zero | tr '\\0' x; echo; head -c 100000 /dev/urandom; echo\n"
        "echo '{\"kind\":\"ended\",\"status\":\"x\",\"done\":-3}'; exit 0");
    run();
    EXPECT_TRUE(told.empty());
    EXPECT_TRUE(messages.empty());
    EXPECT_EQ(ends[0].status, 0) << "as it exits, not as it says";
    EXPECT_EQ(ends[0].done, 0u);
}

TEST_F(ExperimentProcessTest, SaysWhyItDidNotRun) {
    {
        const FakeGenerator fake("echo 'sanscope: not installed, but needed: iperf3' >&2; exit 1");
        run();
        EXPECT_EQ(ends[0].why.toStdString(), "not installed, but needed: iperf3");
    }
    ends.clear();
    qputenv("SANSCOPE_PROGRAM", "/nowhere/sanscope");
    run();
    EXPECT_THAT(ends[0].why.toStdString(), HasSubstr("/nowhere/sanscope cannot be started"));
    EXPECT_EQ(ends[0].status, 1);
    qunsetenv("SANSCOPE_PROGRAM");
    ends.clear();
    const FakeGenerator silent("exit 1");
    run();
    EXPECT_THAT(ends[0].why.toStdString(), HasSubstr("status 1"));
    ends.clear();
    const FakeGenerator killed("kill -SEGV $$");
    run();
    EXPECT_THAT(ends[0].why.toStdString(), HasSubstr("signal 11"));
    EXPECT_EQ(ends[0].status, 1);
}

TEST_F(ExperimentProcessTest, IsInterruptedAndMayTakeItsTimeToCleanUp) {
    const FakeGenerator fake(std::string("trap 'sleep 0.3; echo cleaned > $dir/cleaned; exit 130' INT\n"
                                         "echo '{\"kind\":\"begun\",\"runs\":2}'\n") +
                             runs_on);
    start();
    ASSERT_TRUE(wait_until([&] { return !begun.empty(); }));
    process->stop();
    EXPECT_EQ(process->state(), ExperimentProcess::State::stopping);
    ASSERT_TRUE(wait_until([&] { return !ends.empty(); }));
    EXPECT_EQ(ends[0].status, 130);
    EXPECT_EQ(fake.file("cleaned"), "cleaned\n");
}

TEST_F(ExperimentProcessTest, IsKilledWhenAskedAgain) {
    const FakeGenerator fake(std::string("trap '' INT\necho '{\"kind\":\"begun\",\"runs\":2}'\n") + runs_on);
    start();
    ASSERT_TRUE(wait_until([&] { return !begun.empty(); }));
    process->stop();
    process->stop();
    ASSERT_TRUE(wait_until([&] { return !ends.empty(); }));
    EXPECT_EQ(ends[0].status, 1);
    EXPECT_THAT(ends[0].why.toStdString(), HasSubstr("signal 9"));
}

TEST_F(ExperimentProcessTest, EndsWithItsObjectAndCleansUp) {
    const FakeGenerator fake(std::string("trap 'echo cleaned > $dir/cleaned; exit 130' TERM\n"
                                         "echo '{\"kind\":\"begun\",\"runs\":2}'\n") +
                             runs_on);
    start();
    ASSERT_TRUE(wait_until([&] { return !begun.empty(); }));
    process.reset();
    EXPECT_EQ(fake.file("cleaned"), "cleaned\n");
    EXPECT_TRUE(ends.empty());
}

}  // namespace
}  // namespace sanscope
