// SPDX-License-Identifier: GPL-3.0-or-later
// Linux tcp.h, tcp_is_cwnd_limited: in slow start the window grows to twice the flight's peak, and no further, where the
// application and not the window is what holds the sender back.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

// Bursts of 16 segments, the last of which is as long as that.
void write_bursts(Simulation& simulation, uint64_t last_bytes) {
    for (int burst = 0; burst < 5; ++burst)
        simulation.write_at(burst * 50 * millisecond, 15 * simulation.mss() + last_bytes);
    simulation.run_for(245 * millisecond);
}

TEST(SlowStartApplicationLimited, StopsAtTwiceTheFlightPeak) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    write_bursts(simulation, 500);
    ASSERT_GE(simulation.sender().figures().cwnd, 32u);
    ASSERT_LE(simulation.sender().figures().cwnd, 33u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(same_limit(simulation, replayed));
    EXPECT_TRUE(replayed.transitions().empty());
}

// What ends with a full segment may have been all, or the window may be smaller than it seems.
TEST(SlowStartApplicationLimited, IsNotSaidToBeTheWindowOfWholeSegments) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    write_bursts(simulation, simulation.mss());
    EXPECT_TRUE(no_false_limit(simulation, Replayed(simulation)));
}

}  // namespace
}  // namespace sanscope::simulated
