// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/kernel/ack_work.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// F-RTO (RFC 5682) as in tcp_process_loss(): after a timeout new data are sent, and acknowledgements of what was never
// sent again show that the timeout was spurious.
class Frto {
  public:
    // tcp_enter_loss().
    void enter_loss(bool new_recovery, uint32_t retransmits) { active_ = new_recovery || retransmits > 0; }
    // Instead of new data the sender sends more of what was lost: it does without F-RTO.
    void on_retransmit(const SenderState& tp) {
        if (active_ && !tp.snd_nxt.after(tp.high_seq)) active_ = false;
    }

    bool active() const { return active_; }
    // Step 3.b: the original arrived.
    static bool shows_spurious(const AckFlags& flags) { return flags.original_acked; }
    // Steps 2 and 3.a. True: the next segment decides, and nothing more is to be done for this acknowledgement.
    bool process(SenderState& tp, const AckFlags& flags, uint32_t duplicates, bool recovered) {
        if (tp.snd_nxt.after(tp.high_seq)) {
            if (flags.data_sacked || duplicates > 0) active_ = false;
        } else if (flags.una_advanced && !recovered) {
            // Whether the sender now sends new data, as F-RTO wants, or again what was lost, its next segment shows.
            tp.high_seq = tp.snd_nxt;
            return true;
        }
        return false;
    }

  private:
    bool active_ = false;
};

}  // namespace sanscope
