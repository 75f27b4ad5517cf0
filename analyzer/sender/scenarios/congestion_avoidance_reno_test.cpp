// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 5681 §3.1: beyond ssthresh the window grows by one segment for every window acknowledged.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(CongestionAvoidanceReno, GrowsByOneSegmentAWindow) {
    Simulation simulation(path_of(40 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 100'000);
    simulation.data_link().drop(simulation.segment(120));
    simulation.run_for(3 * second);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    // Half or seven tenths of the window: shown by how much goes out in the recovery, and surely some rounds later.
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.from_ns = 600 * millisecond}));
    EXPECT_TRUE(same_ssthresh(simulation, replayed, {.from_ns = 600 * millisecond}));
    EXPECT_TRUE(interval_holds(simulation, replayed));
    EXPECT_STRNE(replayed.congestion_control(), "cubic");  // one reduction: unsure is right too
}

// The sawtooth over a full queue: every loss halves, for the thirty seconds that it goes on.
TEST(CongestionAvoidanceReno, HalvesAtEachLossOfTheSawtooth) {
    Simulation simulation(path_of(40 * millisecond, 10, 40));
    simulation.write_segments_at(0, 100'000);
    simulation.run_for(30 * second);
    ASSERT_GT(simulation.transitions().size(), 8u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.from_ns = 5 * second}));
    EXPECT_TRUE(same_ssthresh(simulation, replayed, {.from_ns = 5 * second}));
    EXPECT_STREQ(replayed.congestion_control(), "reno");
}

}  // namespace
}  // namespace sanscope::simulated
