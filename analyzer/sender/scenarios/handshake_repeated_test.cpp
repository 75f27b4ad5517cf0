// SPDX-License-Identifier: GPL-3.0-or-later
// tcp_retransmit_timer() and tcp_rtx_synack() send a SYN or its answer again, and count it among TcpRetransSegs. A portal
// that does not answer shows nothing else.
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/sender/connection_senders.h"

namespace sanscope {
namespace {

using test::second;

class Handshake {
  public:
    void packet(double at_s, Side side, uint32_t seq, uint16_t flags, uint32_t ack = 0, uint32_t length = 0) {
        DecodedPacket packet;
        packet.kind = DecodedPacket::Kind::tcp;
        packet.seq = seq;
        packet.ack = ack;
        packet.flags = flags;
        packet.window = 1000;
        packet.payload_length = length;
        packet.options = &none_;
        packet.ip_id = (flags & tcp_syn) != 0 && (flags & tcp_ack) != 0 ? 0 : ++ip_ids_[index_of(side)];
        senders_.on_packet(side, packet, ++number_, static_cast<int64_t>(at_s * second));
    }
    const SenderSummary* sender(Side side) {
        senders_.finish();
        for (const SenderSummary& summary : store_.senders())
            if (summary.side() == side) return &summary;
        return nullptr;
    }
    const ResultStore& store() const { return store_; }

  private:
    uint8_t none_ = 0;
    ResultStore store_{{}};
    SendBudget budget_;
    ConnectionSenders senders_{store_, budget_, 1};
    PacketNumber number_ = 0;
    uint16_t ip_ids_[2] = {0, 40'000};
};

TEST(HandshakeRepeated, OfADeadPortal) {
    Handshake handshake;
    for (const double at : {0.0, 1.0, 3.0, 7.0}) handshake.packet(at, Side::a, 99, tcp_syn);
    const SenderSummary* const sender = handshake.sender(Side::a);
    ASSERT_NE(sender, nullptr);
    EXPECT_EQ(sender->sent_again(), 3u);
    EXPECT_EQ(sender->losses(LossKind::rto), 3u);
    ASSERT_EQ(handshake.store().losses().size(), 3u);
    EXPECT_EQ(handshake.store().losses()[0].original_packet, 1u);
    EXPECT_EQ(handshake.store().losses()[2].delay_ns, 7 * second);
}

TEST(HandshakeRepeated, OfAnAnswerThatGotLost) {
    Handshake handshake;
    handshake.packet(0, Side::a, 99, tcp_syn);
    handshake.packet(0.001, Side::b, 499, tcp_syn | tcp_ack, 100);
    handshake.packet(0.002, Side::a, 100, tcp_ack, 500);
    // The last of the three did not reach it.
    handshake.packet(1.001, Side::b, 499, tcp_syn | tcp_ack, 100);
    handshake.packet(1.002, Side::a, 100, tcp_ack, 500);
    handshake.packet(1.003, Side::a, 100, tcp_ack | tcp_psh, 500, 48);
    handshake.packet(1.004, Side::b, 500, tcp_ack, 148);
    const SenderSummary* const answering = handshake.sender(Side::b);
    ASSERT_NE(answering, nullptr);
    EXPECT_EQ(answering->sent_again(), 1u);
    EXPECT_EQ(answering->losses(LossKind::rto), 1u);
    const SenderSummary* const asking = handshake.sender(Side::a);
    ASSERT_NE(asking, nullptr);
    EXPECT_EQ(asking->sent_again(), 0u);
}

}  // namespace
}  // namespace sanscope
