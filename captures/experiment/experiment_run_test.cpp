// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_run.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;

// A stand-in for the recorder, which goes on once it says that it is ready.
Result<bool> end_of(const std::string& at_interrupt) {
    const std::atomic<bool> stop = false;
    constexpr double patience_seconds = 10;
    auto recorder = LabProcess::start(
        "", "sh", {"-c", "trap '" + at_interrupt + "' INT; echo ready; while :; do sleep 0.01; done"});
    if (!recorder) return recorder.error();
    if (const auto ready = recorder->wait(patience_seconds, stop, "ready"); !ready) return ready.error();
    return end_recording(*recorder);
}

TEST(RecordingEnd, IsWholeOnlyWhereTheRecorderSaysSo) {
    const auto whole = end_of("exit 0");
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_TRUE(*whole);
    const auto dropped = end_of("exit 3");
    ASSERT_TRUE(dropped) << dropped.error().message;
    EXPECT_FALSE(*dropped);
}

TEST(RecordingEnd, ThatWasCutShortIsAnError) {
    const auto full = end_of("echo no space left on device >&2; exit 3");
    ASSERT_FALSE(full);
    EXPECT_THAT(full.error().message, HasSubstr("the recording: "));
    EXPECT_THAT(full.error().message, HasSubstr("no space left on device"));
    EXPECT_FALSE(end_of("exit 1"));
    EXPECT_FALSE(end_of("kill -9 $$"));
}

TEST(RecordingEnd, ThatCameBeforeItWasAskedForIsAnErrorToo) {
    const std::atomic<bool> stop = false;
    auto recorder = LabProcess::start("", "sh", {"-c", "echo interface is gone >&2; exit 3"});
    ASSERT_TRUE(recorder) << recorder.error().message;
    constexpr double patience_seconds = 10;
    ASSERT_TRUE(recorder->ends_within(patience_seconds, stop));
    const auto ended = end_recording(*recorder);
    ASSERT_FALSE(ended);
    EXPECT_THAT(ended.error().message, HasSubstr("interface is gone"));
}

TEST(SocketIntervals, AreAsShortAsAllThatIsToldCanBeKept) {
    EXPECT_EQ(socket_interval_seconds(1, 5), 0.1);
    EXPECT_EQ(socket_interval_seconds(128, 20), 0.1);
    EXPECT_EQ(socket_interval_seconds(128, 40), 0.2);
    constexpr double bytes_each = 400;  // of a socket in an interval, as iperf3 tells it
    constexpr double kept = 16 << 20;
    for (const double seconds : {1.0, 30.0, 60.0, 3600.0})
        EXPECT_LT(128 * seconds / socket_interval_seconds(128, seconds) * bytes_each, kept) << seconds;
}

}  // namespace
}  // namespace sanscope::lab
