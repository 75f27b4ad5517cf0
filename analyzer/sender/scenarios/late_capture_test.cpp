// SPDX-License-Identifier: GPL-3.0-or-later
// A capture that begins in the middle of a connection: nothing that happened before is taken for a loss, from the second
// second on the transitions are those of the sender, and a sender that always fills its window shows it.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <utility>

#include "analyzer/sender/scenarios/captured.h"
#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/sender_replay.h"

namespace sanscope::simulated {
namespace {

std::vector<SenderEvent> from(const Simulation& simulation, int64_t since_start_ns) {
    std::vector<SenderEvent> kept;
    for (const SenderEvent& event : simulation.events()) {
        const int64_t time_ns = std::visit([](const auto& e) { return e.time_ns; }, event);
        if (time_ns >= simulation.absolute(since_start_ns)) kept.push_back(event);
    }
    return kept;
}

class LateCapture : public testing::TestWithParam<int> {
  protected:
    LateCapture() : simulation_(path_of(40 * millisecond, 10, 60)), begins_ns_(GetParam() * millisecond) {
        simulation_.write_segments_at(0, 100'000);
        simulation_.run_for(20 * second);
    }
    // Of what was captured since begins_ns_, the SYNs not among it.
    Replayed replayed() const {
        SenderOptions options = simulation_.sender_options();
        options.mss = 0;
        return Replayed(from(simulation_, begins_ns_), options);
    }

    Simulation simulation_;
    int64_t begins_ns_;
};
INSTANTIATE_TEST_SUITE_P(Milliseconds, LateCapture, testing::Values(3003, 3021, 4110, 5555));

TEST_P(LateCapture, InventsNoTransition) {
    const Replayed late = replayed();
    std::vector<PacketNumber> said;
    for (const TrueTransition& t : late.transitions())
        if (t.time_ns >= simulation_.absolute(begins_ns_ + second)) said.push_back(t.packet);
    std::vector<PacketNumber> truth;
    for (const TrueTransition& t : simulation_.transitions())
        if (t.time_ns >= simulation_.absolute(begins_ns_ + second)) truth.push_back(t.packet);
    ASSERT_GT(truth.size(), 2u);
    EXPECT_EQ(said, truth);
}

// The path loses, and changes no order. Where the capture begins amid a hole, what was sent before it is outstanding, and the
// receiver's SACK blocks begin there.
TEST(LateCaptures, FindNoReorderingWhereverTheyBegin) {
    Simulation simulation(path_of(40 * millisecond, 100, 10'000));
    for (uint32_t n = 300; n < 5000; n += 41) simulation.data_link().drop(simulation.segment(n));
    simulation.write_segments_at(0, 6000);
    simulation.run_for(5 * second);
    size_t amid_holes = 0;
    for (int64_t begins_ns = 200 * millisecond; begins_ns < 1500 * millisecond;
         begins_ns += 3 * millisecond) {
        std::vector<TappedSegment> tap;
        for (const TappedSegment& tapped : simulation.at_sender()) {
            if (tapped.time_ns >= simulation.absolute(begins_ns)) tap.push_back(tapped);
        }
        for (const TappedSegment& tapped : tap) {
            if (tapped.from_sender) continue;
            amid_holes += tapped.segment.sack_blocks > 0 ? 1u : 0u;
            break;
        }
        const Captured late(simulation, tap);
        const uint64_t reordered = late.sender() == nullptr ? 0 : late.sender()->path_reordered();
        // Of one, its retransmission is the first that is captured: nobody knows what came before.
        EXPECT_LE(reordered, 1u) << begins_ns / millisecond;
        // All that is sent again was lost.
        const uint64_t spurious = late.sender() == nullptr ? 0 : late.sender()->losses(LossKind::spurious);
        EXPECT_EQ(spurious, 0u) << begins_ns / millisecond;
    }
    EXPECT_GT(amid_holes, 10u);
}

// So many packets pass in a round trip that it takes thousands until answers of both ends show where the capture was taken.
TEST(LateCaptures, OfAFastLongPathAtTheReceiverAreReplayedAsTheSenderSawThem) {
    Simulation simulation(path_of(40 * millisecond, 200, 10'000));
    simulation.write_segments_at(0, 15'000);
    simulation.run_for(second);
    std::vector<TappedSegment> tap;
    for (const TappedSegment& tapped : simulation.at_receiver()) {
        if (tapped.time_ns >= simulation.absolute(300 * millisecond)) tap.push_back(tapped);
    }
    ASSERT_GT(tap.size(), 5'000u);
    const Captured late(simulation, tap);
    const std::optional<WindowRow> row = late.window_at(simulation.absolute(600 * millisecond));
    ASSERT_TRUE(row);
    EXPECT_GE(row->srtt_ns, 40 * millisecond);
}

// Reno fills its path all the time: within some round trips its window is known.
TEST_P(LateCapture, FindsTheWindowOfASenderThatFillsIt) {
    const Replayed late = replayed();
    size_t compared = 0;
    size_t close = 0;
    for (const TruthSample& sample : simulation_.truth()) {
        if (sample.time_ns < simulation_.absolute(begins_ns_ + second)) continue;
        const std::optional<WindowRow> row = late.window_after(sample.packet);
        ASSERT_TRUE(row);
        const double truth = static_cast<double>(sample.figures.cwnd) * simulation_.mss();
        ++compared;
        close +=
            row->cwnd != unknown<uint32_t> && std::abs(row->cwnd - truth) <= 0.05 * truth + simulation_.mss();
    }
    EXPECT_GE(static_cast<double>(close), 0.9 * static_cast<double>(compared));
}

// A window of hundreds of segments, of which the application then uses about twenty: neither these nor what a loss leaves of them
// is the window.
class LateOfASmallLoad : public testing::TestWithParam<SimulatedSender::Control> {
  protected:
    LateOfASmallLoad() : simulation_(path()) {
        simulation_.data_link().drop(simulation_.segment(600));
        simulation_.write_segments_at(0, 1500);
        for (int64_t at_ms = 1000; at_ms < 5000; at_ms += 30)
            simulation_.write_at(at_ms * millisecond, small_write);
        simulation_.write_segments_at(bulk_ns, 40'000);
    }
    static Simulation::Options path() {
        Simulation::Options options = path_of(40 * millisecond, 200, 10'000);
        options.sender.control = GetParam();
        return options;
    }
    // Runs it, and replays what was captured since 1.5 s.
    Replayed replayed() {
        simulation_.run_for(9 * second);
        SenderOptions options = simulation_.sender_options();
        options.mss = 0;
        return Replayed(from(simulation_, 1500 * millisecond), options);
    }
    // How many of the rows of that time tell of a window, and how many of these of a wrong one.
    struct Told {
        size_t rows = 0;
        size_t windows = 0;
        size_t thresholds = 0;
        size_t wrong = 0;
        size_t congestion = 0;
    };
    Told told(const Replayed& late, int64_t from_ns, int64_t to_ns) const {
        Told told;
        for (const TruthSample& sample : simulation_.truth()) {
            if (sample.time_ns < simulation_.absolute(from_ns) ||
                sample.time_ns > simulation_.absolute(to_ns))
                continue;
            const std::optional<WindowRow> row = late.window_after(sample.packet);
            if (!row) continue;
            ++told.rows;
            told.congestion += row->limit == SendLimit::congestion ? 1u : 0u;
            told.thresholds += row->ssthresh != unknown<uint32_t> ? 1u : 0u;
            if (row->cwnd == unknown<uint32_t>) continue;
            ++told.windows;
            const int64_t truth = int64_t{sample.figures.cwnd} * simulation_.mss();
            told.wrong += truth < row->cwnd_low || truth > row->cwnd_high ? 1u : 0u;
        }
        return told;
    }
    static constexpr uint32_t small_write = 20 * 1448 - 300;
    static constexpr int64_t bulk_ns = 6 * second;
    Simulation simulation_;
};
INSTANTIATE_TEST_SUITE_P(Controls, LateOfASmallLoad,
                         testing::Values(SimulatedSender::Control::reno, SimulatedSender::Control::cubic),
                         control_name);

TEST_P(LateOfASmallLoad, SaysNothingOfAWindowThatItDoesNotFill) {
    const Replayed late = replayed();
    const Told before = told(late, 1500 * millisecond, bulk_ns);
    ASSERT_GT(before.rows, 500u);
    EXPECT_EQ(before.windows, 0u);
    EXPECT_EQ(before.thresholds, 0u);
    EXPECT_EQ(before.congestion, 0u);
    // One that always has more to send shows it.
    const Told behind = told(late, bulk_ns + second, 9 * second);
    ASSERT_GT(behind.rows, 1000u);
    EXPECT_EQ(behind.windows, behind.rows);
    EXPECT_LE(behind.wrong, behind.rows / 10);
}

TEST_P(LateOfASmallLoad, SaysNothingOfWhatALossLeavesOfIt) {
    simulation_.data_link().drop(simulation_.segment(1500 + 8) + 60 * small_write);
    const Replayed late = replayed();
    const Told before = told(late, 1500 * millisecond, bulk_ns);
    ASSERT_EQ(late.transitions().size(), 3u);
    EXPECT_EQ(before.windows, 0u);
    EXPECT_EQ(before.thresholds, 0u);
    const Told behind = told(late, bulk_ns + second, 9 * second);
    EXPECT_EQ(behind.windows, behind.rows);
    EXPECT_LE(behind.wrong, behind.rows / 10);
}

// The capture stood still for seconds, in which the window was reduced and grew, as in files of a ring buffer that do not follow on
// each other: it is not what it was before.
class Gap : public testing::TestWithParam<SimulatedSender::Control> {};
INSTANTIATE_TEST_SUITE_P(Controls, Gap,
                         testing::Values(SimulatedSender::Control::reno, SimulatedSender::Control::cubic),
                         control_name);

TEST_P(Gap, OfTheCaptureLeavesTheWindowUnknownUntilItIsShown) {
    Simulation::Options options = path_of(40 * millisecond, 10, 60);
    options.sender.control = GetParam();
    Simulation simulation(options);
    simulation.write_segments_at(0, 100'000);
    simulation.run_for(20 * second);
    size_t said = 0;
    size_t wrong = 0;
    for (const int64_t ends_ms : {5003, 5503, 6104, 7007, 8001}) {
        std::vector<SenderEvent> events;
        for (const SenderEvent& event : simulation.events()) {
            const int64_t time_ns = std::visit([](const auto& e) { return e.time_ns; }, event);
            const bool lacks = time_ns >= simulation.absolute(4 * second) &&
                               time_ns < simulation.absolute(ends_ms * millisecond);
            if (!lacks) events.push_back(event);
        }
        const Replayed replayed(events, simulation.sender_options());
        // The last row before the gap holds for it.
        WindowRow in_gap;
        for (const WindowRow& row : replayed.store().windows())
            if (row.time_ns < simulation.absolute(ends_ms * millisecond)) in_gap = row;
        EXPECT_LT(in_gap.time_ns, simulation.absolute(4 * second));
        EXPECT_EQ(in_gap.cwnd, unknown<uint32_t>);
        EXPECT_EQ(in_gap.limit, SendLimit::unknown);
        for (const TruthSample& sample : simulation.truth()) {
            if (sample.time_ns < simulation.absolute(ends_ms * millisecond)) continue;
            const std::optional<WindowRow> row = replayed.window_after(sample.packet);
            if (!row || row->cwnd == unknown<uint32_t>) continue;
            const int64_t truth = int64_t{sample.figures.cwnd} * simulation.mss();
            ++said;
            wrong += truth < row->cwnd_low || truth > row->cwnd_high ? 1u : 0u;
        }
    }
    EXPECT_GT(said, simulation.truth().size());
    EXPECT_LE(wrong, said / 10);
}

// What was sent in the gap was acknowledged in it.
TEST_P(Gap, SeenFromAfarIsNotInFlight) {
    Simulation::Options options = path_of(40 * millisecond, 10, 60);
    options.sender.control = GetParam();
    Simulation simulation(options);
    simulation.write_segments_at(0, 100'000);
    simulation.run_for(10 * second);
    std::vector<TappedSegment> tap;
    for (const TappedSegment& tapped : simulation.at_receiver()) {
        const bool lacks = tapped.time_ns >= simulation.absolute(4 * second) &&
                           tapped.time_ns < simulation.absolute(6 * second);
        if (!lacks) tap.push_back(tapped);
    }
    const auto most_in_flight = [](const Captured& captured) {
        uint32_t most = 0;
        for (const WindowRow& row : captured.store().windows()) most = std::max(most, row.in_flight);
        return most;
    };
    // But for the two windows that may be missing without a gap.
    EXPECT_LT(most_in_flight(Captured(simulation, tap)),
              3 * most_in_flight(Captured(simulation, simulation.at_receiver())));
}

// What an initiator's requests of 48 bytes lack is too little to show it: here, nothing.
TEST(Gaps, ThatOneSidesDataShowAreTheOthersToo) {
    Simulation data(path_of(40 * millisecond, 10, 60));
    data.write_segments_at(0, 100'000);
    data.run_for(10 * second);
    Simulation requests(path_of(40 * millisecond, 200, 10'000));
    for (int64_t at_ms = 0; at_ms < 10'000; at_ms += 50) requests.write_at(at_ms * millisecond, 48);
    requests.run_for(10 * second);
    std::vector<std::pair<Side, SenderEvent>> events;
    const auto time_of = [&](const std::pair<Side, SenderEvent>& event) {
        return std::visit([](const auto& e) { return e.time_ns; }, event.second);
    };
    const auto in_gap = [&](const std::pair<Side, SenderEvent>& event) {
        return time_of(event) >= data.absolute(4 * second) && time_of(event) < data.absolute(6 * second);
    };
    for (const SenderEvent& event : data.events()) events.emplace_back(Side::a, event);
    std::erase_if(events, in_gap);
    for (const SenderEvent& event : requests.events()) events.emplace_back(Side::b, event);
    std::ranges::stable_sort(events, {}, time_of);
    for (const bool shared : {false, true}) {
        ResultStore store{{}};
        SendBudget budget;
        SenderReplay of_data(store, budget, 1, Side::a, data.sender_options());
        SenderReplay of_requests(store, budget, 1, Side::b, requests.sender_options());
        if (shared) of_data.share_gaps_with(of_requests);
        for (const auto& [side, event] : events) {
            SenderReplay& replay = side == Side::a ? of_data : of_requests;
            if (const auto* sent = std::get_if<SentSegment>(&event)) {
                replay.on_sent(*sent);
            } else {
                replay.on_ack(std::get<ReceivedAck>(event));
            }
        }
        of_data.finish();
        of_requests.finish();
        size_t before = 0;
        size_t behind = 0;
        for (const WindowRow& row : store.windows()) {
            if (row.sender != Side::b || row.cwnd == unknown<uint32_t>) continue;
            ++(row.time_ns < requests.absolute(6 * second) ? before : behind);
        }
        EXPECT_GT(before, 50u);
        EXPECT_EQ(behind > 50, !shared) << behind;
        EXPECT_EQ(behind == 0, shared) << behind;
    }
}

// Packets cut within the SYN's options, which hold the window's scale (RFC 7323 §2.2): the window is not known, no window shut.
// What is kept of the options, whole words among it: RFC 9293 §3.1 pads them to these.
class CutSyn : public testing::TestWithParam<size_t> {};

TEST_P(CutSyn, LeavesTheAdvertisedWindowUnknown) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 310);
    simulation.run_for(second);
    const Captured whole(simulation, simulation.at_sender());
    const Captured cut(simulation, simulation.at_sender(), GetParam());
    size_t rows = 0;
    size_t known = 0;
    for (const WindowRow& row : whole.store().windows()) {
        if (row.sender == Side::a && row.advertised_window != unknown<uint32_t>) ++known;
    }
    EXPECT_GT(known, 50u);
    for (const WindowRow& row : cut.store().windows()) {
        if (row.sender == Side::b) continue;
        ++rows;
        EXPECT_EQ(row.advertised_window, unknown<uint32_t>);
        EXPECT_NE(row.limit, SendLimit::receiver);
    }
    EXPECT_GT(rows, 50u);
}

INSTANTIATE_TEST_SUITE_P(Lengths, CutSyn, testing::Values(0, 4, 6, 8));

}  // namespace
}  // namespace sanscope::simulated
