// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Segments that a sender hands down at once over so short a path, beyond a millisecond's worth at its pacing rate: the part of
// tcp_tso_autosize() that goes by the least round trip (net.ipv4.tcp_tso_rtt_log).
inline uint64_t segments_for_near(const SenderState& tp) {
    constexpr uint32_t most_at_once = 65536;  // GSO_MAX_SIZE
    constexpr int64_t bits = 16;
    const int64_t halvings = tp.min_rtt_us >> 9;
    return halvings < bits ? (most_at_once >> halvings) / tp.mss : 0;
}

}  // namespace sanscope
