// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/loss_marking.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Where the receiver has no SACK, duplicate acknowledgements stand for segments SACKed (tcp_input.c's Reno SACK
// emulation).

// tcp_limit_reno_sacked() and tcp_check_reno_reordering(): more duplicates than segments can have caused mean
// reordering.
inline void check_reno_reordering(SenderState& tp, uint32_t addend) {
    const uint32_t holes = std::min(std::max(tp.lost_out, 1u), tp.packets_out);
    if (tp.sacked_out + holes <= tp.packets_out) return;
    tp.sacked_out = tp.packets_out - holes;
    tp.reordering = std::min(tp.packets_out + addend, max_reordering);
    tp.reord_seen = true;
}

// tcp_add_reno_sack().
inline void add_reno_sack(SenderState& tp, uint32_t duplicates) {
    if (duplicates == 0) return;
    const uint32_t prior = tp.sacked_out;
    tp.sacked_out += duplicates;
    check_reno_reordering(tp, 0);
    if (tp.sacked_out > prior) tp.delivered += tp.sacked_out - prior;
}

// tcp_remove_reno_sacks(): `acked` segments were acknowledged cumulatively.
inline void remove_reno_sacks(SenderState& tp, uint32_t acked) {
    if (acked > 0) {
        tp.delivered += std::max(acked > tp.sacked_out ? acked - tp.sacked_out : 0, 1u);
        tp.sacked_out = acked - 1 >= tp.sacked_out ? 0 : tp.sacked_out - (acked - 1);
    }
    check_reno_reordering(tp, acked);
}

// tcp_reset_reno_sack().
inline void reset_reno_sack(SenderState& tp) {
    tp.sacked_out = 0;
}

}  // namespace sanscope
