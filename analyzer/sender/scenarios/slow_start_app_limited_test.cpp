// SPDX-License-Identifier: GPL-3.0-or-later
// Linux tcp.h, tcp_is_cwnd_limited: in slow start the window grows to twice the flight's peak, and no further, where the
// application and not the window is what holds the sender back.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(SlowStartApplicationLimited, StopsAtTwiceTheFlightPeak) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    for (int burst = 0; burst < 8; ++burst) simulation.write_segments_at(burst * 40 * millisecond, 16);
    simulation.run_for(330 * millisecond);
    ASSERT_GE(simulation.sender().figures().cwnd, 32u);
    ASSERT_LE(simulation.sender().figures().cwnd, 33u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(same_limit(simulation, replayed));
    EXPECT_TRUE(replayed.transitions().empty());
}

// Linux tcp_output.c, tcp_cwnd_application_limited (RFC 2861 §3.2): a window that was not used in full for an RTO comes
// half-way down to what was used of it, and the threshold keeps three quarters.
TEST(SlowStartApplicationLimited, ComesHalfWayDownToWhatWasUsed) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 300);
    for (int burst = 1; burst < 20; ++burst)
        simulation.write_segments_at((100 + burst * 40) * millisecond, 4);
    simulation.run_for(900 * millisecond);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1}));
    EXPECT_TRUE(replayed.transitions().empty());
}

}  // namespace
}  // namespace sanscope::simulated
