// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/arp_message.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/net/ether_type.h"

namespace sanscope {

std::optional<ArpMessage> read_arp_message(const DecodedPacket& packet) {
    constexpr uint32_t length = 28;
    if (packet.kind != DecodedPacket::Kind::arp || packet.payload_captured < length) return std::nullopt;
    const uint8_t* const arp = packet.payload;
    constexpr uint16_t ethernet = 1;
    constexpr uint16_t address_lengths = 0x0604;
    if (load_be16(arp) != ethernet || load_be16(arp + 2) != ether_type_ipv4 ||
        load_be16(arp + 4) != address_lengths)
        return std::nullopt;
    constexpr uint16_t request = 1;
    constexpr uint16_t reply = 2;
    const uint16_t operation = load_be16(arp + 6);
    if (operation != request && operation != reply) return std::nullopt;
    return ArpMessage{.is_reply = operation == reply,
                      .sender_mac = MacAddress::from(arp + 8),
                      .sender = IpAddress::from_v4(arp + 14),
                      .target = IpAddress::from_v4(arp + 24)};
}

}  // namespace sanscope
