// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// A receiver's window whose scale (RFC 7323 §2) is not known, since the SYNs were not captured. No sender goes beyond its right edge
// (RFC 9293 §3.8.6): what was in flight shows the least scale that it can have.
class UnscaledWindow {
  public:
    // An acknowledgement was taken in; `tp.snd_wnd` is as in its header.
    void on_ack(const SenderState& tp) {
        if (tp.snd_wnd <= widest_) return;
        widest_ = tp.snd_wnd;
        shift_of_hosts_ = 0;
        while (shift_of_hosts_ < most_shift && uint64_t{widest_} << shift_of_hosts_ < least_of_hosts)
            ++shift_of_hosts_;
    }

    // A little more than the window seems to be in flight where the moments at the sender are estimated, or an
    // acknowledgement was not captured: it must be so by an eighth, and again and again.
    void on_sent(const SenderState& tp) {
        constexpr uint8_t often = 8;
        const int64_t least = least_of(tp);
        if (least == 0 || least_shift() >= most_shift) return;
        if (in_flight(tp) <= least + least / 8 || ++sent_beyond_ < often) return;
        shift_of_flight_ = static_cast<uint8_t>(least_shift() + 1);
        sent_beyond_ = 0;
    }

    // `more` bytes may be more than it allows.
    bool may_be_full(const SenderState& tp, int64_t more) const {
        return !tp.snd_wnd_known && tp.snd_wnd > 0 && in_flight(tp) + more > least_of(tp);
    }

  private:
    static constexpr uint8_t most_shift = 14;  // RFC 7323 §2.3
    // Chosen, not measured: at its widest a host offers this much, or more.
    static constexpr uint64_t least_of_hosts = 32'768;

    static int64_t in_flight(const SenderState& tp) { return tp.snd_una.distance_to(tp.snd_nxt); }
    int64_t least_of(const SenderState& tp) const { return int64_t{tp.snd_wnd} << least_shift(); }
    uint8_t least_shift() const { return std::max(shift_of_flight_, shift_of_hosts_); }

    uint32_t widest_ = 0;          // as in a header
    uint8_t shift_of_hosts_ = 0;   // what makes that as much as they offer
    uint8_t shift_of_flight_ = 0;  // what was in flight needs
    uint8_t sent_beyond_ = 0;      // how often since then more was in flight
};

}  // namespace sanscope
