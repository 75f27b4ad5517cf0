// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/base/serial32.h"
#include "analyzer/report/senders/passed_sender.h"
#include "analyzer/store/pdu_pauses.h"

namespace sanscope {

// Little outstanding, nothing but its acknowledgement after a long time, and with that at once the rest of what had begun:
// Nagle's algorithm (RFC 9293 §3.7.4) waiting for a delayed acknowledgement (RFC 1122 §4.2.3.2). What had begun may be a
// request: it is under way once it is whole, behind the wait. Out: SenderFacts::ack_waits, ack_wait… and
// pdu_pauses.
class AckWaitPass {
  public:
    static constexpr int64_t least_ns = 35'000'000;  // Linux's least is 40 ms, of others more

    // `pauses`: of this sender within what it had begun to send, in order of their last packets.
    AckWaitPass(const PassedSender& sender, std::vector<PduPause> pauses) : pauses_(std::move(pauses)) {
        sender.facts->pdu_pauses = pauses_.size();
    }

    // Nothing was sent or heard since the row before, for so long.
    void silence(PassedSender& sender, const WindowRow& last, const WindowRow& row, int64_t waited_ns) {
        constexpr int64_t longest_wait_ns = 500'000'000;
        if (waited_ns > longest_wait_ns || sender.facts->busy == nullptr) return;
        const int32_t outstanding = Serial32(last.snd_una).distance_to(Serial32(last.snd_nxt));
        const bool acknowledged = row.snd_una == row.snd_nxt && row.snd_nxt == last.snd_nxt;
        if (outstanding <= 0 || static_cast<uint32_t>(outstanding) > 2 * sender.mss || !acknowledged) return;
        if (sender.rtt_min_ns != no_time && waited_ns < 4 * sender.rtt_min_ns) return;
        if (last.ca_state != CaState::open || row.ca_state != CaState::open) return;
        wait_ = {last.time_ns, row.time_ns, row.packet};
        idle_ns_ = waited_ns - sender.busy_ns(last.time_ns, row.time_ns);
        // Nor does a congestion window let go what it has no room for.
        waits_for_cwnd_ =
            last.cwnd != unknown<uint32_t> && static_cast<uint32_t>(outstanding) + sender.mss > last.cwnd;
    }

    // The row behind such a one.
    void sent_behind(const PassedSender& sender, const WindowRow& last, const WindowRow& row) {
        constexpr int64_t at_once_ns = 1'000'000;
        if (wait_.begin_ns == no_time) [[likely]]
            return;
        SenderFacts& facts = *sender.facts;
        const bool sent = Serial32(last.snd_nxt).before(Serial32(row.snd_nxt));
        const uint32_t length = row.snd_nxt - last.snd_nxt;
        // Nagle's algorithm holds back nothing but small segments.
        const bool held =
            sent && (length < sender.mss || waits_for_cwnd_) && goes_on(wait_.packet, row.packet);
        if (held && elapsed_ns(wait_.end_ns, row.time_ns) <= at_once_ns) {
            if (waits_for_cwnd_) ++facts.ack_waits_for_cwnd;
            facts.ack_waits.add(wait_);
            facts.ack_waits_idle_ns += idle_ns_;
            times_.add(wait_.length_ns());
            if (first_times_ns_.size() < most_times) first_times_ns_.push_back(wait_.length_ns());
        }
        wait_ = {};
    }

    void finish(const PassedSender& sender) {
        SenderFacts& facts = *sender.facts;
        facts.ack_waits.spans.finish();
        if (times_.count() == 0) return;
        const int64_t half_ns = times_.percentile_ns(0.5);
        facts.ack_wait_p50_ns = half_ns;
        for (const int64_t wait_ns : first_times_ns_) {
            if (std::abs(wait_ns - half_ns) <= half_ns / 4) ++facts.ack_waits_alike;
        }
    }

  private:
    static constexpr size_t most_times = 4096;

    // What was sent behind the acknowledgement is the rest of what had begun before it. A program that has something new to
    // send each 40 ms looks just like a delayed acknowledgement otherwise.
    bool goes_on(PacketNumber acknowledged, PacketNumber sent) const {
        const auto pause = std::ranges::lower_bound(pauses_, sent, {}, &PduPause::last_packet);
        return pause != pauses_.end() && pause->first_packet < acknowledged;
    }

    std::vector<PduPause> pauses_;
    Spell wait_;
    int64_t idle_ns_ = 0;
    bool waits_for_cwnd_ = false;
    LogHistogram times_;
    std::vector<int64_t> first_times_ns_;
};

}  // namespace sanscope
