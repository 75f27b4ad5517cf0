// SPDX-License-Identifier: GPL-3.0-or-later
// A sender whose host holds only so many bytes unacknowledged (SO_SNDBUF) is limited by its application's side: in slow
// start the window stops at twice the flight, and does not decay as an idle one does.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(SendBufferLimited, StopsGrowthAtTwiceTheFlight) {
    Simulation::Options options = path_of(20 * millisecond, 1000, 10'000);
    options.sender.send_buffer_bytes = 25 * 1448;
    Simulation simulation(options);
    simulation.write_segments_at(0, 2000);
    simulation.run_for(second);

    const Replayed replayed(simulation);
    // Whether a flight one segment short of the window fills it cannot be seen: segmentation offload leaves such rests.
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 2}));
    EXPECT_TRUE(same_limit(simulation, replayed, 0.98));
    EXPECT_TRUE(replayed.transitions().empty());
}

}  // namespace
}  // namespace sanscope::simulated
