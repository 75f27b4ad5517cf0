// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/ack_work.h"
#include "analyzer/sender/kernel/frto.h"
#include "analyzer/sender/kernel/kernel_observer.h"
#include "analyzer/sender/kernel/loss_marking.h"
#include "analyzer/sender/kernel/rack.h"
#include "analyzer/sender/kernel/reno_sack.h"
#include "analyzer/sender/kernel/scoreboard.h"
#include "analyzer/sender/kernel/send_queue.h"
#include "analyzer/sender/kernel/sender_state.h"
#include "analyzer/sender/kernel/tail_loss_probe.h"
#include "analyzer/sender/kernel/undo.h"

namespace sanscope {

// Linux's congestion states (tcp_ca_state) and what makes a sender go from one to the other: tcp_fastretrans_alert()
// and what it calls. `Cwnds` holds one or more CwndControl, whose congestion controls are of no interest here: its
// each() lets something be done to each of them.
template <class Cwnds>
class CaStateMachine {
  public:
    CaStateMachine(SenderState& tp, SendQueue& queue, Scoreboard& scoreboard, Rack& rack, Undo& undo,
                   TailLossProbe& probe, Cwnds& cwnds, KernelObserver& observer)
        : tp_(tp),
          queue_(queue),
          scoreboard_(scoreboard),
          rack_(rack),
          undo_(undo),
          probe_(probe),
          cwnds_(cwnds),
          observer_(observer) {}

    void fastretrans_alert(AckWork& work, uint32_t duplicates);
    // tcp_process_tlp_ack().
    void process_tlp_ack(const AckWork& work);
    void enter_recovery(bool ece, const char* cause);
    // True: not one of a series of timeouts.
    bool enter_loss();
    // tcp_retransmit_timer(): icsk_retransmits.
    void count_timeout() { ++retransmits_; }
    // tcp_ack(): SND.UNA advanced.
    void end_timeouts() { retransmits_ = 0; }
    Frto& frto() { return frto_; }
    // tcp_set_ca_state().
    void set_ca_state(CaState to, const char* cause) {
        if (to != tp_.ca_state) observer_.on_transition(tp_.ca_state, to, cause);
        tp_.ca_state = to;
    }

  private:
    bool leave_state_at_high_seq();
    bool process_recovery(AckWork& work, uint32_t duplicates);
    void process_loss(AckWork& work, uint32_t duplicates);
    void identify_loss(AckWork& work);
    void enter_cwr(const char* cause);
    void init_cwnd_reduction();
    void end_cwnd_reduction();
    void undo_cwnd_reduction(bool unmark_lost);
    bool try_undo_recovery(const char* cause);
    bool try_undo_dsack();
    bool try_undo_loss(bool frto_undo);
    bool is_non_sack_preventing_reopen();
    void try_keep_open(const char* cause);
    void try_to_open(const AckWork& work);
    void retrans_stamp_cleanup() {
        if (!any_retrans_done(tp_, queue_)) undo_.forget_stamp();
    }

