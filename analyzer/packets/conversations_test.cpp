// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/packets/conversations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using frames::ethernet;
using frames::ipv4;
using frames::Layer;
using frames::tcp;
using frames::udp;
using testing::ElementsAre;
using testing::IsEmpty;

class ConversationsTest : public testing::Test {
  protected:
    uint32_t number(const Layer& frame) {
        RawPacket packet;
        packet.data = frame.bytes.data();
        packet.captured_length = packet.wire_length = static_cast<uint32_t>(frame.bytes.size());
        packet.time_ns = ++time_ns_;
        const uint32_t conversation = conversations_.number(packet);
        DecodedPacket decoded;
        decode_frame(packet.link_type, packet.data, packet.captured_length, packet.wire_length, decoded);
        EXPECT_EQ(decoded_before_.number(packet, decoded), conversation);
        EXPECT_EQ(decoded_before_.completed(), conversations_.completed());
        return conversation;
    }
    uint32_t forth(uint16_t port, uint32_t seq, uint16_t flags = tcp_ack) {
        return number(ethernet(ipv4({}, tcp({.source_port = port, .seq = seq, .flags = flags}, "x"))));
    }
    uint32_t back(uint16_t port, uint32_t seq, uint16_t flags = tcp_ack) {
        return number(
            ethernet(ipv4({.source = "10.0.0.2", .destination = "10.0.0.1"},
                          tcp({.source_port = 3260, .destination_port = port, .seq = seq, .flags = flags}))));
    }

    Conversations conversations_{7};
    Conversations decoded_before_{7};
    int64_t time_ns_ = 0;
};

TEST_F(ConversationsTest, ConnectionsAreNumberedByTheirFirstPacket) {
    EXPECT_EQ(Conversations::tcp_stream(forth(50000, 1)), 0u);
    EXPECT_EQ(Conversations::tcp_stream(back(50001, 1)), 1u);
    EXPECT_EQ(Conversations::tcp_stream(back(50000, 1)), 0u);
    EXPECT_EQ(Conversations::tcp_stream(forth(50001, 1)), 1u);
}

TEST_F(ConversationsTest, AllThatIsNotTcpIsOneConversation) {
    EXPECT_EQ(number(ethernet(ipv4({}, udp({}, Layer{})))), Conversations::other);
    EXPECT_EQ(number(Layer{{1, 2, 3}}), Conversations::other);
}

TEST_F(ConversationsTest, RecordsThatAreNoPacketsStandApart) {
    RawPacket record;
    record.link_type = LinkType::not_a_packet;
    EXPECT_EQ(conversations_.number(record), Conversations::no_packet);
}

TEST_F(ConversationsTest, SynWithAnotherSequenceNumberBeginsTheNextConnection) {
    EXPECT_EQ(Conversations::tcp_stream(forth(50000, 100, tcp_syn)), 0u);
    EXPECT_EQ(Conversations::tcp_stream(back(50000, 900, tcp_syn | tcp_ack)), 0u);
    EXPECT_EQ(Conversations::tcp_stream(forth(50000, 100, tcp_syn)), 0u) << "the same SYN again";
    EXPECT_EQ(Conversations::tcp_stream(forth(50000, 101)), 0u);
    EXPECT_EQ(Conversations::tcp_stream(back(50000, 5000, tcp_syn | tcp_ack)), 0u);
    EXPECT_EQ(Conversations::tcp_stream(forth(50000, 7000, tcp_syn)), 1u);
    EXPECT_EQ(Conversations::tcp_stream(back(50000, 5001)), 1u);
}

TEST_F(ConversationsTest, SynBehindTheMiddleOfAConnectionIsComparedWithItsFirstByte) {
    EXPECT_EQ(Conversations::tcp_stream(forth(50000, 101)), 0u);
    EXPECT_EQ(Conversations::tcp_stream(forth(50000, 100, tcp_syn)), 0u);
    EXPECT_EQ(Conversations::tcp_stream(forth(50000, 101, tcp_syn)), 1u);
}

TEST_F(ConversationsTest, TheLastFragmentIsOfTheSegmentItCompletes) {
    const Layer segment =
        tcp({.source_port = 50000, .seq = 1}, frames::text("0123456789abcdefghij0123456789"));
    Layer first{{segment.bytes.begin(), segment.bytes.begin() + 24}, 0, segment.ip_protocol};
    Layer second{{segment.bytes.begin() + 24, segment.bytes.end()}, 0, segment.ip_protocol};
    const uint32_t whole = forth(50000, 1);
    EXPECT_EQ(number(ethernet(ipv4({.id = 9, .more_fragments = true}, first))), Conversations::fragments);
    EXPECT_THAT(conversations_.completed(), IsEmpty());
    EXPECT_EQ(number(ethernet(ipv4({.id = 9, .fragment_offset = 24}, second))), whole);
    EXPECT_THAT(conversations_.completed(), ElementsAre(2)) << "the first is of it, too";
    forth(50000, 1);
    EXPECT_THAT(conversations_.completed(), IsEmpty());
}

}  // namespace
}  // namespace sanscope
