// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 6298 §5, RFC 5681 §3.1: a timeout leaves a window of one segment and a threshold of what was outstanding times β,
// then slow start up to it.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

// A lone flight of which nothing arrives. Linux sends a probe of the tail first (RFC 8985 §7), then the timeout comes
// that counts from the probe.
TEST(Timeout, BeginsAgainWithOneSegment) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(44).sends_again(9).holds({.cwnd = 10, .state = CaState::open});
    script.at(264).sends_again(0).holds({.cwnd = 1, .ssthresh = 7, .in_flight = 1, .state = CaState::loss});
    script.at(284).hears(1).echoing(264).holds({.cwnd = 2, .state = CaState::loss}).sends(1, 3);
    script.at(304).hears(3).echoing(284).holds({.cwnd = 4, .state = CaState::loss}).sends(3, 7);
    script.at(324).hears(7).echoing(304).holds({.cwnd = 7, .state = CaState::loss}).sends(7, 10);
    script.at(344).hears(10).echoing(324).holds({.ssthresh = 7, .in_flight = 0, .state = CaState::open});
    script.enters({CaState::loss, CaState::open});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::tlp), 1u);
    EXPECT_EQ(replayed.losses(LossKind::rto), 10u);
}

TEST(Timeout, IsFollowedByGoBackNWithinTheSlowStart) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    options.sender.tail_loss_probes = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 1500);
    simulation.data_link().drop_between(simulation.absolute(80 * millisecond),
                                        simulation.absolute(240 * millisecond));
    simulation.run_for(2 * second);
    ASSERT_GE(simulation.sender().timeouts(), 1u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.to_ns = 200 * millisecond}));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 600 * millisecond}));
    EXPECT_TRUE(interval_holds(simulation, replayed));
}

}  // namespace
}  // namespace sanscope::simulated
