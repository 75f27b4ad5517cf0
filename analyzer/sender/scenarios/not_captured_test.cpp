// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that the capture lacks but the receiver acknowledged went out all the same: no loss of the network, no
// transition, and the window goes on.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

std::vector<SenderEvent> without_segments(const Simulation& simulation, uint32_t every, uint64_t& missing) {
    std::vector<SenderEvent> kept;
    uint32_t data = 0;
    missing = 0;
    for (const SenderEvent& event : simulation.events()) {
        const auto* sent = std::get_if<SentSegment>(&event);
        if (sent != nullptr && sent->length > 0 && ++data % every == 0) {
            ++missing;
        } else {
            kept.push_back(event);
        }
    }
    return kept;
}

TEST(NotCaptured, TellsWhatIsMissingAndKeepsTheWindow) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 310);
    simulation.run_for(second);
    uint64_t missing = 0;
    const std::vector<SenderEvent> events = without_segments(simulation, 10, missing);
    ASSERT_EQ(missing, 31u);

    const Replayed replayed(events, simulation.sender_options());
    EXPECT_TRUE(replayed.transitions().empty());
    EXPECT_EQ(replayed.losses(LossKind::not_captured), missing);
    EXPECT_EQ(replayed.losses(), missing);
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 2}));
}

TEST(NotCaptured, MissesAcknowledgementsWithoutHarm) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 310);
    simulation.run_for(second);
    std::vector<SenderEvent> kept;
    uint32_t acks = 0;
    for (const SenderEvent& event : simulation.events())
        if (std::holds_alternative<SentSegment>(event) || ++acks % 7 != 0) kept.push_back(event);

    // What was sent shows that something was heard, by up to an acknowledgement's two segments twice; it does not add
    // up.
    const Replayed replayed(kept, simulation.sender_options());
    EXPECT_TRUE(replayed.transitions().empty());
    EXPECT_EQ(replayed.losses(), 0u);
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 4}));
}

}  // namespace
}  // namespace sanscope::simulated
