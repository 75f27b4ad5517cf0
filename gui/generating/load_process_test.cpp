// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_process.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/fake_generator.h"
#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_gui::FakeGenerator;
using testing_gui::runs_on;
using testing_gui::wait_until;

class LoadProcessTest : public testing::Test {
  protected:
    LoadProcessTest() {
        settings.luns = QStringList(QStringLiteral("iscsi://127.0.0.1/iqn.2026-11.org.example:disk/0"));
        listen(load);
    }
    void listen(LoadProcess& process) {
        QObject::connect(&process, &LoadProcess::begun, [this] { ++begun; });
        QObject::connect(&process, &LoadProcess::second,
                         [this](const LoadSecond& one) { seconds.push_back(one); });
        QObject::connect(&process, &LoadProcess::message,
                         [this](const QString& text) { messages.push_back(text.toStdString()); });
        QObject::connect(&process, &LoadProcess::ended, [this](const LoadEnd& one) { ends.push_back(one); });
    }
    void run() {
        load.start(settings, {.initiator = "the secret", .target = "the other"});
        ASSERT_TRUE(wait_until([&] { return !ends.empty(); }));
        EXPECT_EQ(load.state(), LoadProcess::State::idle);
    }
    static bool alive(qint64 pid) { return ::kill(static_cast<pid_t>(pid), 0) == 0; }

    LoadSettings settings;
    LoadProcess load;
    int begun = 0;
    std::vector<LoadSecond> seconds;
    std::vector<std::string> messages;
    std::vector<LoadEnd> ends;
};

const char* const a_second =
    R"({"kind":"second","seconds":1.001,"commands":10,"reads":10,"writes":0,"bytes":81920,"errors":2,)"
    R"("bytes_per_second":81838.5,"commands_per_second":9.99,"p50_ns":1500,"p99_ns":9000,"in_flight":3,"cpu_seconds":0.25})";

TEST_F(LoadProcessTest, TellsWhatItsProcessTells) {
    const FakeGenerator fake(
        std::string("echo '{\"kind\":\"begun\",\"targets\":[]}'\necho '") + a_second +
        "'\necho '{\"kind\":\"message\",\"text\":\"a connection was lost\"}'\n"
        "echo '{\"kind\":\"ended\",\"status\":3,\"summary\":{\"commands\":10}}'\nexit 3");
    run();
    EXPECT_EQ(begun, 1);
    ASSERT_EQ(seconds.size(), 1u);
    EXPECT_EQ(seconds[0].at, 1.001);
    EXPECT_EQ(seconds[0].commands, 10u);
    EXPECT_EQ(seconds[0].bytes, 81920u);
    EXPECT_EQ(seconds[0].errors, 2u);
    EXPECT_EQ(seconds[0].bytes_per_second, 81838.5);
    EXPECT_EQ(seconds[0].commands_per_second, 9.99);
    EXPECT_EQ(seconds[0].p50_ns, 1500);
    EXPECT_EQ(seconds[0].p99_ns, 9000);
    EXPECT_EQ(seconds[0].in_flight, 3u);
    EXPECT_EQ(seconds[0].cpu_seconds, 0.25);
    EXPECT_THAT(messages, ElementsAre("a connection was lost"));
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].status, 3);
    EXPECT_EQ(ends[0].why.toStdString(), "");
    EXPECT_EQ(count_of(ends[0].summary, "commands"), 10u);
}

TEST_F(LoadProcessTest, SecretsComeOnStandardInputOnly) {
    settings.user = QStringLiteral("user");
    settings.mutual_user = QStringLiteral("target");
    const FakeGenerator fake("cat > $dir/input; echo \"$0 $*\" > $dir/arguments; env > $dir/environment");
    run();
    EXPECT_EQ(fake.file("input"), "the secret\nthe other\n");
    EXPECT_THAT(fake.file("arguments"), HasSubstr("--secret-file - --mutual-secret-file -"));
    EXPECT_THAT(fake.file("arguments"), Not(HasSubstr("the secret")));
    EXPECT_THAT(fake.file("environment"), Not(HasSubstr("the secret")));
}

