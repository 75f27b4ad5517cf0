// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 5681 §3.1, RFC 3465: in slow start the window grows by the segments acknowledged, one acknowledgement for two
// segments notwithstanding. RFC 6928: it begins with ten.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(SlowStart, GrowsByTheSegmentsThatDelayedAcknowledgementsAcknowledge) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 5000);
    simulation.run_for(115 * millisecond);
    ASSERT_EQ(simulation.sender().figures().cwnd, 320u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(same_ssthresh(simulation, replayed));
    EXPECT_TRUE(interval_holds(simulation, replayed, 1));
    EXPECT_TRUE(same_limit(simulation, replayed));
    EXPECT_TRUE(replayed.transitions().empty());
    EXPECT_EQ(replayed.losses(), 0u);
}

TEST(SlowStart, BeginsWithTheWindowThatTheHostIsSetTo) {
    Simulation::Options options = path_of(20 * millisecond, 1000, 10'000);
    options.sender.initial_window = 32;
    Simulation simulation(options);
    simulation.write_segments_at(0, 5000);
    simulation.run_for(95 * millisecond);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.from_ns = 5 * millisecond}));
}

// One acknowledgement after another lost: the next says the same (RFC 3465 counts bytes, not acknowledgements).
TEST(SlowStart, GrowsAsMuchWhenAcknowledgementsAreLost) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 5000);
    for (uint64_t n = 2; n < 60; n += 2) simulation.ack_link().drop_nth(n);
    simulation.run_for(95 * millisecond);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(replayed.transitions().empty());
}

}  // namespace
}  // namespace sanscope::simulated
