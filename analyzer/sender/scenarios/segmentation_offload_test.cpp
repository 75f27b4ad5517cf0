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

}  // namespace
}  // namespace sanscope::simulated
