// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/kernel/ack_work.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// The tail loss probe that is out, if one is (RFC 8985 §7): tlp_high_seq and tlp_retrans of struct tcp_sock.
class TailLossProbe {
  public:
    explicit TailLossProbe(const SenderState& tp) : tp_(tp) {}

    // tcp_send_loss_probe(), after the probe is in the queue. `resent`: it repeats the last segment.
    void send(bool resent) {
        out_ = true;
        resent_ = resent;
        end_ = tp_.snd_nxt;
    }
    void cancel() { out_ = false; }
    bool out() const { return out_; }
    bool resent() const { return out_ && resent_; }
    bool ends_at(Serial32 end) const { return out_ && end_ == end; }

    enum class Verdict : uint8_t {
        open,
        needless,  // it repaired nothing
        repaired,  // a loss, for which cwnd is to be reduced
    };

    // tcp_process_tlp_ack() with a probe out.
    Verdict process_ack(const AckWork& work) {
        const Serial32 ack = work.ack->ack;
        if (ack.before(end_)) return Verdict::open;
        // Probe and original both arrived: a D-SACK says so, or a mere duplicate.
        const bool mere_duplicate =
            !ack.after(end_) && !work.flags.una_advanced && !work.flags.not_dup() && !work.flags.data_sacked;
        if (!resent_ || work.flags.dsack_of_probe || mere_duplicate) {
            out_ = false;
            return Verdict::needless;
        }
        return ack.after(end_) ? Verdict::repaired : Verdict::open;
    }
    Serial32 end() const { return end_; }

  private:
    const SenderState& tp_;
    Serial32 end_;  // tlp_high_seq
    bool out_ = false;
    bool resent_ = false;  // tlp_retrans
};

}  // namespace sanscope
