// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/kernel/ack_work.h"
#include "analyzer/sender/kernel/ca_state_machine.h"
#include "analyzer/sender/kernel/congestion_ops.h"
#include "analyzer/sender/kernel/delivery_rate.h"
#include "analyzer/sender/kernel/rate_sample.h"
#include "analyzer/sender/kernel/reno_sack.h"
#include "analyzer/sender/kernel/round_trip.h"
#include "analyzer/sender/kernel/scoreboard.h"
#include "analyzer/sender/kernel/send_queue.h"
#include "analyzer/sender/kernel/sender_state.h"
#include "analyzer/sender/kernel/tail_loss_probe.h"
#include "analyzer/sender/kernel/undo.h"

namespace sanscope {

// A Linux TCP sender (6.x), replayed: what its kernel does as a segment is sent, an acknowledgement comes in or a timer
// runs out. Which of these happens, and when, whoever drives it says.
//
// `Cwnds` (see CaStateMachine) holds the windows of the congestion controls that are replayed beside each other.
template <class Cwnds>
class LinuxSender {
  public:
    using Index = SendQueue::Index;
    using Segment = SendQueue::Segment;

    LinuxSender(SendBudget& budget, Cwnds& cwnds, KernelObserver& observer)
        : queue_(budget),
          rack_(tp_, queue_),
          undo_(tp_),
          probe_(tp_),
          round_trip_(tp_),
          scoreboard_(tp_, queue_, rack_, undo_, probe_, observer),
          ca_(tp_, queue_, scoreboard_, rack_, undo_, probe_, cwnds, observer),
          cwnds_(cwnds),
          observer_(observer) {}

    LinuxSender(const LinuxSender&) = delete;
    LinuxSender& operator=(const LinuxSender&) = delete;

    SenderState& tp() { return tp_; }
    const SenderState& tp() const { return tp_; }
    SendQueue& queue() { return queue_; }
    const SendQueue& queue() const { return queue_; }
    const TailLossProbe& probe() const { return probe_; }
    bool rtt_measured() const { return round_trip_.measured(); }

    // The sequence begins here.
    void init_sequence(Serial32 seq) {
        tp_.snd_una = tp_.snd_nxt = tp_.high_seq = seq;
        tp_.snd_wl1_known = false;
    }
    // Not Linux's: what is outstanding is not known any more, and all of it is taken to have arrived.
    void reset_queue(Serial32 seq);

    // tcp_send_syn() and tcp_rtx_synack().
    void send_syn() {
        syn_outstanding_ = true;
        ++syn_transmissions_;
    }
    void resend_syn() { ++syn_transmissions_; }
    bool syn_outstanding() const { return syn_outstanding_ && !queue_.empty(); }

    // tcp_slow_start_after_idle_check() and CA_EVENT_TX_START, as tcp_event_data_sent() and tcp_transmit_skb() call
    // them.
    void slow_start_after_idle_check();
    void start_transmission();
    // tcp_event_new_data_sent() and tcp_rate_skb_sent(), where nothing is outstanding.
    void start_flight() {
        if (tp_.packets_out != 0) return;
        tp_.rto_start_us = tp_.now_us;
        rate_start_flight(tp_);
    }
    // tcp_event_new_data_sent(). The caller sets what describes the segment's packet.
    Segment& queue_new_segment(Serial32 begin, Serial32 end);
    // tcp_send_loss_probe() with new data, which are in the queue.
    void send_probe_of_new_data() { probe_.send(false); }
    // tcp_send_loss_probe() with the last segment.
    void send_loss_probe();
    // tcp_retransmit_skb(). `timestamp`: its TSval.
    void retransmit_skb(Index i, uint32_t timestamp);
    void stamp_transmission(Index i, uint32_t timestamp);

