// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/base/link_type.h"
#include "analyzer/vocabulary/mac_address.h"

namespace sanscope {

// Between whom a frame went, and in which VLAN.
struct EthernetLink {
    MacAddress source;
    uint32_t vlans = 0;           // the IDs of its tags, outermost first, 12 bits each; 0: untagged
    uint32_t network_offset = 0;  // where the header behind addresses, tags and EtherType begins
    uint16_t ether_type = 0;
};

// None where the frame is no Ethernet frame, has more than two tags, or is cut within them.
std::optional<EthernetLink> read_ethernet_link(LinkType link_type, const uint8_t* data,
                                               uint32_t captured_length);

}  // namespace sanscope
