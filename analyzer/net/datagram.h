// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/vocabulary/ip_address.h"

namespace sanscope {

// The payload of an IP datagram put together from its fragments: the bytes from the header that `protocol`
// names on. The bytes belong to the FragmentReassembler and live until it is given the next fragment.
struct Datagram {
    const uint8_t* data = nullptr;
    uint32_t captured_length =
        0;                     // bytes at `data`: up to the first byte that the capture cut from a fragment
    uint32_t wire_length = 0;  // bytes the fragments had on the wire
    IpAddress source;
    IpAddress destination;
    uint16_t ip_id = 0;    // IPv4 identification; 0 for IPv6
    uint8_t protocol = 0;  // IPv4 protocol, or the next header after the IPv6 fragment header
    uint8_t ecn = 0;       // CE if any fragment carries CE (RFC 3168 §5.3), else that of the first fragment
    uint8_t ttl = 0;       // of the first fragment
};

}  // namespace sanscope
