// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <optional>

#include "analyzer/net/arp_message.h"
#include "analyzer/net/decode_frame.h"
#include "analyzer/net/ethernet_link.h"
#include "analyzer/net/icmp_error.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using namespace frames;  // NOLINT(google-build-using-namespace): the tests are written in its words

// A frame of which `captured` bytes are there, on a heap block of just that size.
struct Frame {
    Frame(const Layer& layer, size_t captured)
        : length(static_cast<uint32_t>(captured)), bytes(std::make_unique<uint8_t[]>(captured)) {
        std::copy_n(layer.bytes.begin(), captured, bytes.get());
        decode_frame(LinkType::ethernet, bytes.get(), length, static_cast<uint32_t>(layer.bytes.size()),
                     packet);
    }
    explicit Frame(const Layer& layer) : Frame(layer, layer.bytes.size()) {}
    uint32_t length;
    std::unique_ptr<uint8_t[]> bytes;
    DecodedPacket packet;
};

constexpr uint8_t unreachable = 3;
constexpr uint8_t fragmentation_needed = 4;
constexpr uint8_t packet_too_big = 2;

Layer quoted_v4() {
    return ipv4({.source = "10.0.0.2", .destination = "10.0.0.1"},
                tcp({.source_port = 3260, .destination_port = 50001, .seq = 0x80000001}, pattern(8948)));
}

ByteVector first_bytes(const Layer& layer, size_t length) {
    return {layer.bytes.begin(), layer.bytes.begin() + static_cast<ptrdiff_t>(length)};
}

Layer fragmentation_is_needed(size_t quoted = 28) {
    return ethernet(ipv4({.source = "10.0.0.254", .destination = "10.0.0.2"},
                         icmp({.type = unreachable, .code = fragmentation_needed, .rest = 1500},
                              first_bytes(quoted_v4(), quoted))));
}

TEST(NetworkMessages, fragmentation_needed_names_the_segment_and_the_mtu) {
    const Frame frame(fragmentation_is_needed());
    ASSERT_EQ(frame.packet.kind, DecodedPacket::Kind::icmp);
    EXPECT_EQ(format(frame.packet.source), "10.0.0.254");
    const std::optional<IcmpError> error = read_icmp_error(frame.packet);
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->too_big);
    EXPECT_EQ(error->mtu, 1500u);
    EXPECT_EQ(error->datagram_length, 8988u);
    EXPECT_EQ(format_endpoint(error->source, error->source_port), "10.0.0.2:3260");
    EXPECT_EQ(format_endpoint(error->destination, error->destination_port), "10.0.0.1:50001");
    EXPECT_EQ(error->seq, 0x80000001u);
}

TEST(NetworkMessages, packet_too_big_of_ipv6_is_read_through_tags_and_tunnels) {
    const Layer quoted = ipv6({.source = "2001:db8::2", .destination = "2001:db8::1"},
                              tcp({.source_port = 3260, .destination_port = 50001, .seq = 7}, pattern(4000)));
    const Layer message = ipv6({.source = "2001:db8::fe", .destination = "2001:db8::2"},
                               icmp({.type = packet_too_big, .rest = 1280, .ipv6 = true}, quoted.bytes));
    for (const Layer& frame : {ethernet(vlan(7, message)), ethernet(ipv4({}, gre({}, message)))}) {
        const std::optional<IcmpError> error = read_icmp_error(Frame(frame).packet);
        ASSERT_TRUE(error);
        EXPECT_TRUE(error->too_big && error->ipv6);
        EXPECT_EQ(error->mtu, 1280u);
        EXPECT_EQ(format(error->source), "2001:db8::2");
        EXPECT_EQ(error->seq, 7u);
    }
}

