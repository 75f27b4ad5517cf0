// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/simulated_sender.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/sender/testing/simulation.h"

namespace sanscope::simulated {
namespace {

using testing::ElementsAre;

std::vector<CaState> states_entered(const Simulation& simulation) {
    std::vector<CaState> states;
    for (const TrueTransition& transition : simulation.transitions()) states.push_back(transition.to);
    return states;
}

// 20 Mbit/s, 40 ms: 66 segments in the pipe.
Simulation::Options bottleneck(uint32_t queue_segments) {
    return path_of(40 * millisecond, 20, queue_segments);
}

TEST(SimulatedSender, BeginsWithTenSegments) {
    Simulation simulation({});
    simulation.write_segments_at(0, 100);
    simulation.run_for(15 * millisecond);
    EXPECT_EQ(simulation.data_link().sent(), 10u);
    EXPECT_EQ(simulation.sender().figures().limit, SendLimit::congestion);
}

TEST(SimulatedSender, DoublesEachRoundTripInSlowStart) {
    Simulation simulation({});
    simulation.write_segments_at(0, 1000);
    simulation.run_for(65 * millisecond);
    EXPECT_EQ(simulation.sender().figures().cwnd, 80u);
}

TEST(SimulatedSender, MovesEveryByteOnceDespiteLosses) {
    Simulation simulation(bottleneck(30));
    simulation.write_segments_at(0, 3000);
    simulation.run_for(60 * second);
    EXPECT_EQ(simulation.sender().bytes_acknowledged(), uint64_t{3000} * simulation.mss());
    EXPECT_EQ(simulation.receiver().bytes_received(), uint64_t{3000} * simulation.mss());
    EXPECT_GT(simulation.data_link().dropped(), 0u);
    EXPECT_EQ(simulation.data_link().sent(), 3000 + simulation.sender().retransmissions());
    EXPECT_EQ(simulation.sender().figures().in_flight, 0u);
}

TEST(SimulatedSender, NeverHasMoreInFlightThanItsWindowAllowsToSend) {
    Simulation simulation(bottleneck(30));
    simulation.write_segments_at(0, 3000);
    simulation.run_for(60 * second);
    const std::vector<SenderEvent>& events = simulation.events();
    for (const TruthSample& sample : simulation.truth()) {
        const bool sent = std::holds_alternative<SentSegment>(events[sample.packet - 1]);
        if (sent) {
            EXPECT_LE(sample.figures.in_flight, sample.figures.cwnd) << "packet " << sample.packet;
        }
    }
}

// Reno over a queue of at least the path's own product keeps the link busy all the time (the classic rule of thumb).
TEST(SimulatedSender, RenoFillsAPathWhoseQueueHoldsItsProduct) {
    Simulation simulation(bottleneck(80));
    simulation.write_at(0, 1u << 30);
    simulation.run_for(30 * second);
    const uint64_t before = simulation.receiver().bytes_received();
    simulation.run_for(60 * second);
    const double rate = static_cast<double>(simulation.receiver().bytes_received() - before) * 8 / 30;
    const double share = double{1448} / (1448 + SimulatedLink::header_bytes);
    EXPECT_NEAR(rate, 20e6 * share, 0.01 * 20e6);
    EXPECT_EQ(simulation.sender().timeouts(), 0u);
}

// With hardly a queue the sawtooth goes between half and all of the path's product: three quarters on average.
TEST(SimulatedSender, RenoTakesThreeQuartersOfAPathWithoutQueue) {
    Simulation simulation(bottleneck(4));
    simulation.write_at(0, 1u << 30);
    simulation.run_for(30 * second);
    const uint64_t before = simulation.receiver().bytes_received();
    simulation.run_for(90 * second);
    const double rate = static_cast<double>(simulation.receiver().bytes_received() - before) * 8 / 60;
    const double share = double{1448} / (1448 + SimulatedLink::header_bytes);
    EXPECT_NEAR(rate / (20e6 * share), 0.78, 0.05);
}

// RFC 9438 §4.2: K = ∛(W_max (1-β) / C) seconds after a reduction the window is back where it was.
TEST(SimulatedSender, CubicIsBackAtItsMaximumAfterK) {
    Simulation::Options options;
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    options.data.delay_ns = options.acks.delay_ns = 50 * millisecond;
    Simulation simulation(options);
    simulation.write_at(0, 1u << 30);
    simulation.data_link().drop(simulation.segment(300));
    simulation.run_for(8 * second);
    const auto& truth = simulation.truth();
    const uint32_t maximum = [&] {
        for (size_t i = 0; i < truth.size(); ++i)
            if (truth[i].figures.state == CaState::recovery) return truth[i - 1].figures.cwnd;
        return 0u;
    }();
    ASSERT_GT(maximum, 100u);
    const double k = std::cbrt(maximum * (1 - 0.7) / 0.4);
    int64_t opened_ns = 0;
    for (const TrueTransition& transition : simulation.transitions())
        if (transition.from == CaState::recovery) opened_ns = transition.time_ns;
    ASSERT_GT(opened_ns, 0);
    const auto at = [&](double seconds) {
        const auto when = opened_ns + static_cast<int64_t>(seconds * second);
        const auto after =
            std::find_if(truth.begin(), truth.end(), [&](const TruthSample& s) { return s.time_ns >= when; });
        return static_cast<double>(after->figures.cwnd);
    };
    EXPECT_NEAR(at(0.01), maximum * 0.7, 0.01 * maximum);
    EXPECT_NEAR(at(k - 0.1), maximum, 0.01 * maximum);
}

TEST(SimulatedSender, HyStartLeavesSlowStartBeforeTheQueueOverflows) {
    Simulation::Options options = bottleneck(1000);
    options.sender.control = SimulatedSender::Control::cubic;
    Simulation simulation(options);
    simulation.write_at(0, 1u << 24);
    simulation.run_for(second / 2);
    EXPECT_LT(simulation.sender().figures().ssthresh, 200u);
    EXPECT_GE(simulation.sender().figures().cwnd, 66u);
    EXPECT_TRUE(simulation.transitions().empty());
}

TEST(SimulatedSender, RepairsALossInOneRecovery) {
    Simulation simulation({});
    simulation.write_segments_at(0, 200);
    simulation.data_link().drop(simulation.segment(40));
    simulation.run_for(5 * second);
    EXPECT_THAT(states_entered(simulation), ElementsAre(CaState::disorder, CaState::recovery, CaState::open));
    EXPECT_EQ(simulation.sender().retransmissions(), 1u);
}

TEST(SimulatedSender, RepairsALossWithoutSack) {
    Simulation::Options options;
    options.sender.sack = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 200);
    simulation.data_link().drop(simulation.segment(40));
    simulation.run_for(5 * second);
    EXPECT_THAT(states_entered(simulation), ElementsAre(CaState::disorder, CaState::recovery, CaState::open));
    EXPECT_EQ(simulation.sender().retransmissions(), 1u);
}

TEST(SimulatedSender, ProbesATailThatGotLost) {
    Simulation simulation({});
    simulation.write_segments_at(0, 10);
    simulation.data_link().drop(simulation.segment(9));
    simulation.run_for(5 * second);
    EXPECT_EQ(simulation.sender().probes(), 1u);
    EXPECT_EQ(simulation.sender().timeouts(), 0u);
    EXPECT_EQ(simulation.receiver().bytes_received(), 10 * simulation.mss());
}

TEST(SimulatedSender, BacksOffWhileNothingComesBack) {
    Simulation::Options options;
    options.sender.tail_loss_probes = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 1);
    simulation.data_link().drop_between(0, simulation.absolute(5 * second));
    simulation.run_for(20 * second);
    std::vector<int64_t> sent_ms;
    for (const TappedSegment& tapped : simulation.at_sender())
        if (tapped.from_sender && tapped.segment.length > 0)
            sent_ms.push_back((tapped.time_ns - simulation.absolute(0)) / millisecond);
    // Round trip 20 ms: 220, then twice, four times, … as much.
    EXPECT_THAT(sent_ms, ElementsAre(0, 220, 660, 1540, 3300, 6820));
    EXPECT_EQ(simulation.receiver().bytes_received(), simulation.mss());
}

