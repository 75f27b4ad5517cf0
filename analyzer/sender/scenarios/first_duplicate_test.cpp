// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 9293 §3.10.7.4 and Linux tcp_input.c, tcp_ack_update_window: the pure acknowledgement that ends the handshake moves
// SND.WL1 on, so that the next one that says the same is a duplicate.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

TEST(FirstDuplicate, CountsAfterTheHandshakeWasAcknowledged) {
    std::vector<SenderEvent> events;
    const auto hears = [&](int64_t time_ns, uint32_t seq, uint16_t flags) {
        ReceivedAck ack;
        ack.time_ns = time_ns;
        ack.packet = events.size() + 1;
        ack.ack = Serial32(1);
        ack.seq = Serial32(seq);
        ack.window = 65535;
        ack.flags = flags;
        events.emplace_back(ack);
    };
    const auto sends = [&](int64_t time_ns, uint32_t seq, uint32_t length, uint16_t flags) {
        SentSegment sent;
        sent.time_ns = time_ns;
        sent.packet = events.size() + 1;
        sent.seq = Serial32(seq);
        sent.length = length;
        sent.flags = flags;
        sent.ip_id = static_cast<uint16_t>(events.size());
        events.emplace_back(sent);
    };
    sends(second, 0, 0, tcp_syn);
    hears(second + 20 * millisecond, 0, tcp_syn | tcp_ack);
    hears(second + 21 * millisecond, 1, tcp_ack);
    for (uint32_t n = 0; n < 10; ++n) sends(second + (30 + n) * millisecond, 1 + n * 1000, 1000, tcp_ack);
    hears(second + 51 * millisecond, 1, tcp_ack);

    const Replayed replayed(events, {.mss = 1000, .sack = false, .timestamps = false});
    EXPECT_EQ(in_words(replayed.state_after(events.size())), "Disorder");
}

}  // namespace
}  // namespace sanscope::simulated
