// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/decoded_packet.h"

// Inside decode_frame(): each function below decodes one header and goes on with the one it finds behind it;
// the answer is the kind of the innermost. Only decode_frame.cpp, decode_ip.cpp and decode_tunnel.cpp include
// this.
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

    // Called for each header that can be followed by another of its kind: false when there were too many.
    bool descend() { return headers_left-- > 0; }
};

// decode_frame.cpp
DecodedPacket::Kind decode_ethernet(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ether_type(uint16_t ether_type, Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ip_by_version(Bytes bytes, Walk& walk);

// decode_ip.cpp
DecodedPacket::Kind decode_ipv4(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ipv6(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_ip_protocol(uint8_t protocol, Bytes bytes, Walk& walk);

// decode_tunnel.cpp
DecodedPacket::Kind decode_udp(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_gre(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_mpls(Bytes bytes, Walk& walk);
DecodedPacket::Kind decode_pppoe(Bytes bytes, Walk& walk);

}  // namespace sanscope::headers
