// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/report/senders/passed_sender.h"

namespace sanscope {

// Congestion windows that began anew behind an idle period. Out: SenderFacts::idle_restarts, idle_restarts_disproved,
// cwnd_before_idle, cwnd_after_idle.
class IdleRestartPass {
  public:
    // Nothing was sent or heard since the row before.
    // RFC 5681 §4.1: after a retransmission timeout's time of silence, which is 200 ms at least in Linux.
    void silence(const PassedSender& sender, const WindowRow& last, const WindowRow& row, int64_t silent_ns) {
        constexpr int64_t least_silence_ns = 200'000'000;
        SenderFacts& facts = *sender.facts;
        const bool sent = row.snd_nxt != last.snd_nxt;
        const bool was_idle = last.snd_una == last.snd_nxt;
        if (!sent || !was_idle || silent_ns < least_silence_ns) return;
        if (last.cwnd == unknown<uint32_t> || row.cwnd == unknown<uint32_t>) return;
        if (last.ca_state != CaState::open || row.cwnd > last.cwnd / 4 * 3) return;
        ++facts.idle_restarts;
        facts.cwnd_before_idle = std::max(facts.cwnd_before_idle, last.cwnd);
        facts.cwnd_after_idle = std::min(facts.cwnd_after_idle, row.cwnd);
        restart_ = {last.snd_nxt, row.time_ns, row.cwnd};
    }

    // Much more than the window allows, before anything of it can have been acknowledged: the sender was not restarted
    // (tcp_slow_start_after_idle = 0).
    void disproved_restart(const PassedSender& sender, const WindowRow& row) {
        if (restart_.cwnd == unknown<uint32_t>) return;
        const int32_t sent = Serial32(restart_.snd_nxt).distance_to(Serial32(row.snd_nxt));
        const bool too_late = elapsed_ns(restart_.time_ns, row.time_ns) > sender.rtt_min_ns / 2;
        const bool disproved =
            !too_late && sent > 0 && static_cast<uint32_t>(sent) > restart_.cwnd / 2 * 3 + 2 * sender.mss;
        if (disproved) ++sender.facts->idle_restarts_disproved;
        if (disproved || too_late) restart_ = {};
    }

  private:
    struct Restart {
        uint32_t snd_nxt = 0;
        int64_t time_ns = 0;
        uint32_t cwnd = unknown<uint32_t>;  // none is awaited
    } restart_;
};

}  // namespace sanscope
