// SPDX-License-Identifier: GPL-3.0-or-later
// A Reno sender knows nothing of HyStart: its slow start goes on while the queue fills (RFC 5681 §3.1).
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(LongSlowStart, OfRenoGoesOnWhereHyStartWouldEndIt) {
    Simulation simulation(path_of(40 * millisecond, 100, 10'000));
    simulation.write_segments_at(0, 2000);
    simulation.run_for(second / 2);
    ASSERT_GT(simulation.sender().figures().cwnd, 1000u);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(same_ssthresh(simulation, replayed));
}

}  // namespace
}  // namespace sanscope::simulated
