// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/frame_headers.h"

#include <algorithm>

#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/ip_protocol.h"

namespace sanscope {
namespace {

// A walk over headers: how far it has come, and what of the frame is behind.
class Walk {
  public:
    Walk(const uint8_t* data, uint32_t captured) : data_(data), captured_(captured) {}

    uint32_t at() const { return at_; }
    uint32_t left() const { return captured_ - at_; }
    bool has(uint32_t length) const { return left() >= length; }
    const uint8_t* here() const { return data_ + at_; }
    // Past so many bytes, as far as they were captured.
    void pass(uint32_t length) { at_ += std::min(length, left()); }

  private:
    const uint8_t* data_;
    uint32_t captured_;
    uint32_t at_ = 0;
};

void pass_icmp(Walk& walk, bool ipv6);

void pass_transport(Walk& walk, uint8_t protocol, bool quoted) {
    constexpr uint32_t udp_header = 8;
    constexpr uint32_t sctp_header = 12;
    constexpr uint32_t least_tcp_header = 20;
    constexpr uint32_t data_offset_at = 12;
    constexpr uint8_t ip_protocol_sctp = 132;
    switch (protocol) {
        case ip_protocol_tcp: {
            const uint32_t told = walk.has(data_offset_at + 1) ? (walk.here()[data_offset_at] >> 4) * 4u : 0;
            walk.pass(std::max(told, least_tcp_header));
            break;
        }
        case ip_protocol_udp:
            walk.pass(udp_header);
            break;
        case ip_protocol_sctp:
            walk.pass(sctp_header);
            break;
        case ip_protocol_icmp:
        case ip_protocol_icmpv6:
            if (!quoted) pass_icmp(walk, protocol == ip_protocol_icmpv6);
            break;
        default:
            break;
    }
}

void pass_ipv4(Walk& walk, bool quoted) {
    constexpr uint32_t least = 20;
    constexpr uint16_t fragment_offset = 0x1fff;
    if (!walk.has(least)) return walk.pass(least);
    const uint8_t* const ip = walk.here();
    const uint32_t length = (ip[0] & 0x0fu) * 4;
    const uint8_t protocol = ip[9];
    const bool is_first = (load_be16(ip + 6) & fragment_offset) == 0;
    if (length < least) return walk.pass(least);
    walk.pass(length);
    if (is_first) pass_transport(walk, protocol, quoted);
}

void pass_ipv6(Walk& walk, bool quoted) {
    constexpr uint32_t header = 40;
    constexpr int most_extensions = 8;
    if (!walk.has(header)) return walk.pass(header);
    uint8_t next = walk.here()[6];
    walk.pass(header);
    for (int i = 0; i < most_extensions && walk.has(8); ++i) {
        const uint8_t* const extension = walk.here();
        const bool is_fragment = next == ip_protocol_fragment;
        if (!is_fragment && next != ip_protocol_hop_by_hop && next != ip_protocol_routing &&
            next != ip_protocol_destination_options)
            break;
        constexpr uint16_t fragment_offset = 0xfff8;
        const bool is_later = is_fragment && (load_be16(extension + 2) & fragment_offset) != 0;
        next = extension[0];
        walk.pass(is_fragment ? 8 : (extension[1] + 1u) * 8);
        if (is_later) return;
    }
    pass_transport(walk, next, quoted);
}

void pass_ip(Walk& walk, bool quoted) {
    if (!walk.has(1)) return;
    if (walk.here()[0] >> 4 == 6) return pass_ipv6(walk, quoted);
    if (walk.here()[0] >> 4 == 4) pass_ipv4(walk, quoted);
}

void pass_icmp(Walk& walk, bool ipv6) {
    constexpr uint32_t header = 8;
    if (!walk.has(1)) return;
    const uint8_t type = walk.here()[0];
    if (ipv6) {
        constexpr uint8_t first_that_is_no_error = 128;
        constexpr uint8_t first_of_neighbours = 133;
        constexpr uint8_t last_of_neighbours = 137;
        if (type >= first_of_neighbours && type <= last_of_neighbours) return walk.pass(walk.left());
        walk.pass(header);
        if (type < first_that_is_no_error) pass_ip(walk, true);
        return;
    }
    constexpr uint8_t unreachable = 3;
    constexpr uint8_t source_quench = 4;
    constexpr uint8_t redirect = 5;
    constexpr uint8_t time_exceeded = 11;
    constexpr uint8_t parameter_problem = 12;
    const bool quotes = type == unreachable || type == source_quench || type == redirect ||
                        type == time_exceeded || type == parameter_problem;
    walk.pass(header);
    if (quotes) pass_ip(walk, true);
}

void pass_arp(Walk& walk) {
    constexpr uint32_t fixed = 8;
    const uint32_t addresses = walk.has(fixed) ? (walk.here()[4] + walk.here()[5]) * 2u : 0;
    walk.pass(fixed + addresses);
}

void pass_ether_type(Walk& walk, uint16_t type) {
    constexpr int most_tags = 4;
    for (int i = 0; i < most_tags && walk.has(4); ++i) {
        if (type != ether_type_vlan && type != ether_type_service_vlan && type != ether_type_vlan_9100 &&
            type != ether_type_vlan_9200)
            break;
        type = load_be16(walk.here() + 2);
        walk.pass(4);
    }
    if (type == ether_type_ipv4 || type == ether_type_ipv6) pass_ip(walk, false);
    if (type == ether_type_arp) pass_arp(walk);
}

void pass_link(Walk& walk, LinkType link_type) {
    constexpr uint32_t ethernet_header = 14;
    constexpr uint32_t sll_header = 16;
    constexpr uint32_t sll2_header = 20;
    switch (link_type) {
        case LinkType::ethernet:
        case LinkType::linux_sll: {
            const uint32_t length = link_type == LinkType::ethernet ? ethernet_header : sll_header;
            if (!walk.has(length)) return walk.pass(length);
            const uint16_t type = load_be16(walk.here() + length - 2);
            walk.pass(length);
            return pass_ether_type(walk, type);
        }
        case LinkType::linux_sll2: {
            if (!walk.has(sll2_header)) return walk.pass(sll2_header);
            const uint16_t type = load_be16(walk.here());
            walk.pass(sll2_header);
            return pass_ether_type(walk, type);
        }
        case LinkType::null:
        case LinkType::loop:
            walk.pass(4);
            return pass_ip(walk, false);
        case LinkType::raw:
        case LinkType::raw_bsd:
        case LinkType::raw_openbsd:
        case LinkType::ipv4:
        case LinkType::ipv6:
            return pass_ip(walk, false);
        case LinkType::ppp:
        case LinkType::fddi:
        case LinkType::ppp_hdlc:
        case LinkType::ppp_ether:
        case LinkType::cisco_hdlc:
        case LinkType::ppi:
        case LinkType::erf:
        case LinkType::ppp_with_direction:
        case LinkType::nflog:
        case LinkType::netlink:
        case LinkType::not_a_packet:
            break;
    }
}

}  // namespace

uint32_t frame_headers_length(LinkType link_type, const uint8_t* data, uint32_t captured,
                              const DecodedPacket& packet) {
    const bool points_into_it =
        packet.payload != nullptr && packet.payload >= data && packet.payload <= data + captured;
    using Kind = DecodedPacket::Kind;
    if (points_into_it && packet.kind == Kind::tcp) return static_cast<uint32_t>(packet.payload - data);
    // Behind whatever tunnels there are.
    if (points_into_it && (packet.kind == Kind::icmp || packet.kind == Kind::arp)) {
        const auto begin = static_cast<uint32_t>(packet.payload - data);
        Walk walk(packet.payload, std::min(captured - begin, packet.payload_captured));
        if (packet.kind == Kind::arp) {
            pass_arp(walk);
        } else {
            pass_icmp(walk, !packet.source.is_v4());
        }
        return begin + walk.at();
    }
    Walk walk(data, captured);
    pass_link(walk, link_type);
    return walk.at();
}

}  // namespace sanscope
