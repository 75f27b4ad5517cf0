// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 5682 §3.1 (F-RTO with SACK) and Linux tcp_input.c, tcp_process_loss: a segment sent once before the timeout and
// acknowledged after it shows that nothing was lost; window and threshold are as before.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

// Without timestamps, so that it is F-RTO that shows; and by a host that sends no tail loss probes.
TEST(SpuriousTimeout, IsUndoneWhenTheNextOriginalIsAcknowledged) {
    Script script({.timestamps = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(224).sends_again(0).holds({.cwnd = 1, .ssthresh = 7, .state = CaState::loss});
    // The first acknowledgement may be for either copy: new data go out, nothing is repeated.
    script.at(230).hears(1).holds({.cwnd = 2, .state = CaState::loss}).sends(10, 12);
    // The second is for data that were never repeated; it counts for slow start as well.
    script.at(230.1).hears(2).holds({.cwnd = 11, .ssthresh = Script::no_ssthresh, .state = CaState::open});
    script.enters({CaState::loss, CaState::open});
    script.check();
}

TEST(SpuriousTimeout, IsUndoneByTheTimestampOfTheFirstAcknowledgement) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(44).sends_again(9);
    script.at(264).sends_again(0).holds({.cwnd = 1, .state = CaState::loss});
    script.at(270).hears(1).echoing(0).holds({.cwnd = 11, .ssthresh = Script::no_ssthresh});
    script.check();
}

TEST(SpuriousTimeout, IsUndoneWhereThePathPaused) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    options.sender.tail_loss_probes = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 1500);
    simulation.data_link().hold_between(simulation.absolute(79 * millisecond),
                                        simulation.absolute(85 * millisecond), 400 * millisecond);
    simulation.run_for(2 * second);
    ASSERT_EQ(simulation.sender().timeouts(), 1u);
    ASSERT_EQ(simulation.sender().figures().ssthresh, infinite_ssthresh);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1}));
    EXPECT_TRUE(same_ssthresh(simulation, replayed, {.from_ns = 700 * millisecond}));
}

// RFC 5682 §2.1 step 3.a: nothing but SACKs of the new data after the timeout, so the loss was real.
TEST(SpuriousTimeout, IsNotAssumedWhereTheLossWasReal) {
    Script script({.timestamps = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(224).sends_again(0).holds({.cwnd = 1, .state = CaState::loss});
    script.at(244).hears(1).holds({.cwnd = 2, .state = CaState::loss}).sends(10, 12);
    script.at(264).hears(1, {{10, 11}}).holds({.ssthresh = 7, .state = CaState::loss});
    script.enters({CaState::loss});
    script.check();
}

}  // namespace
}  // namespace sanscope::simulated