TEST(SimulatedSender, UndoesATimeoutThatAPauseOfThePathBroughtOn) {
    Simulation::Options options;
    options.sender.tail_loss_probes = false;
    Simulation simulation(options);
    simulation.write_segments_at(0, 400);
    simulation.data_link().hold_between(simulation.absolute(19 * millisecond),
                                        simulation.absolute(61 * millisecond), 600 * millisecond);
    simulation.run_for(10 * second);
    EXPECT_GE(simulation.sender().timeouts(), 1u);
    EXPECT_THAT(states_entered(simulation), testing::Contains(CaState::loss));
    EXPECT_EQ(simulation.sender().figures().ssthresh, infinite_ssthresh);
    EXPECT_EQ(simulation.receiver().bytes_received(), 400 * simulation.mss());
}

TEST(SimulatedSender, ReducesOnceAWindowForEcn) {
    Simulation::Options options;
    options.sender.ecn = true;
    Simulation simulation(options);
    simulation.write_segments_at(0, 300);
    for (uint32_t n = 30; n < 40; ++n) simulation.data_link().mark(simulation.segment(n));
    simulation.run_for(5 * second);
    EXPECT_THAT(states_entered(simulation), ElementsAre(CaState::cwr, CaState::open));
    EXPECT_EQ(simulation.sender().retransmissions(), 0u);
}

TEST(SimulatedSender, AsksAboutAClosedWindowEverMoreRarely) {
    Simulation::Options options;
    options.receiver.buffer_bytes = 20 * 1448;
    Simulation simulation(options);
    simulation.receiver().pause_reading();
    simulation.write_segments_at(0, 100);
    simulation.at(3 * second, [&] { simulation.receiver().resume_reading(); });
    simulation.run_for(10 * second);
    uint32_t probes = 0;
    for (const TappedSegment& tapped : simulation.at_sender())
        probes += tapped.from_sender && tapped.segment.length == 0 && !tapped.segment.has(tcp_syn);
    EXPECT_GE(probes, 3u);
    EXPECT_LE(probes, 5u);
    EXPECT_EQ(simulation.receiver().bytes_received(), 100 * simulation.mss());
}

}  // namespace
}  // namespace sanscope::simulated
