// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_capture.h"

#include <gmock/gmock.h>
#include <set>

#include "captures/experiment/chosen_experiment.h"

namespace sanscope::lab {
namespace {

using ::testing::MatchesRegex;
using ::testing::SizeIs;

TEST(RunCapture, IsCalledAfterWhatIsNotAsUsual) {
    PlannedRun run;
    run.settings.delay_ms = 4;
    run.settings.pdu_bytes = 32 << 10;
    run.repetition = 2;
    EXPECT_THAT(capture_name(run, 5),
                MatchesRegex("delay_ms=4,pdu_bytes=32768,repetition=2-[0-9a-f]{16}\\.pcapng"));
}

TEST(RunCapture, IsAlwaysTheSameForTheSameRun) {
    PlannedRun run;
    run.settings.delay_ms = 4;
    EXPECT_EQ(capture_name(run, 5), capture_name(run, 5));
    PlannedRun socket{.settings = {.load = Load::socket}};
    const std::string name = capture_name(socket, 5);
    socket.settings.pdu_bytes = 512;
    EXPECT_EQ(capture_name(socket, 5), name) << "it means nothing to a plain socket";
}

TEST(RunCapture, TellsRunsApartByAllThatDiffers) {
    std::set<std::string> names;
    size_t runs = 0;
    for (const double seconds : {1.0, 1.5}) {
        for (const PlannedRun& run : choose({.name = "kancharla-tab4-7"})->plan()) {
            names.insert(capture_name(run, seconds));
            ++runs;
        }
    }
    EXPECT_THAT(names, SizeIs(runs));
}

TEST(RunCapture, FitsIntoAFolderWhateverTheSettings) {
    PlannedRun run{.settings = {.load = Load::iscsi,
                                .operation = Operation::write,
                                .delay_ms = 1234.56789012345,
                                .jitter_percent = 12.3456789012345,
                                .loss_percent = 1.23456789012345e-7,
                                .rate_mbit = 12345.6789012345,
                                .queue_frames = 60000,
                                .background_mbit = 54321.0987654321,
                                .mtu = 9000,
                                .congestion_control = "abcdefghijklmno",
                                .window_bytes = 2147483647,
                                .pdu_bytes = 16777215,
                                .request_bytes = 1073741824,
                                .queue_depth = 1024,
                                .connections = 64,
                                .targets = 16,
                                .target_latency_us = 59999999.1234567},
                   .repetition = 4294967295};
    const std::string name = capture_name(run, 1234.5678);
    EXPECT_LE(name.size(), 255u);
    EXPECT_EQ(name.find('/'), std::string::npos);
    run.settings.target_latency_us = 1;
    EXPECT_NE(capture_name(run, 1234.5678), name) << "beyond where the words are cut";
}

}  // namespace
}  // namespace sanscope::lab
