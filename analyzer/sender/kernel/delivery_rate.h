// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/ack_work.h"
#include "analyzer/sender/kernel/loss_marking.h"
#include "analyzer/sender/kernel/rate_sample.h"
#include "analyzer/sender/kernel/send_queue.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// tcp_rate.c: the delivery rate that acknowledgements show (draft-cheng-iccrg-delivery-rate-estimation).

// tcp_rate_skb_sent(), where nothing is outstanding.
inline void rate_start_flight(SenderState& tp) {
    tp.first_tx_us = tp.now_us;
    tp.delivered_us = tp.now_us;
}

// tcp_rate_skb_sent().
inline void rate_skb_sent(const SenderState& tp, SendQueue::Segment& segment) {
    segment.first_tx_us = tp.first_tx_us;
    segment.delivered_us = tp.delivered_us;
    segment.delivered = tp.delivered;
    segment.app_limited = tp.app_limited != 0;
    segment.surely_app_limited = tp.surely_app_limited != 0;
}

// tcp_rate_skb_delivered(): the newest transmission that the acknowledgement delivers gives the sample.
inline void rate_skb_delivered(SenderState& tp, AckWork& work, const SendQueue::Segment& segment) {
    if (work.newest_sent_us != 0 &&
        !skb_sent_after(segment.last_sent_us, work.newest_sent_us, segment.end, work.newest_end))
        return;
    work.newest_sent_us = segment.last_sent_us;
    work.newest_end = segment.end;
    work.prior_delivered = segment.delivered;
    work.prior_delivered_us = segment.delivered_us;
    work.app_limited = segment.app_limited;
    work.surely_app_limited = segment.surely_app_limited;
    tp.first_tx_us = segment.last_sent_us;
    work.send_interval_us = tp.first_tx_us - segment.first_tx_us;
}

// tcp_rate_gen().
inline RateSample rate_gen(SenderState& tp, const AckWork& work, uint32_t delivered) {
    const auto is_delivered = [&](uint32_t until) { return static_cast<int32_t>(tp.delivered - until) > 0; };
    if (tp.app_limited != 0 && is_delivered(tp.app_limited)) tp.app_limited = 0;
    if (tp.surely_app_limited != 0 && is_delivered(tp.surely_app_limited)) tp.surely_app_limited = 0;
    if (delivered > 0) tp.delivered_us = tp.now_us;
    RateSample rate;
    rate.prior_delivered = work.prior_delivered;
    rate.app_limited = work.app_limited;
    rate.surely_app_limited = work.surely_app_limited;
    if (work.prior_delivered_us == 0) return rate;
    rate.delivered = static_cast<int32_t>(tp.delivered - work.prior_delivered);
    rate.interval_us = std::max(work.send_interval_us, tp.now_us - work.prior_delivered_us);
    if (rate.interval_us < tp.min_rtt_us) rate.interval_us = -1;
    return rate;
}

}  // namespace sanscope
