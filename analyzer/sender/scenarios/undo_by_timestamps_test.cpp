// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 3522 (Eifel) and Linux tcp_input.c, tcp_try_undo_partial: an acknowledgement that echoes a time before the
// retransmission was sent is for the original, which was late, not lost.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

TEST(UndoByTimestamps, RestoresTheWindowWhenTheOriginalIsAcknowledged) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01).hears(0, {{1, 2}}).sends(10, 11);
    script.at(20.02).hears(0, {{1, 3}}).sends(11, 12);
    script.at(20.03)
        .hears(0, {{1, 4}})
        .holds({.cwnd = 9, .ssthresh = 7, .state = CaState::recovery})
        .sends_again(0);
    // The echo is of moment 0; the retransmission went at 20. Nothing sent again is outstanding. After the undo the
    // sender is in slow start again, and seven segments are newly delivered.
    script.at(25).hears(10).echoing(0).holds(
        {.cwnd = 17, .ssthresh = Script::no_ssthresh, .state = CaState::open});
    script.enters({CaState::disorder, CaState::recovery, CaState::open});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::spurious), 1u);
}

TEST(UndoByTimestamps, RestoresTheWindowOfASenderThatKeepsSending) {
    Simulation simulation(path_of(40 * millisecond, 100, 10'000));
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

}  // namespace
}  // namespace sanscope::simulated