TEST_F(LoadProcessTest, WhateverComesIsEndured) {
    const FakeGenerator fake(
        std::string(
            "echo rubbish; echo '{\"kind\":7}'; echo '{\"kind\":\"unheard of\"}'\n"
            "echo '{\"kind\":\"second\"}'; echo '{\"kind\":\"second\",\"seconds\":\"x\"}'\n"
            "echo "
            "'{\"kind\":\"second\",\"seconds\":1e999,\"bytes_per_second\":1,\"commands_per_second\":1}'\n"
            "head -c 5000000 /dev/zero | tr '\\0' x; echo; head -c 100000 /dev/urandom; echo\n"
            "echo '{\"kind\":\"message\",\"text\":[1]}'; echo '{\"kind\":\"begun\"}'; echo "
            "'{\"kind\":\"begun\"}'\n"
            "printf '%s' '") +
        a_second +
        "'; echo\n"
        "echo '{\"kind\":\"ended\",\"status\":\"x\",\"summary\":7}'\n"
        "echo '" +
        a_second + "'; echo '{\"kind\":\"ended\",\"status\":0}'");
    run();
    EXPECT_EQ(begun, 1);
    EXPECT_EQ(seconds.size(), 1u) << "what comes after the end is not told";
    EXPECT_TRUE(messages.empty());
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].status, 1);
    EXPECT_TRUE(ends[0].summary.isEmpty());
}

TEST_F(LoadProcessTest, ALastLineWithoutAnEndCounts) {
    const FakeGenerator fake("printf '%s' '{\"kind\":\"ended\",\"status\":0,\"summary\":{\"commands\":3}}'");
    run();
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(count_of(ends[0].summary, "commands"), 3u);
}

TEST_F(LoadProcessTest, WhatItSaysBeforeItBeginsIsTheReason) {
    const FakeGenerator fake("echo 'sanscope: disk/0: Connection refused' >&2; exit 1");
    run();
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].status, 1);
    EXPECT_EQ(ends[0].why.toStdString(), "disk/0: Connection refused");
}

TEST_F(LoadProcessTest, HowItEndedIsToldWhereItSaysNothing) {
    {
        const FakeGenerator fake("exit 7");
        run();
        EXPECT_EQ(ends.back().why.toStdString(), "sanscope ended with status 7 and told nothing");
        EXPECT_EQ(ends.back().status, 7);
    }
    ends.clear();
    {
        const FakeGenerator fake("kill -9 $$");
        run();
        EXPECT_EQ(ends.back().why.toStdString(), "sanscope was ended by signal 9 (Killed)");
        EXPECT_NE(ends.back().status, 0);
    }
    ends.clear();
    qputenv("SANSCOPE_PROGRAM", "/nowhere/sanscope");
    run();
    qunsetenv("SANSCOPE_PROGRAM");
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_THAT(ends[0].why.toStdString(), HasSubstr("/nowhere/sanscope cannot be started"));
}

TEST_F(LoadProcessTest, StopsPolitelyThenFirmlyThenForGood) {
    // Counts how often it is interrupted, and minds none of it.
    const FakeGenerator fake(
        std::string(
            "n=0; trap 'n=$((n+1)); echo \"{\\\"kind\\\":\\\"message\\\",\\\"text\\\":\\\"$n\\\"}\"' INT\n"
            "echo '{\"kind\":\"begun\"}'\n") +
        runs_on);
    load.start(settings, {});
    ASSERT_TRUE(wait_until([&] { return begun == 1; }));
    const qint64 pid = load.process();
    EXPECT_TRUE(alive(pid));
    load.stop();
    EXPECT_EQ(load.state(), LoadProcess::State::stopping);
    ASSERT_TRUE(wait_until([&] { return messages.size() == 1; }));
    load.stop();
    EXPECT_EQ(load.state(), LoadProcess::State::aborting);
    ASSERT_TRUE(wait_until([&] { return messages.size() == 2; }));
    EXPECT_TRUE(ends.empty());
    load.stop();
    ASSERT_TRUE(wait_until([&] { return !ends.empty(); }));
    EXPECT_THAT(ends[0].why.toStdString(), HasSubstr("signal 9"));
    EXPECT_FALSE(alive(pid));
}

TEST_F(LoadProcessTest, EndsWithTheOneWhoStartedIt) {
    const FakeGenerator fake("trap '' INT TERM; echo '{\"kind\":\"begun\"}'; exec sleep 600");
    qint64 pid = 0;
    {
        LoadProcess other;
        listen(other);
        other.start(settings, {});
        ASSERT_TRUE(wait_until([&] { return begun == 1; }));
        pid = other.process();
        EXPECT_TRUE(alive(pid));
    }
    EXPECT_FALSE(alive(pid));
    EXPECT_TRUE(ends.empty());
}

}  // namespace
}  // namespace sanscope
