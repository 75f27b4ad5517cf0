// SPDX-License-Identifier: GPL-3.0-or-later
#include <optional>

#include "analyzer/base/byte_order.h"
#include "analyzer/net/header_walk.h"
#include "analyzer/net/ip_protocol.h"

namespace sanscope::headers {
namespace {

using Kind = DecodedPacket::Kind;

constexpr uint32_t ipv6_header_length = 40;

// RFC 9293 §3.1.
inline Kind decode_tcp(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 20;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t* const tcp = bytes.data;
    const uint16_t offset_and_flags = load_be16(tcp + 12);
    const uint32_t header_length = static_cast<uint32_t>(offset_and_flags >> 12) * 4;
    if (header_length < fixed_length || header_length > bytes.wire) return Kind::malformed;
    const uint32_t header_captured = std::min(header_length, bytes.captured);

    DecodedPacket& out = walk.out;
    out.source_port = load_be16(tcp);
    out.destination_port = load_be16(tcp + 2);
    out.seq = load_be32(tcp + 4);
    out.ack = load_be32(tcp + 8);
    out.flags = offset_and_flags & 0x1ff;
    out.window = load_be16(tcp + 14);
    out.checksum = load_be16(tcp + 16);
    out.options = tcp + fixed_length;
    out.options_length = static_cast<uint8_t>(header_captured - fixed_length);
    out.payload = tcp + header_captured;
    out.payload_captured = bytes.captured - header_captured;
    out.payload_length = bytes.wire - header_length;
    out.fragment = {};
    out.options_cut = header_captured < header_length;
    return Kind::tcp;
}

// What a packet of no TCP header has: the IP header's fields and the bytes behind it.
void settle_payload(Bytes bytes, DecodedPacket& out) {
    const DecodedPacket before = out;
    out = DecodedPacket{};
    out.ecn = before.ecn;
    out.ttl = before.ttl;
    out.ip_id = before.ip_id;
    out.source = before.source;
    out.destination = before.destination;
    out.payload = bytes.data;
    out.payload_captured = bytes.captured;
    out.payload_length = bytes.wire;
}

struct FragmentInfo {
    uint32_t id;
    uint16_t offset;
    bool more;
    uint8_t protocol;
};

Kind settle_fragment(const FragmentInfo& info, Bytes bytes, Walk& walk) {
    settle_payload(bytes, walk.out);
    walk.out.fragment = {.id = info.id, .offset = info.offset, .more = info.more, .protocol = info.protocol};
    return Kind::ip_fragment;
}

// RFC 2675 §2: the payload length of a jumbogram, from its hop-by-hop options.
std::optional<uint32_t> jumbo_payload_length(Bytes options_header) {
    if (!options_header.has(2)) return std::nullopt;
    const uint32_t length = (options_header.data[1] + 1u) * 8;
    if (!options_header.has(length)) return std::nullopt;
    constexpr uint8_t pad1 = 0x00;
    constexpr uint8_t jumbo_payload = 0xc2;
    for (uint32_t at = 2; at < length;) {
        const uint8_t* const option = options_header.data + at;
        if (option[0] == pad1) {
            ++at;
            continue;
        }
        if (at + 2 > length || at + 2 + option[1] > length) return std::nullopt;
        if (option[0] == jumbo_payload && option[1] == 4) return load_be32(option + 2);
        at += 2u + option[1];
    }
    return std::nullopt;
}

// A routing header with segments left names the destination of the connection: RFC 8200 §8.1 has the TCP
// checksum computed with it, and the answers come from it. `length` bytes are captured.
void follow_routing_header(const uint8_t* header, uint32_t length, DecodedPacket& out) {
    const uint8_t type = header[2];
    const uint8_t segments_left = header[3];
    const uint32_t addresses = (length - 8) / 16;
    if (segments_left == 0 || addresses == 0) return;
    if (type == 0 || type == 2) out.destination = IpAddress::from_v6(header + 8 + size_t{addresses - 1} * 16);
    if (type == 4) out.destination = IpAddress::from_v6(header + 8);  // RFC 8754 §2: in reverse order
}

}  // namespace

// RFC 791 §3.1.
Kind decode_ipv4(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 20;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t* const ip = bytes.data;
    if (ip[0] >> 4 != 4) return Kind::malformed;
    const uint32_t header_length = (ip[0] & 0x0fu) * 4;
    if (header_length < fixed_length) return Kind::malformed;
    const uint16_t total_length = load_be16(ip + 2);
    if (total_length != 0) {
        if (total_length < header_length) return Kind::malformed;
        bytes = bytes.first(total_length);
    }
    if (!bytes.has(header_length)) return bytes.why_not(header_length);

    DecodedPacket& out = walk.out;
    out.ecn = ip[1] & 0x03;
    out.ip_id = load_be16(ip + 4);
    out.ttl = ip[8];
    out.source = IpAddress::from_v4(ip + 12);
    out.destination = IpAddress::from_v4(ip + 16);
    walk.in_ipv6 = false;

    const uint8_t protocol = ip[9];
    const uint16_t flags_and_offset = load_be16(ip + 6);
    constexpr uint16_t more_fragments = 0x2000;
    constexpr uint16_t offset_mask = 0x1fff;
    if ((flags_and_offset & (more_fragments | offset_mask)) != 0) [[unlikely]] {
        return settle_fragment({.id = out.ip_id,
                                .offset = static_cast<uint16_t>((flags_and_offset & offset_mask) * 8),
                                .more = (flags_and_offset & more_fragments) != 0,
                                .protocol = protocol},
                               bytes.after(header_length), walk);
    }
    if (protocol == ip_protocol_tcp) [[likely]]
        return decode_tcp(bytes.after(header_length), walk);
    return decode_ip_protocol(protocol, bytes.after(header_length), walk);
}

// RFC 8200 §3.
Kind decode_ipv6(Bytes bytes, Walk& walk) {
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(ipv6_header_length)) return bytes.why_not(ipv6_header_length);
    const uint8_t* const ip = bytes.data;
    if (ip[0] >> 4 != 6) return Kind::malformed;
    const uint16_t payload_length = load_be16(ip + 4);
    const uint8_t next_header = ip[6];