    // tcp_rack_reo_timeout(), but for entering Recovery.
    uint32_t rack_detect_loss() {
        const uint32_t prior = tp_.lost;
        rack_.detect_loss();
        return tp_.lost - prior;
    }
    bool rack_has_delivery() const { return rack_.has_delivery(); }
    // The rest of it.
    void rack_reo_timeout(uint32_t newly_lost);
    // tcp_retransmit_timer(). True: the first of a series.
    bool retransmit_timer() {
        const bool first = ca_.enter_loss();
        ca_.count_timeout();
        return first;
    }
    // The sender learnt that this is lost, the capture does not show how.
    void mark_lost(Index i) { mark_skb_lost(tp_, queue_, i); }
    void enter_recovery(const char* cause) { ca_.enter_recovery(false, cause); }
    void stop_frto() { ca_.frto().on_retransmit(tp_); }
    void count_retransmission_before_una() {
        ++tp_.total_retrans;
        undo_.count_retransmission();
    }
    void set_ca_state(CaState to, const char* cause) { ca_.set_ca_state(to, cause); }
    void cancel_probe() { probe_.cancel(); }

    // tcp_ack(). `tsopt_rtt_us()`: what the echoed timestamp says of the round trip, negative if nothing.
    template <class TsoptRtt>
    void ack(const ReceivedAck& ack, TsoptRtt&& tsopt_rtt_us);
    // tcp_ack_update_window(). True: it is newer than what the window is known by.
    bool ack_update_window(const ReceivedAck& ack);

  private:
    static constexpr uint32_t unscaled_window =
        1 << 30;  // what a window of unknown scale may be (RFC 7323 §2.3)

    // As tcp_ack() begins.
    struct BeforeAck {
        Serial32 fack;
        uint32_t packets_out;
        uint32_t in_flight;
        uint32_t delivered;
        uint32_t lost;
    };
    void cong_control(const AckWork& work, const BeforeAck& before, bool established);
    // Of the segments that tcp_clean_rtx_queue() removes.
    struct Acked {
        int64_t first_sent_us = 0;  // sent once and not SACKed; 0: none was
        int64_t last_sent_us = 0;
        Serial32 reordered;  // the lowest of them
        uint32_t segments = 0;
    };
    bool echoes_original(const Segment& segment) const;
    bool came_too_soon(const Segment& segment) const;
    bool answers_what_arrived(const ReceivedAck& ack) const;
    void take_acked(const Segment& segment, AckWork& work, Serial32 prior_fack, Acked& acked);
    template <class TsoptRtt>
    void clean_rtx_queue(AckWork& work, Serial32 prior_fack, TsoptRtt&& tsopt_rtt_us);
    void on_syn_acked(AckFlags& flags);

