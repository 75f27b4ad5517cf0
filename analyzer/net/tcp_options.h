// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope {

// The TCP options that tell something about the sender's state. What a has_… denies is 0.
struct TcpOptions {
    struct SackBlock {
        Serial32 begin;
        Serial32 end;  // one past the last byte
    };

    bool has_mss = false;
    bool has_window_scale = false;
    bool has_timestamps = false;
    bool sack_permitted = false;
    uint8_t window_scale = 0;     // the shift, at most 14 (RFC 7323 §2.3)
    uint8_t sack_blocks = 0;      // how many of `sack` hold
    uint16_t mss = 0;             // bytes (RFC 9293 §3.7.1)
    uint32_t timestamp = 0;       // TSval (RFC 7323 §3.2)
    uint32_t timestamp_echo = 0;  // TSecr
    std::array<SackBlock, 4>
        sack{};  // RFC 2018 §3, in the order of the header: a D-SACK is the first (RFC 2883)
};

// Reads the captured options of a packet of Kind::tcp. An option whose length is impossible ends the reading,
// as does one that the capture cut: what stood before it counts. Of an option that is repeated the last one
// counts.
void parse_tcp_options(const DecodedPacket& packet, TcpOptions& out);

}  // namespace sanscope
