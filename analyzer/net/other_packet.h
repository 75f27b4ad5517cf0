// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/base/link_type.h"
#include "analyzer/vocabulary/ip_address.h"
#include "analyzer/vocabulary/mac_address.h"

namespace sanscope {

// What is to be said of a frame that brings no whole TCP segment: its protocol, who sent it to whom. By the outermost headers;
// tunnels are not followed.
struct OtherPacket {
    enum class Protocol : uint8_t {
        unknown,
        arp,
        icmp,
        icmp_v6,
        igmp,
        udp,
        tcp,  // its header was cut off, or contradicts itself
        sctp,
        gre,
        esp,
        ospf,
        vrrp,
        other_ipv4,
        other_ipv6,
        lldp,
        spanning_tree,
        flow_control,
        llc,
        other_ethernet,
    };
    enum class Addresses : uint8_t { none, mac, ip };

    Protocol protocol = Protocol::unknown;
    Addresses addresses = Addresses::none;
    bool fragment = false;     // of an IP datagram
    uint8_t type = 0;          // of ICMP and ICMPv6; of ARP 1 for a request, 2 for a reply
    uint16_t number = 0;       // EtherType or IP protocol
    uint16_t source_port = 0;  // of UDP; 0: not captured
    uint16_t destination_port = 0;
    IpAddress source;  // of ARP what is said and what is asked for
    IpAddress destination;
    MacAddress source_mac;  // of ARP the address said to be the source's
    MacAddress destination_mac;
};

// Never reads past `captured_length`.
OtherPacket read_other_packet(LinkType link_type, const uint8_t* data, uint32_t captured_length);

// As Wireshark has it: "ARP", "ICMPv6"; empty where it is not known.
std::string_view protocol_name(OtherPacket::Protocol protocol);
// Of ICMP and ICMPv6: "echo request", "neighbor solicitation"; empty for what has no name here.
std::string_view icmp_type_name(const OtherPacket& packet);

}  // namespace sanscope