    SenderState tp_;
    SendQueue queue_;
    Rack rack_;
    Undo undo_;
    TailLossProbe probe_;
    RoundTrip round_trip_;
    Scoreboard scoreboard_;
    CaStateMachine<Cwnds> ca_;
    Cwnds& cwnds_;
    KernelObserver& observer_;
    ReceivedAck::Block last_block_;  // the first of the last acknowledgement's
    uint8_t last_blocks_ = 0;
    bool syn_outstanding_ = false;
    uint32_t syn_transmissions_ = 0;
};

template <class Cwnds>
void LinuxSender<Cwnds>::reset_queue(Serial32 seq) {
    queue_.clear();
    scoreboard_.clear();
    tp_.packets_out = tp_.sacked_out = tp_.lost_out = tp_.retrans_out = 0;
    tp_.snd_una = tp_.snd_nxt = tp_.high_seq = seq;
    tp_.undo_marked = false;
    probe_.cancel();
    syn_outstanding_ = false;
    set_ca_state(CaState::open, "lost track");
}

template <class Cwnds>
void LinuxSender<Cwnds>::slow_start_after_idle_check() {
    if (tp_.packets_out != 0 || tp_.last_sent_us == 0) return;
    const int64_t idle_us = tp_.now_us - tp_.last_sent_us;
    if (idle_us > tp_.rto_us) cwnds_.each([&](auto& cwnd) { cwnd.cwnd_restart(tp_, idle_us); });
}

template <class Cwnds>
void LinuxSender<Cwnds>::start_transmission() {
    if (tp_.in_flight() == 0) cwnds_.each([&](auto& cwnd) { cwnd.cwnd_event(tp_, CwndEvent::tx_start); });
}

template <class Cwnds>
SendQueue::Segment& LinuxSender<Cwnds>::queue_new_segment(Serial32 begin, Serial32 end) {
    Segment& added = queue_.push_back();
    added.begin = begin;
    added.end = end;
    added.first_sent_us = tp_.now_us;
    added.last_sent_us = tp_.now_us;
    rate_skb_sent(tp_, added);
    ++tp_.packets_out;
    return added;
}

template <class Cwnds>
void LinuxSender<Cwnds>::send_loss_probe() {
    probe_.send(true);
    tp_.pto_start_us = tp_.now_us;
    ++tp_.total_retrans;
}

template <class Cwnds>
void LinuxSender<Cwnds>::retransmit_skb(Index i, uint32_t timestamp) {
    Segment& again = queue_[i];
    ++tp_.total_retrans;
    if (!again.retransmitted && !again.sacked) ++tp_.retrans_out;
    if (!again.sacked) again.retransmitted = true;
    undo_.stamp(timestamp);
    undo_.count_retransmission();
    if (tp_.in_cwnd_reduction()) ++tp_.prr_out;
    if (i == queue_.first()) tp_.rto_start_us = tp_.now_us;
}

// What both kinds of retransmission have in common.
template <class Cwnds>
void LinuxSender<Cwnds>::stamp_transmission(Index i, uint32_t timestamp) {
    Segment& again = queue_[i];
    again.ever_retransmitted = true;
    again.last_sent_us = tp_.now_us;
    again.timestamp = timestamp;
    rate_skb_sent(tp_, again);
    if (!again.sacked) queue_.resent(i);
}

template <class Cwnds>
void LinuxSender<Cwnds>::rack_reo_timeout(uint32_t newly_lost) {
    if (tp_.ca_state == CaState::recovery) return;
    ca_.enter_recovery(false, "reordering timeout");
    ++tp_.prr_delivered;
    cwnds_.each([&](auto& cwnd) { cwnd.cwnd_reduction(tp_, 1, newly_lost, false); });
}

template <class Cwnds>
bool LinuxSender<Cwnds>::ack_update_window(const ReceivedAck& ack) {
    const bool newer = !tp_.snd_wl1_known || ack.ack.after(tp_.snd_una) || ack.seq.after(tp_.snd_wl1) ||
                       (ack.seq == tp_.snd_wl1 && (ack.window > tp_.snd_wnd || ack.window == 0));
    if (newer) {
        tp_.snd_wl1 = ack.seq;
        tp_.snd_wl1_known = true;
        tp_.snd_wnd = ack.window;
        tp_.snd_wnd_known = ack.scale_known;
        tp_.max_window = std::max(tp_.max_window, ack.scale_known ? ack.window : unscaled_window);
    }
    tp_.wnd_end = ack.ack + (ack.scale_known ? tp_.snd_wnd : unscaled_window);
    return newer;
}

template <class Cwnds>
template <class TsoptRtt>
void LinuxSender<Cwnds>::ack(const ReceivedAck& ack, TsoptRtt&& tsopt_rtt_us) {
    AckWork work;
    work.ack = &ack;
    work.prior_una = tp_.snd_una;
    if (ack.ack.before(tp_.snd_una)) {
        if (ack.sack_blocks > 0 && tp_.sack) {
            scoreboard_.sacktag_write_queue(work);
            ca_.fastretrans_alert(work, 0);
        }
        return;
    }
    AckFlags& flags = work.flags;
    if (ack.ack.after(tp_.snd_una)) {
        flags.una_advanced = true;
        ca_.end_timeouts();
    }
    const BeforeAck before{tp_.sack ? scoreboard_.highest_sack_seq() : tp_.snd_una, tp_.packets_out,
                           tp_.in_flight(), tp_.delivered, tp_.lost};

    flags.data = ack.payload_length > 0;
    if (!flags.una_advanced && answers_what_arrived(ack)) observer_.on_unasked_ack(ack.time_ns);
    last_blocks_ = ack.sack_blocks;
    if (ack.sack_blocks > 0) last_block_ = ack.sack[0];
    flags.window_update = ack_update_window(ack);
    tp_.snd_una = ack.ack;
    if (ack.sack_blocks > 0 && tp_.sack) scoreboard_.sacktag_write_queue(work);
    if ((ack.flags & tcp_ece) != 0 && (ack.flags & tcp_syn) == 0) flags.ece = true;
    tp_.delivered += work.sack_delivered;

    if (before.packets_out == 0) {
        if (flags.dsacking) ca_.fastretrans_alert(work, 0);
        if (probe_.out()) ca_.process_tlp_ack(work);
        return;
    }
    clean_rtx_queue(work, before.fack, tsopt_rtt_us);
    rack_.update_reo_wnd(work);
    if (probe_.out()) ca_.process_tlp_ack(work);
    // tcp_ack_is_dubious().
    if (!flags.not_dup() || flags.ca_alert() || tp_.ca_state != CaState::open) {
        const bool duplicate = !flags.una_advanced && !flags.not_dup() && !flags.dsacking;
        ca_.fastretrans_alert(work, duplicate ? 1 : 0);
    }

    // The handshake is acknowledged before there is a congestion control.
    cong_control(work, before, !flags.syn_acked || flags.data_acked);
}

// What tcp_ack() ends with: tcp_rate_gen() and tcp_cong_control().
template <class Cwnds>
void LinuxSender<Cwnds>::cong_control(const AckWork& work, const BeforeAck& before, bool established) {
    const AckFlags& flags = work.flags;
    AckSample sample;
    sample.delivered = tp_.delivered - before.delivered;
    sample.lost = tp_.lost - before.lost;
    sample.rtt_us = work.rtt_us;
    sample.prior_in_flight = before.in_flight;
    sample.rate = rate_gen(tp_, work, sample.delivered);
    sample.una_advanced = flags.una_advanced;
    const bool forward_progress = flags.acked() || flags.data_sacked;
    sample.may_raise_cwnd =
        tp_.reordering > SenderState::default_reordering ? forward_progress : flags.data_acked;
    if (tp_.in_cwnd_reduction()) tp_.prr_delivered += sample.delivered;
    if (established) cwnds_.each([&](auto& cwnd) { cwnd.cong_control(tp_, sample); });
}

// What is acknowledged is the original, by the echoed timestamp (RFC 3522).
template <class Cwnds>
bool LinuxSender<Cwnds>::echoes_original(const Segment& segment) const {
    return segment.ever_retransmitted && undo_.tsecr_before(segment.timestamp);
}

// Not Linux's: it was sent again too late to be what is acknowledged. A handshake alone may have taken longer than the path.
template <class Cwnds>
bool LinuxSender<Cwnds>::came_too_soon(const Segment& segment) const {
    constexpr uint32_t least_delivered = 10;
    if (!segment.ever_retransmitted || !tp_.min_rtt_is_path || tp_.delivered < least_delivered) return false;
    return tp_.min_rtt_us != SenderState::no_min_rtt &&
           tp_.now_us - segment.last_sent_us < tp_.min_rtt_us / 2;
}

// Not Linux's: a duplicate ACK that tells nothing new, neither of a gap nor of a window.
template <class Cwnds>
bool LinuxSender<Cwnds>::answers_what_arrived(const ReceivedAck& ack) const {
    const bool repeats = ack.payload_length == 0 && !ack.options_cut && tp_.snd_wl1_known &&
                         ack.window == tp_.snd_wnd && ack.window != 0 &&
                         (ack.flags & (tcp_syn | tcp_fin | tcp_rst)) == 0;
    if (!repeats || !tp_.sack || ack.sack_blocks != last_blocks_) return false;
    if (ack.sack_blocks == 0) return tp_.sacked_out == 0;
    return ack.sack[0].begin == last_block_.begin && ack.sack[0].end == last_block_.end &&
           ack.sack[0].begin.after(ack.ack);
}

// One segment that is acknowledged whole: the loop of tcp_clean_rtx_queue().
template <class Cwnds>
void LinuxSender<Cwnds>::take_acked(const Segment& segment, AckWork& work, Serial32 prior_fack,
                                    Acked& acked) {
    AckFlags& flags = work.flags;
    if (segment.ever_retransmitted) {
        if (segment.retransmitted) --tp_.retrans_out;
        flags.retransmitted_acked = true;
    } else if (!segment.sacked && !(syn_outstanding_ && syn_transmissions_ > 1)) {
        if (!segment.unseen) {
            acked.last_sent_us = segment.last_sent_us;
            if (acked.first_sent_us == 0) acked.first_sent_us = acked.last_sent_us;
        }
        if (segment.begin.before(acked.reordered)) acked.reordered = segment.begin;
        if (!segment.end.after(tp_.high_seq)) flags.original_acked = true;
    }
    if (segment.sacked) {
        --tp_.sacked_out;
    } else if (tp_.sack) {
        ++tp_.delivered;
        if (!echoes_original(segment)) rack_.advance(segment);
    }
    if (!segment.sacked && segment.loss != 0 && (echoes_original(segment) || came_too_soon(segment)))
        observer_.on_spurious_retransmission(segment);
    if (segment.lost) --tp_.lost_out;
    --tp_.packets_out;
    ++acked.segments;
    if (!segment.sacked) {
        rate_skb_delivered(tp_, work, segment);
        scoreboard_.note_order(segment, segment.begin.before(prior_fack), acked.segments == 1);
    }
    if (syn_outstanding_) {
        on_syn_acked(flags);
    } else {
        flags.data_acked = true;
    }
}

template <class Cwnds>
template <class TsoptRtt>
void LinuxSender<Cwnds>::clean_rtx_queue(AckWork& work, Serial32 prior_fack, TsoptRtt&& tsopt_rtt_us) {
    AckFlags& flags = work.flags;
    Acked acked;
    acked.reordered = tp_.snd_nxt;
    while (!queue_.empty()) {
        const Segment& segment = queue_[queue_.first()];
        if (segment.end.after(tp_.snd_una)) break;
        take_acked(segment, work, prior_fack, acked);
        queue_.pop_front();
    }
    scoreboard_.on_acked();
    if (!queue_.empty() && queue_[queue_.first()].sacked) flags.reneging = true;

    int64_t seq_rtt_us = -1;
    int64_t last_rtt_us = -1;
    int64_t sack_rtt_us = -1;
    if (acked.first_sent_us != 0 && !flags.retransmitted_acked) {
        seq_rtt_us = tp_.now_us - acked.first_sent_us;
        last_rtt_us = tp_.now_us - acked.last_sent_us;
    }
    if (work.first_sacked_us != 0) {
        sack_rtt_us = tp_.now_us - work.first_sacked_us;
        last_rtt_us = tp_.now_us - work.last_sacked_us;
    }
    round_trip_.update(work, seq_rtt_us, sack_rtt_us, last_rtt_us, tsopt_rtt_us);
    if (flags.acked()) {
        tp_.rto_start_us = tp_.now_us;
        tp_.pto_start_us = tp_.now_us;
        if (!tp_.sack) {
            remove_reno_sacks(tp_, acked.segments);
            if (flags.retransmitted_acked) flags.original_acked = false;
        } else if (acked.reordered.before(prior_fack)) {
            check_sack_reordering(tp_, acked.reordered, scoreboard_.highest_sack_seq());
        }
    }
    cwnds_.each([&](auto& cwnd) { cwnd.pkts_acked(tp_, work.rtt_us); });
}

// tcp_rcv_synsent_state_process() and tcp_rcv_state_process(): the handshake is done.
template <class Cwnds>
void LinuxSender<Cwnds>::on_syn_acked(AckFlags& flags) {
    flags.syn_acked = true;
    undo_.forget_stamp();
    syn_outstanding_ = false;
    cwnds_.each([&](auto& cwnd) {
        // tcp_init_transfer(): a SYN that was sent again costs the initial window.
        if (syn_transmissions_ > 1) {
            cwnd.init_with(tp_, 1);
        } else {
            cwnd.init(tp_);
        }
    });
}

}  // namespace sanscope
