// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 8985 §3.3 and §6.2: a retransmission that is lost as well is found by what was sent after it, and repaired in the
// same Recovery, without a timeout and without another reduction.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

class LostRetransmission : public testing::TestWithParam<SimulatedSender::Control> {};
INSTANTIATE_TEST_SUITE_P(Control, LostRetransmission,
                         testing::Values(SimulatedSender::Control::reno,
                                         SimulatedSender::Control::cubic_without_hystart),
                         control_name);

TEST_P(LostRetransmission, IsSentAgainInTheSameRecovery) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.control = GetParam();
    Simulation simulation(options);
    simulation.write_segments_at(0, 3000);
    simulation.data_link().drop(simulation.segment(100), 1);
    simulation.data_link().drop(simulation.segment(100), 2);
    simulation.run_for(second);
    ASSERT_EQ(simulation.sender().retransmissions(), 2u);
    ASSERT_EQ(simulation.sender().timeouts(), 0u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 300 * millisecond}));
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 2u);
    EXPECT_EQ(replayed.losses(), 2u);
}

}  // namespace
}  // namespace sanscope::simulated
