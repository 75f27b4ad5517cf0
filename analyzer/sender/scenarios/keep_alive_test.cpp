// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 1122 §4.2.3.6: a segment of the byte before SND.NXT, with or without a byte of garbage, asks whether the other side
// still lives; it is no retransmission and shows nothing of congestion.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

class KeepAlive : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Length, KeepAlive, testing::Values(0u, 1u));

TEST_P(KeepAlive, IsToldApartFromRetransmissions) {
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    simulation.write_segments_at(0, 20);
    for (int n = 1; n <= 3; ++n) simulation.at(n * second, [&] { simulation.sender().keep_alive(); });
    simulation.run_for(5 * second);
    std::vector<SenderEvent> events = simulation.events();
    for (SenderEvent& event : events)
        if (auto* sent = std::get_if<SentSegment>(&event);
            sent != nullptr && sent->length == 0 && !(sent->flags & tcp_syn))
            sent->length = GetParam();

    const Replayed replayed(events, simulation.sender_options());
    EXPECT_TRUE(replayed.transitions().empty());
    EXPECT_EQ(replayed.losses(LossKind::keep_alive), 3u);
    EXPECT_EQ(replayed.losses(), 3u);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
}

}  // namespace
}  // namespace sanscope::simulated
