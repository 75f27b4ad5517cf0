// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/events/sender_events.h"

namespace sanscope::simulated {

// One TCP segment on the simulated wire, of either direction.
struct WireSegment {
    Serial32 seq;
    Serial32 ack;
    uint32_t length = 0;  // payload bytes
    uint32_t window = 0;  // bytes, scaled
    uint32_t timestamp = 0;
    uint32_t timestamp_echo = 0;
    uint16_t flags = tcp_ack;
    uint16_t ip_id = 0;
    bool has_timestamp = false;
    bool ecn_capable = false;             // ECT(0) in the IP header
    bool congestion_experienced = false;  // CE: set on the way
    uint8_t sack_blocks = 0;
    std::array<ReceivedAck::Block, 4> sack;

    Serial32 end() const { return seq + length; }
    bool has(uint16_t flag) const { return (flags & flag) != 0; }
};

}  // namespace sanscope::simulated