TEST(NetworkMessages, what_is_no_error_about_a_segment_is_none) {
    constexpr uint8_t echo = 8;
    const ByteVector quoted = quoted_v4().bytes;
    EXPECT_FALSE(read_icmp_error(Frame(ethernet(ipv4({}, icmp({.type = echo}, quoted)))).packet));
    const Layer of_udp = ipv4({}, udp({}, {.bytes = pattern(40)}));
    EXPECT_FALSE(
        read_icmp_error(Frame(ethernet(ipv4({}, icmp({.type = unreachable}, of_udp.bytes)))).packet));
    // ICMP's number in an IPv6 header is nobody's.
    const Layer wrong = ipv6({.next_header = ip_protocol_icmp}, icmp({.type = unreachable}, quoted));
    EXPECT_EQ(Frame(ethernet(wrong)).packet.kind, DecodedPacket::Kind::other);
    const std::optional<IcmpError> port =
        read_icmp_error(Frame(ethernet(ipv4({}, icmp({.type = unreachable, .code = 3}, quoted)))).packet);
    ASSERT_TRUE(port);
    EXPECT_FALSE(port->too_big);
    EXPECT_EQ(port->mtu, 0u);
}

TEST(NetworkMessages, a_claim_of_an_address_is_read) {
    const Frame reply(ethernet(arp({.reply = true, .mac = 9, .sender = "10.0.0.2", .target = "10.0.0.1"})));
    ASSERT_EQ(reply.packet.kind, DecodedPacket::Kind::arp);
    const std::optional<ArpMessage> message = read_arp_message(reply.packet);
    ASSERT_TRUE(message);
    EXPECT_TRUE(message->is_reply && message->is_claim());
    EXPECT_EQ(format(message->sender_mac), "02:00:00:00:00:09");
    EXPECT_EQ(format(message->sender), "10.0.0.2");
    EXPECT_EQ(format(message->target), "10.0.0.1");
    const Frame probe(ethernet(arp({.sender = "0.0.0.0", .target = "10.0.0.2"})));
    ASSERT_TRUE(read_arp_message(probe.packet));
    EXPECT_FALSE(read_arp_message(probe.packet)->is_claim());
}

TEST(NetworkMessages, of_a_cut_message_nothing_beyond_the_cut_is_read) {
    for (const Layer& layer : {fragmentation_is_needed(200), ethernet(vlan(7, arp({})))}) {
        for (size_t captured = 0; captured < layer.bytes.size(); ++captured) {
            const Frame frame(layer, captured);
            const auto link = read_ethernet_link(LinkType::ethernet, frame.bytes.get(), frame.length);
            EXPECT_LE(link ? link->network_offset : 0, captured);
            constexpr size_t arp_ends = 14 + 4 + 28;
            constexpr size_t ports_end = 14 + 20 + 8 + 28;
            EXPECT_EQ(read_arp_message(frame.packet).has_value(),
                      layer.bytes.size() == arp_ends && captured >= arp_ends);
            EXPECT_EQ(read_icmp_error(frame.packet).has_value(),
                      layer.bytes.size() != arp_ends && captured >= ports_end);
        }
    }
}

TEST(NetworkMessages, tags_tell_links_apart) {
    const auto link_of = [](const Layer& layer, LinkType type = LinkType::ethernet) {
        return read_ethernet_link(type, layer.bytes.data(), static_cast<uint32_t>(layer.bytes.size()));
    };
    const Layer inside = ipv4({}, tcp({}));
    ASSERT_TRUE(link_of(ethernet(inside)));
    EXPECT_EQ(link_of(ethernet(inside))->vlans, 0u);
    EXPECT_EQ(format(link_of(ethernet_from(7, inside))->source), "02:00:00:00:00:07");
    const auto tagged = link_of(ethernet(vlan(3, vlan(5, inside))));
    ASSERT_TRUE(tagged);
    EXPECT_EQ(tagged->vlans, 3u << 12 | 5u);
    EXPECT_EQ(tagged->ether_type, ether_type_ipv4);
    EXPECT_EQ(tagged->network_offset, 22u);
    EXPECT_FALSE(link_of(ethernet(vlan(1, vlan(2, vlan(3, inside))))));
    EXPECT_FALSE(link_of(inside, LinkType::raw));
}

}  // namespace
}  // namespace sanscope
