// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 3168 §6.1.2: one reduction a window for ECE, by PRR as for a loss; Linux holds CWR until something above high_seq is
// acknowledged (tcp_input.c, tcp_fastretrans_alert).
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

constexpr uint16_t ece = tcp_ack | tcp_ece;

TEST(Ecn, ReducesTheWindowByPrrAndHoldsItUntilAboveHighSeq) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    // ssthresh 7, pipe 8 of 10: ⌈7·2/10⌉ = 2 may go.
    script.at(20.01)
        .hears(2, {}, ece)
        .holds({.cwnd = 10, .ssthresh = 7, .in_flight = 8, .state = CaState::cwr});
    script.sends(10, 12);
    script.at(20.03).hears(4, {}, ece).holds({.cwnd = 9}).sends(12, 13);    // ⌈7·4/10⌉ - 2 = 1
    script.at(20.05).hears(6, {}, ece).holds({.cwnd = 7, .in_flight = 7});  // at ssthresh: none
    script.at(20.07).hears(8, {}, ece).holds({.cwnd = 7}).sends(13, 15);    // below it: what is missing
    // high_seq is 10, and CWR went with segment 10: its acknowledgement has no ECE any more.
    script.at(20.09).hears(10, {}, ece).holds({.cwnd = 7, .state = CaState::cwr}).sends(15, 17);
    script.holds({.limit = SendLimit::congestion});
    script.at(40.02).hears(12).holds({.cwnd = 7, .ssthresh = 7, .state = CaState::open});
    script.enters({CaState::cwr, CaState::open});
    script.check();
}

class EcnOf : public testing::TestWithParam<SimulatedSender::Control> {};
INSTANTIATE_TEST_SUITE_P(Control, EcnOf,
                         testing::Values(SimulatedSender::Control::reno,
                                         SimulatedSender::Control::cubic_without_hystart),
                         control_name);

TEST_P(EcnOf, ReducesOnceAWindowOnAMarkingQueue) {
    Simulation::Options options = path_of(40 * millisecond, 20, 10'000);
    options.sender.control = GetParam();
    options.sender.ecn = true;
    options.data.mark_from = 40;
    Simulation simulation(options);
    simulation.write_segments_at(0, 100'000);
    simulation.run_for(20 * second);
    ASSERT_GT(simulation.transitions().size(), 8u);
    ASSERT_EQ(simulation.sender().retransmissions(), 0u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .share = 0.02, .from_ns = 5 * second}));
    EXPECT_TRUE(interval_holds(simulation, replayed, 0.85, 1));
    EXPECT_EQ(replayed.losses(), 0u);
    EXPECT_STREQ(replayed.congestion_control(),
                 GetParam() == SimulatedSender::Control::reno ? "reno" : "cubic");
}

}  // namespace
}  // namespace sanscope::simulated
