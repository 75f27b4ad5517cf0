// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace sanscope {

// The congestion window of a candidate sender, in segments, with the arithmetic that Linux's congestion controls share
// (tcp_cong.c).
struct Window {
    static constexpr uint32_t infinite_ssthresh = 0x7fffffff;

    uint32_t cwnd = 10;  // RFC 6928
    uint32_t ssthresh = infinite_ssthresh;
    uint32_t acked_towards_growth = 0;  // snd_cwnd_cnt

    bool in_slow_start() const { return cwnd < ssthresh; }

    // Grows by what was acknowledged, up to ssthresh; returns what is left.
    uint32_t slow_start(uint32_t acked) {
        const uint32_t grown = std::min(cwnd + acked, ssthresh);
        acked -= grown - cwnd;
        cwnd = grown;
        return acked;
    }

    // One more for each `every` acknowledged.
    void grow_by_one_every(uint32_t every, uint32_t acked) {
        if (acked_towards_growth >= every) {
            acked_towards_growth = 0;
            ++cwnd;
        }
        acked_towards_growth += acked;
        if (acked_towards_growth >= every) {
            const uint32_t more = acked_towards_growth / every;
            acked_towards_growth -= more * every;
            cwnd += more;
        }
    }
};

}  // namespace sanscope
