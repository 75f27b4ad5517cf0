// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/header_walk.h"

namespace sanscope::headers {
namespace {

using Kind = DecodedPacket::Kind;

// ERSPAN type III (draft-foschiano-erspan-03 §4.3): a frame type shows what is inside, a bit whether a
// platform specific subheader follows.
Kind decode_erspan_3(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 12;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t version = bytes.data[0] >> 4;
    if (version != 2) return walk.pass_over(Encapsulation::erspan);
    const uint16_t last_word = load_be16(bytes.data + 10);
    const bool has_subheader = (last_word & 0x0001) != 0;
    const uint32_t length = fixed_length + (has_subheader ? 8 : 0);
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint32_t frame_type = (last_word >> 10) & 0x1f;
    if (frame_type == 0) return decode_ethernet(bytes.after(length), walk);
    if (frame_type == 2) return decode_ip_by_version(bytes.after(length), walk);
    return walk.pass_over(Encapsulation::erspan);
}

// ERSPAN types I and II share a GRE protocol: type I has no header of its own and no GRE sequence number.
Kind decode_erspan(Bytes bytes, bool gre_has_sequence_number, Walk& walk) {
    if (!gre_has_sequence_number) return decode_ethernet(bytes, walk);
    constexpr uint32_t length = 8;
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint8_t version = bytes.data[0] >> 4;
    if (version != 1) return walk.pass_over(Encapsulation::erspan);
    return decode_ethernet(bytes.after(length), walk);
}

// Aruba's access points name the radio in GRE's protocol; what follows is an IEEE 802.11 frame, most often encrypted.
bool is_aruba_802_11(uint16_t protocol) {
    return (protocol >= 0x8200 && protocol <= 0x82ff) || (protocol >= 0x8300 && protocol <= 0x83ff);
}

}  // namespace

// Whether the start of a pseudowire's payload looks like an Ethernet frame that carries IP: nothing in an
// MPLS stack says what is below it.
bool is_believable_ethernet(Bytes bytes) {
    uint32_t type_at = 12;
    for (int tags = 0; tags < 3; ++tags) {
        if (!bytes.has(type_at + 3)) return false;
        const uint8_t version = bytes.data[type_at + 2] >> 4;
        switch (load_be16(bytes.data + type_at)) {
            case ether_type_ipv4:
                return version == 4;
            case ether_type_ipv6:
                return version == 6;
            case ether_type_vlan:
            case ether_type_service_vlan:
                type_at += 4;
                break;
            default:
                return false;
        }
    }
    return false;
}

// Whether it looks like IP with a length that the packet can hold: a destination address may begin with 4 or
// 6 too.
bool is_believable_ip(Bytes bytes) {
    if (!bytes.has(6)) return false;
    const uint8_t version = bytes.data[0] >> 4;
    if (version == 4) {
        const uint32_t header_length = (bytes.data[0] & 0x0fu) * 4;
        const uint32_t total_length = load_be16(bytes.data + 2);
        return header_length >= 20 && total_length <= bytes.wire &&
               (total_length == 0 || total_length >= header_length);
    }
    return version == 6 && load_be16(bytes.data + 4) <= bytes.wire;
}

// RFC 2784, RFC 2890 (key and sequence number), RFC 1701 (routing). Version 1 is PPTP's and not followed.
Kind decode_gre(Bytes bytes, Walk& walk) {
    constexpr uint16_t checksum_present = 0x8000;
    constexpr uint16_t routing_present = 0x4000;
    constexpr uint16_t key_present = 0x2000;
    constexpr uint16_t sequence_number_present = 0x1000;
    constexpr uint16_t version_mask = 0x0007;
    constexpr uint16_t pptp_version = 1;

    uint32_t length = 4;
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint16_t flags = load_be16(bytes.data);
    const uint16_t protocol = load_be16(bytes.data + 2);
    if ((flags & version_mask) == pptp_version && protocol == ether_type_ppp) return decode_pptp(bytes, walk);
    if ((flags & version_mask) != 0) return walk.pass_over(Encapsulation::gre);
    if ((flags & (checksum_present | routing_present)) != 0) length += 4;
    if ((flags & key_present) != 0) length += 4;
    if ((flags & sequence_number_present) != 0) length += 4;
    if (!bytes.has(length)) return bytes.why_not(length);
    bytes = bytes.after(length);

    if ((flags & routing_present) != 0) {  // source route entries up to one with family and length 0
        for (;;) {
            if (!walk.descend()) return Kind::other;
            if (!bytes.has(4)) return bytes.why_not(4);
            const uint16_t address_family = load_be16(bytes.data);
            const uint32_t entry_length = 4u + bytes.data[3];
            if (!bytes.has(entry_length)) return bytes.why_not(entry_length);
            bytes = bytes.after(entry_length);
            if (address_family == 0 && entry_length == 4) break;
        }
    }
    switch (protocol) {
        case ether_type_erspan:
            return decode_erspan(bytes, (flags & sequence_number_present) != 0, walk);
        case ether_type_erspan_3:
            return decode_erspan_3(bytes, walk);
        default:
            if (is_aruba_802_11(protocol)) return walk.pass_over(Encapsulation::gre_802_11);
            return decode_ether_type(protocol, bytes, walk);
    }
}

// A label stack (RFC 3032 §2.1), then IP, or the frames of an Ethernet pseudowire (RFC 4448) with or without
// the control word, whose first four bits are 0 (RFC 4385 §3).
Kind decode_mpls(Bytes bytes, Walk& walk) {
    constexpr uint32_t entry_length = 4;
    constexpr uint32_t control_word_length = 4;
    // Enough to tell an Ethernet frame by, control word and tags included.
    constexpr uint32_t decisive_length = 32;
    for (bool bottom = false; !bottom;) {
        if (!walk.descend()) return Kind::other;
        if (!bytes.has(entry_length)) return bytes.why_not(entry_length);
        bottom = (bytes.data[2] & 0x01) != 0;
        bytes = bytes.after(entry_length);
    }
    if (is_believable_ip(bytes)) return decode_ip_by_version(bytes, walk);
    if (is_believable_ethernet(bytes)) return decode_ethernet(bytes, walk);
    if (!bytes.has(1)) return bytes.why_not(1);
    switch (bytes.data[0] >> 4) {
        case 0:
            if (bytes.has(control_word_length) && is_believable_ethernet(bytes.after(control_word_length))) {
                return decode_ethernet(bytes.after(control_word_length), walk);
            }
            break;
        case 4:
        case 6:
            return decode_ip_by_version(bytes, walk);
    }
    if (bytes.captured < bytes.wire && !bytes.has(decisive_length)) return Kind::truncated;
    return walk.pass_over(Encapsulation::mpls);
}

// RFC 3378 §3: version 3, an Ethernet frame.
Kind decode_etherip(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 2;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(length)) return bytes.why_not(length);
    if (load_be16(bytes.data) != 0x3000) return Kind::malformed;
    return decode_ethernet(bytes.after(length), walk);
}

