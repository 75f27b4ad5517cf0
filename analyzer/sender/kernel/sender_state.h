// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a Linux sender keeps of one connection that does not depend on its congestion control: named as in Linux's
// struct tcp_sock. Counts are segments, times microseconds since the epoch.
struct SenderState {
    int64_t now_us = 0;
    Serial32 snd_una;
    Serial32 snd_nxt;
    uint32_t mss = 1448;
    uint32_t packets_out = 0;
    uint32_t sacked_out = 0;  // without SACK: counted duplicate ACKs
    uint32_t lost_out = 0;
    uint32_t retrans_out = 0;
    uint32_t delivered = 0;
    uint32_t lost = 0;  // ever marked

    CaState ca_state = CaState::open;
    Serial32 high_seq;  // SND.NXT when the present state began
    bool undo_marked = false;
    uint32_t prr_delivered = 0;
    uint32_t prr_out = 0;
    bool sack = true;

    int64_t srtt_us = 0;  // 0: none yet
    int64_t rto_us = 1'000'000;
    int64_t min_rtt_us = no_min_rtt;
    // Not Linux's: times are the tap's, and the handshake, when no queue was its own, is among them.
    bool min_rtt_is_path = false;
    // Not Linux's: no round trip is shorter, from what a remote tap shows of the path; 0: it is not known.
    int64_t least_rtt_us = 0;
    int64_t last_sent_us = 0;  // data, for the last time

    int64_t delivered_us = 0;  // when `delivered` grew last
    // Until so many are delivered, rate samples are application-limited; 0: they are not.
    uint32_t app_limited = 0;
    // The same where nothing else can have held the sender back. Not Linux's, which sees it.
    uint32_t surely_app_limited = 0;

    uint32_t snd_wnd = 0;        // bytes, as advertised
    bool snd_wnd_known = false;  // once there was an acknowledgement
    Serial32 wnd_end;            // one past the last byte that may be sent
    static constexpr int64_t no_min_rtt = int64_t{1} << 40;

    Serial32 snd_wl1;  // sequence number of the segment that updated the window last (RFC 9293 §3.10.7.4)
    bool snd_wl1_known = false;
    uint32_t max_window = 0;  // the largest that was advertised

    static constexpr uint32_t default_reordering = 3;  // net.ipv4.tcp_reordering
    uint32_t reordering = default_reordering;          // segments
    bool reord_seen = false;
    uint64_t total_retrans = 0;

    bool timestamps = true;  // negotiated (RFC 7323)
    // Of the acknowledgement at hand (tp->rx_opt).
    bool saw_tstamp = false;
    uint32_t rcv_tsecr = 0;

    int64_t first_tx_us = 0;   // first_tx_mstamp: the sending of the segment that was delivered last
    int64_t rto_start_us = 0;  // tcp_rearm_rto()
    int64_t pto_start_us = 0;  // tcp_schedule_loss_probe()
    // tcp_mark_skb_lost() found the head of the queue lost, for the last time. Not Linux's: it sends it again at once.
    int64_t head_lost_us = 0;

    // RFC 6675's pipe (tcp_packets_in_flight).
    uint32_t in_flight() const {
        const uint32_t left = sacked_out + lost_out;
        const uint32_t out = packets_out + retrans_out;
        return out > left ? out - left : 0;
    }
    // tcp_in_cwnd_reduction().
    bool in_cwnd_reduction() const { return ca_state == CaState::cwr || ca_state == CaState::recovery; }
};

}  // namespace sanscope
