// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// IANA "Protocol Numbers": IPv4's protocol and IPv6's next header.
enum IpProtocol : uint8_t {
    ip_protocol_hop_by_hop = 0,
    ip_protocol_icmp = 1,
    ip_protocol_ipv4 = 4,
    ip_protocol_tcp = 6,
    ip_protocol_udp = 17,
    ip_protocol_ipv6 = 41,
    ip_protocol_routing = 43,
    ip_protocol_fragment = 44,
    ip_protocol_gre = 47,
    ip_protocol_esp = 50,
    ip_protocol_authentication = 51,
    ip_protocol_icmpv6 = 58,
    ip_protocol_destination_options = 60,
    ip_protocol_etherip = 97,
    ip_protocol_compression = 108,
    ip_protocol_l2tp = 115,
    ip_protocol_mobility = 135,
    ip_protocol_mpls = 137,
    ip_protocol_hip = 139,
    ip_protocol_shim6 = 140,
};

}  // namespace sanscope
