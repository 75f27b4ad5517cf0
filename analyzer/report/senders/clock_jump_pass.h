// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "analyzer/report/senders/passed_sender.h"
#include "analyzer/store/send_silence.h"
#include "analyzer/vocabulary/clock_jump.h"

namespace sanscope {

// Time between two rows of a sender that was none: the clock's alone, or one in which both hosts stood still. Out:
// SenderFacts::clock_jumps and `silences`.
class ClockJumpPass {
  public:
    // `jumps`: of all connections, as TCP timestamps show them.
    explicit ClockJumpPass(std::span<const ClockJump> jumps) : jumps_(jumps) {}

    // Whether TCP timestamps show that most of a jump of the clock lies in the time since the row before.
    bool holds_jump(const PassedSender& sender, const WindowRow& last, const WindowRow& row) const {
        if (jumps_.empty()) return false;
        return std::ranges::any_of(jumps_, [&](const ClockJump& jump) {
            const int64_t both_ns = elapsed_ns(std::max(last.time_ns + sender.to_tap_ns, jump.begin_ns),
                                               std::min(row.time_ns + sender.to_tap_ns, jump.end_ns));
            return jump.connection == sender.facts->number &&
                   2 * both_ns > elapsed_ns(jump.begin_ns, jump.end_ns);
        });
    }

    // Whether the time since the row before is the clock's alone, or one in which both hosts stood still.
    static bool clock_jumped(const PassedSender& sender, const WindowRow& last, const WindowRow& row,
                             int64_t silent_ns) {
        constexpr int64_t least_silence_ns = 250'000'000;
        constexpr int64_t longest_timer_ns = 120'000'000'000;  // TCP_RTO_MAX
        SenderFacts& facts = *sender.facts;
        if (silent_ns <= least_silence_ns || last.snd_una == last.snd_nxt) return false;
        if (last.srtt_ns != no_time && silent_ns / 4 >= last.srtt_ns)
            facts.silences.add(last.time_ns + sender.to_tap_ns, row.time_ns + sender.to_tap_ns);
        if (silent_ns <= longest_timer_ns) {
            if (silent_ns <= longest_first_timer_ns(last.srtt_ns) || facts.busy == nullptr) return false;
            const int64_t busy_ns = facts.busy->overlap_ns(last.time_ns, row.time_ns);
            if (busy_ns < silent_ns / 10 * 9) return false;
        }
        // A timer that runs out begins Loss; it would have done so in any other state.
        if (last.ca_state == CaState::loss || row.ca_state == CaState::loss) return false;
        facts.clock_jumps.add({last.time_ns, row.time_ns, row.packet});
        return true;
    }

  private:
    std::span<const ClockJump> jumps_;
};

}  // namespace sanscope
