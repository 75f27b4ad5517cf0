// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/byte_order.h"
#include "analyzer/net/header_walk.h"

// Link types that put a header of the capturing device or system in front of the packet, and FDDI.
namespace sanscope::headers {
namespace {

using Kind = DecodedPacket::Kind;

// A message of nfnetlink_log holds at most so many attributes and more; of a hostile one no more are looked at.
constexpr int most_attributes = 64;

// What is copied of a packet may be less than there was: the IP header knows.
Bytes with_length_of_ip(Bytes bytes) {
    if (!bytes.has(6)) return bytes;
    const uint8_t version = bytes.data[0] >> 4;
    constexpr uint32_t ipv6_header_length = 40;
    uint32_t length = 0;
    if (version == 4) length = load_be16(bytes.data + 2);
    if (version == 6) length = ipv6_header_length + load_be16(bytes.data + 4);
    bytes.wire = std::max(bytes.wire, length);
    return bytes;
}

Kind decode_of_family(uint8_t family, Bytes bytes, Walk& walk) {
    constexpr uint8_t unspecified = 0;
    constexpr uint8_t inet_of_netfilter = 1;  // NFPROTO_INET
    constexpr uint8_t ipv4 = 2;
    constexpr uint8_t netdev = 5;
    constexpr uint8_t bridge = 7;
    constexpr uint8_t ipv6 = 10;
    switch (family) {
        case ipv4:
            return decode_ipv4(bytes, walk);
        case ipv6:
            return decode_ipv6(bytes, walk);
        case unspecified:
        case inet_of_netfilter:
        case netdev:
        case bridge:  // of any protocol
            if (!bytes.has(1)) return bytes.why_not(1);
            return bytes.data[0] >> 4 == 4 || bytes.data[0] >> 4 == 6 ? decode_ip_by_version(bytes, walk)
                                                                      : Kind::other;
        default:
            return Kind::other;
    }
}

}  // namespace

// LINKTYPE_NFLOG: a family, then attributes in the byte order of the host that captured (linux/netfilter/nfnetlink_log.h).
Kind decode_nflog(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 4;
    constexpr uint32_t attribute_header = 4;
    constexpr uint16_t payload = 9;  // NFULA_PAYLOAD
    constexpr uint16_t type_mask = 0x3fff;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t family = bytes.data[0];
    bytes = bytes.after(fixed_length);
    for (int i = 0; i < most_attributes; ++i) {
        if (bytes.wire == 0) return Kind::other;
        if (!bytes.has(attribute_header)) return bytes.why_not(attribute_header);
        // Types are small numbers, so one of the two bytes is 0.
        const bool is_little_endian = bytes.data[3] == 0;
        const uint32_t length = is_little_endian ? load_le16(bytes.data) : load_be16(bytes.data);
        const uint16_t type = is_little_endian ? load_le16(bytes.data + 2) : load_be16(bytes.data + 2);
        if (length < attribute_header) return Kind::malformed;
        if ((type & type_mask) == payload) {
            const Bytes inside = bytes.after(attribute_header).first(length - attribute_header);
            const bool is_whole = bytes.wire >= length;
            return decode_of_family(family, is_whole ? with_length_of_ip(inside) : inside, walk);
        }
        const uint32_t padded = (length + 3) & ~3u;
        if (!bytes.has(padded)) return bytes.why_not(padded);
        bytes = bytes.after(padded);
    }
    return Kind::other;
}

// LINKTYPE_ERF: a record's header, extensions of 8 bytes each while the first bit of one says that another follows.
Kind decode_erf(Bytes bytes, Walk& walk) {
    constexpr uint32_t fixed_length = 16;
    constexpr uint32_t extension_length = 8;
    constexpr uint8_t more = 0x80;
    if (!bytes.has(fixed_length)) return bytes.why_not(fixed_length);
    const uint8_t type = bytes.data[8];
    const uint32_t wire_length = load_be16(bytes.data + 14);
    bytes = bytes.after(fixed_length);
    for (bool follows = (type & more) != 0; follows;) {
        if (!walk.descend()) return Kind::other;
        if (!bytes.has(extension_length)) return bytes.why_not(extension_length);
        follows = (bytes.data[0] & more) != 0;
        bytes = bytes.after(extension_length);
    }
    switch (type & ~more) {
        case 2:  // Ethernet, and with colours, hashes
        case 11:
        case 16:
        case 20: {
            constexpr uint32_t offset_and_padding = 2;
            if (!bytes.has(offset_and_padding)) return bytes.why_not(offset_and_padding);
            bytes = bytes.after(offset_and_padding);
            bytes.wire = std::max(bytes.captured, std::max(bytes.wire, wire_length));
            return decode_ethernet(bytes, walk);
        }
        case 1:  // packet over SONET, and with colours
        case 10:
        case 15:
        case 17:
            return decode_ppp_or_cisco_hdlc(bytes, walk);
        case 22:
            return decode_ipv4(bytes, walk);
        case 23:
            return decode_ipv6(bytes, walk);
        case 27:  // what the card tells of itself
        case 28:
        case 48:
            return Kind::other;
        default:
            return walk.pass_over(Encapsulation::erf);
    }
}

// ISO 9314-2: frame control and addresses, then LLC in frames of that class, whatever their priority.
Kind decode_fddi(Bytes bytes, Walk& walk) {
    constexpr uint32_t length = 13;
    constexpr uint8_t class_and_format = 0x70;
    constexpr uint8_t llc = 0x50;
    if (!bytes.has(length)) return bytes.why_not(length);
    if ((bytes.data[0] & class_and_format) != llc) return Kind::other;
    return decode_llc(bytes.after(length), walk);
}

}  // namespace sanscope::headers
