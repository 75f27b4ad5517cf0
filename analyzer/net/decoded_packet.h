// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/vocabulary/ip_address.h"
#include "analyzer/vocabulary/passed_over.h"

namespace sanscope {

// TCP header flags (RFC 9293 §3.1, RFC 3168, RFC 9768), as in byte 13; AE is bit 8.
enum TcpFlag : uint16_t {
    tcp_fin = 0x001,
    tcp_syn = 0x002,
    tcp_rst = 0x004,
    tcp_psh = 0x008,
    tcp_ack = 0x010,
    tcp_urg = 0x020,
    tcp_ece = 0x040,
    tcp_cwr = 0x080,
    tcp_ae = 0x100,
};

// What decoding one frame found. Plain data: decode_frame() overwrites it, allocates nothing and follows no
// pointer of it later. Pointers point into the frame (or into the FragmentReassembler's datagram) and live as
// long as that.
struct DecodedPacket {
    enum class Kind : uint8_t {
        tcp,          // a whole TCP header was captured: the fields below hold
        ip_fragment,  // a fragment: `fragment`, the IP header's fields and the payload hold, the rest is 0
        icmp,   // ICMP or ICMPv6: the IP header's fields and the payload, its message, hold; see icmp_error.h
        arp,    // the payload, its message, holds; see arp_message.h
        other,  // something else, properly formed as far as looked at; of this and what follows no field
                // holds
        truncated,    // the capture's cut (snap length) came before the end of the headers
        malformed,    // the headers contradict themselves or the frame's length
        passed_over,  // lies in `passed_over`, which is not followed
    };

    Kind kind = Kind::other;
    uint8_t ecn = 0;             // the IP header's ECN field of the innermost header (RFC 3168): 0 … 3
    uint8_t ttl = 0;             // TTL or hop limit of the innermost header
    uint8_t options_length = 0;  // captured bytes of TCP options
    uint16_t flags = 0;          // TcpFlag
    uint16_t window = 0;         // as in the header, unscaled
    uint16_t source_port = 0;
    uint16_t destination_port = 0;
    uint16_t checksum = 0;  // as in the TCP header
    uint16_t ip_id = 0;     // IPv4 identification; 0 for IPv6
    uint32_t seq = 0;
    uint32_t ack = 0;
    uint32_t payload_captured = 0;  // bytes at `payload`
    uint32_t payload_length = 0;    // bytes on the wire (by the IP length; by the frame's where that is 0)
    const uint8_t* payload = nullptr;
    const uint8_t* options = nullptr;
    IpAddress source;
    IpAddress destination;

    struct Fragment {
        uint32_t id = 0;
        uint16_t offset = 0;  // bytes
        bool more = false;
        uint8_t protocol = 0;  // of the datagram: IPv4 protocol or the next header after the fragment header
        // The fragment's bytes are payload/payload_captured/payload_length above.
    } fragment;
    bool options_cut = false;  // the capture has not all of the TCP options
    // Of kind passed_over only:
    Encapsulation passed_over = Encapsulation::none;
    uint16_t passed_over_number = 0;  // as PassedOver::Row::number
    // Of kinds tcp and ip_fragment: the VLAN identifiers of all tags passed (IEEE 802.1Q §9.6), 12 bits each, the innermost last;
    // 0: none, or tags for priority alone.
    uint32_t vlan = 0;
};

}  // namespace sanscope
