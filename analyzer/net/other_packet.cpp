// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/other_packet.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/base/byte_order.h"
#include "analyzer/net/arp_message.h"
#include "analyzer/net/ether_type.h"

namespace sanscope {
namespace {

using Protocol = OtherPacket::Protocol;
using Addresses = OtherPacket::Addresses;

struct Bytes {
    const uint8_t* data;
    uint32_t size;

    bool has(uint32_t length) const { return size >= length; }
    Bytes after(uint32_t length) const { return {data + length, size - length}; }
};

Protocol ip_protocol(uint8_t number, bool is_v4) {
    constexpr std::array<std::pair<uint8_t, Protocol>, 10> known{{{1, Protocol::icmp},
                                                                  {2, Protocol::igmp},
                                                                  {6, Protocol::tcp},
                                                                  {17, Protocol::udp},
                                                                  {47, Protocol::gre},
                                                                  {50, Protocol::esp},
                                                                  {58, Protocol::icmp_v6},
                                                                  {89, Protocol::ospf},
                                                                  {112, Protocol::vrrp},
                                                                  {132, Protocol::sctp}}};
    for (const auto& [value, protocol] : known) {
        if (value == number) return protocol;
    }
    return is_v4 ? Protocol::other_ipv4 : Protocol::other_ipv6;
}

void read_ip_payload(uint8_t number, bool is_v4, Bytes bytes, OtherPacket& out) {
    out.protocol = ip_protocol(number, is_v4);
    out.number = number;
    if (out.fragment) return;
    if (out.protocol == Protocol::udp && bytes.has(4)) {
        out.source_port = load_be16(bytes.data);
        out.destination_port = load_be16(bytes.data + 2);
    }
    if ((out.protocol == Protocol::icmp || out.protocol == Protocol::icmp_v6) && bytes.has(1))
        out.type = bytes.data[0];
}

void read_ipv4(Bytes bytes, OtherPacket& out) {
    out.protocol = Protocol::other_ipv4;
    if (!bytes.has(20)) return;
    out.addresses = Addresses::ip;
    out.source = IpAddress::from_v4(bytes.data + 12);
    out.destination = IpAddress::from_v4(bytes.data + 16);
    constexpr uint16_t more_fragments_and_offset = 0x3fff;
    out.fragment = (load_be16(bytes.data + 6) & more_fragments_and_offset) != 0;
    const uint32_t length = (bytes.data[0] & 0x0fU) * 4;
    const bool whole = length >= 20 && bytes.has(length);
    read_ip_payload(bytes.data[9], true, whole ? bytes.after(length) : Bytes{bytes.data, 0}, out);
}

void read_ipv6(Bytes bytes, OtherPacket& out) {
    out.protocol = Protocol::other_ipv6;
    if (!bytes.has(40)) return;
    out.addresses = Addresses::ip;
    out.source = IpAddress::from_v6(bytes.data + 8);
    out.destination = IpAddress::from_v6(bytes.data + 24);
    uint8_t next = bytes.data[6];
    bytes = bytes.after(40);
    constexpr uint8_t hop_by_hop = 0;
    constexpr uint8_t routing = 43;
    constexpr uint8_t fragment = 44;
    constexpr uint8_t destination_options = 60;
    while (next == hop_by_hop || next == routing || next == fragment || next == destination_options) {
        if (!bytes.has(8)) return;
        out.fragment = out.fragment || next == fragment;
        const uint32_t length = next == fragment ? 8 : (bytes.data[1] + 1U) * 8;
        next = bytes.data[0];
        bytes = bytes.after(std::min(length, bytes.size));
    }
    read_ip_payload(next, false, bytes, out);
}

void read_arp(Bytes bytes, OtherPacket& out) {
    out.protocol = Protocol::arp;
    DecodedPacket packet;
    packet.kind = DecodedPacket::Kind::arp;
    packet.payload = bytes.data;
    packet.payload_captured = bytes.size;
    const auto message = read_arp_message(packet);
    if (!message) return;
    out.type = message->is_reply ? 2 : 1;
    out.addresses = Addresses::ip;
    out.source = message->sender;
    out.destination = message->target;
    out.source_mac = message->sender_mac;
}

void read_llc(Bytes bytes, OtherPacket& out) {
    out.protocol = bytes.has(2) && load_be16(bytes.data) == 0x4242 ? Protocol::spanning_tree : Protocol::llc;
}

void read_ether_type(uint16_t type, Bytes bytes, OtherPacket& out) {
    constexpr uint16_t lldp = 0x88cc;
    constexpr uint16_t flow_control = 0x8808;
    while (type == ether_type_vlan || type == ether_type_service_vlan || type == ether_type_vlan_9100 ||
           type == ether_type_vlan_9200) {
        if (!bytes.has(4)) break;
        type = load_be16(bytes.data + 2);
        bytes = bytes.after(4);
    }
    out.number = type;
    if (type == ether_type_ipv4) return read_ipv4(bytes, out);
    if (type == ether_type_ipv6) return read_ipv6(bytes, out);
    if (type == ether_type_arp) return read_arp(bytes, out);
    if (type < ether_type_min) return read_llc(bytes, out);
    out.protocol = type == lldp           ? Protocol::lldp
                   : type == flow_control ? Protocol::flow_control
                                          : Protocol::other_ethernet;
}

void read_ip(Bytes bytes, OtherPacket& out) {
    if (!bytes.has(1)) return;
    if (bytes.data[0] >> 4 == 6) {
        read_ipv6(bytes, out);
    } else {
        read_ipv4(bytes, out);
    }
}

void read_ethernet(Bytes bytes, OtherPacket& out) {
    if (!bytes.has(14)) return;
    out.addresses = Addresses::mac;
    out.destination_mac = MacAddress::from(bytes.data);
    out.source_mac = MacAddress::from(bytes.data + 6);
    read_ether_type(load_be16(bytes.data + 12), bytes.after(14), out);
}

}  // namespace

OtherPacket read_other_packet(LinkType link_type, const uint8_t* data, uint32_t captured_length) {
    OtherPacket out;
    const Bytes bytes{data, captured_length};
    switch (link_type) {
        case LinkType::ethernet:
            read_ethernet(bytes, out);
            break;
        case LinkType::linux_sll:
            if (bytes.has(16)) read_ether_type(load_be16(data + 14), bytes.after(16), out);
            break;
        case LinkType::linux_sll2:
            if (bytes.has(20)) read_ether_type(load_be16(data), bytes.after(20), out);
            break;
        case LinkType::null:
        case LinkType::loop:
            if (bytes.has(4)) read_ip(bytes.after(4), out);
            break;
        case LinkType::raw:
        case LinkType::raw_bsd:
        case LinkType::raw_openbsd:
        case LinkType::ipv4:
        case LinkType::ipv6:
            read_ip(bytes, out);
            break;
        case LinkType::ppp:
        case LinkType::ppp_hdlc:
        case LinkType::ppp_ether:
        case LinkType::ppp_with_direction:
        case LinkType::cisco_hdlc:
        case LinkType::fddi:
        case LinkType::ppi:
        case LinkType::erf:
        case LinkType::nflog:
        case LinkType::netlink:
        case LinkType::not_a_packet:
            break;
    }
    return out;
}

std::string_view protocol_name(OtherPacket::Protocol protocol) {
    constexpr std::array<std::string_view, 19> names = {
        "",     "ARP",  "ICMP", "ICMPv6", "IGMP", "UDP", "TCP",         "SCTP", "GRE",     "ESP",
        "OSPF", "VRRP", "IPv4", "IPv6",   "LLDP", "STP", "MAC control", "LLC",  "Ethernet"};
    return names[static_cast<size_t>(protocol)];
}

std::string_view icmp_type_name(const OtherPacket& packet) {
    struct Name {
        uint8_t type;
        std::string_view name;
    };
    constexpr std::array<Name, 6> of_icmp{{{0, "echo reply"},
                                           {3, "destination unreachable"},
                                           {5, "redirect"},
                                           {8, "echo request"},
                                           {11, "time exceeded"},
                                           {12, "parameter problem"}}};
    constexpr std::array<Name, 14> of_icmp_v6{{{1, "destination unreachable"},
                                               {2, "packet too big"},
                                               {3, "time exceeded"},
                                               {4, "parameter problem"},
                                               {128, "echo request"},
                                               {129, "echo reply"},
                                               {130, "multicast listener query"},
                                               {131, "multicast listener report"},
                                               {133, "router solicitation"},
                                               {134, "router advertisement"},
                                               {135, "neighbor solicitation"},
                                               {136, "neighbor advertisement"},
                                               {137, "redirect"},
                                               {143, "multicast listener report"}}};
    const auto find = [&](const auto& names) {
        for (const Name& each : names) {
            if (each.type == packet.type) return each.name;
        }
        return std::string_view();
    };
    if (packet.protocol == OtherPacket::Protocol::icmp) return find(of_icmp);
    if (packet.protocol == OtherPacket::Protocol::icmp_v6) return find(of_icmp_v6);
    return {};
}

}  // namespace sanscope
