// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/testing/frame_builder.h"

#include <algorithm>
#include <arpa/inet.h>
#include <string>
#include <utility>

namespace sanscope::frames {
namespace {

void put8(ByteVector& to, size_t value) {
    to.push_back(static_cast<uint8_t>(value));
}
void put16(ByteVector& to, size_t value) {
    put8(to, value >> 8);
    put8(to, value);
}
void put32(ByteVector& to, size_t value) {
    put16(to, value >> 16);
    put16(to, value);
}
void put(ByteVector& to, const ByteVector& bytes) {
    for (const uint8_t byte : bytes) to.push_back(byte);
}
void put_zeros(ByteVector& to, size_t count) {
    while (count-- > 0) to.push_back(0);
}

ByteVector padded(ByteVector bytes, size_t multiple) {
    while (bytes.size() % multiple != 0) bytes.push_back(0);
    return bytes;
}

void put_address(ByteVector& to, int family, std::string_view address) {
    uint8_t bytes[16] = {};
    inet_pton(family, std::string(address).c_str(), bytes);
    to.insert(to.end(), bytes, bytes + (family == AF_INET ? 4 : 16));
}

uint16_t internet_checksum(const ByteVector& bytes) {
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < bytes.size(); i += 2)
        sum += static_cast<uint32_t>(bytes[i] << 8 | bytes[i + 1]);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

void put_mac_addresses(ByteVector& to) {
    put(to, {0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1});
}

}  // namespace

ByteVector text(std::string_view bytes) {
    return {bytes.begin(), bytes.end()};
}

ByteVector pattern(size_t length, uint32_t start) {
    ByteVector bytes(length);
    for (size_t i = 0; i < length; ++i) bytes[i] = static_cast<uint8_t>(((i + start) * 2654435761u) >> 13);
    return bytes;
}

Layer tcp(const Tcp& header, const ByteVector& payload) {
    Layer layer{.ip_protocol = ip_protocol_tcp};
    ByteVector& to = layer.bytes;
    const ByteVector options = padded(header.options, 4);
    put16(to, header.source_port);
    put16(to, header.destination_port);
    put32(to, header.seq);
    put32(to, header.ack);
    const size_t data_offset = header.data_offset.value_or(static_cast<uint8_t>(5 + options.size() / 4));
    put16(to, data_offset << 12 | header.flags);
    put16(to, header.window);
    put32(to, 0);  // checksum, urgent pointer
    put(to, options);
    put(to, payload);
    return layer;
}

Layer tcp(const Tcp& header, std::string_view payload) {
    return tcp(header, text(payload));
}

Layer udp(const Udp& header, const Layer& inside) {
    Layer layer{.ip_protocol = ip_protocol_udp};
    ByteVector& to = layer.bytes;
    put16(to, header.source_port);
    put16(to, header.destination_port);
    put16(to, header.length.value_or(static_cast<uint16_t>(8 + inside.bytes.size())));
    put16(to, 0);
    put(to, inside.bytes);
    return layer;
}

Layer icmp(const Icmp& header, const ByteVector& quoted) {
    Layer layer{.ip_protocol = header.ipv6 ? ip_protocol_icmpv6 : ip_protocol_icmp};
    ByteVector& to = layer.bytes;
    put8(to, header.type);
    put8(to, header.code);
    put16(to, 0);
    put32(to, header.rest);
    put(to, quoted);
    return layer;
}

Layer arp(const Arp& message) {
    Layer layer{.ether_type = ether_type_arp};
    ByteVector& to = layer.bytes;
    put16(to, 1);
    put16(to, ether_type_ipv4);
    put16(to, 0x0604);
    put16(to, message.reply ? 2 : 1);
    put(to, {0x02, 0, 0, 0, 0, message.mac});
    put_address(to, AF_INET, message.sender);
    put_zeros(to, 6);
    put_address(to, AF_INET, message.target);
    return layer;
}

Layer ipv4(const Ipv4& header, const Layer& inside) {
    Layer layer{.ether_type = ether_type_ipv4, .ip_protocol = ip_protocol_ipv4};
    ByteVector& to = layer.bytes;
    const ByteVector options = padded(header.options, 4);
    const size_t header_length = 20 + options.size();
    put8(to, 0x40 | header_length / 4);
    put8(to, header.ecn);
    put16(to, header.total_length.value_or(static_cast<uint16_t>(header_length + inside.bytes.size())));
    put16(to, header.id);
    put16(to, (header.more_fragments ? 0x2000u : 0u) | header.fragment_offset / 8u);
    put8(to, header.ttl);
    put8(to, header.protocol.value_or(inside.ip_protocol));
    put16(to, 0);
    put_address(to, AF_INET, header.source);
    put_address(to, AF_INET, header.destination);
    put(to, options);
    const uint16_t checksum = internet_checksum(to);
    to[10] = static_cast<uint8_t>(checksum >> 8);
    to[11] = static_cast<uint8_t>(checksum);
    put(to, inside.bytes);
    return layer;
}

Layer ipv6(const Ipv6& header, const Layer& inside) {
    Layer layer{.ether_type = ether_type_ipv6, .ip_protocol = ip_protocol_ipv6};
    ByteVector& to = layer.bytes;
    put32(to, 0x60000000u | static_cast<uint32_t>(header.ecn) << 20);
    put16(to, header.payload_length.value_or(static_cast<uint16_t>(inside.bytes.size())));
    put8(to, header.next_header.value_or(inside.ip_protocol));
    put8(to, header.hop_limit);
    put_address(to, AF_INET6, header.source);
    put_address(to, AF_INET6, header.destination);
    put(to, inside.bytes);
    return layer;
}

Layer ipv6_extension(uint8_t type, const ByteVector& content, const Layer& inside) {
    Layer layer{.ip_protocol = type};
    ByteVector& to = layer.bytes;
    put8(to, inside.ip_protocol);
    put8(to, 0);
    put(to, content);
    to = padded(std::move(to), 8);
    to[1] = static_cast<uint8_t>(to.size() / 8 - 1);
    put(to, inside.bytes);
    return layer;
}

Layer ipv6_fragment(uint32_t id, uint16_t offset, bool more, const Layer& inside) {
    Layer layer{.ip_protocol = ip_protocol_fragment};
    ByteVector& to = layer.bytes;
    put8(to, inside.ip_protocol);
    put8(to, 0);
    put16(to, offset | (more ? 1u : 0u));
    put32(to, id);
    put(to, inside.bytes);
    return layer;
}

Layer authentication_header(const Layer& inside) {
    Layer layer{.ip_protocol = ip_protocol_authentication};
    ByteVector& to = layer.bytes;
    put8(to, inside.ip_protocol);
    put8(to, 4);  // 24 bytes
    put_zeros(to, 22);
    put(to, inside.bytes);
    return layer;
}

namespace {

// Calls `make(offset, more, piece)` for the pieces of `inside`.
template <class Make>
std::vector<Layer> cut_into_fragments(const Layer& inside, size_t fragment_payload, Make make) {
    std::vector<Layer> fragments;
    for (size_t offset = 0; offset < inside.bytes.size(); offset += fragment_payload) {
        const size_t end = std::min(offset + fragment_payload, inside.bytes.size());
        ByteVector piece(inside.bytes.begin() + static_cast<ptrdiff_t>(offset),
                         inside.bytes.begin() + static_cast<ptrdiff_t>(end));
        const bool more = end < inside.bytes.size();
        fragments.push_back(make(static_cast<uint16_t>(offset), more, with_bytes(inside, std::move(piece))));
    }
    return fragments;
}

}  // namespace

std::vector<Layer> ipv4_fragments(Ipv4 header, const Layer& inside, size_t fragment_payload) {
    return cut_into_fragments(inside, fragment_payload, [&](uint16_t offset, bool more, const Layer& piece) {
        header.fragment_offset = offset;
        header.more_fragments = more;
        return ipv4(header, piece);
    });
}

std::vector<Layer> ipv6_fragments(const Ipv6& header, uint32_t id, const Layer& inside,
                                  size_t fragment_payload) {
    return cut_into_fragments(inside, fragment_payload, [&](uint16_t offset, bool more, const Layer& piece) {
        return ipv6(header, ipv6_fragment(id, offset, more, piece));
    });
}

Layer ethernet_from(uint8_t mac, const Layer& inside) {
    Layer layer = ethernet(inside);
    layer.bytes[11] = mac;
    return layer;
}

Layer ethernet(const Layer& inside) {
    Layer layer{.ether_type = ether_type_transparent_bridging};
    put_mac_addresses(layer.bytes);
    put16(layer.bytes, inside.ether_type);
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer llc_snap(const Layer& inside) {
    Layer layer{.ether_type = ether_type_transparent_bridging};
    put_mac_addresses(layer.bytes);
    put16(layer.bytes, 8 + inside.bytes.size());
    put(layer.bytes, {0xaa, 0xaa, 0x03, 0, 0, 0});
    put16(layer.bytes, inside.ether_type);
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer vlan(uint16_t id, const Layer& inside, uint16_t ether_type) {
    Layer layer{.ether_type = ether_type};
    put16(layer.bytes, id);
    put16(layer.bytes, inside.ether_type);
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer mpls(std::initializer_list<uint32_t> labels, const Layer& inside) {
    Layer layer{.ether_type = ether_type_mpls, .ip_protocol = ip_protocol_mpls};
    size_t left = labels.size();
    for (const uint32_t label : labels) {
        const uint32_t bottom = --left == 0 ? 0x100 : 0;
        put32(layer.bytes, label << 12 | bottom | 64);
    }
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer pppoe(const Layer& inside) {
    Layer layer{.ether_type = ether_type_pppoe_session};
    put16(layer.bytes, 0x1100);
    put16(layer.bytes, 1);  // session
    put16(layer.bytes, 2 + inside.bytes.size());
    put16(layer.bytes, inside.ether_type == ether_type_ipv6 ? 0x0057 : 0x0021);
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer linux_cooked(const Layer& inside) {
    Layer layer;
    put16(layer.bytes, 0);  // to us
    put16(layer.bytes, 1);  // Ethernet
    put16(layer.bytes, 6);
    put(layer.bytes, {0x02, 0, 0, 0, 0, 1, 0, 0});
    put16(layer.bytes, inside.ether_type);
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer linux_cooked_2(const Layer& inside) {
    Layer layer;
    put16(layer.bytes, inside.ether_type);
    put16(layer.bytes, 0);
    put32(layer.bytes, 2);  // interface
    put16(layer.bytes, 1);  // Ethernet
    put(layer.bytes, {0, 6, 0x02, 0, 0, 0, 0, 1, 0, 0});
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer loopback(uint32_t family, bool big_endian, const Layer& inside) {
    Layer layer;
    put32(layer.bytes, big_endian ? family : __builtin_bswap32(family));
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer gre(const Gre& header, const Layer& inside) {
    Layer layer{.ip_protocol = ip_protocol_gre};
    ByteVector& to = layer.bytes;
    const bool routing = !header.routing.empty();
    put16(to, (header.checksum ? 0x8000u : 0u) | (routing ? 0x4000u : 0u) | (header.key ? 0x2000u : 0u) |
                  (header.sequence_number ? 0x1000u : 0u));
    put16(to, header.protocol.value_or(inside.ether_type));
    if (header.checksum || routing) put32(to, 0);
    if (header.key) put32(to, *header.key);
    if (header.sequence_number) put32(to, *header.sequence_number);
    put(to, header.routing);
    put(to, inside.bytes);
    return layer;
}

Layer erspan_2(const Layer& frame) {
    Layer layer{.ether_type = ether_type_erspan};
    put32(layer.bytes, 0x10000001);  // version 1, session 1
    put32(layer.bytes, 0);
    put(layer.bytes, frame.bytes);
    return layer;
}

Layer erspan_3(const Layer& frame, bool with_subheader) {
    Layer layer{.ether_type = ether_type_erspan_3};
    put32(layer.bytes, 0x20000001);                    // version 2, session 1
    put32(layer.bytes, 0x12345678);                    // time stamp
    put32(layer.bytes, with_subheader ? 0x01 : 0x00);  // Ethernet frame type
    if (with_subheader) put_zeros(layer.bytes, 8);
    put(layer.bytes, frame.bytes);
    return layer;
}

Layer vxlan(uint32_t vni, const Layer& frame, uint16_t port) {
    Layer header;
    put32(header.bytes, 0x08000000);
    put32(header.bytes, vni << 8);
    put(header.bytes, frame.bytes);
    return udp({.destination_port = port}, header);
}

Layer vxlan_gpe(uint8_t next_protocol, const Layer& inside) {
    Layer header;
    put32(header.bytes, 0x0c000000u | next_protocol);
    put32(header.bytes, 0);
    put(header.bytes, inside.bytes);
    return udp({.destination_port = 4790}, header);
}

Layer geneve(uint32_t vni, ByteVector options, const Layer& inside) {
    Layer header;
    options = padded(std::move(options), 4);
    put8(header.bytes, options.size() / 4);
    put8(header.bytes, 0);
    put16(header.bytes, inside.ether_type);
    put32(header.bytes, vni << 8);
    put(header.bytes, options);
    put(header.bytes, inside.bytes);
    return udp({.destination_port = 6081}, header);
}

Layer tag(uint16_t ether_type, const ByteVector& own, const Layer& inside) {
    Layer layer{.ether_type = ether_type};
    put(layer.bytes, own);
    put16(layer.bytes, inside.ether_type);
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer frame_tag(uint16_t ether_type, const ByteVector& own, const Layer& frame) {
    Layer layer{.ether_type = ether_type};
    put(layer.bytes, own);
    put(layer.bytes, frame.bytes);
    return layer;
}

Layer ether_ip(const Layer& frame) {
    Layer layer{.ip_protocol = ip_protocol_etherip};
    put16(layer.bytes, 0x3000);
    put(layer.bytes, frame.bytes);
    return layer;
}

Layer gtp_u(const Layer& inside, bool extension) {
    Layer layer;
    ByteVector& to = layer.bytes;
    put16(to, extension ? 0x34ff : 0x30ff);
    put16(to, inside.bytes.size() + (extension ? 8 : 0));
    put32(to, 0x01020304);
    if (extension) put(to, {0, 0, 0, 0x85, 1, 0x10, 9, 0});  // PDU session container, then none
    put(to, inside.bytes);
    return udp({.source_port = 2152, .destination_port = 2152}, layer);
}

Layer ppp(const Layer& inside, bool framing, bool short_protocol) {
    Layer layer{.ether_type = ether_type_ppp};
    if (framing) put16(layer.bytes, 0xff03);
    const size_t protocol = inside.ether_type == ether_type_ipv6 ? 0x0057 : 0x0021;
    if (short_protocol) {
        put8(layer.bytes, protocol);
    } else {
        put16(layer.bytes, protocol);
    }
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer l2tp(const Layer& inside, bool optional_fields) {
    Layer layer;
    ByteVector& to = layer.bytes;
    const Layer frame = ppp(inside, true);
    put16(to, optional_fields ? 0x4a02 : 0x0002);
    if (optional_fields) put16(to, 8 + 4 + 2 + 3 + frame.bytes.size());
    put32(to, 0x00070008);  // tunnel, session
    if (optional_fields) {
        put32(to, 0);              // sequence numbers
        put(to, {0, 3, 1, 2, 3});  // an offset of three bytes
    }
    put(to, frame.bytes);
    return udp({.source_port = 1701, .destination_port = 1701}, layer);
}

Layer gre_in_udp(const Layer& gre_header) {
    return udp({.destination_port = 4754}, gre_header);
}

Layer pptp(const Layer& ppp_frame) {
    Layer layer{.ip_protocol = ip_protocol_gre};
    put16(layer.bytes, 0x3081);
    put16(layer.bytes, ether_type_ppp);
    put16(layer.bytes, ppp_frame.bytes.size());
    put16(layer.bytes, 77);  // call
    put32(layer.bytes, 1);
    put32(layer.bytes, 2);
    put(layer.bytes, ppp_frame.bytes);
    return layer;
}

Layer cisco_hdlc(const Layer& inside) {
    Layer layer;
    put16(layer.bytes, 0x0f00);
    put16(layer.bytes, inside.ether_type);
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer ppi(uint32_t link_type, const Layer& inside) {
    Layer layer;
    put(layer.bytes, {0, 0, 12, 0, static_cast<uint8_t>(link_type), 0, 0, 0, 1, 2, 3, 4});
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer nflog(bool big_endian, const Layer& ip) {
    Layer layer;
    ByteVector& to = layer.bytes;
    const auto put_native16 = [&](size_t value) {
        put16(to, big_endian ? value : __builtin_bswap16(static_cast<uint16_t>(value)));
    };
    put8(to, ip.ether_type == ether_type_ipv6 ? 10 : 2);
    put(to, {0, 0, 5});
    put_native16(8);
    put_native16(1);  // NFULA_PACKET_HDR
    put16(to, ip.ether_type);
    put16(to, 0);
    put_native16(5);
    put_native16(10);  // NFULA_PREFIX, an empty text, and what pads it
    put32(to, 0);
    put_native16(4 + ip.bytes.size());
    put_native16(9);  // NFULA_PAYLOAD
    put(to, ip.bytes);
    return layer;
}

Layer erf(uint8_t type, int extensions, const Layer& inside) {
    Layer layer;
    ByteVector& to = layer.bytes;
    put_zeros(to, 8);
    put8(to, type | (extensions > 0 ? 0x80 : 0));
    put8(to, 4);
    put16(to, 0);
    put16(to, 0);
    put16(to, inside.bytes.size());
    for (int i = extensions; i > 0; --i) {
        put8(to, i > 1 ? 0x85 : 0x05);
        put_zeros(to, 7);
    }
    constexpr uint8_t ethernet_record = 2;
    if (type == ethernet_record) put16(to, 0);
    put(to, inside.bytes);
    return layer;
}

Layer fddi(const Layer& inside) {
    Layer layer;
    put8(layer.bytes, 0x54);
    put_mac_addresses(layer.bytes);
    put(layer.bytes, {0xaa, 0xaa, 0x03, 0, 0, 0});
    put16(layer.bytes, inside.ether_type);
    put(layer.bytes, inside.bytes);
    return layer;
}

Layer with_bytes(Layer layer, ByteVector bytes) {
    layer.bytes = std::move(bytes);
    return layer;
}

Layer operator+(Layer layer, const ByteVector& trailer) {
    put(layer.bytes, trailer);
    return layer;
}

}  // namespace sanscope::frames
