// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace sanscope {

// What one point saw of one TCP segment: enough to find the same bytes in a capture taken elsewhere.
struct SegmentRecord {
    int64_t time_ns = 0;  // by the point's own clock, since the epoch
    uint64_t packet = 0;  // in the point's capture, 1-based
    uint32_t flow = 0;    // connection and direction: PointCapture::flow()
    uint32_t seq = 0;     // as in the header
    uint32_t ack = 0;
    uint32_t length = 0;  // bytes of payload on the wire, whatever the snap length left of them
    uint32_t tsval = 0;   // RFC 7323 §3.2; 0 where has_tsval is false
    uint32_t sack = 0;    // 1 + its place among the capture's SackRecords; 0: none
    uint16_t ip_id = 0;   // IPv4 identification, 0 for IPv6
    uint16_t window = 0;  // unscaled
    uint16_t flags = 0;   // TcpFlag
    bool has_tsval = false;

    bool operator==(const SegmentRecord&) const = default;
};
static_assert(sizeof(SegmentRecord) == 48);

// SACK blocks of a segment (RFC 2018 §3), in the header's order: a D-SACK is the first (RFC 2883).
struct SackRecord {
    std::array<uint32_t, 4> begin{};
    std::array<uint32_t, 4> end{};
    uint32_t blocks = 0;

    bool operator==(const SackRecord&) const = default;
};

}  // namespace sanscope
