// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 6298 §5.5: the timeout doubles each time it expires; the state stays Loss, the window one segment, and the
// threshold is not lowered again.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(TimeoutBackoff, LowersTheThresholdOnlyOnce) {
    Simulation::Options options = path_of(20 * millisecond, 100, 10'000);
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    options.sender.tail_loss_probes = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 200);
    simulation.data_link().drop_between(simulation.absolute(15 * millisecond),
                                        simulation.absolute(3 * second));
    simulation.run_for(8 * second);
    ASSERT_EQ(simulation.sender().timeouts(), 4u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.to_ns = 3 * second}));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 3 * second}));
    EXPECT_GE(replayed.losses(LossKind::rto), 4u);
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 0u);
}

}  // namespace
}  // namespace sanscope::simulated
