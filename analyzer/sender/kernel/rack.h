// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/kernel/ack_work.h"
#include "analyzer/sender/kernel/loss_marking.h"
#include "analyzer/sender/kernel/send_queue.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// RACK loss detection (RFC 8985) as in tcp_recovery.c: a segment is lost once one sent later has been delivered, and a
// reordering window has passed.
class Rack {
  public:
    Rack(SenderState& tp, SendQueue& queue) : tp_(tp), queue_(queue) {}

    // tcp_rack_advance(): the segment has been delivered now.
    void advance(const SendQueue::Segment& segment) {
        const int64_t rtt_us = tp_.now_us - segment.last_sent_us;
        if (rtt_us < tp_.min_rtt_us && segment.ever_retransmitted) return;
        advanced_ = true;
        rtt_us_ = rtt_us;
        if (skb_sent_after(segment.last_sent_us, sent_us_, segment.end, end_)) {
            sent_us_ = segment.last_sent_us;
            end_ = segment.end;
        }
    }
    // tcp_rack_mark_lost().
    void mark_lost();
    // tcp_rack_detect_loss(), as the reordering timer calls it too.
    void detect_loss();
    // tcp_rack_update_reo_wnd(): D-SACKs widen the reordering window for some recoveries.
    void update_reo_wnd(const AckWork& work);
    // tcp_dsack_seen().
    void note_dsack() { dsack_seen_ = true; }
    // tcp_undo_cwnd_reduction(): what was marked is looked at anew.
    void force_detection() { advanced_ = true; }
    // tcp_try_undo_recovery(), tcp_try_undo_dsack(): how many recoveries more the wider window is kept for.
    void count_recovery() {
        if (reo_wnd_persist_ > 0) --reo_wnd_persist_;
    }
    void extend_persistence();

    // A segment was delivered: RACK has something to compare others with.
    bool has_delivery() const { return sent_us_ != 0; }
    // tcp_rack_skb_timeout() without the reordering window: how long the segment still has.
    int64_t remaining_us(const SendQueue::Segment& segment) const {
        return rtt_us_ - (tp_.now_us - segment.last_sent_us);
    }

  private:
    int64_t reo_wnd_us() const;

    static constexpr uint32_t recovery_threshold = 16;  // TCP_RACK_RECOVERY_THRESH
    static constexpr uint32_t most_steps = 255;         // reo_wnd_steps is a byte

    SenderState& tp_;
    SendQueue& queue_;
    int64_t sent_us_ = 0;  // rack.mstamp: the latest transmission known to have been delivered
    Serial32 end_;
    int64_t rtt_us_ = 0;
    bool advanced_ = false;
    uint32_t reo_wnd_steps_ = 1;
    bool dsack_seen_ = false;
    uint32_t reo_wnd_persist_ = 0;
    uint32_t last_delivered_ = 0;
};

}  // namespace sanscope
