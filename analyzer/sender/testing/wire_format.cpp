// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/wire_format.h"

#include "analyzer/net/decoded_packet.h"

namespace sanscope::simulated {
namespace {

constexpr uint8_t window_scale = 11;
constexpr uint32_t timestamp_option_bytes = 12;

void append(std::vector<uint8_t>& bytes, uint32_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
        bytes.push_back(static_cast<uint8_t>(value >> shift));
}

}  // namespace

std::vector<uint8_t> tcp_options(const WireSegment& segment, const SenderOptions& agreed) {
    std::vector<uint8_t> bytes;
    if (segment.has(tcp_syn)) {
        append(bytes, 0x0204, 2);
        append(bytes, agreed.mss + (agreed.timestamps ? timestamp_option_bytes : 0), 2);
        append(bytes, 0x010303, 3);
        append(bytes, window_scale, 1);
        if (agreed.sack) append(bytes, 0x01010402, 4);
    }
    if (segment.has_timestamp) {
        append(bytes, 0x0101080a, 4);
        append(bytes, segment.timestamp, 4);
        append(bytes, segment.timestamp_echo, 4);
    }
    if (segment.sack_blocks > 0) {
        append(bytes, 0x010105, 3);
        append(bytes, 2u + 8u * segment.sack_blocks, 1);
        for (uint8_t i = 0; i < segment.sack_blocks; ++i) {
            append(bytes, segment.sack[i].begin.value, 4);
            append(bytes, segment.sack[i].end.value, 4);
        }
    }
    return bytes;
}

uint16_t window_field(const WireSegment& segment) {
    const uint32_t window = segment.has(tcp_syn) ? segment.window : segment.window >> window_scale;
    return static_cast<uint16_t>(window < 65535 ? window : 65535);
}

}  // namespace sanscope::simulated
