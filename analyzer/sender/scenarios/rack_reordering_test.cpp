// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 8985 §6.2 steps 3 to 5: what arrives late by less than a quarter of the round trip is no loss once reordering was
// seen; before that, three SACKs above a hole are one.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(RackReordering, TakesTwoSacksAboveAHoleForDisorderOnly) {
    Simulation simulation(path_of(40 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 2000);
    simulation.data_link().hold(simulation.segment(60), 30 * microsecond);  // two pass it
    simulation.run_for(second / 2);
    ASSERT_EQ(simulation.transitions().size(), 2u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed));
}

TEST(RackReordering, TakesNothingForALossThatIsLateByLessThanAQuarterOnceItSawReordering) {
    Simulation simulation(path_of(40 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 3000);
    simulation.data_link().hold(simulation.segment(60), 30 * microsecond);
    for (uint32_t n = 200; n < 1000; n += 100)
        simulation.data_link().hold(simulation.segment(n), 6 * millisecond);
    simulation.run_for(second);
    for (const TrueTransition& transition : simulation.transitions())
        ASSERT_NE(transition.to, CaState::recovery);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 0u);
}

// Reordering beyond that is a loss, until its D-SACKs widen the window (step 4).
TEST(RackReordering, WidensItsWindowWhenDuplicatesAreTold) {
    Simulation simulation(path_of(40 * millisecond, 100, 10'000));
    simulation.write_segments_at(0, 6000);
    for (uint32_t n = 100; n < 3000; n += 200)
        simulation.data_link().hold(simulation.segment(n), 14 * millisecond);
    simulation.run_for(2 * second);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 500 * millisecond}));
    EXPECT_EQ(replayed.losses(LossKind::spurious), simulation.sender().retransmissions());
}

}  // namespace
}  // namespace sanscope::simulated
