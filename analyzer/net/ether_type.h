// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// The IEEE's EtherTypes that are followed; GRE and GENEVE use the same numbers.
enum EtherType : uint16_t {
    ether_type_ipv4 = 0x0800,
    ether_type_arp = 0x0806,
    ether_type_transparent_bridging = 0x6558,  // a whole Ethernet frame
    ether_type_vlan = 0x8100,                  // IEEE 802.1Q customer tag
    ether_type_ipv6 = 0x86dd,
    ether_type_mpls = 0x8847,
    ether_type_mpls_upstream = 0x8848,
    ether_type_pppoe_session = 0x8864,
    ether_type_service_vlan = 0x88a8,  // IEEE 802.1ad
    ether_type_vlan_9100 = 0x9100,     // service tags of before 802.1ad
    ether_type_vlan_9200 = 0x9200,
    ether_type_erspan = 0x88be,  // types I and II
    ether_type_erspan_3 = 0x22eb,
    ether_type_ppp = 0x880b,
    ether_type_fabric_path = 0x8903,       // Cisco's, a whole Ethernet frame behind a tag
    ether_type_cisco_metadata = 0x8909,    // a TrustSec tag in front of the EtherType
    ether_type_backbone_service = 0x88e7,  // IEEE 802.1ah I-TAG
    ether_type_vn_tag = 0x8926,            // Cisco's, of before IEEE 802.1BR
    ether_type_e_tag = 0x893f,             // IEEE 802.1BR
    ether_type_macsec = 0x88e5,
    ether_type_nsh = 0x894f,
    ether_type_trill = 0x22f3,
    ether_type_hsr = 0x892f,
};

// Below this, the field of an Ethernet header is the length of an LLC frame (IEEE 802.3 §3.2.6).
constexpr uint16_t ether_type_min = 0x0600;

}  // namespace sanscope
