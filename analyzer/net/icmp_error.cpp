// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/icmp_error.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/net/ip_protocol.h"

namespace sanscope {
namespace {

constexpr uint32_t icmp_header_length = 8;
constexpr uint32_t quoted_tcp_length = 8;  // ports and sequence number: all that RFC 792 promises

// A quotation's first bytes.
struct Quoted {
    const uint8_t* data;
    uint32_t length;
};

void read_quoted_tcp(const uint8_t* tcp, IcmpError& out) {
    out.source_port = load_be16(tcp);
    out.destination_port = load_be16(tcp + 2);
    out.seq = load_be32(tcp + 4);
}

bool read_quoted_ipv4(Quoted quoted, IcmpError& out) {
    constexpr uint32_t least_length = 20;
    if (quoted.length < least_length || quoted.data[0] >> 4 != 4) return false;
    const uint32_t header_length = (quoted.data[0] & 0x0fu) * 4;
    if (header_length < least_length || quoted.length < header_length + quoted_tcp_length) return false;
    constexpr uint16_t fragment_offset = 0x1fff;
    if (quoted.data[9] != ip_protocol_tcp || (load_be16(quoted.data + 6) & fragment_offset) != 0)
        return false;
    out.datagram_length = load_be16(quoted.data + 2);
    out.source = IpAddress::from_v4(quoted.data + 12);
    out.destination = IpAddress::from_v4(quoted.data + 16);
    read_quoted_tcp(quoted.data + header_length, out);
    return true;
}

bool read_quoted_ipv6(Quoted quoted, IcmpError& out) {
    constexpr uint32_t header_length = 40;
    if (quoted.length < header_length + quoted_tcp_length || quoted.data[0] >> 4 != 6) return false;
    if (quoted.data[6] != ip_protocol_tcp) return false;
    out.datagram_length = header_length + load_be16(quoted.data + 4);
    out.source = IpAddress::from_v6(quoted.data + 8);
    out.destination = IpAddress::from_v6(quoted.data + 24);
    read_quoted_tcp(quoted.data + header_length, out);
    return true;
}

std::optional<IcmpError> read_icmp(const uint8_t* icmp, Quoted quoted) {
    constexpr uint8_t unreachable = 3;
    constexpr uint8_t fragmentation_needed = 4;
    constexpr uint8_t time_exceeded = 11;
    IcmpError error{.type = icmp[0], .code = icmp[1]};
    if (error.type != unreachable && error.type != time_exceeded) return std::nullopt;
    error.too_big = error.type == unreachable && error.code == fragmentation_needed;
    if (error.too_big) error.mtu = load_be16(icmp + 6);
    if (!read_quoted_ipv4(quoted, error)) return std::nullopt;
    return error;
}

std::optional<IcmpError> read_icmpv6(const uint8_t* icmp, Quoted quoted) {
    constexpr uint8_t packet_too_big = 2;
    constexpr uint8_t first_that_is_no_error = 128;
    IcmpError error{.ipv6 = true, .type = icmp[0], .code = icmp[1]};
    if (error.type == 0 || error.type >= first_that_is_no_error) return std::nullopt;
    error.too_big = error.type == packet_too_big;
    if (error.too_big) error.mtu = load_be32(icmp + 4);
    if (!read_quoted_ipv6(quoted, error)) return std::nullopt;
    return error;
}

}  // namespace

std::optional<IcmpError> read_icmp_error(const DecodedPacket& packet) {
    if (packet.kind != DecodedPacket::Kind::icmp || packet.payload_captured < icmp_header_length)
        return std::nullopt;
    const Quoted quoted{packet.payload + icmp_header_length, packet.payload_captured - icmp_header_length};
    return packet.source.is_v4() ? read_icmp(packet.payload, quoted) : read_icmpv6(packet.payload, quoted);
}

}  // namespace sanscope
