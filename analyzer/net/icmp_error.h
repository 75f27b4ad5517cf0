// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {

// That a TCP segment was not delivered, as a router or host reports it (RFC 792, RFC 4443), with the segment it quotes.
struct IcmpError {
    bool too_big = false;  // fragmentation needed (RFC 1191 §4), Packet Too Big (RFC 8201)
    bool ipv6 = false;
    uint8_t type = 0;
    uint8_t code = 0;
    uint32_t mtu = 0;              // of the next hop; 0 where it is not told
    uint32_t datagram_length = 0;  // of the whole packet quoted
    IpAddress source = {};         // of the segment quoted
    IpAddress destination = {};
    uint16_t source_port = 0;
    uint16_t destination_port = 0;
    uint32_t seq = 0;
};

// Of a packet of Kind::icmp; none where it is no error, quotes no TCP segment, or the capture cut it.
std::optional<IcmpError> read_icmp_error(const DecodedPacket& packet);

}  // namespace sanscope
