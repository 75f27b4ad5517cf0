// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 9293 §3.8.6.1: a closed window is asked about, at longer and longer intervals, and the window's reopening lets the
// data go on; none of it is a loss.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(ZeroWindow, IsTheReceiversLimitAndItsProbesAreNoRetransmissions) {
    Simulation::Options options = path_of(20 * millisecond, 1000, 10'000);
    options.receiver.buffer_bytes = 40 * 1448;
    Simulation simulation(options);
    simulation.write_segments_at(0, 200);
    simulation.at(25 * millisecond, [&] { simulation.receiver().pause_reading(); });
    simulation.at(4 * second, [&] { simulation.receiver().resume_reading(); });
    simulation.run_for(6 * second);
    uint64_t probes = 0;
    for (const TappedSegment& tapped : simulation.at_sender())
        probes += tapped.from_sender && tapped.segment.length == 0 && !tapped.segment.has(tcp_syn);
    ASSERT_GE(probes, 3u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(replayed.transitions().empty());
    EXPECT_EQ(replayed.losses(LossKind::zero_window_probe), probes);
    EXPECT_EQ(replayed.losses(), probes);
    EXPECT_TRUE(same_limit(simulation, replayed, 1, {.from_ns = 300 * millisecond, .to_ns = 3 * second}));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.to_ns = 4 * second}));
}

}  // namespace
}  // namespace sanscope::simulated
