// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/base/byte_order.h"
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

// Whether they begin as those of nearly every segment of an established connection, laid out as RFC 7323 Appendix A recommends: with
// a TCP timestamp.
inline bool has_padded_timestamps(const DecodedPacket& packet) {
    constexpr uint32_t padded_timestamps = 0x0101080a;
    return packet.options_length >= 12 && load_be32(packet.options) == padded_timestamps;
}
// The TSval of such.
inline uint32_t padded_timestamp(const DecodedPacket& packet) {
    return load_be32(packet.options + 4);
}

// What parse_tcp_options() leaves to it.
void parse_other_tcp_options(const DecodedPacket& packet, TcpOptions& out);

// Reads the captured options of a packet of Kind::tcp. An option whose length is impossible ends the reading,
// as does one that the capture cut: what stood before it counts. Of an option that is repeated the last one
// counts.
inline void parse_tcp_options(const DecodedPacket& packet, TcpOptions& out) {
    out = TcpOptions{};
    if (packet.options_length == 12 && has_padded_timestamps(packet)) {
        out.has_timestamps = true;
        out.timestamp = padded_timestamp(packet);
        out.timestamp_echo = load_be32(packet.options + 8);
    } else if (packet.options_length > 0) {
        parse_other_tcp_options(packet, out);
    }
}

}  // namespace sanscope
