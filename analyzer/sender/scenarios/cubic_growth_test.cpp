// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 9438: after a reduction to 0.7 the window follows C(t-K)³ + W_max, or Reno's line where that is higher.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(CubicGrowth, FollowsTheCurveBackToItsMaximumAndBeyond) {
    Simulation::Options options = path_of(80 * millisecond, 1000, 10'000);
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    Simulation simulation(options);
    simulation.write_segments_at(0, 1'000'000);
    simulation.data_link().drop(simulation.segment(250));
    simulation.run_for(8 * second);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .share = 0.02, .from_ns = 1 * second}));
    EXPECT_TRUE(same_ssthresh(simulation, replayed, {.from_ns = 1 * second}));
    EXPECT_TRUE(interval_holds(simulation, replayed, 0.85, 1));
    EXPECT_STRNE(replayed.congestion_control(), "reno");  // one reduction: unsure is right too
}

TEST(CubicGrowth, FollowsRenosLineOnAShortPath) {
    Simulation::Options options = path_of(5 * millisecond, 20, 30);
    options.sender.control = SimulatedSender::Control::cubic;
    Simulation simulation(options);
    simulation.write_segments_at(0, 100'000);
    simulation.run_for(20 * second);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .share = 0.03, .from_ns = 1 * second}));
    EXPECT_STREQ(replayed.congestion_control(), "cubic");
}

}  // namespace
}  // namespace sanscope::simulated
