// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/kernel/rack.h"

#include <algorithm>

namespace sanscope {

// tcp_rack_reo_wnd().
int64_t Rack::reo_wnd_us() const {
    if (!tp_.reord_seen) {
        if (tp_.ca_state >= CaState::recovery) return 0;
        if (tp_.sacked_out >= tp_.reordering) return 0;
    }
    return std::min((tp_.min_rtt_us >> 2) * reo_wnd_steps_, tp_.srtt_us);
}

void Rack::detect_loss() {
    const int64_t window_us = reo_wnd_us();
    SendQueue::Index next = SendQueue::none;
    for (SendQueue::Index i = queue_.oldest_sent(); i != SendQueue::none; i = next) {
        const SendQueue::Segment& segment = queue_[i];
        next = queue_.newer(i);
        if (segment.lost && !segment.retransmitted) continue;
        if (!skb_sent_after(sent_us_, segment.last_sent_us, end_, segment.end)) break;
        if (remaining_us(segment) + window_us > 0) continue;
        mark_skb_lost(tp_, queue_, i);
        queue_.leave_time_order(i);
    }
}

void Rack::mark_lost() {
    if (!advanced_) return;
    advanced_ = false;
    detect_loss();
}

void Rack::update_reo_wnd(const AckWork& work) {
    if (work.prior_delivered == 0) return;
    if (static_cast<int32_t>(work.prior_delivered - last_delivered_) < 0) dsack_seen_ = false;
    if (dsack_seen_) {
        reo_wnd_steps_ = std::min(most_steps, reo_wnd_steps_ + 1);
        dsack_seen_ = false;
        last_delivered_ = tp_.delivered;
        reo_wnd_persist_ = recovery_threshold;
    } else if (reo_wnd_persist_ == 0) {
        reo_wnd_steps_ = 1;
    }
}

void Rack::extend_persistence() {
    reo_wnd_persist_ = std::min(recovery_threshold, reo_wnd_persist_ + 1);
}

}  // namespace sanscope
