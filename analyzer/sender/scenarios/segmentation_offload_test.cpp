// SPDX-License-Identifier: GPL-3.0-or-later
// With segmentation offload a capture at the sender shows many segments as one packet; the windows count segments all the
// same.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

constexpr uint32_t most_bytes = 65'000;

// What follows on at the same moment becomes one packet, as large as an IP datagram may be.
std::vector<SenderEvent> offloaded(const std::vector<SenderEvent>& events) {
    std::vector<SenderEvent> merged;
    for (const SenderEvent& event : events) {
        const auto* sent = std::get_if<SentSegment>(&event);
        auto* before = merged.empty() ? nullptr : std::get_if<SentSegment>(&merged.back());
        const bool follows = sent != nullptr && before != nullptr && before->length > 0 && sent->length > 0 &&
                             before->time_ns == sent->time_ns && before->seq + before->length == sent->seq &&
                             before->length + sent->length <= most_bytes;
        if (follows) {
            before->length += sent->length;
        } else {
            merged.push_back(event);
        }
    }
    return merged;
}

TEST(SegmentationOffload, LeavesSlowStartAsItIs) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 5000);
    simulation.run_for(115 * millisecond);
    const std::vector<SenderEvent> events = offloaded(simulation.events());
    ASSERT_LT(events.size(), simulation.events().size() * 2 / 3);

    const Replayed replayed(events, simulation.sender_options());
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(replayed.transitions().empty());
    EXPECT_EQ(replayed.losses(), 0u);
}

TEST(SegmentationOffload, LeavesRecoveryAsItIs) {
    Simulation::Options options = path_of(40 * millisecond, 100, 10'000);
    options.sender.control = SimulatedSender::Control::cubic_without_hystart;
    Simulation simulation(options);
    simulation.write_segments_at(0, 2000);
    for (const uint32_t n : {100u, 101u, 107u}) simulation.data_link().drop(simulation.segment(n));
    simulation.run_for(second);

    const Replayed replayed(offloaded(simulation.events()), simulation.sender_options());
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 250 * millisecond}));
    EXPECT_TRUE(interval_holds(simulation, replayed, 0.85, 1));
}

// Other options than timestamps make each of its segments shorter: the sender SACKs what it receives itself.
TEST(SegmentationOffload, MakesSegmentsThatAreShorterByTheirOptions) {
    const SenderOptions options = {.mss = 1448};
    constexpr uint32_t sack_of_one_block = 12;
    constexpr uint32_t length = 1448 - sack_of_one_block;
    SentSegment large;
    large.time_ns = second;
    large.packet = 1;
    large.seq = Serial32(1000);
    large.length = 5 * length;
    large.flags = tcp_ack | tcp_psh;
    large.sent = Sent::first;
    large.options_length = timestamps_length + sack_of_one_block;
    const auto sacked = [&](uint32_t to) {
        ReceivedAck ack;
        ack.time_ns = second + 10 * millisecond + to * microsecond;
        ack.packet = 1 + to;
        ack.ack = Serial32(1000);
        ack.flags = tcp_ack;
        ack.sack_blocks = 1;
        ack.sack[0] = {Serial32(1000 + length), Serial32(1000 + to * length)};
        return ack;
    };
    const Replayed replayed({large, sacked(2), sacked(3), sacked(4), sacked(5)}, options);
    EXPECT_EQ(replayed.store().senders()[0].path_reordered(), 0u);
    ASSERT_EQ(replayed.transitions().size(), 2u);
    EXPECT_EQ(replayed.transitions().back().to, CaState::recovery);
}

}  // namespace
}  // namespace sanscope::simulated
