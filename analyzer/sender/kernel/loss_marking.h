// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/send_queue.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

constexpr uint32_t max_reordering = 300;  // net.ipv4.tcp_max_reordering

// tcp_mark_skb_lost(): a segment is lost, or the retransmission of it that was in flight is.
inline void mark_skb_lost(SenderState& tp, SendQueue& queue, SendQueue::Index i) {
    SendQueue::Segment& segment = queue[i];
    if (segment.sacked) return;
    if (segment.lost && !segment.retransmitted) return;
    if (i == queue.first()) tp.head_lost_us = tp.now_us;
    ++tp.lost;
    if (segment.lost) {
        segment.retransmitted = false;
        --tp.retrans_out;
        return;
    }
    segment.lost = true;
    ++tp.lost_out;
}

// tcp_check_sack_reordering(): a segment that begins at `low` was delivered after that at `highest`.
inline void check_sack_reordering(SenderState& tp, Serial32 low, Serial32 highest) {
    if (!low.before(highest)) return;
    const auto extent = static_cast<uint32_t>(low.distance_to(highest));
    if (extent > tp.reordering * tp.mss)
        tp.reordering = std::min((extent + tp.mss - 1) / tp.mss, max_reordering);
    tp.reord_seen = true;
}

// tcp_skb_sent_after(): by time, and by sequence where that is the same.
inline bool skb_sent_after(int64_t one_us, int64_t other_us, Serial32 one_end, Serial32 other_end) {
    return one_us > other_us || (one_us == other_us && one_end.after(other_end));
}

// tcp_any_retrans_done().
inline bool any_retrans_done(const SenderState& tp, const SendQueue& queue) {
    return tp.retrans_out > 0 || (!queue.empty() && queue[queue.first()].ever_retransmitted);
}

}  // namespace sanscope
