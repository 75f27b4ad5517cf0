// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/retransmission_cause.h"

#include <algorithm>

namespace sanscope {
namespace {

// A timer seems to run out a little early: it was started before the packet that is taken for its start passed the tap,
// and the round trip it is computed from is as the tap sees it. Chosen, not measured.
constexpr int64_t early_numerator = 9;
constexpr int64_t early_denominator = 10;

bool is_due(int64_t waited_us, int64_t timeout_us) {
    return waited_us >= timeout_us * early_numerator / early_denominator;
}

LossKind kind_in(CaState state) {
    return state == CaState::loss ? LossKind::rto : LossKind::fast_retransmit;
}

// A tail loss probe (RFC 8985 §7.2): the last segment, after two round trips without an acknowledgement or as the
// retransmission timer would run out.
bool is_probe_due(const ReplayedSender& kernel, SendQueue::Index i) {
    const SenderState& tp = kernel.tp();
    if (!tp.sack || kernel.probe().out() || i + 1 != kernel.queue().end()) return false;
    if (tp.ca_state != CaState::open && tp.ca_state != CaState::cwr) return false;
    return is_due(tp.now_us - tp.pto_start_us, std::min(2 * tp.srtt_us, tp.rto_us));
}

}  // namespace

LossKind explain_retransmission(ReplayedSender& kernel, LossJournal& journal, SendQueue::Index i) {
    SenderState& tp = kernel.tp();
    const SendQueue& queue = kernel.queue();
    const bool is_head = i == queue.first();
    const int64_t waited_us = tp.now_us - tp.rto_start_us;
    const auto found_lost = [&] { return queue[i].lost && !queue[i].retransmitted; };
    // Else what was found lost was sent again at once, and lost again before it could be captured.
    const auto sent_at_once = [&] {
        return !(is_head && is_due(waited_us, tp.rto_us)) || tp.now_us - tp.head_lost_us < tp.rto_us / 2;
    };
    kernel.stop_frto();
    if (found_lost() && sent_at_once()) return kind_in(tp.ca_state);
    // Time alone may have made it lost: RACK's reordering timer.
    if (tp.sack && kernel.rack_has_delivery()) {
        const uint32_t newly_lost = kernel.rack_detect_loss();
        if (found_lost() && sent_at_once()) {
            kernel.rack_reo_timeout(newly_lost);
            return LossKind::fast_retransmit;
        }
    }
    if (is_probe_due(kernel, i)) return LossKind::tlp;
    // With nothing else to explain it, earlier still. Chosen, not measured.
    if (is_head && waited_us >= tp.rto_us * 3 / 4) {
        if (kernel.retransmit_timer()) journal.begin_timeouts();
        return LossKind::rto;
    }
    // Nothing captured explains it: an acknowledgement may be missing from the capture.
    kernel.mark_lost(i);
    if (tp.ca_state < CaState::recovery) kernel.enter_recovery("retransmission");
    return kind_in(tp.ca_state);
}

}  // namespace sanscope
