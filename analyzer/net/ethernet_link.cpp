// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/ethernet_link.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"

namespace sanscope {
namespace {

bool is_vlan_tag(uint16_t ether_type) {
    return ether_type == ether_type_vlan || ether_type == ether_type_service_vlan ||
           ether_type == ether_type_vlan_9100 || ether_type == ether_type_vlan_9200;
}

}  // namespace

std::optional<EthernetLink> read_ethernet_link(LinkType link_type, const uint8_t* data,
                                               uint32_t captured_length) {
    constexpr uint32_t header_length = 14;
    constexpr uint32_t tag_length = 4;
    constexpr int most_tags = 2;
    if (link_type != LinkType::ethernet || captured_length < header_length) return std::nullopt;
    EthernetLink link;
    link.source = MacAddress::from(data + 6);
    link.network_offset = header_length;
    link.ether_type = load_be16(data + 12);
    for (int tags = 0; is_vlan_tag(link.ether_type); ++tags) {
        if (tags == most_tags || captured_length < link.network_offset + tag_length) return std::nullopt;
        const uint8_t* const tag = data + link.network_offset;
        link.vlans = link.vlans << 12 | (load_be16(tag) & 0x0fffu);
        link.ether_type = load_be16(tag + 2);
        link.network_offset += tag_length;
    }
    return link;
}

}  // namespace sanscope
