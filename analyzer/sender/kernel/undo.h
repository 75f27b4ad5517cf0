// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Whether a reduction of cwnd was for nothing, as D-SACKs (RFC 3708) or echoed timestamps (Eifel, RFC 3522) show:
// undo_marker, undo_retrans and retrans_stamp of struct tcp_sock.
class Undo {
  public:
    explicit Undo(SenderState& tp) : tp_(tp) {}

    // tcp_init_undo(). `probe_resent`: a tail loss probe that sent something again is out.
    void init(bool probe_resent) {
        tp_.undo_marked = true;
        marker_ = tp_.snd_una;
        retrans_ = tp_.retrans_out;
        if (probe_resent) ++retrans_;
        if (retrans_ == 0) retrans_ = none_sent;
    }
    // tcp_retransmit_skb().
    void count_retransmission() {
        if (retrans_ < 0) retrans_ = 0;
        ++retrans_;
    }
    void stamp(uint32_t timestamp) {
        if (stamped_) return;
        stamped_ = true;
        stamp_ = timestamp;
    }
    // tcp_retrans_stamp_cleanup().
    void forget_stamp() { stamped_ = false; }

    Serial32 marker() const { return marker_; }
    // tcp_check_dsack(): a D-SACK that ends there stands for so many segments.
    void on_dsack(Serial32 end, Serial32 prior_una, uint32_t segments) {
        if (tp_.undo_marked && retrans_ > 0 && !end.after(prior_una) && end.after(marker_))
            retrans_ = std::max<int64_t>(0, retrans_ - segments);
    }
    // tcp_sacktag_one(): a D-SACK of an outstanding segment that was sent again.
    void on_dsacked_segment(Serial32 end) {
        if (tp_.undo_marked && retrans_ > 0 && end.after(marker_)) --retrans_;
    }
    // D-SACKs were seen of all that was sent again.
    bool all_dsacked() const { return tp_.undo_marked && retrans_ == 0; }

    // tcp_tsopt_ecr_before().
    bool tsecr_before(uint32_t timestamp) const {
        return tp_.timestamps && tp_.saw_tstamp && Serial32(tp_.rcv_tsecr).before(Serial32(timestamp));
    }
    // tcp_packet_delayed(): what was acknowledged is the original, late. It echoes a time before the first
    // retransmission, or there was none yet.
    bool packet_delayed() const {
        if (stamped_) return tsecr_before(stamp_);
        // Without SACK the stamp is cleared as high_seq is reached, retransmission or not.
        return tp_.sack || tp_.snd_una.before(tp_.high_seq);
    }
    // tcp_may_undo().
    bool may_undo() const { return tp_.undo_marked && (retrans_ == 0 || packet_delayed()); }

  private:
    static constexpr int64_t none_sent = -1;

    SenderState& tp_;
    Serial32 marker_;
    int64_t retrans_ = none_sent;
    uint32_t stamp_ = 0;  // TSval of the first retransmission
    bool stamped_ = false;
};

}  // namespace sanscope
