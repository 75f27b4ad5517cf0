// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/header_walk.h"

// Tunnels in UDP. A port may be used by others too: what the tunnel's own header says must agree before it is followed, or told
// of.
namespace sanscope::headers {
namespace {

using Kind = DecodedPacket::Kind;

// Destination ports; the source port is a hash of the inner flow.
enum : uint16_t {
    port_vxlan = 4789,
    port_vxlan_gpe = 4790,
    port_geneve = 6081,
    port_mpls = 6635,   // RFC 7510
    port_gtp_u = 2152,  // 3GPP TS 29.281
    port_lisp = 4341,   // RFC 9300
    port_ipsec = 4500,  // RFC 3948
    port_gre = 4754,    // RFC 8086
    port_gre_dtls = 4755,
    port_capwap = 5247,  // data (RFC 5415)
    port_tzsp = 37008,
    port_wireguard = 51820,
    port_vxlan_linux = 8472,  // Linux's default, of before the assignment of 4789
};
// Either port.
enum : uint16_t {
    port_l2tp = 1701,    // RFC 2661
    port_teredo = 3544,  // RFC 4380
};

// Bits of the first byte of a VXLAN header (RFC 7348 §5, draft-ietf-nvo3-vxlan-gpe §3).
constexpr uint8_t vxlan_valid_vni = 0x08;
constexpr uint8_t vxlan_next_protocol = 0x04;
constexpr uint32_t vxlan_header_length = 8;

Kind decode_vxlan(Bytes bytes, Walk& walk) {
    if (!bytes.has(vxlan_header_length)) return bytes.why_not(vxlan_header_length);
    if ((bytes.data[0] & vxlan_valid_vni) == 0) return Kind::other;
    return decode_ethernet(bytes.after(vxlan_header_length), walk);
}

Kind decode_vxlan_gpe(Bytes bytes, Walk& walk) {
    if (!bytes.has(vxlan_header_length)) return bytes.why_not(vxlan_header_length);
    if ((bytes.data[0] & vxlan_next_protocol) == 0) return decode_vxlan(bytes, walk);
    const uint8_t next_protocol = bytes.data[3];
    return decode_next_protocol(next_protocol, bytes.after(vxlan_header_length), walk,
                                Encapsulation::vxlan_gpe);
}

// RFC 8926 §3.4.
Kind decode_geneve(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 8;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t version = bytes.data[0] >> 6;
    if (version != 0) return walk.pass_over(Encapsulation::geneve);
    const uint32_t length = fixed_length + (bytes.data[0] & 0x3fu) * 4;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_ether_type(load_be16(bytes.data + 2), bytes.after(length), walk);
}

// 3GPP TS 29.281 §5.1. `datagram_length`: of the GTP message, as UDP's header says; 0 where it does not.
Kind decode_gtp_u(Bytes bytes, uint32_t datagram_length, Walk& walk) {
    constexpr uint32_t fixed_length = 8;
    constexpr uint8_t message_of_user = 255;  // G-PDU
    constexpr uint8_t optional_fields = 0x07;
    constexpr uint8_t extension_present = 0x04;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t flags = bytes.data[0];
    const uint32_t message_length = load_be16(bytes.data + 2);
    const bool is_version_1 = (flags & 0xf8) == 0x30;
    if (!is_version_1 || bytes.data[1] != message_of_user) return Kind::other;
    if (datagram_length != 0 && datagram_length != fixed_length + message_length) return Kind::other;
    if (!walk.descend()) return Kind::other;
    bytes = bytes.after(fixed_length);
    if ((flags & optional_fields) != 0) {
        constexpr uint32_t optional_length = 4;
        if (!bytes.has(optional_length)) return bytes.why_not(optional_length);
        uint8_t next_extension = (flags & extension_present) != 0 ? bytes.data[3] : 0;
        bytes = bytes.after(optional_length);
        while (next_extension != 0) {  // §5.2: a length in units of 4 bytes first, the next one's type last
            if (!walk.descend()) return Kind::other;
            if (!bytes.has(1)) return bytes.why_not(1);
            const uint32_t length = bytes.data[0] * 4u;
            if (length == 0) return Kind::malformed;
            if (!bytes.has(length)) return bytes.why_not(length);
            next_extension = bytes.data[length - 1];
            bytes = bytes.after(length);
        }
    }
    // Nothing in the header says what the tunnel carries: IP, or Ethernet frames (TS 23.501 §5.6.10.2), or what has no form.
    if (!bytes.has(1)) return bytes.why_not(1);
    const uint8_t first = bytes.data[0];
    if ((first >> 4 == 4 && (first & 0x0f) >= 5) || first >> 4 == 6) return decode_ip_by_version(bytes, walk);
    if (is_believable_ethernet(bytes)) return decode_ethernet(bytes, walk);
    return walk.pass_over(Encapsulation::gtp_u);
}

// RFC 8086: GRE's header (RFC 2784, RFC 2890), without source routes.
Kind decode_gre_in_udp(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 4;
    constexpr uint16_t checksum_key_and_sequence_number = 0xb000;
    if (!bytes.has(length)) return bytes.why_not(length);
    if (!walk.descend()) return Kind::other;
    if ((load_be16(bytes.data) & ~checksum_key_and_sequence_number) != 0) return Kind::other;
    switch (load_be16(bytes.data + 2)) {
        case ether_type_ipv4:
        case ether_type_ipv6:
        case ether_type_transparent_bridging:
        case ether_type_mpls:
        case ether_type_mpls_upstream:
            return decode_gre(bytes, walk);
        default:
            return walk.pass_over(Encapsulation::gre_in_udp);
    }
}

// RFC 3948 §2: keepalives of one byte, four zeros before IKE, else ESP's SPI.
Kind pass_over_ipsec(Bytes bytes, Walk& walk) {
    constexpr uint32_t least_of_esp = 16;
    if (!bytes.has(4)) return bytes.wire < 4 ? Kind::other : Kind::truncated;
    const bool is_esp = load_be32(bytes.data) != 0 && bytes.wire >= least_of_esp;
    return is_esp ? walk.pass_over(Encapsulation::esp_in_udp) : Kind::other;
}

// RFC 5415 §4.1: version 0, a header of no DTLS or of DTLS.
Kind pass_over_capwap(Bytes bytes, Walk& walk) {
    if (!bytes.has(1)) return bytes.wire < 1 ? Kind::other : Kind::truncated;
    return bytes.data[0] <= 1 ? walk.pass_over(Encapsulation::capwap) : Kind::other;
}

// Whether the bytes are a DTLS record of application data (RFC 6347 §4.1, RFC 9147 §4).
bool is_dtls_data(Bytes bytes) {
    return bytes.has(1) && (bytes.data[0] == 23 || bytes.data[0] >> 5 == 1);
}

// RFC 9300 §5.1: reserved flags are 0; behind its 8 bytes an IP packet.
Kind pass_over_lisp(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 8;
    const bool holds_ip = bytes.has(length) && is_believable_ip(bytes.after(length));
    return holds_ip ? walk.pass_over(Encapsulation::lisp) : Kind::other;
}

// RFC 4380 §5.1.1: IPv6, or an authentication or an origin indication before it.
Kind pass_over_teredo(Bytes bytes, Walk& walk) {
    if (!bytes.has(2)) return Kind::other;
    const uint16_t indication = load_be16(bytes.data);
    const bool is_teredo = indication <= 1 || (bytes.data[0] >> 4 == 6 && is_believable_ip(bytes));
    return is_teredo ? walk.pass_over(Encapsulation::teredo) : Kind::other;
}

// TaZmen Sniffer Protocol: version 1, a packet received (0) or to be sent (1), and what it is.
Kind pass_over_tzsp(Bytes bytes, Walk& walk) {
    const bool is_tzsp = bytes.has(4) && bytes.data[0] == 1 && bytes.data[1] <= 1 && bytes.data[2] == 0;
    return is_tzsp ? walk.pass_over(Encapsulation::tzsp) : Kind::other;
}

// Its transport data messages: type 4, then three zeros; the shortest holds a keepalive.
Kind pass_over_wireguard(Bytes bytes, Walk& walk) {
    constexpr uint32_t length_of_keepalive = 32;
    const bool has_data =
        bytes.has(4) && load_be32(bytes.data) == 0x04000000 && bytes.wire > length_of_keepalive;
    return has_data ? walk.pass_over(Encapsulation::wireguard) : Kind::other;
}

// Where a port alone says what a datagram is, one that contradicts itself is another program's.
Kind unless_malformed(Kind kind) {
    return kind == Kind::malformed ? Kind::other : kind;
}

Kind decode_mpls_in_udp(Bytes bytes, Walk& walk) {
    const Kind kind = decode_mpls(bytes, walk);
    const bool is_of_mpls = kind == Kind::passed_over && walk.passed_over == Encapsulation::mpls;
    return is_of_mpls ? walk.pass_over(Encapsulation::mpls_in_udp) : kind;
}

}  // namespace

Kind decode_udp(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 8;
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint16_t destination_port = load_be16(bytes.data + 2);
    const uint16_t udp_length = load_be16(bytes.data + 4);
    if (udp_length != 0) {  // 0 is a jumbogram's (RFC 2675 §4), or segmentation offload's
        if (udp_length < length) return Kind::malformed;
        bytes = bytes.first(udp_length);
    }
    const uint8_t* const header = bytes.data;
    const uint32_t datagram_length = udp_length == 0 ? 0u : udp_length - length;
    bytes = bytes.after(length);
    switch (destination_port) {
        case port_vxlan:
        case port_vxlan_linux:
            return decode_vxlan(bytes, walk);
        case port_vxlan_gpe:
            return decode_vxlan_gpe(bytes, walk);
        case port_geneve:
            return decode_geneve(bytes, walk);
        case port_mpls:
            return decode_mpls_in_udp(bytes, walk);
        case port_gtp_u:
            return unless_malformed(decode_gtp_u(bytes, datagram_length, walk));
        case port_gre:
            return unless_malformed(decode_gre_in_udp(bytes, walk));
        case port_gre_dtls:
            return is_dtls_data(bytes) ? walk.pass_over(Encapsulation::gre_in_dtls) : Kind::other;
        case port_ipsec:
            return pass_over_ipsec(bytes, walk);
        case port_lisp:
            return pass_over_lisp(bytes, walk);
        case port_capwap:
            return pass_over_capwap(bytes, walk);
        case port_tzsp:
            return pass_over_tzsp(bytes, walk);
        case port_wireguard:
            return pass_over_wireguard(bytes, walk);
        default:
            break;
    }
    const uint16_t source_port = load_be16(header);
    if (destination_port == port_l2tp || source_port == port_l2tp)
        return unless_malformed(decode_l2tp(bytes, datagram_length, walk));
    if (destination_port == port_teredo || source_port == port_teredo) return pass_over_teredo(bytes, walk);
    if (source_port == port_ipsec) return pass_over_ipsec(bytes, walk);
    if (source_port == port_capwap) return pass_over_capwap(bytes, walk);
    return Kind::other;
}

}  // namespace sanscope::headers
