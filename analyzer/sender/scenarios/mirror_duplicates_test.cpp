// SPDX-License-Identifier: GPL-3.0-or-later
// A mirror port shows a packet twice: the same IP identification, the same timestamp, microseconds later. Nothing was
// sent again, and no acknowledgement is a duplicate.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

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

// IPv6 has no identification, and some send 0: then the checksum and all else are the same, at once. Two files of one
// run merged by time may have a few packets, of both directions, before their copies.
TEST(MirrorDuplicates, WithoutIpIdentificationAreNeitherHoweverTheyAreMerged) {
    for (const size_t apart : {size_t{1}, size_t{2}, size_t{7}}) {
        Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
        simulation.write_segments_at(0, 310);
        simulation.run_for(second);
        std::vector<TappedSegment> once = simulation.at_sender();
        for (TappedSegment& tapped : once) tapped.segment.ip_id = 0;
        std::vector<TappedSegment> twice;
        for (size_t begin = 0; begin < once.size(); begin += apart) {
            const size_t end = std::min(begin + apart, once.size());
            for (const int64_t later_ns : {int64_t{0}, 2 * microsecond})
                for (size_t i = begin; i < end; ++i) {
                    twice.push_back(once[i]);
                    twice.back().time_ns = once[begin].time_ns + later_ns;
                }
        }
        const Captured captured(simulation, twice);
        ASSERT_NE(captured.sender(), nullptr);
        EXPECT_GE(captured.sender()->losses(LossKind::duplicate), 310u) << apart;
        EXPECT_EQ(captured.sender()->sent_again(), 0u) << apart;
        EXPECT_EQ(captured.sender()->losses(LossKind::out_of_order), 0u) << apart;
    }
}

// What is sent again on a path without IP identifications is no copy, however short the path is.
TEST(MirrorDuplicates, AreNotSeenInRetransmissionsWithoutIpIdentification) {
    Simulation simulation(path_of(100 * microsecond, 1000, 10'000));
    for (uint32_t n = 50; n < 300; n += 50) simulation.data_link().drop(simulation.segment(n));
    simulation.write_segments_at(0, 310);
    simulation.run_for(second);
    ASSERT_GT(simulation.sender().retransmissions(), 0u);
    std::vector<TappedSegment> tap = simulation.at_sender();
    for (TappedSegment& tapped : tap) tapped.segment.ip_id = 0;
    const Captured captured(simulation, tap);
    ASSERT_NE(captured.sender(), nullptr);
    EXPECT_EQ(captured.sender()->losses(LossKind::duplicate), 0u);
    EXPECT_EQ(captured.sender()->sent_again(), simulation.sender().retransmissions());
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
