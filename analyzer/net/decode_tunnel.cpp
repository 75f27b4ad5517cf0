// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/header_walk.h"

namespace sanscope::headers {
namespace {

using Kind = DecodedPacket::Kind;

// Destination ports; the source port is a hash of the inner flow.
enum : uint16_t {
    port_vxlan = 4789,
    port_vxlan_gpe = 4790,
    port_geneve = 6081,
    port_mpls = 6635,         // RFC 7510
    port_vxlan_linux = 8472,  // Linux's default, of before the assignment of 4789
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
    bytes = bytes.after(vxlan_header_length);
    switch (next_protocol) {
        case 1:
            return decode_ipv4(bytes, walk);
        case 2:
            return decode_ipv6(bytes, walk);
        case 3:
            return decode_ethernet(bytes, walk);
        case 5:
            return decode_mpls(bytes, walk);
        default:
            return Kind::other;
    }
}

// RFC 8926 §3.4.
Kind decode_geneve(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 8;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t version = bytes.data[0] >> 6;
    if (version != 0) return Kind::other;
    const uint32_t length = fixed_length + (bytes.data[0] & 0x3fu) * 4;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_ether_type(load_be16(bytes.data + 2), bytes.after(length), walk);
}

// ERSPAN type III (draft-foschiano-erspan-03 §4.3): a frame type shows what is inside, a bit whether a
// platform specific subheader follows.
Kind decode_erspan_3(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 12;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t version = bytes.data[0] >> 4;
    if (version != 2) return Kind::other;
    const uint16_t last_word = load_be16(bytes.data + 10);
    const bool has_subheader = (last_word & 0x0001) != 0;
    const uint32_t length = fixed_length + (has_subheader ? 8 : 0);
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint32_t frame_type = (last_word >> 10) & 0x1f;
    if (frame_type == 0) return decode_ethernet(bytes.after(length), walk);
    if (frame_type == 2) return decode_ip_by_version(bytes.after(length), walk);
    return Kind::other;
}

// ERSPAN types I and II share a GRE protocol: type I has no header of its own and no GRE sequence number.
Kind decode_erspan(Bytes bytes, bool gre_has_sequence_number, Walk& walk) {
    if (!gre_has_sequence_number) return decode_ethernet(bytes, walk);
    constexpr uint32_t length = 8;
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint8_t version = bytes.data[0] >> 4;
    if (version != 1) return Kind::other;
    return decode_ethernet(bytes.after(length), walk);
}

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
            return decode_mpls(bytes, walk);
        default:
            return Kind::other;
    }
}

// RFC 2784, RFC 2890 (key and sequence number), RFC 1701 (routing). Version 1 is PPTP's and not followed.
Kind decode_gre(Bytes bytes, Walk& walk) {
    constexpr uint16_t checksum_present = 0x8000;
    constexpr uint16_t routing_present = 0x4000;
    constexpr uint16_t key_present = 0x2000;
    constexpr uint16_t sequence_number_present = 0x1000;
    constexpr uint16_t version_mask = 0x0007;

    uint32_t length = 4;
    if (!bytes.has(length)) return bytes.why_not(length);
    const uint16_t flags = load_be16(bytes.data);
    const uint16_t protocol = load_be16(bytes.data + 2);
    if ((flags & version_mask) != 0) return Kind::other;
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
    return bytes.captured < bytes.wire && !bytes.has(decisive_length) ? Kind::truncated : Kind::other;
}

// RFC 2516 §4, with PPP's protocol field (RFC 1661 §2).
Kind decode_pppoe(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 6;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(length + 2)) return bytes.why_not(length + 2);
    const uint8_t version_and_type = bytes.data[0];
    const uint8_t code = bytes.data[1];
    if (version_and_type != 0x11 || code != 0) return Kind::malformed;
    const uint16_t payload_length = load_be16(bytes.data + 4);
    const uint16_t ppp_protocol = load_be16(bytes.data + 6);
    bytes = bytes.after(length);
    if (payload_length != 0) {
        if (payload_length < 2) return Kind::malformed;
        bytes = bytes.first(payload_length);
    }
    bytes = bytes.after(2);
    switch (ppp_protocol) {
        case 0x0021:
            return decode_ipv4(bytes, walk);
        case 0x0057:
            return decode_ipv6(bytes, walk);
        case 0x0281:
            return decode_mpls(bytes, walk);
        default:
            return Kind::other;
    }
}

}  // namespace sanscope::headers
