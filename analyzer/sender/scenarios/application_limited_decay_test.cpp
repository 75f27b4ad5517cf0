// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 2861 §3.2 and Linux tcp_output.c, tcp_cwnd_application_limited: a window that was not used in full for an RTO comes
// half-way down to what was used of it, but not below the initial window.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(ApplicationLimited, ComesHalfWayDownToWhatWasUsed) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 300);
    for (int burst = 1; burst < 20; ++burst)
        simulation.write_segments_at((100 + burst * 40) * millisecond, 4);
    simulation.run_for(900 * millisecond);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1}));
    EXPECT_TRUE(replayed.transitions().empty());
}

}  // namespace
}  // namespace sanscope::simulated
