// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 7661's aim and Linux's tcp_is_cwnd_limited: where the receiver's window is what holds the sender back, the
// congestion window stops growing at twice what was in flight.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(ReceiverLimited, StopsGrowthAtTwiceTheFlight) {
    Simulation::Options options = path_of(20 * millisecond, 1000, 10'000);
    options.receiver.buffer_bytes = 30 * 1448 + 700;
    options.sender.send_buffer_bytes = 400'000;  // always full: the application waits for room (SOCK_NOSPACE)
    Simulation simulation(options);
    simulation.write_segments_at(0, 2000);
    simulation.run_for(second);
    ASSERT_GE(simulation.sender().figures().cwnd, 60u);
    ASSERT_LE(simulation.sender().figures().cwnd, 61u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(same_limit(simulation, replayed, 0.98));
    EXPECT_TRUE(interval_holds(simulation, replayed, 0.98));
    EXPECT_TRUE(replayed.transitions().empty());
}

}  // namespace
}  // namespace sanscope::simulated
