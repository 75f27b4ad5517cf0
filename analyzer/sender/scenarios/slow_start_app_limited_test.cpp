// SPDX-License-Identifier: GPL-3.0-or-later
// Linux tcp.h, tcp_is_cwnd_limited: in slow start the window grows to twice the flight's peak, and no further, where the
// application and not the window is what holds the sender back.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(SlowStartApplicationLimited, StopsAtTwiceTheFlightPeak) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    for (int burst = 0; burst < 5; ++burst) simulation.write_segments_at(burst * 50 * millisecond, 16);
    simulation.run_for(245 * millisecond);
    ASSERT_GE(simulation.sender().figures().cwnd, 32u);
    ASSERT_LE(simulation.sender().figures().cwnd, 33u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(same_limit(simulation, replayed));
    EXPECT_TRUE(replayed.transitions().empty());
}

}  // namespace
}  // namespace sanscope::simulated
