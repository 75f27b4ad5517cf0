// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/other_packet.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using namespace frames;  // NOLINT(google-build-using-namespace): the tests are written in its words
using Protocol = OtherPacket::Protocol;
using Addresses = OtherPacket::Addresses;

// Of as many bytes, on a heap block of just that size.
OtherPacket read(const Layer& layer, size_t captured, LinkType link_type = LinkType::ethernet) {
    const auto bytes = std::make_unique<uint8_t[]>(captured);
    std::copy_n(layer.bytes.begin(), captured, bytes.get());
    return read_other_packet(link_type, bytes.get(), static_cast<uint32_t>(captured));
}
OtherPacket read(const Layer& layer, LinkType link_type = LinkType::ethernet) {
    return read(layer, layer.bytes.size(), link_type);
}

TEST(OtherPacket, arp_tells_who_asks_for_whom) {
    const OtherPacket request = read(ethernet(vlan(7, arp({.mac = 9}))));
    EXPECT_EQ(protocol_name(request.protocol), "ARP");
    EXPECT_EQ(request.type, 1);
    EXPECT_EQ(format(request.source), "10.0.0.1");
    EXPECT_EQ(format(request.destination), "10.0.0.2");
    const OtherPacket reply = read(ethernet(arp({.reply = true, .mac = 9})));
    EXPECT_EQ(reply.type, 2);
    EXPECT_EQ(format(reply.source_mac), "02:00:00:00:00:09");
}

TEST(OtherPacket, udp_has_ports_icmp_a_type) {
    const OtherPacket query = read(
        linux_cooked(ipv4({}, udp({.source_port = 1234, .destination_port = 53}, {}))), LinkType::linux_sll);
    EXPECT_EQ(protocol_name(query.protocol), "UDP");
    EXPECT_EQ(query.addresses, Addresses::ip);
    EXPECT_EQ(query.source_port, 1234);
    EXPECT_EQ(query.destination_port, 53);
    constexpr uint8_t solicitation = 135;
    const OtherPacket neighbor = read(ethernet(ipv6({}, icmp({.type = solicitation, .ipv6 = true}, {}))));
    EXPECT_EQ(protocol_name(neighbor.protocol), "ICMPv6");
    EXPECT_EQ(icmp_type_name(neighbor), "neighbor solicitation");
    EXPECT_EQ(format(neighbor.source), "2001:db8::1");
    const OtherPacket ping = read(ethernet(ipv4({}, icmp({.type = 8}, {}))));
    EXPECT_EQ(icmp_type_name(ping), "echo request");
}

TEST(OtherPacket, fragments_have_no_ports) {
    const OtherPacket middle = read(
        ethernet(ipv4({.fragment_offset = 1480, .more_fragments = true, .protocol = 17}, {pattern(64)})));
    EXPECT_TRUE(middle.fragment);
    EXPECT_EQ(middle.protocol, Protocol::udp);
    EXPECT_EQ(middle.source_port, 0);
    const OtherPacket of_v6 = read(ethernet(ipv6({}, ipv6_fragment(1, 1480, false, {pattern(64)}))));
    EXPECT_TRUE(of_v6.fragment);
}

TEST(OtherPacket, what_is_unknown_keeps_its_number) {
    constexpr uint8_t some_protocol = 200;
    const OtherPacket ip = read(ethernet(ipv4({.protocol = some_protocol}, {pattern(8)})));
    EXPECT_EQ(ip.protocol, Protocol::other_ipv4);
    EXPECT_EQ(ip.number, some_protocol);
    ByteVector lldp = ethernet(arp({})).bytes;
    lldp[12] = 0x88;
    lldp[13] = 0xcc;
    EXPECT_EQ(protocol_name(read({lldp}).protocol), "LLDP");
    EXPECT_EQ(read({lldp}).addresses, Addresses::mac);
}

TEST(OtherPacket, no_cut_reads_beyond_the_bytes) {
    for (const Layer& layer : {ethernet(arp({})), ethernet(ipv4({.options = ByteVector(8)}, udp({}, {}))),
                               ethernet(ipv6({}, ipv6_extension(60, ByteVector(20), udp({}, {})))),
                               ethernet(vlan(1, vlan(2, arp({}))))}) {
        for (size_t captured = 0; captured <= layer.bytes.size(); ++captured) read(layer, captured);
    }
}

}  // namespace
}  // namespace sanscope
