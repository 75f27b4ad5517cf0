// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/header_walk.h"

// What bridges put between a frame's addresses and its EtherType.
namespace sanscope::headers {
namespace {

using Kind = DecodedPacket::Kind;

// `tag_length` bytes of the tag's own, then the EtherType of what follows.
Kind decode_tag(uint32_t tag_length, Bytes bytes, Walk& walk) {
    const uint32_t length = tag_length + 2;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_type_or_length(load_be16(bytes.data + tag_length), bytes.after(length), walk);
}

}  // namespace

// Cisco's VN-Tag: direction, pointer, the virtual interfaces.
Kind decode_vn_tag(Bytes bytes, Walk& walk) {
    return decode_tag(4, bytes, walk);
}

// IEEE 802.1BR §7.5.
Kind decode_e_tag(Bytes bytes, Walk& walk) {
    return decode_tag(6, bytes, walk);
}

// IEC 62439-3: path and size, a sequence number.
Kind decode_hsr(Bytes bytes, Walk& walk) {
    return decode_tag(4, bytes, walk);
}

// IEEE 802.1ah: the I-TAG's priorities and service identifier, then the customer's frame.
Kind decode_backbone_service(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 4;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_ethernet(bytes.after(length), walk);
}

// Cisco's FabricPath: forwarding tag and TTL, then the host's frame.
Kind decode_fabric_path(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 2;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_ethernet(bytes.after(length), walk);
}

// RFC 6325 §3: hop count and nicknames, options, then the host's frame.
Kind decode_trill(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 6;
    if (!walk.descend()) return Kind::other;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint16_t first = load_be16(bytes.data);
    if (first >> 14 != 0) return walk.pass_over(Encapsulation::trill);
    const uint32_t length = fixed_length + ((first >> 6) & 0x1fu) * 4;
    if (!bytes.has(length)) return bytes.why_not(length);
    return decode_ethernet(bytes.after(length), walk);
}

// Cisco's metadata header, of version 1 and with one option, the security group tag.
Kind decode_cisco_metadata(Bytes bytes, Walk& walk) {
    if (!bytes.has(2)) return bytes.why_not(2);
    if (load_be16(bytes.data) != 0x0101) return walk.pass_over(Encapsulation::cisco_metadata);
    return decode_tag(6, bytes, walk);
}

// IEEE 802.1AE §9: the frame is in the clear where neither of the bits E and C is set; a check value ends it.
Kind decode_macsec(Bytes bytes, Walk& walk) {
    constexpr uint8_t encrypted = 0x08;
    constexpr uint8_t changed = 0x04;
    constexpr uint8_t has_channel_identifier = 0x20;
    if (!bytes.has(1)) return bytes.why_not(1);
    const uint8_t control = bytes.data[0];
    if ((control & (encrypted | changed)) != 0) return walk.pass_over(Encapsulation::macsec);
    return decode_tag(6 + ((control & has_channel_identifier) != 0 ? 8u : 0u), bytes, walk);
}

}  // namespace sanscope::headers
