// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 9293 §3.4: sequence numbers wrap; a loss across the wrap is a loss like any other.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(SequenceWrap, ChangesNothing) {
    for (const uint32_t segments_before : {0u, 99u, 100u, 101u, 130u}) {
        SCOPED_TRACE(segments_before);
        Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
        options.sender.control = SimulatedSender::Control::cubic_without_hystart;
        options.sender.first_byte = Serial32(0u - segments_before * 1448);
        Simulation simulation(options);
        simulation.write_segments_at(0, 2000);
        for (const uint32_t n : {100u, 103u}) simulation.data_link().drop(simulation.segment(n));
        simulation.run_for(second);

        const Replayed replayed(simulation);
        EXPECT_TRUE(same_transitions(simulation, replayed));
        EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 250 * millisecond}));
        EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 2u);
        EXPECT_EQ(replayed.losses(), 2u);
    }
}

}  // namespace
}  // namespace sanscope::simulated
