// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 8985 §7: the last segment is sent again after two round trips of silence. Was it lost, the window is reduced as for
// any loss, which Linux does in a CWR that begins and ends with one acknowledgement (tcp_process_tlp_ack).
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

TEST(TailLossProbe, ReducesTheWindowWhenItRepairedALoss) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    for (uint32_t n = 2; n < 9; n += 2) script.at(20 + n * 0.01).hears(n);
    script.at(60).hears(9).echoing(0);  // a delayed acknowledgement
    script.holds({.cwnd = 19, .in_flight = 1, .state = CaState::open});
    script.at(300).sends_again(9).holds({.cwnd = 19, .state = CaState::open});
    // It is acknowledged, but nothing above: not judged yet. The window is in full use of twice its peak.
    script.at(320).hears(10).echoing(300).holds({.state = CaState::open});
    script.at(330).sends(10, 12);
    // 20 times 0.7.
    script.at(350).hears(12).holds({.ssthresh = 14, .state = CaState::open});
    script.enters({CaState::cwr, CaState::open});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::tlp), 1u);
    EXPECT_EQ(replayed.losses(), 1u);
}

TEST(TailLossProbe, LeavesTheWindowWhenADsackTellsThatItWasNeedless) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    for (uint32_t n = 2; n < 9; n += 2) script.at(20 + n * 0.01).hears(n);
    script.at(60).hears(9).echoing(0);
    script.at(300).sends_again(9);
    script.at(305).hears(10).echoing(0);
    script.at(320)
        .hears(10, {{9, 10}})
        .echoing(300)
        .holds({.ssthresh = Script::no_ssthresh, .state = CaState::open});
    script.at(330).sends(10, 12);
    script.at(350).hears(12).holds({.ssthresh = Script::no_ssthresh, .state = CaState::open});
    script.enters({});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::spurious), 1u);
}

// A receiver that tells no D-SACK, and no timestamps: two acknowledgements of the same, of which the second brings nothing.
TEST(TailLossProbe, IsNeedlessWhereOriginalAndProbeAreAcknowledged) {
    Script script({.timestamps = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    for (uint32_t n = 2; n < 9; n += 2) script.at(20 + n * 0.01).hears(n);
    script.at(60).hears(9);
    script.at(300).sends_again(9);
    script.at(305).hears(10);
    script.at(320).hears(10);
    script.at(330).sends(10, 12);
    script.at(350).hears(12).holds({.ssthresh = Script::no_ssthresh, .state = CaState::open});
    script.enters({});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::tlp), 0u);
    EXPECT_EQ(replayed.losses(LossKind::spurious), 1u);
}

// The tap saw the acknowledgement before the probe, for that is still on its way to the sender: so it does from afar.
TEST(TailLossProbe, IsNeedlessWhereTheCaptureHasItAfterTheAcknowledgement) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    for (uint32_t n = 2; n <= 10; n += 2) script.at(20 + n * 0.01).hears(n);
    script.at(300).sends_again(9);
    script.at(320).hears(10, {{9, 10}}).echoing(300);
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::spurious), 1u);
    EXPECT_EQ(replayed.losses(), 1u);
}

// Several lost at the tail: the probe's SACK shows the others lost (RFC 8985 §7.4.2), and Recovery repairs them.
TEST(TailLossProbe, BringsOnRecoveryWhereMoreThanTheLastWasLost) {
    Simulation simulation(path_of(40 * millisecond, 100, 10'000));
    simulation.write_segments_at(0, 40);
    for (uint32_t n = 36; n < 40; ++n) simulation.data_link().drop(simulation.segment(n));
    simulation.write_segments_at(second, 40);
    simulation.run_for(2 * second);
    ASSERT_EQ(simulation.sender().timeouts(), 0u);
    ASSERT_EQ(simulation.sender().probes(), 1u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.to_ns = 150 * millisecond}));
    EXPECT_EQ(replayed.losses(LossKind::tlp), 1u);
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 3u);
    EXPECT_EQ(replayed.losses(), 4u);
}

TEST(TailLossProbe, IsJudgedByTheNextAcknowledgementAboveIt) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    Simulation simulation(options);
    simulation.write_segments_at(0, 40);
    simulation.data_link().drop(simulation.segment(39));
    simulation.write_segments_at(480 * millisecond, 4);
    simulation.run_for(second);
    ASSERT_EQ(simulation.sender().probes(), 1u);
    ASSERT_EQ(simulation.transitions().size(), 2u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(same_ssthresh(simulation, replayed));
}

}  // namespace
}  // namespace sanscope::simulated
