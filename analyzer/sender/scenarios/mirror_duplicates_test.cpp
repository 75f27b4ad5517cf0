// SPDX-License-Identifier: GPL-3.0-or-later
// A mirror port shows a packet twice: the same IP identification, the same timestamp, microseconds later. Nothing was
// sent again.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(MirrorDuplicates, AreNoRetransmissionsAndNoDuplicateAcknowledgements) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 310);
    simulation.run_for(second);
    std::vector<SenderEvent> events;
    uint64_t data = 0;
    for (const SenderEvent& event : simulation.events()) {
        events.push_back(event);
        SenderEvent copy = event;
        if (auto* sent = std::get_if<SentSegment>(&copy)) {
            sent->time_ns += 2 * microsecond;
            data += sent->length > 0;
        } else {
            std::get<ReceivedAck>(copy).time_ns += 2 * microsecond;
        }
        events.push_back(copy);
    }

    const Replayed replayed(events, simulation.sender_options());
    EXPECT_TRUE(replayed.transitions().empty());
    EXPECT_EQ(replayed.losses(LossKind::duplicate), data);
    EXPECT_EQ(replayed.losses(), data);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
}

}  // namespace
}  // namespace sanscope::simulated
