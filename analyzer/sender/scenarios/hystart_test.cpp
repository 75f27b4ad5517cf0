// SPDX-License-Identifier: GPL-3.0-or-later
// Linux tcp_cubic.c, hystart_update (RFC 9406 in spirit): slow start ends, without a loss, where a round's shortest delay
// has risen by an eighth, or its acknowledgements span half the shortest round trip.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(HyStart, EndsSlowStartWhereTheQueueBegins) {
    Simulation::Options options = path_of(40 * millisecond, 50, 10'000);
    options.sender.control = SimulatedSender::Control::cubic;
    Simulation simulation(options);
    simulation.write_segments_at(0, 100'000);
    simulation.run_for(second);
    ASSERT_NE(simulation.sender().figures().ssthresh, infinite_ssthresh);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 2, .share = 0.03}));
    EXPECT_TRUE(
        same_ssthresh(simulation, replayed, {.segments = 2, .share = 0.03, .from_ns = 400 * millisecond}));
    EXPECT_TRUE(interval_holds(simulation, replayed, 0.85, 1));
    EXPECT_TRUE(replayed.transitions().empty());
}

}  // namespace
}  // namespace sanscope::simulated
