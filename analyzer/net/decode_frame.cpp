// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/decode_frame.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/header_walk.h"

namespace sanscope {
namespace headers {
namespace {

using Kind = DecodedPacket::Kind;

// LINKTYPE_NULL and LINKTYPE_LOOP: the address family of the capturing host, in its own byte order or in the
// network's.
Kind decode_loopback(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 4;
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint32_t as_big = load_be32(bytes.data);
    const uint32_t family = as_big <= 0xffff ? as_big : load_le32(bytes.data);
    switch (family) {
        case 2:  // AF_INET everywhere
            return decode_ipv4(bytes.after(length), walk);
        case 10:  // AF_INET6 of Linux
        case 24:  // of NetBSD and OpenBSD
        case 28:  // of FreeBSD
        case 30:  // of Darwin
            return decode_ipv6(bytes.after(length), walk);
        default:
            return Kind::other;
    }
}

// Linux's netlink(7): what the packet filter tells may hold packets (nfnetlink_log, nfnetlink_queue), several in a message.
Kind pass_over_netlink(uint16_t family, Walk& walk) {
    constexpr uint16_t netlink_netfilter = 12;
    return family == netlink_netfilter ? walk.pass_over(Encapsulation::netlink) : Kind::other;
}

// LINKTYPE_NETLINK: a cooked header.
Kind decode_netlink(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 16;
    if (!bytes.has(length)) return bytes.why_not(length);
    return pass_over_netlink(load_be16(bytes.data + 14), walk);
}

// The protocol field of a Linux cooked header is an EtherType, except for some hardware types and values.
Kind decode_cooked_protocol(uint16_t hardware_type, uint16_t protocol, Bytes bytes, Walk& walk) {
    constexpr uint16_t arphrd_netlink = 824;
    constexpr uint16_t linux_llc = 0x0004;
    if (hardware_type == arphrd_netlink) return pass_over_netlink(protocol, walk);
    if (protocol == linux_llc) return decode_llc(bytes, walk);
    return decode_ether_type(protocol, bytes, walk);
}

Kind decode_linux_cooked(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 16;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_cooked_protocol(load_be16(bytes.data + 2), load_be16(bytes.data + 14), bytes.after(length),
                                  walk);
}

Kind decode_linux_cooked_2(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 20;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_cooked_protocol(load_be16(bytes.data + 8), load_be16(bytes.data), bytes.after(length),
                                  walk);
}

Kind decode_link(LinkType link_type, Bytes bytes, Walk& walk);

// LINKTYPE_PPI: a header of a length that it tells, in little endian, with the link type of what follows.
Kind decode_ppi(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 8;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint32_t length = load_le16(bytes.data + 2);
    const uint32_t link_type = load_le32(bytes.data + 4);
    if (length < fixed_length) return Kind::malformed;
    if (link_type >= static_cast<uint32_t>(LinkType::not_a_packet)) return Kind::other;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_link(static_cast<LinkType>(link_type), bytes.after(length), walk);
}

Kind decode_link(LinkType link_type, Bytes bytes, Walk& walk) {
    switch (link_type) {
        case LinkType::ethernet:
            return decode_ethernet(bytes, walk);
        case LinkType::linux_sll:
            return decode_linux_cooked(bytes, walk);
        case LinkType::linux_sll2:
            return decode_linux_cooked_2(bytes, walk);
        case LinkType::null:
        case LinkType::loop:
            return decode_loopback(bytes, walk);
        case LinkType::raw:
        case LinkType::raw_bsd:
        case LinkType::raw_openbsd:
            return decode_ip_by_version(bytes, walk);
        case LinkType::ipv4:
            return decode_ipv4(bytes, walk);
        case LinkType::ipv6:
            return decode_ipv6(bytes, walk);
        case LinkType::ppp:
            return decode_ppp(bytes, walk);
        case LinkType::ppp_hdlc:
            return decode_ppp_or_cisco_hdlc(bytes, walk);
        case LinkType::ppp_with_direction:
            return bytes.has(1) ? decode_ppp(bytes.after(1), walk) : bytes.why_not(1);
        case LinkType::ppp_ether:
            return decode_pppoe(bytes, walk);
        case LinkType::cisco_hdlc:
            return decode_cisco_hdlc(bytes, walk);
        case LinkType::fddi:
            return decode_fddi(bytes, walk);
        case LinkType::nflog:
            return decode_nflog(bytes, walk);
        case LinkType::netlink:
            return decode_netlink(bytes, walk);
        case LinkType::ppi:
            return decode_ppi(bytes, walk);
        case LinkType::erf:
            return decode_erf(bytes, walk);
        case LinkType::not_a_packet:
            return Kind::other;
    }
    return walk.pass_over(Encapsulation::link_type, static_cast<uint16_t>(link_type));
}

// RFC 826. Any tunnel headers passed before have nothing to do with it.
Kind decode_arp(Bytes bytes, Walk& walk) {
    walk.out = DecodedPacket{};
    walk.out.payload = bytes.data;
    walk.out.payload_captured = bytes.captured;
    walk.out.payload_length = bytes.wire;
    return Kind::arp;
}

// What manages the link, and holds no packets of others.
bool manages_the_link(uint16_t ether_type) {
    switch (ether_type) {
        case 0x0000:  // GRE's keepalive of Cisco
        case 0x0842:  // wake on LAN
        case 0x2000:  // CDP
        case 0x2003:  // VTP
        case 0x2004:  // DTP
        case 0x010b:  // PVST+
        case 0x22ea:  // stream reservation
        case 0x22f4:  // IS-IS
        case 0x8035:  // RARP
        case 0x80f3:  // AppleTalk ARP
        case 0x8808:  // MAC control: pause
        case 0x8809:  // slow protocols: LACP
        case 0x8863:  // PPPoE discovery
        case 0x886d:  // Intel's teaming probes
        case 0x887b:  // HomePlug
        case 0x888e:  // IEEE 802.1X
        case 0x8899:  // Realtek's remote control
        case 0x88c7:  // pre-authentication
        case 0x88cc:  // LLDP
        case 0x88d9:  // LLTD
        case 0x88e1:  // HomePlug
        case 0x88f5:  // MVRP
        case 0x88f6:  // MMRP
        case 0x88f7:  // PTP
        case 0x88fb:  // PRP supervision
        case 0x8902:  // connectivity fault management
        case 0x8912:  // HomePlug
        case 0x893a:  // IEEE 1905.1
        case 0x8940:  // ECP of IEEE 802.1Qbg
        case 0x8942:  // batman-adv's neighbours
        case 0x9000:  // loopback test
            return true;
        default:
            return false;
    }
}

// What an outer header left in `out` is not the packet's where no segment or fragment was found.
void settle(Kind kind, const Walk& walk, DecodedPacket& out) {
    const bool holds =
        kind == Kind::tcp || kind == Kind::ip_fragment || kind == Kind::icmp || kind == Kind::arp;
    if (!holds) out = DecodedPacket{};
    out.kind = kind;
    if (kind == Kind::tcp || kind == Kind::ip_fragment) out.vlan = walk.vlan;
    if (kind == Kind::passed_over) {
        out.passed_over = walk.passed_over;
        out.passed_over_number = walk.passed_over_number;
    }
}

}  // namespace

// IEEE 802.2 with the SNAP header, whose protocol is an EtherType under the organization code 0 (RFC 1042).
Kind decode_llc(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 8;
    if (!bytes.has(length)) return bytes.wire < length ? Kind::other : Kind::truncated;
    if (load_be24(bytes.data) != 0xaaaa03 || load_be24(bytes.data + 3) != 0) return Kind::other;
    return decode_ether_type(load_be16(bytes.data + 6), bytes.after(length), walk);
}

// Behind addresses or a tag: an EtherType, or the length of an LLC frame (what follows that is padding).
Kind decode_type_or_length(uint16_t type_or_length, Bytes bytes, Walk& walk) {
    if (type_or_length >= ether_type_min) return decode_ether_type(type_or_length, bytes, walk);
    return decode_llc(bytes.first(type_or_length), walk);
}

Kind decode_ethernet(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 14;
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint16_t type_or_length = load_be16(bytes.data + 12);
    if (type_or_length == ether_type_ipv4) [[likely]]
        return decode_ipv4(bytes.after(length), walk);
    return decode_type_or_length(type_or_length, bytes.after(length), walk);
}

Kind decode_ether_type(uint16_t ether_type, Bytes bytes, Walk& walk) {
    switch (ether_type) {
        case ether_type_ipv4:
            return decode_ipv4(bytes, walk);
        case ether_type_ipv6:
            return decode_ipv6(bytes, walk);
        case ether_type_vlan:
        case ether_type_service_vlan:
        case ether_type_vlan_9100:
        case ether_type_vlan_9200:
            if (!walk.descend()) return Kind::other;
            if (!bytes.has(4)) return bytes.why_not(4);
            walk.vlan = walk.vlan << 12 | (load_be16(bytes.data) & 0x0fffu);
            return decode_type_or_length(load_be16(bytes.data + 2), bytes.after(4), walk);
        case ether_type_arp:
            return decode_arp(bytes, walk);
        case ether_type_mpls:
        case ether_type_mpls_upstream:
            return decode_mpls(bytes, walk);
        case ether_type_pppoe_session:
            return decode_pppoe(bytes, walk);
        case ether_type_transparent_bridging:
            if (!walk.descend()) return Kind::other;
            return decode_ethernet(bytes, walk);
        case ether_type_vn_tag:
            return decode_vn_tag(bytes, walk);
        case ether_type_e_tag:
            return decode_e_tag(bytes, walk);
        case ether_type_backbone_service:
            return decode_backbone_service(bytes, walk);
        case ether_type_fabric_path:
            return decode_fabric_path(bytes, walk);
        case ether_type_cisco_metadata:
            return decode_cisco_metadata(bytes, walk);
        case ether_type_macsec:
            return decode_macsec(bytes, walk);
        case ether_type_ppp:
            return decode_ppp(bytes, walk);
        case ether_type_nsh:
            return decode_nsh(bytes, walk);
        case ether_type_trill:
            return decode_trill(bytes, walk);
        case ether_type_hsr:
            return decode_hsr(bytes, walk);
        default:
            if (manages_the_link(ether_type)) return Kind::other;
            return walk.pass_over(Encapsulation::ether_type, ether_type);
    }
}

Kind decode_ip_by_version(Bytes bytes, Walk& walk) {
    if (!bytes.has(1)) return bytes.why_not(1);
    return bytes.data[0] >> 4 == 6 ? decode_ipv6(bytes, walk) : decode_ipv4(bytes, walk);
}

}  // namespace headers

void decode_frame(LinkType link_type, const uint8_t* data, uint32_t captured_length, uint32_t wire_length,
                  DecodedPacket& out) {
    headers::Walk walk{.out = out};
    const headers::Bytes frame{data, captured_length, std::max(captured_length, wire_length)};
    headers::settle(headers::decode_link(link_type, frame, walk), walk, out);
}

void decode_datagram(const Datagram& datagram, DecodedPacket& out) {
    out.source = datagram.source;
    out.destination = datagram.destination;
    out.ip_id = datagram.ip_id;
    out.ecn = datagram.ecn;
    out.ttl = datagram.ttl;
    headers::Walk walk{.out = out, .in_ipv6 = !datagram.source.is_v4()};
    const headers::Bytes bytes{datagram.data, datagram.captured_length, datagram.wire_length};
    headers::settle(headers::decode_ip_protocol(datagram.protocol, bytes, walk), walk, out);
}

}  // namespace sanscope
