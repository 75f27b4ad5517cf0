// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/ip_protocol.h"

// Frames for tests, written as they nest:
//
//     Layer frame = ethernet(vlan(100, ipv4({.source = "10.0.0.1"}, tcp({.seq = 1000}, "payload"))));
//     decode_frame(LinkType::ethernet, frame.bytes.data(), …);
//
// Each function puts its header before the layer inside and fills lengths, protocol numbers and the IPv4
// header checksum from it; a field that is std::optional can be set to say otherwise. TCP and UDP checksums
// stay 0, as offload leaves them.
namespace sanscope::frames {

using ByteVector = std::vector<uint8_t>;

struct Layer {
    ByteVector bytes = {};
    uint16_t ether_type = 0;  // how an Ethernet header names this layer, 0 if it cannot
    uint8_t ip_protocol = 0;  // how an IP header names this layer
};

ByteVector text(std::string_view bytes);
// Bytes that tell their own place: each differs from that `n` before it for small n.
ByteVector pattern(size_t length, uint32_t start = 0);

struct Tcp {
    uint16_t source_port = 50000;
    uint16_t destination_port = 3260;
    uint32_t seq = 0;
    uint32_t ack = 0;
    uint16_t flags = tcp_ack;
    uint16_t window = 65535;
    ByteVector options = {};                  // padded to a multiple of 4 with zeros
    std::optional<uint8_t> data_offset = {};  // in words of 4 bytes
};
Layer tcp(const Tcp& header, const ByteVector& payload = {});
Layer tcp(const Tcp& header, std::string_view payload);

struct Udp {
    uint16_t source_port = 50000;
    uint16_t destination_port = 0;
    std::optional<uint16_t> length = {};
};
Layer udp(const Udp& header, const Layer& inside);

// Protocol and message of ICMP, or of ICMPv6; the checksum stays 0.
struct Icmp {
    uint8_t type = 0;
    uint8_t code = 0;
    uint32_t rest = 0;  // of the header: MTU
    bool ipv6 = false;
};
Layer icmp(const Icmp& header, const ByteVector& quoted);

struct Arp {
    bool reply = false;
    uint8_t mac = 1;  // last byte of 02:00:00:00:00:xx
    std::string_view sender = "10.0.0.1";
    std::string_view target = "10.0.0.2";
};
Layer arp(const Arp& message);

struct Ipv4 {
    std::string_view source = "10.0.0.1";
    std::string_view destination = "10.0.0.2";
    uint16_t id = 0;
    uint8_t ttl = 64;
    uint8_t ecn = 0;
    uint16_t fragment_offset = 0;  // bytes
    bool more_fragments = false;
    ByteVector options = {};  // padded to a multiple of 4 with zeros
    std::optional<uint16_t> total_length = {};
    std::optional<uint8_t> protocol = {};
};
Layer ipv4(const Ipv4& header, const Layer& inside);

struct Ipv6 {
    std::string_view source = "2001:db8::1";
    std::string_view destination = "2001:db8::2";
    uint8_t hop_limit = 64;
    uint8_t ecn = 0;
    std::optional<uint16_t> payload_length = {};
    std::optional<uint8_t> next_header = {};
};
Layer ipv6(const Ipv6& header, const Layer& inside);

// An IPv6 extension header of `type` with `content` behind its two first bytes, padded to a multiple of 8.
Layer ipv6_extension(uint8_t type, const ByteVector& content, const Layer& inside);
Layer ipv6_fragment(uint32_t id, uint16_t offset, bool more, const Layer& inside);
Layer authentication_header(const Layer& inside);

// The datagram of `inside` as fragments that carry at most `fragment_payload` (a multiple of 8) bytes each.
std::vector<Layer> ipv4_fragments(Ipv4 header, const Layer& inside, size_t fragment_payload);
std::vector<Layer> ipv6_fragments(const Ipv6& header, uint32_t id, const Layer& inside,
                                  size_t fragment_payload);

Layer ethernet(const Layer& inside);
// From the source address 02:00:00:00:00:`mac`.
Layer ethernet_from(uint8_t mac, const Layer& inside);
Layer llc_snap(const Layer& inside);  // within an 802.3 frame, that is a whole frame too
Layer vlan(uint16_t id, const Layer& inside, uint16_t ether_type = ether_type_vlan);
Layer mpls(std::initializer_list<uint32_t> labels, const Layer& inside);
Layer pppoe(const Layer& inside);
Layer linux_cooked(const Layer& inside);
Layer linux_cooked_2(const Layer& inside);
Layer loopback(uint32_t family, bool big_endian, const Layer& inside);

struct Gre {
    bool checksum = false;
    std::optional<uint32_t> key = {};
    std::optional<uint32_t> sequence_number = {};
    ByteVector routing = {};  // source route entries, the ending one included
    std::optional<uint16_t> protocol = {};
};
Layer gre(const Gre& header, const Layer& inside);
Layer erspan_2(const Layer& frame);
Layer erspan_3(const Layer& frame, bool with_subheader);
Layer vxlan(uint32_t vni, const Layer& frame, uint16_t port = 4789);
Layer vxlan_gpe(uint8_t next_protocol, const Layer& inside);
Layer geneve(uint32_t vni, ByteVector options, const Layer& inside);

// A bridge's tag: its EtherType, its own bytes, then what is inside.
Layer tag(uint16_t ether_type, const ByteVector& own, const Layer& inside);
// Behind its own bytes a whole frame: 802.1ah, FabricPath, TRILL.
Layer frame_tag(uint16_t ether_type, const ByteVector& own, const Layer& frame);
Layer ether_ip(const Layer& frame);
// In UDP: GTP-U with or without an extension header, L2TP with all optional fields or none, GRE.
Layer gtp_u(const Layer& inside, bool extension);
Layer l2tp(const Layer& inside, bool optional_fields);
Layer gre_in_udp(const Layer& gre_header);
// PPP with HDLC's address and control or without; with a protocol field of one byte where that is asked for.
Layer ppp(const Layer& inside, bool framing, bool short_protocol = false);
Layer pptp(const Layer& ppp_frame);
Layer cisco_hdlc(const Layer& inside);
// What a capturing system puts in front.
Layer ppi(uint32_t link_type, const Layer& inside);
Layer nflog(bool big_endian, const Layer& ip);
Layer erf(uint8_t type, int extensions, const Layer& inside);
Layer fddi(const Layer& inside);

// A layer with the same names but other bytes.
Layer with_bytes(Layer layer, ByteVector bytes);
Layer operator+(Layer layer, const ByteVector& trailer);

}  // namespace sanscope::frames
