// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 3708 and Linux tcp_input.c, tcp_try_undo_dsack: when every retransmission of a recovery is told to have been a
// duplicate, the window and the threshold are again what they were before it.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

// Without timestamps there is only the D-SACK to tell.
TEST(UndoByDsack, RestoresTheWindowAfterRecoveryEnded) {
    Script script({.timestamps = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01).hears(0, {{1, 2}}).sends(10, 11);
    script.at(20.02).hears(0, {{1, 3}}).sends(11, 12);
    script.at(20.03).hears(0, {{1, 4}}).holds({.cwnd = 9, .state = CaState::recovery}).sends_again(0);
    // The original was only late. high_seq is 12: Recovery goes on.
    script.at(20.10).hears(10).holds({.state = CaState::recovery});
    script.at(40.01).hears(11);
    script.at(40.02).hears(12).holds({.cwnd = 7, .ssthresh = 7, .state = CaState::open});
    // The retransmission arrives as well, and is reported.
    script.at(40.03)
        .hears(12, {{0, 1}})
        .holds({.cwnd = 10, .ssthresh = Script::no_ssthresh, .state = CaState::open});
    script.enters({CaState::disorder, CaState::recovery, CaState::open});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::spurious), 1u);
    EXPECT_EQ(replayed.losses(), 1u);
}

TEST(UndoByDsack, RestoresTheWindowOfASenderThatKeepsSending) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.timestamps = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 2000);
    simulation.data_link().hold(simulation.segment(80), 5 * millisecond);
    simulation.run_for(second / 2);
    ASSERT_GE(simulation.sender().retransmissions(), 1u);
    ASSERT_EQ(simulation.sender().figures().ssthresh, infinite_ssthresh);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.from_ns = 250 * millisecond}));
    EXPECT_TRUE(same_ssthresh(simulation, replayed, {.from_ns = 250 * millisecond}));
    EXPECT_EQ(replayed.losses(LossKind::spurious), 1u);
}

// A receiver that sends no D-SACKs acknowledges once more what it has: that tells of something that came twice, not of what.
TEST(UndoByDsack, OfAReceiverThatSendsNoneADuplicateAcknowledgementIsCounted) {
    Script script({.timestamps = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01).hears(0, {{1, 2}}).sends(10, 11);
    script.at(20.02).hears(0, {{1, 3}}).sends(11, 12);
    script.at(20.03).hears(0, {{1, 4}}).sends_again(0);
    script.at(20.10).hears(10);
    script.at(40.01).hears(11);
    script.at(40.02).hears(12);
    script.at(40.03).hears(12);
    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.summary().unasked_acks(), 1u);
}

}  // namespace
}  // namespace sanscope::simulated
