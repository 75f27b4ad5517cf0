// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 6582: without SACK, the third duplicate acknowledgement begins Recovery, a partial acknowledgement reports the next
// hole, and Linux (tcp_input.c, tcp_is_non_sack_preventing_reopen) holds it until something above high_seq is acknowledged.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

TEST(NewReno, TakesThreeDuplicatesForALossAndHoldsRecoveryUntilAboveHighSeq) {
    Script script({.sack = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01).hears(0).holds({.cwnd = 10, .in_flight = 9, .state = CaState::disorder}).sends(10, 11);
    script.at(20.02).hears(0).holds({.cwnd = 10, .state = CaState::disorder}).sends(11, 12);
    script.at(20.03).hears(0).holds({.cwnd = 9, .ssthresh = 7, .in_flight = 8, .state = CaState::recovery});
    script.sends_again(0);
    script.at(20.04).hears(0).holds({.cwnd = 9}).sends(12, 13);
    script.at(20.05).hears(0).holds({.cwnd = 9}).sends(13, 14);
    script.at(20.06).hears(0).holds({.cwnd = 8});
    script.at(20.07).hears(0).holds({.cwnd = 7});
    script.at(20.08).hears(0).holds({.cwnd = 7}).sends(14, 15);
    script.at(20.09).hears(0).holds({.cwnd = 7}).sends(15, 16);
    script.at(40.01).hears(0).holds({.cwnd = 7}).sends(16, 17);
    script.at(40.02).hears(0).holds({.cwnd = 7}).sends(17, 18);
    // high_seq is 12: all of it is acknowledged, nothing above.
    script.at(40.03).hears(12).holds({.state = CaState::recovery}).sends(18, 19);
    script.at(40.04).hears(13).holds({.cwnd = 7, .state = CaState::open});
    script.enters({CaState::disorder, CaState::recovery, CaState::open});
    script.check();
}

TEST(NewReno, RepairsOneHoleARoundTrip) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.sack = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 2000);
    for (const uint32_t n : {100u, 105u, 111u}) simulation.data_link().drop(simulation.segment(n));
    simulation.run_for(second);
    ASSERT_EQ(simulation.sender().timeouts(), 0u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.to_ns = 120 * millisecond}));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 400 * millisecond}));
    EXPECT_TRUE(interval_holds(simulation, replayed));
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 3u);
    EXPECT_EQ(replayed.losses(), 3u);
    EXPECT_EQ(replayed.store().senders()[0].path_reordered(), 0u);
}

// What fills a hole brings the acknowledgement of all that had waited behind it.
TEST(NewReno, OfAHoleThatFillsByItselfOneSegmentWasLate) {
    Script script({.sack = false});
    for (uint32_t n = 0; n < 6; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01).hears(0).holds({.state = CaState::disorder});
    script.at(20.02).hears(3).holds({.state = CaState::open});
    script.check();
    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(), 0u);
    EXPECT_EQ(replayed.store().senders()[0].path_reordered(), 1u);
}

}  // namespace
}  // namespace sanscope::simulated
