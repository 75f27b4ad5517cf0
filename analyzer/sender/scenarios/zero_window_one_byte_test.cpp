// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 9293 §3.8.6.1: others than Linux ask about a closed window with one byte beyond it, the same again and again.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(ZeroWindow, IsAskedAboutWithOneByteByOthers) {
    Simulation::Options options = path_of(20 * millisecond, 1000, 10'000);
    options.receiver.buffer_bytes = 40 * 1448;
    Simulation simulation(options);
    simulation.write_segments_at(0, 200);
    simulation.at(25 * millisecond, [&] { simulation.receiver().pause_reading(); });
    simulation.run_for(4 * second);
    std::vector<SenderEvent> events = simulation.events();
    uint64_t probes = 0;
    for (SenderEvent& event : events) {
        auto* sent = std::get_if<SentSegment>(&event);
        if (sent == nullptr || sent->length > 0 || (sent->flags & tcp_syn) != 0) continue;
        sent->seq += 1;
        sent->length = 1;
        ++probes;
    }
    ASSERT_GE(probes, 3u);

    const Replayed replayed(events, simulation.sender_options());
    EXPECT_TRUE(replayed.transitions().empty());
    EXPECT_EQ(replayed.losses(LossKind::zero_window_probe), probes);
    EXPECT_EQ(replayed.losses(), probes);
}

}  // namespace
}  // namespace sanscope::simulated