// RFC 3931 §4.1.1: the session ID, then a cookie and a sublayer whose lengths only the tunnel's ends know. Session 0 is
// control.
Kind decode_l2tp_v3(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 4;
    if (!bytes.has(length)) return bytes.why_not(length);
    return load_be32(bytes.data) == 0 ? Kind::other : walk.pass_over(Encapsulation::l2tp_v3);
}

// RFC 8300 §2.2.
Kind decode_nsh(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 8;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint32_t length = (load_be16(bytes.data) & 0x3fu) * 4;
    const uint8_t next_protocol = bytes.data[3];
    if (bytes.data[0] >> 6 != 0) return walk.pass_over(Encapsulation::nsh);
    if (length < fixed_length) return Kind::malformed;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_next_protocol(next_protocol, bytes.after(length), walk, Encapsulation::nsh);
}

// Numbers that NSH (RFC 8300 §11.3.5) and VXLAN-GPE (draft-ietf-nvo3-vxlan-gpe §3.2) have in common.
Kind decode_next_protocol(uint8_t next_protocol, Bytes bytes, Walk& walk, Encapsulation within) {
    switch (next_protocol) {
        case 1:
            return decode_ipv4(bytes, walk);
        case 2:
            return decode_ipv6(bytes, walk);
        case 3:
            return decode_ethernet(bytes, walk);
        case 4:
            return decode_nsh(bytes, walk);
        case 5:
            return decode_mpls(bytes, walk);
        default:
            return walk.pass_over(within);
    }
}

}  // namespace sanscope::headers
