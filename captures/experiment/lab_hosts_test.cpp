// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/lab_hosts.h"

#include <algorithm>
#include <csignal>
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
    RunSettings writes = some();
    writes.operation = Operation::write;
    EXPECT_THAT(netem_arguments(writes, true), Not(Contains("loss"))) << "what carries no data loses nothing";
    EXPECT_THAT(netem_arguments(writes, false), Contains("loss"));
    RunSettings uneven = some();
    uneven.jitter_percent = 60;
    uneven.loss_percent = 0;
    EXPECT_THAT(netem_arguments(uneven, true),
                ElementsAre("netem", "limit", "141", "delay", "2500us", "1500us", "rate", "120000kbit"));
    RunSettings free = some();
    free.rate_mbit = 0;
    EXPECT_THAT(netem_arguments(free, false), Not(Contains("rate")));
}

TEST(LabLink, PriorityGivesOtherTrafficWhatIsLeftOfTheLinksRate) {
    RunSettings settings = some();
    settings.priority = Priority::storage;
    const auto calls = priority_arguments(settings);
    for (const auto& call : calls) EXPECT_THAT(call, Contains("tgt0")) << "reads come from the target";
    const auto of_class = [&](const char* id) {
        const auto found = std::ranges::find_if(calls, [&](const std::vector<std::string>& call) {
            return std::ranges::find(call, id) != call.end() && call.front() == "class" && call[7] == id;
        });
        return found == calls.end() ? std::vector<std::string>() : *found;
    };
    // 120 Mbit/s for a millisecond are 15 000 bytes.
    EXPECT_THAT(of_class("1:10"),
                ElementsAre("class", "add", "dev", "tgt0", "parent", "1:1", "classid", "1:10", "htb", "rate",
                            "120000000bit", "ceil", "120000000bit", "burst", "15000b", "cburst", "15000b",
                            "prio", "0", "quantum", "1514"));
    EXPECT_THAT(of_class("1:20"), Contains("8kbit"));
    EXPECT_THAT(of_class("1:20"), Contains("120000000bit")) << "all of it, where nothing else is there";
    EXPECT_THAT(calls, Contains(ElementsAre("qdisc", "add", "dev", "tgt0", "parent", "1:20", "pfifo", "limit",
                                            "100")));
    EXPECT_THAT(calls.back(), Contains("9")) << "the port of other traffic";
    settings.operation = Operation::write;
    for (const auto& call : priority_arguments(settings)) EXPECT_THAT(call, Contains("ini0"));
}

TEST(LabHosts, TellsWhichCongestionControlsTheyMayNotUse) {
    std::vector<PlannedRun> runs(4);
    runs[0].settings.congestion_control = "reno";
    runs[1].settings.congestion_control = "cubic";
    runs[2].settings.congestion_control = "bbr";
    runs[3].settings.congestion_control = "cubic";
    EXPECT_THAT(refused_congestion_controls(runs, "reno cubic bbr"), ElementsAre());
    EXPECT_THAT(refused_congestion_controls(runs, "reno bbr2"), ElementsAre("cubic", "bbr"));
}

TEST(LabLink, DelayNodeLosesWhatComesFromTheTarget) {
    EXPECT_THAT(delay_node_arguments(some(), 7),
                ElementsAre("node-a", "node-b", "--seed", "7", "--delay-us", "2500", "--rate-mbit", "120",
                            "--queue", "100", "--ba-loss", "0.005"));
    RunSettings writes = some();
    writes.operation = Operation::write;
    EXPECT_THAT(delay_node_arguments(writes, 7), Contains("--ab-loss"));
    EXPECT_THAT(delay_node_arguments(writes, 7), Not(Contains("--ba-loss")));
    RunSettings uneven;
    uneven.delay_ms = 10;
    uneven.jitter_percent = 70;
    uneven.rate_mbit = 0;
    EXPECT_THAT(delay_node_arguments(uneven, 1),
                ElementsAre("node-a", "node-b", "--seed", "1", "--delay-us", "3000", "--jitter-us", "14000"))
        << "uniform from 3 to 17 ms";
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

TEST(LabProcess, ReadsTheProcessorTimeBehindAnyName) {
    const auto seconds = processor_seconds_in(
        "42 (a) b (c) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 3 0 12345 1000 200", 100);
    ASSERT_TRUE(seconds);
    EXPECT_EQ(*seconds, 2.0);
    EXPECT_FALSE(processor_seconds_in("", 100));
    EXPECT_FALSE(processor_seconds_in("42 (sh) S 1 42", 100));
}

TEST(LabProcess, CountsTheProcessorTimeOfAProgramThatRuns) {
    const std::atomic<bool> stop = false;
    auto process = LabProcess::start("", "sh",
                                     {"-c",
                                      "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; "
                                      "echo ready; sleep 30"});
    ASSERT_TRUE(process) << process.error().message;
    ASSERT_TRUE(process->wait(60, stop, "ready"));
    const auto used = process->processor_seconds();
    ASSERT_TRUE(used);
    EXPECT_GT(*used, 0);
    process->end(SIGKILL);
    EXPECT_FALSE(process->processor_seconds());
}

TEST(LabProcess, EndsWhatTakesTooLong) {
    const std::atomic<bool> stop = false;
    const auto late = run_program("", "sleep", {"30"}, 0.1, stop);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().message, "sleep took longer than 0 s");
}

TEST(LabProcess, TellsWhetherItEndedInTimeAndLetsItGoOn) {
    const std::atomic<bool> stop = false;
    auto process = LabProcess::start("", "sh", {"-c", "sleep 30"});
    ASSERT_TRUE(process) << process.error().message;
    const auto early = process->ends_within(0.05, stop);
    ASSERT_TRUE(early);
    EXPECT_FALSE(*early);
    EXPECT_TRUE(process->still_runs(0.05, stop)) << "it was not ended";
    process->end(SIGKILL);
    const auto ended = process->ends_within(10, stop);
    ASSERT_TRUE(ended);
    EXPECT_TRUE(*ended);
    auto other = LabProcess::start("", "sleep", {"30"});
    ASSERT_TRUE(other);
    EXPECT_FALSE(other->ends_within(60, true));
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
