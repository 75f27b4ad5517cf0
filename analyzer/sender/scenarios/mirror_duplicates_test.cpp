// SPDX-License-Identifier: GPL-3.0-or-later
// A mirror port shows a packet twice: the same IP identification, the same timestamp, microseconds later. Nothing was
// sent again, and no acknowledgement is a duplicate.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/captured.h"

namespace sanscope::simulated {
namespace {

std::vector<TappedSegment> mirrored(const std::vector<TappedSegment>& tap) {
    std::vector<TappedSegment> twice;
    for (const TappedSegment& tapped : tap) {
        twice.push_back(tapped);
        twice.push_back(tapped);
        twice.back().time_ns += 2 * microsecond;
    }
    return twice;
}

TEST(MirrorDuplicates, AreNoRetransmissionsAndNoDuplicateAcknowledgements) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 310);
    simulation.run_for(second);

    const Captured captured(simulation, mirrored(simulation.at_sender()));
    ASSERT_NE(captured.sender(), nullptr);
    EXPECT_TRUE(captured.transitions().empty());
    EXPECT_GE(captured.sender()->losses(LossKind::duplicate), 310u);
    for (const LossKind kind : {LossKind::fast_retransmit, LossKind::rto, LossKind::tlp, LossKind::spurious,
                                LossKind::out_of_order, LossKind::not_captured})
        EXPECT_EQ(captured.sender()->losses(kind), 0u) << static_cast<int>(kind);
    const WindowRow* last = captured.window_at(simulation.absolute(second));
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->cwnd, simulation.sender().figures().cwnd * simulation.mss());
}

}  // namespace
}  // namespace sanscope::simulated
