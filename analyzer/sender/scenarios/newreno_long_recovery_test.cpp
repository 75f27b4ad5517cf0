// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 6582: without SACK, many holes are repaired one a round trip, for long; new data go out meanwhile for every duplicate.
// A timeout in such a Recovery is one, however much is in flight.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(NewRenoLongRecovery, EndsInLossWhenARetransmissionIsLost) {
    Simulation::Options options = path_of(10 * millisecond, 100, 40);
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    options.sender.sack = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 3000);
    simulation.data_link().drop(simulation.segment(100), 1);
    for (uint32_t n = 101; n < 112; ++n) simulation.data_link().drop(simulation.segment(n));
    simulation.data_link().drop(simulation.segment(108), 2);
    simulation.run_for(2 * second);
    ASSERT_GE(simulation.sender().timeouts(), 1u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(
        same_cwnd(simulation, replayed, {.segments = 1, .share = 0.05, .from_ns = 500 * millisecond}));
}

}  // namespace
}  // namespace sanscope::simulated
