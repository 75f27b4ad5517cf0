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
    uint32_t cwnd_cnt = 0;  // snd_cwnd_cnt: acknowledged towards the next growth

    bool in_slow_start() const { return cwnd < ssthresh; }

    // tcp_slow_start(): grows by what was acknowledged, up to ssthresh; returns what is left.
    uint32_t slow_start(uint32_t acked) {
        const uint32_t grown = std::min(cwnd + acked, ssthresh);
        acked -= grown - cwnd;
        cwnd = grown;
        return acked;
    }

    // tcp_cong_avoid_ai(): one more for each `every` acknowledged.
    void cong_avoid_ai(uint32_t every, uint32_t acked) {
        if (cwnd_cnt >= every) {
            cwnd_cnt = 0;
            ++cwnd;
        }
        cwnd_cnt += acked;
        if (cwnd_cnt >= every) {
            const uint32_t more = cwnd_cnt / every;
            cwnd_cnt -= more * every;
            cwnd += more;
        }
    }
};

}  // namespace sanscope
