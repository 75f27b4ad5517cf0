// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/header_walk.h"

// PPP, and what carries it.
namespace sanscope::headers {
namespace {

using Kind = DecodedPacket::Kind;

// IANA "Point-to-Point (PPP) Protocol Field Assignments".
Kind decode_ppp_payload(uint16_t protocol, Bytes bytes, Walk& walk) {
    switch (protocol) {
        case 0x0021:
            return decode_ipv4(bytes, walk);
        case 0x0057:
            return decode_ipv6(bytes, walk);
        case 0x0281:
        case 0x0283:
            return decode_mpls(bytes, walk);
        case 0x0031:
            return walk.pass_over(Encapsulation::ppp_bridging);
        case 0x003d:
            return walk.pass_over(Encapsulation::ppp_multilink);
        case 0x002d:  // TCP and IP, their headers compressed (RFC 1144, RFC 2507, RFC 3095)
        case 0x002f:
        case 0x0003:
        case 0x0005:
        case 0x0053:  // encrypted (RFC 1968)
        case 0x0055:
        case 0x0061:
        case 0x0063:
        case 0x0065:
        case 0x0067:
        case 0x0069:
        case 0x00fb:  // compressed (RFC 1962), and MPPE
        case 0x00fd:
            return walk.pass_over(Encapsulation::ppp_encrypted);
        default:
            return Kind::other;
    }
}

// RFC 1661 §2: two bytes, or one where its lowest bit is set (§6.5).
Kind decode_ppp_protocol(Bytes bytes, Walk& walk) {
    if (!bytes.has(1)) return bytes.why_not(1);
    if ((bytes.data[0] & 0x01) != 0) return decode_ppp_payload(bytes.data[0], bytes.after(1), walk);
    if (!bytes.has(2)) return bytes.why_not(2);
    return decode_ppp_payload(load_be16(bytes.data), bytes.after(2), walk);
}

}  // namespace

// RFC 1662 §3.1: the address "all stations" and control "unnumbered information", which may be left out.
Kind decode_ppp(Bytes bytes, Walk& walk) {
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(1)) return bytes.why_not(1);
    if (bytes.data[0] != 0xff) return decode_ppp_protocol(bytes, walk);
    if (!bytes.has(2)) return bytes.why_not(2);
    return decode_ppp_protocol(bytes.after(bytes.data[1] == 0x03 ? 2 : 0), walk);
}

// An address (unicast or broadcast), a zero, an EtherType.
Kind decode_cisco_hdlc(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 4;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_ether_type(load_be16(bytes.data + 2), bytes.after(length), walk);
}

Kind decode_ppp_or_cisco_hdlc(Bytes bytes, Walk& walk) {
    if (!bytes.has(1)) return bytes.why_not(1);
    const bool is_cisco = bytes.data[0] == 0x0f || bytes.data[0] == 0x8f;
    return is_cisco ? decode_cisco_hdlc(bytes, walk) : decode_ppp(bytes, walk);
}

// RFC 2516 §4, with PPP's protocol field (RFC 1661 §2).
Kind decode_pppoe(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 6;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint8_t version_and_type = bytes.data[0];
    const uint8_t code = bytes.data[1];
    if (version_and_type != 0x11 || code != 0) return Kind::malformed;
    const uint16_t payload_length = load_be16(bytes.data + 4);
    bytes = bytes.after(length);
    if (payload_length != 0) bytes = bytes.first(payload_length);
    return decode_ppp_protocol(bytes, walk);
}

// RFC 2637 §4.1, GRE of version 1: without a sequence number it acknowledges and carries nothing.
Kind decode_pptp(Bytes bytes, Walk& walk) {
    constexpr uint16_t sequence_number_present = 0x1000;
    constexpr uint16_t acknowledgment_present = 0x0080;
    if (!bytes.has(8)) return bytes.why_not(8);
    const uint16_t flags = load_be16(bytes.data);
    const uint32_t payload_length = load_be16(bytes.data + 4);
    if ((flags & sequence_number_present) == 0 || payload_length == 0) return Kind::other;
    const uint32_t length = 12 + ((flags & acknowledgment_present) != 0 ? 4u : 0u);
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_ppp(bytes.after(length).first(payload_length), walk);
}

// RFC 2661 §3.1. `datagram_length`: of the L2TP message, as UDP's header says; 0 where it does not.
Kind decode_l2tp(Bytes bytes, uint32_t datagram_length, Walk& walk) {
    constexpr uint16_t is_control = 0x8000;
    constexpr uint16_t length_present = 0x4000;
    constexpr uint16_t numbers_present = 0x0800;
    constexpr uint16_t offset_present = 0x0200;
    constexpr uint16_t reserved = 0x34f0;
    constexpr uint16_t version_mask = 0x000f;
    if (!bytes.has(4)) return bytes.wire < 4 ? Kind::other : Kind::truncated;
    const uint16_t flags = load_be16(bytes.data);
    const uint16_t version = flags & version_mask;
    if ((flags & is_control) != 0 || (flags & reserved) != 0) return Kind::other;
    if (version == 3) {  // RFC 3931 §4.1.2.1: as over IP; cookie and sublayer are of unknown length
        return load_be16(bytes.data + 2) == 0 ? walk.pass_over(Encapsulation::l2tp_v3_in_udp) : Kind::other;
    }
    if (version != 2) return Kind::other;
    if ((flags & length_present) != 0) {
        const uint32_t message_length = load_be16(bytes.data + 2);
        if (datagram_length != 0 && message_length != datagram_length) return Kind::other;
        bytes = bytes.first(message_length);
    }
    uint32_t length =
        6 + ((flags & length_present) != 0 ? 2u : 0u) + ((flags & numbers_present) != 0 ? 4u : 0u);
    if ((flags & offset_present) != 0) {
        if (!bytes.has(length + 2)) return bytes.why_not(length + 2);
        length += 2u + load_be16(bytes.data + length);
    }
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_ppp(bytes.after(length), walk);
}

}  // namespace sanscope::headers
