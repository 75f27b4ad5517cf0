// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/tcp_options.h"

#include <algorithm>

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

// Kinds of the IANA registry "TCP Option Kind Numbers".
enum : uint8_t {
    option_end = 0,
    option_nop = 1,
    option_mss = 2,
    option_window_scale = 3,
    option_sack_permitted = 4,
    option_sack = 5,
    option_timestamps = 8,
};

constexpr uint8_t max_window_scale = 14;

void read_timestamps(const uint8_t* value, TcpOptions& out) {
    out.has_timestamps = true;
    out.timestamp = load_be32(value);
    out.timestamp_echo = load_be32(value + 4);
}

void read_option(uint8_t kind, const uint8_t* value, uint32_t length, TcpOptions& out) {
    switch (kind) {
        case option_mss:
            if (length != 2) return;
            out.has_mss = true;
            out.mss = load_be16(value);
            return;
        case option_window_scale:
            if (length != 1) return;
            out.has_window_scale = true;
            out.window_scale = std::min(value[0], max_window_scale);
            return;
        case option_sack_permitted:
            if (length == 0) out.sack_permitted = true;
            return;
        case option_sack:
            if (length % 8 != 0) return;
            out.sack_blocks = static_cast<uint8_t>(std::min<size_t>(length / 8, out.sack.size()));
            for (size_t i = 0; i < out.sack_blocks; ++i, value += 8) {
                out.sack[i] = {Serial32(load_be32(value)), Serial32(load_be32(value + 4))};
            }
            return;
        case option_timestamps:
            if (length == 8) read_timestamps(value, out);
            return;
        default:
            return;
    }
}

}  // namespace

void parse_other_tcp_options(const DecodedPacket& packet, TcpOptions& out) {
    const uint8_t* at = packet.options;
    uint32_t left = packet.options_length;
    while (left > 0) {
        const uint8_t kind = at[0];
        if (kind == option_end) return;
        uint32_t length = 1;
        if (kind != option_nop) {
            if (left < 2) return;
            length = at[1];
            if (length < 2 || length > left) return;
            read_option(kind, at + 2, length - 2, out);
        }
        at += length;
        left -= length;
    }
}

}  // namespace sanscope
