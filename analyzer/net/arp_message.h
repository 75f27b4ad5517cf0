// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/vocabulary/mac_address.h"

namespace sanscope {

// An ARP request or reply of Ethernet and IPv4 (RFC 826).
struct ArpMessage {
    bool is_reply = false;
    MacAddress sender_mac;
    IpAddress sender;  // 0.0.0.0 in a probe, which claims nothing (RFC 5227 §1.1)
    IpAddress target;  // that is asked for; of a reply, who had asked

    // Somebody says that an address is theirs.
    bool is_claim() const {
        constexpr std::array<uint8_t, 4> nobody = {};
        return sender != IpAddress::from_v4(nobody.data()) && sender_mac.is_of_one_host();
    }
};

// Of a packet of Kind::arp; none where it is of other networks, or the capture cut it.
std::optional<ArpMessage> read_arp_message(const DecodedPacket& packet);

}  // namespace sanscope
