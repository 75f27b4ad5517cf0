// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 6582 §4: without SACK a retransmission that is lost cannot be found but by the timeout, which ends Recovery in Loss.
// The first segment sent a third time after an RTO's silence is that timeout.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

TEST(NewRenoTimeout, EndsRecoveryInLoss) {
    Script script({.sack = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01).hears(0).sends(10, 11);
    script.at(20.02).hears(0).sends(11, 12);
    script.at(20.03).hears(0).holds({.state = CaState::recovery}).sends_again(0);
    for (uint32_t n = 4; n < 10; ++n) script.at(20 + n * 0.01).hears(0);
    script.at(40.01).hears(0);
    script.at(40.02).hears(0).holds({.state = CaState::recovery});
    script.at(240.03).sends_again(0).holds({.cwnd = 1, .state = CaState::loss});
    script.at(260.03).hears(12).echoing(240).holds({.state = CaState::loss});  // nothing above high_seq yet
    script.enters({CaState::disorder, CaState::recovery, CaState::loss});
    script.check();
}

// The fast retransmission itself was lost before the capture saw it: what is seen is the timeout's.
TEST(NewRenoTimeout, IsToldWhereTheFastRetransmissionWasNotCaptured) {
    Script script({.sack = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    for (uint32_t n = 1; n < 10; ++n) script.at(20 + n * 0.01).hears(0);
    script.holds({.state = CaState::recovery});
    script.at(220.2).sends_again(0).holds({.cwnd = 1, .state = CaState::loss});
    script.enters({CaState::disorder, CaState::recovery, CaState::loss});
    script.check();
}

TEST(NewRenoTimeout, BeginsSlowStartAgain) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    options.sender.sack = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 1000);
    simulation.data_link().drop(simulation.segment(100), 1);
    simulation.data_link().drop(simulation.segment(100), 2);
    simulation.run_for(2 * second);
    ASSERT_EQ(simulation.sender().timeouts(), 1u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(interval_holds(simulation, replayed, 0.8, 1));
}

}  // namespace
}  // namespace sanscope::simulated
