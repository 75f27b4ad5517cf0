// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 8985 §6.2, RFC 6937 §3: Disorder at the first SACK, Recovery at the third, PRR's window at every acknowledgement,
// Open with ssthresh when all that was outstanding at the beginning is acknowledged. CUBIC's β: 10 becomes 7.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

TEST(FastRetransmit, GoesThroughDisorderAndRecoveryWithTheWindowOfPrr) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.holds({.cwnd = 10, .in_flight = 10, .state = CaState::open});
    // RFC 3042: a new segment for each of the first two.
    script.at(20.01).hears(0, {{1, 2}}).holds({.cwnd = 10, .state = CaState::disorder}).sends(10, 11);
    script.at(20.02).hears(0, {{1, 3}}).holds({.cwnd = 10, .state = CaState::disorder}).sends(11, 12);
    // ssthresh 7, pipe 8: ⌈7·1/10⌉ may go.
    script.at(20.03)
        .hears(0, {{1, 4}})
        .holds({.cwnd = 9, .ssthresh = 7, .in_flight = 8, .state = CaState::recovery});
    script.sends_again(0).holds({.cwnd = 9, .in_flight = 9});
    script.at(20.04).hears(0, {{1, 5}}).holds({.cwnd = 9}).sends(12, 13);    // ⌈7·2/10⌉ - 1 sent = 1
    script.at(20.05).hears(0, {{1, 6}}).holds({.cwnd = 9}).sends(13, 14);    // ⌈7·3/10⌉ - 2 = 1
    script.at(20.06).hears(0, {{1, 7}}).holds({.cwnd = 8, .in_flight = 8});  // ⌈7·4/10⌉ - 3 = 0
    script.at(20.07).hears(0, {{1, 8}}).holds({.cwnd = 7, .in_flight = 7});  // at ssthresh: none
    script.at(20.08).hears(0, {{1, 9}}).holds({.cwnd = 7}).sends(14, 15);    // below it: what is missing
    script.at(20.09).hears(0, {{1, 10}}).holds({.cwnd = 7}).sends(15, 16);
    script.at(40.01).hears(0, {{1, 11}}).holds({.cwnd = 7}).sends(16, 17);
    script.at(40.02).hears(0, {{1, 12}}).holds({.cwnd = 7, .state = CaState::recovery}).sends(17, 18);
    script.at(40.03)
        .hears(12)
        .holds({.cwnd = 7, .ssthresh = 7, .in_flight = 6, .state = CaState::open})
        .sends(18, 19);
    script.enters({CaState::disorder, CaState::recovery, CaState::open});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 1u);
    EXPECT_EQ(replayed.losses(), 1u);
}

class FastRetransmitOf : public testing::TestWithParam<SimulatedSender::Control> {};
INSTANTIATE_TEST_SUITE_P(Control, FastRetransmitOf,
                         testing::Values(SimulatedSender::Control::reno,
                                         SimulatedSender::Control::cubic_without_hystart),
                         control_name);

TEST_P(FastRetransmitOf, RepairsABurstOfLossesInOneRecovery) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.control = GetParam();
    Simulation simulation(options);
    simulation.write_segments_at(0, 3000);
    for (uint32_t n = 100; n < 112; n += 2) simulation.data_link().drop(simulation.segment(n));
    simulation.run_for(second);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 250 * millisecond}));
    EXPECT_TRUE(interval_holds(simulation, replayed, 0.85, 1));
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 6u);
    EXPECT_EQ(replayed.losses(), 6u);
}

TEST_P(FastRetransmitOf, HoldsTheWindowOfPrrAtEveryAcknowledgement) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.control = GetParam();
    Simulation simulation(options);
    simulation.write_segments_at(0, 3000);
    simulation.data_link().drop(simulation.segment(100));
    simulation.run_for(second);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.to_ns = 120 * millisecond}));  // before the loss shows
    // Inside: a round of doubt which ssthresh it is, the right one within it.
    EXPECT_TRUE(interval_holds(simulation, replayed, 0.9, 1));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.share = 0.3, .from_ns = 120 * millisecond}));
    EXPECT_TRUE(same_cwnd(simulation, replayed,
                          {.segments = 1, .from_ns = 210 * millisecond, .to_ns = 400 * millisecond}));
}

}  // namespace
}  // namespace sanscope::simulated
