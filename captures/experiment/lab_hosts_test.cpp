// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/lab_hosts.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

RunSettings some() {
    RunSettings settings;
    settings.delay_ms = 2.5;
    settings.rate_mbit = 120;
    settings.queue_frames = 100;
    settings.loss_percent = 0.5;
    return settings;
}

TEST(LabLink, NetemHoldsWhatIsOnItsWayBesidesTheQueue) {
    // 120 Mbit/s for 2.5 ms are 25 frames of 1500 bytes.
    EXPECT_THAT(netem_arguments(some(), true), ElementsAre("netem", "limit", "126", "delay", "2500us", "rate",
                                                           "120000kbit", "loss", "0.5%"));
    EXPECT_THAT(netem_arguments(some(), false), Not(Contains("loss")));
    RunSettings free = some();
    free.rate_mbit = 0;
    EXPECT_THAT(netem_arguments(free, false), Not(Contains("rate")));
}

TEST(LabHosts, TellsWhichCongestionControlsTheyMayNotUse) {
    std::vector<RunSettings> settings(4, some());
    settings[0].congestion_control = "reno";
    settings[1].congestion_control = "cubic";
    settings[2].congestion_control = "bbr";
    settings[3].congestion_control = "cubic";
    EXPECT_THAT(refused_congestion_controls(settings, "reno cubic bbr"), ElementsAre());
    EXPECT_THAT(refused_congestion_controls(settings, "reno bbr2"), ElementsAre("cubic", "bbr"));
}

TEST(LabLink, DelayNodeLosesWhatComesFromTheTarget) {
    EXPECT_THAT(delay_node_arguments(some(), 7),
                ElementsAre("node-a", "node-b", "--seed", "7", "--delay-us", "2500", "--rate-mbit", "120",
                            "--queue", "100", "--ba-loss", "0.005"));
    RunSettings free;
    free.rate_mbit = 0;
    EXPECT_THAT(delay_node_arguments(free, 1),
                ElementsAre("node-a", "node-b", "--seed", "1", "--delay-us", "0"));
}

TEST(LabProcess, GivesWhatIsPrinted) {
    const std::atomic<bool> stop = false;
    const auto printed = run_program("", "echo", {"hello"}, 10, stop);
    ASSERT_TRUE(printed) << printed.error().message;
    EXPECT_EQ(*printed, "hello\n");
}

TEST(LabProcess, TellsWhatAProgramSaidWhenItFailed) {
    const std::atomic<bool> stop = false;
    const auto failed = run_program("", "sh", {"-c", "echo out of cheese >&2; exit 3"}, 10, stop);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "sh ended with status 3: out of cheese");
    const auto none = run_program("", "no-such-program-here", {}, 10, stop);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("no-such-program-here"));
}

TEST(LabProcess, EndsWhatTakesTooLong) {
    const std::atomic<bool> stop = false;
    const auto late = run_program("", "sleep", {"30"}, 0.1, stop);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().message, "sleep took longer than 0 s");
}

TEST(LabProcess, EndsWhenAskedTo) {
    const std::atomic<bool> stop = true;
    const auto stopped = run_program("", "sleep", {"30"}, 60, stop);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().message, "interrupted");
}

TEST(LabProcess, WaitsForALineWhileTheProgramGoesOn) {
    const std::atomic<bool> stop = false;
    auto process = LabProcess::start("", "sh", {"-c", "echo ready >&2; sleep 30"});
    ASSERT_TRUE(process) << process.error().message;
    EXPECT_TRUE(process->wait(10, stop, "ready"));
    process->end(SIGKILL);
    EXPECT_EQ(process->errors(), "ready\n");
}

}  // namespace
}  // namespace sanscope::lab
