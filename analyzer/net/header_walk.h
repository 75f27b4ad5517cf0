// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/decoded_packet.h"

// Inside decode_frame(): each function below decodes one header and goes on with the one it finds behind it;
// the answer is the kind of the innermost. Only the files decode_*.cpp include this.
namespace sanscope::headers {

// What is left of the frame behind the headers decoded so far. Always captured <= wire.
struct Bytes {
    const uint8_t* data;
    uint32_t captured;
    uint32_t wire;

    bool has(uint32_t n) const { return captured >= n; }
    // Why has(n) is false: the capture was cut, or the packet itself is shorter.
    DecodedPacket::Kind why_not(uint32_t n) const {
        return wire < n ? DecodedPacket::Kind::malformed : DecodedPacket::Kind::truncated;
    }
    // Only where has(n).
    Bytes after(uint32_t n) const { return {data + n, captured - n, wire - n}; }
    // What lies behind `length` bytes belongs to a layer outside.
    Bytes first(uint64_t length) const {
        const auto limit = static_cast<uint32_t>(std::min<uint64_t>(length, wire));
        return {data, std::min(captured, limit), limit};
    }
};

struct Walk {
    DecodedPacket&
        out;  // the fields of the IP header last passed are set, those of kind tcp or ip_fragment last
    int headers_left = max_headers;
    bool in_ipv6 = false;
    Encapsulation passed_over = Encapsulation::none;
    uint16_t passed_over_number = 0;
    uint32_t vlan = 0;  // as DecodedPacket::vlan

    // Called for each header that can be followed by another of its kind: false when there were too many.
    bool descend() { return headers_left-- > 0; }
    DecodedPacket::Kind pass_over(Encapsulation in, uint16_t number = 0) {
        passed_over = in;
        passed_over_number = number;
        return DecodedPacket::Kind::passed_over;
    }
};

// decode_frame.cpp
DecodedPacket::Kind decode_ethernet(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ether_type(uint16_t ether_type, Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ip_by_version(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_type_or_length(uint16_t type_or_length, Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_llc(Bytes bytes, Walk& walk);

// decode_ip.cpp
DecodedPacket::Kind decode_ipv4(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ipv6(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ip_protocol(uint8_t protocol, Bytes bytes, Walk& walk);

// decode_udp.cpp
DecodedPacket::Kind decode_udp(Bytes bytes, Walk& walk);

// decode_tunnel.cpp
DecodedPacket::Kind decode_gre(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_mpls(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_etherip(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_l2tp_v3(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_nsh(Bytes bytes, Walk& walk);
// `within`: what the packet is passed over in where the number is none of them.
DecodedPacket::Kind decode_next_protocol(uint8_t next_protocol, Bytes bytes, Walk& walk,
                                         Encapsulation within);
bool is_believable_ip(Bytes bytes);
bool is_believable_ethernet(Bytes bytes);

// decode_tag.cpp
DecodedPacket::Kind decode_vn_tag(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_e_tag(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_backbone_service(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_fabric_path(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_cisco_metadata(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_macsec(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_hsr(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_trill(Bytes bytes, Walk& walk);

// decode_ppp.cpp
DecodedPacket::Kind decode_ppp(Bytes bytes, Walk& walk);  // with or without HDLC's address and control
DecodedPacket::Kind decode_pppoe(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_pptp(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_cisco_hdlc(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ppp_or_cisco_hdlc(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_l2tp(Bytes bytes, uint32_t datagram_length, Walk& walk);

// decode_capture_header.cpp: what capturing puts in front of packets
DecodedPacket::Kind decode_nflog(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_erf(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_fddi(Bytes bytes, Walk& walk);

}  // namespace sanscope::headers