    SenderState& tp_;
    SendQueue& queue_;
    Scoreboard& scoreboard_;
    Rack& rack_;
    Undo& undo_;
    TailLossProbe& probe_;
    Cwnds& cwnds_;
    KernelObserver& observer_;
    Frto frto_;
    uint32_t retransmits_ = 0;  // timeouts in a row
};

// tcp_fastretrans_alert().
template <class Cwnds>
void CaStateMachine<Cwnds>::fastretrans_alert(AckWork& work, uint32_t duplicates) {
    AckFlags& flags = work.flags;
    if (tp_.packets_out == 0) tp_.sacked_out = 0;
    if (flags.ece) cwnds_.each([](auto& cwnd) { cwnd.clear_prior_ssthresh(); });
    if (flags.reneging && flags.una_advanced) return;

    if (tp_.ca_state == CaState::open) {
        undo_.forget_stamp();
    } else if (!tp_.snd_una.before(tp_.high_seq)) {
        if (leave_state_at_high_seq()) return;
    }

    if (tp_.ca_state == CaState::recovery) {
        if (process_recovery(work, duplicates)) return;
        if (tp_.ca_state != CaState::recovery && tp_.lost_out > 0)
            enter_recovery(flags.ece, "loss found by RACK");
        return;
    }
    if (tp_.ca_state == CaState::loss) {
        process_loss(work, duplicates);
        identify_loss(work);
        if (tp_.ca_state != CaState::open && !flags.lost_retransmit) return;
    }
    if (!tp_.sack) {
        if (flags.una_advanced) reset_reno_sack(tp_);
        add_reno_sack(tp_, duplicates);
    }
    if (tp_.ca_state <= CaState::disorder) try_undo_dsack();
    identify_loss(work);
    if (tp_.lost_out == 0) {
        try_to_open(work);
        return;
    }
    enter_recovery(flags.ece, tp_.sack ? "loss found by RACK" : "duplicate acknowledgements");
}

// Step D of tcp_fastretrans_alert(): all that was outstanding as the state began has been acknowledged. True: nothing
// more is to be done.
template <class Cwnds>
bool CaStateMachine<Cwnds>::leave_state_at_high_seq() {
    if (tp_.ca_state == CaState::cwr) {
        // Without anything above high_seq acknowledged, CWR may not have been answered yet.
        if (tp_.snd_una != tp_.high_seq) {
            end_cwnd_reduction();
            set_ca_state(CaState::open, "CWR was acknowledged");
        }
    } else if (tp_.ca_state == CaState::recovery) {
        if (!tp_.sack) reset_reno_sack(tp_);
        if (try_undo_recovery("recovered")) return true;
        end_cwnd_reduction();
    }
    return false;
}

// The case of TCP_CA_Recovery in tcp_fastretrans_alert(), with tcp_try_undo_partial(). True: nothing more is to be
// done.
template <class Cwnds>
bool CaStateMachine<Cwnds>::process_recovery(AckWork& work, uint32_t duplicates) {
    if (!work.flags.una_advanced) {
        if (!tp_.sack) add_reno_sack(tp_, duplicates);
    } else if (tp_.undo_marked && undo_.packet_delayed()) {
        // The hole was filled by the original, late.
        check_sack_reordering(tp_, work.prior_una, scoreboard_.highest_sack_seq());
        if (tp_.retrans_out > 0) return true;
        retrans_stamp_cleanup();
        undo_cwnd_reduction(true);
        try_keep_open("undone by timestamps");
    }
    if (try_undo_dsack()) try_to_open(work);
    identify_loss(work);
    return false;
}

// tcp_process_loss().
template <class Cwnds>
void CaStateMachine<Cwnds>::process_loss(AckWork& work, uint32_t duplicates) {
    const AckFlags& flags = work.flags;
    const bool recovered = !tp_.snd_una.before(tp_.high_seq);
    if (flags.una_advanced && try_undo_loss(false)) return;
    if (frto_.active()) {
        if (Frto::shows_spurious(flags) && try_undo_loss(true)) return;
        if (frto_.process(tp_, flags, duplicates, recovered)) return;
    }
    if (recovered) {
        try_undo_recovery("recovered");
        return;
    }
    if (tp_.sack) return;
    if (tp_.snd_nxt.after(tp_.high_seq) && duplicates > 0) {
        add_reno_sack(tp_, duplicates);
    } else if (flags.una_advanced) {
        reset_reno_sack(tp_);
    }
}

template <class Cwnds>
void CaStateMachine<Cwnds>::process_tlp_ack(const AckWork& work) {
    const bool resent = probe_.resent();
    switch (probe_.process_ack(work)) {
        case TailLossProbe::Verdict::open:
            return;
        case TailLossProbe::Verdict::needless:
            if (resent) observer_.on_needless_probe(probe_.end());
            return;
        case TailLossProbe::Verdict::repaired:
            break;
    }
    init_cwnd_reduction();
    set_ca_state(CaState::cwr, "tail loss probe repaired a loss");
    end_cwnd_reduction();
    try_keep_open("tail loss probe repaired a loss");
}

// tcp_identify_packet_loss(), with tcp_newreno_mark_lost() where there is no SACK (RFC 6582).
template <class Cwnds>
void CaStateMachine<Cwnds>::identify_loss(AckWork& work) {
    if (queue_.empty()) return;
    if (tp_.sack) {
        const uint32_t prior = tp_.retrans_out;
        rack_.mark_lost();
        if (prior > tp_.retrans_out) work.flags.lost_retransmit = true;
        return;
    }
    const bool enough = tp_.ca_state < CaState::recovery && tp_.sacked_out >= tp_.reordering;
    if (enough || (tp_.ca_state == CaState::recovery && work.flags.una_advanced)) {
        if (!queue_[queue_.first()].lost) mark_skb_lost(tp_, queue_, queue_.first());
    }
}

// tcp_init_cwnd_reduction().
template <class Cwnds>
void CaStateMachine<Cwnds>::init_cwnd_reduction() {
    tp_.high_seq = tp_.snd_nxt;
    probe_.cancel();
    tp_.prr_delivered = 0;
    tp_.prr_out = 0;
    cwnds_.each([](auto& cwnd) { cwnd.init_cwnd_reduction(); });
}

// tcp_end_cwnd_reduction().
template <class Cwnds>
void CaStateMachine<Cwnds>::end_cwnd_reduction() {
    const bool undone = tp_.ca_state != CaState::cwr && !tp_.undo_marked;
    cwnds_.each([&](auto& cwnd) { cwnd.end_cwnd_reduction(tp_, undone); });
}

// tcp_enter_recovery().
template <class Cwnds>
void CaStateMachine<Cwnds>::enter_recovery(bool ece, const char* cause) {
    retrans_stamp_cleanup();
    cwnds_.each([](auto& cwnd) { cwnd.clear_prior_ssthresh(); });
    undo_.init(probe_.resent());
    if (!tp_.in_cwnd_reduction()) {
        if (!ece) cwnds_.each([&](auto& cwnd) { cwnd.save_prior_ssthresh(tp_); });
        init_cwnd_reduction();
    }
    set_ca_state(CaState::recovery, cause);
}

// tcp_enter_loss(), with tcp_timeout_mark_lost().
template <class Cwnds>
bool CaStateMachine<Cwnds>::enter_loss() {
    const bool new_recovery = tp_.ca_state < CaState::recovery;
    const SendQueue::Index head = queue_.first();
    const bool reneging = queue_[head].sacked;
    if (reneging || !tp_.sack) tp_.sacked_out = 0;
    for (SendQueue::Index i = head; i != queue_.end(); ++i) {
        SendQueue::Segment& segment = queue_[i];
        if (reneging) {
            segment.sacked = false;
        } else if (i != head && rack_.remaining_us(segment) > 0) {
            continue;
        }
        mark_skb_lost(tp_, queue_, i);
    }
    const bool first = tp_.ca_state <= CaState::disorder || !tp_.high_seq.after(tp_.snd_una) ||
                       (tp_.ca_state == CaState::loss && retransmits_ == 0);
    if (first) undo_.init(probe_.resent());
    if (tp_.ca_state <= CaState::disorder && tp_.sacked_out >= SenderState::default_reordering)
        tp_.reordering = std::min(tp_.reordering, SenderState::default_reordering);
    cwnds_.each([&](auto& cwnd) { cwnd.enter_loss(tp_, first); });
    set_ca_state(CaState::loss, "retransmission timeout");
    tp_.high_seq = tp_.snd_nxt;
    probe_.cancel();
    frto_.enter_loss(new_recovery, retransmits_);
    return first;
}

// tcp_enter_cwr().
template <class Cwnds>
void CaStateMachine<Cwnds>::enter_cwr(const char* cause) {
    cwnds_.each([](auto& cwnd) { cwnd.clear_prior_ssthresh(); });
    if (tp_.ca_state >= CaState::cwr) return;
    tp_.undo_marked = false;
    init_cwnd_reduction();
    set_ca_state(CaState::cwr, cause);
}

// tcp_undo_cwnd_reduction().
template <class Cwnds>
void CaStateMachine<Cwnds>::undo_cwnd_reduction(bool unmark_lost) {
    if (unmark_lost) {
        for (SendQueue::Index i = queue_.first(); i != queue_.end(); ++i) queue_[i].lost = false;
        tp_.lost_out = 0;
    }
    cwnds_.each([&](auto& cwnd) { cwnd.undo_cwnd_reduction(tp_); });
    tp_.undo_marked = false;
    rack_.force_detection();
}

// tcp_is_non_sack_preventing_reopen(): without SACK nothing above high_seq has been acknowledged yet, and duplicates
// may still come from retransmissions.
template <class Cwnds>
bool CaStateMachine<Cwnds>::is_non_sack_preventing_reopen() {
    if (tp_.sack || tp_.snd_una != tp_.high_seq) return false;
    retrans_stamp_cleanup();
    return true;
}

// tcp_try_undo_recovery().
template <class Cwnds>
bool CaStateMachine<Cwnds>::try_undo_recovery(const char* cause) {
    if (undo_.may_undo()) {
        undo_cwnd_reduction(false);
        cause = "undone";
    } else {
        rack_.count_recovery();
    }
    if (is_non_sack_preventing_reopen()) return true;
    set_ca_state(CaState::open, cause);
    return false;
}

// tcp_try_undo_dsack().
template <class Cwnds>
bool CaStateMachine<Cwnds>::try_undo_dsack() {
    if (!undo_.all_dsacked()) return false;
    rack_.extend_persistence();
    undo_cwnd_reduction(false);
    return true;
}

// tcp_try_undo_loss().
template <class Cwnds>
bool CaStateMachine<Cwnds>::try_undo_loss(bool frto_undo) {
    if (!frto_undo && !undo_.may_undo()) return false;
    undo_cwnd_reduction(true);
    observer_.on_timeout_undone();
    retransmits_ = 0;
    if (is_non_sack_preventing_reopen()) return true;
    if (frto_undo || tp_.sack) set_ca_state(CaState::open, frto_undo ? "spurious timeout (F-RTO)" : "undone");
    return true;
}

// tcp_try_keep_open().
template <class Cwnds>
void CaStateMachine<Cwnds>::try_keep_open(const char* cause) {
    const bool disorder = tp_.sacked_out + tp_.lost_out > 0 || any_retrans_done(tp_, queue_);
    const CaState to = disorder ? CaState::disorder : CaState::open;
    if (tp_.ca_state == to) return;
    set_ca_state(to, cause);
    tp_.high_seq = tp_.snd_nxt;
}

// tcp_try_to_open().
template <class Cwnds>
void CaStateMachine<Cwnds>::try_to_open(const AckWork& work) {
    retrans_stamp_cleanup();
    if (work.flags.ece) enter_cwr("ECN echo");
    if (tp_.ca_state == CaState::cwr) return;
    try_keep_open(tp_.ca_state == CaState::open ? (tp_.sack ? "SACK" : "duplicate acknowledgement")
                                                : "in order again");
}

}  // namespace sanscope