    DecodedPacket& out = walk.out;
    out.ecn = (ip[1] >> 4) & 0x03;
    out.ip_id = 0;
    out.ttl = ip[7];
    out.source = IpAddress::from_v6(ip + 8);
    out.destination = IpAddress::from_v6(ip + 24);
    walk.in_ipv6 = true;

    Bytes payload = bytes.after(ipv6_header_length);
    if (payload_length != 0) {
        payload = payload.first(payload_length);
    } else if (next_header == ip_protocol_hop_by_hop) {
        if (const auto jumbo = jumbo_payload_length(payload)) payload = payload.first(*jumbo);
    }
    if (next_header == ip_protocol_tcp) [[likely]]
        return decode_tcp(payload, walk);
    return decode_ip_protocol(next_header, payload, walk);
}

Kind decode_ip_protocol(uint8_t protocol, Bytes bytes, Walk& walk) {
    while (walk.descend()) {
        uint32_t length = 0;
        switch (protocol) {
            case ip_protocol_tcp:
                return decode_tcp(bytes, walk);
            case ip_protocol_udp:
                return decode_udp(bytes, walk);
            case ip_protocol_ipv4:
                return decode_ipv4(bytes, walk);
            case ip_protocol_ipv6:
                return decode_ipv6(bytes, walk);
            case ip_protocol_gre:
                return decode_gre(bytes, walk);
            case ip_protocol_mpls:
                return decode_mpls(bytes, walk);
            case ip_protocol_etherip:
                return decode_etherip(bytes, walk);
            case ip_protocol_l2tp:
                return decode_l2tp_v3(bytes, walk);
            case ip_protocol_esp:
                return walk.pass_over(Encapsulation::esp);
            case ip_protocol_compression:
                return walk.pass_over(Encapsulation::ip_compression);

            case ip_protocol_icmp:
            case ip_protocol_icmpv6:
                if (walk.in_ipv6 != (protocol == ip_protocol_icmpv6)) return Kind::other;
                settle_payload(bytes, walk.out);
                return Kind::icmp;

            case ip_protocol_authentication:  // RFC 4302 §2.2: in units of 4 bytes, less 2
                if (!bytes.has(2)) return bytes.why_not(2);
                length = (bytes.data[1] + 2u) * 4;
                if (length < 12) return Kind::malformed;
                break;

            case ip_protocol_hop_by_hop:
            case ip_protocol_routing:
            case ip_protocol_destination_options:
            case ip_protocol_mobility:
            case ip_protocol_hip:
            case ip_protocol_shim6:  // RFC 6564: in units of 8 bytes, the first not counted
                if (!walk.in_ipv6) return Kind::other;
                if (!bytes.has(2)) return bytes.why_not(2);
                length = (bytes.data[1] + 1u) * 8;
                break;

            case ip_protocol_fragment: {
                if (!walk.in_ipv6) return Kind::other;
                length = 8;
                if (!bytes.has(length)) return bytes.why_not(length);
                const uint16_t offset_and_more = load_be16(bytes.data + 2);
                const auto offset = static_cast<uint16_t>(offset_and_more & 0xfff8);
                const bool more = (offset_and_more & 1) != 0;
                if (offset == 0 && !more) break;  // an atomic fragment is a whole datagram (RFC 6946)
                return settle_fragment({.id = load_be32(bytes.data + 4),
                                        .offset = offset,
                                        .more = more,
                                        .protocol = bytes.data[0]},
                                       bytes.after(length), walk);
            }

            default:
                return Kind::other;
        }
        if (!bytes.has(length)) return bytes.why_not(length);
        if (protocol == ip_protocol_routing) follow_routing_header(bytes.data, length, walk.out);
        protocol = bytes.data[0];
        bytes = bytes.after(length);
    }
    return Kind::other;
}

}  // namespace sanscope::headers
