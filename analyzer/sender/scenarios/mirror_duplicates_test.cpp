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

std::vector<TappedSegment> without_ip_identification(std::vector<TappedSegment> tap) {
    for (TappedSegment& tapped : tap) tapped.segment.ip_id = 0;
    return tap;
}

// Each one in `of` once more, so much later, in the order of time.
std::vector<TappedSegment> with_late_copies(const std::vector<TappedSegment>& tap, int64_t later_ns,
                                            size_t of) {
    std::vector<TappedSegment> twice = tap;
    for (size_t at = 0; at < tap.size(); at += of) {
        twice.push_back(tap[at]);
        twice.back().time_ns += later_ns;
    }
    std::ranges::stable_sort(twice, {}, &TappedSegment::time_ns);
    return twice;
}

uint64_t sent_again_with_copies(const Simulation& simulation, int64_t later_ns, size_t of) {
    const Captured captured(
        simulation, with_late_copies(without_ip_identification(simulation.at_sender()), later_ns, of));
    return captured.sender() == nullptr ? UINT64_MAX : captured.sender()->sent_again();
}

// Both directions of a switch's port, copied to one: copies come behind packets of the other side, and of a path so short,
// behind an answer.
TEST(MirrorDuplicates, WithoutIpIdentificationAreNoneBehindOthers) {
    for (const int64_t path_ns : {10 * microsecond, 200 * microsecond, 2 * millisecond}) {
        Simulation simulation(path_of(path_ns, 1000, 10'000));
        simulation.write_segments_at(0, 2000);
        simulation.run_for(second);
        for (const int64_t later_ns :
             {2 * microsecond, 25 * microsecond, 150 * microsecond, 900 * microsecond})
            EXPECT_EQ(sent_again_with_copies(simulation, later_ns, 1), 0u) << path_ns << ", " << later_ns;
    }
}

TEST(MirrorDuplicates, WithoutIpIdentificationAreNoneNowAndThen) {
    Simulation simulation(path_of(2 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 2000);
    simulation.run_for(second);
    for (const int64_t later_ns : {2 * microsecond, 25 * microsecond, 150 * microsecond, 900 * microsecond})
        EXPECT_EQ(sent_again_with_copies(simulation, later_ns, 37), 0u) << later_ns;
}

// A queue of many packets between a packet and its copy.
TEST(MirrorDuplicates, AreKnownBehindHundredsOfPackets) {
    Simulation simulation(path_of(2 * millisecond, 3000, 10'000));
    simulation.write_segments_at(0, 5000);
    simulation.run_for(second);
    const Captured captured(simulation, with_late_copies(simulation.at_sender(), 900 * microsecond, 1));
    ASSERT_NE(captured.sender(), nullptr);
    EXPECT_EQ(captured.sender()->sent_again(), 0u);
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
    const std::optional<WindowRow> last = captured.window_at(simulation.absolute(second));
    ASSERT_TRUE(last);
    EXPECT_EQ(last->cwnd, simulation.sender().figures().cwnd * simulation.mss());
    EXPECT_NE(captured.store().connection(1).vantage, Vantage::unknown) << "copies are of one place";
    EXPECT_FALSE(captured.store().connection(1).in_two_places);
}

// Captures of both ends put together, whatever their clocks: no packet was captured at one of them alone.
TEST(MirrorDuplicates, OfTwoPlacesDoNotTellWhereItWasCaptured) {
    Simulation simulation(path_of(4 * millisecond, 1000, 10'000));
    for (int64_t i = 0; i < 50; ++i) simulation.write_segments_at(i * 10 * millisecond, 8);
    simulation.run_for(second);
    EXPECT_NE(Captured(simulation, simulation.at_sender()).store().connection(1).vantage, Vantage::unknown);
    for (const int64_t apart_ns : {int64_t{0}, 2 * millisecond, -2 * millisecond, 3 * millisecond}) {
        std::vector<TappedSegment> both = simulation.at_sender();
        for (const TappedSegment& tapped : simulation.at_receiver()) {
            both.push_back(tapped);
            both.back().time_ns += apart_ns;
        }
        std::ranges::stable_sort(both, {}, &TappedSegment::time_ns);
        const Captured captured(simulation, both);
        EXPECT_EQ(captured.store().connection(1).vantage, Vantage::unknown) << apart_ns;
        EXPECT_TRUE(captured.store().connection(1).in_two_places) << apart_ns;
    }
}

}  // namespace
}  // namespace sanscope::simulated
