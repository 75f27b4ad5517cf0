// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/report/senders/bytes_by_time.h"
#include "analyzer/report/senders/passed_sender.h"
#include "analyzer/store/window_stalls.h"

namespace sanscope {

// The window that the other side offers: when it was closed, how wide it was where the sender waited for it, and whether it grew.
// Out: SenderFacts::stalls, widest_window, widest_offered, outstanding_at_limit, cwnd_was_wider and receiver_….
class ReceiveWindowPass {
  public:
    // A window is what a sender waits for only where it is full but for what the sender would not send by itself: a segment and
    // less than another, or what tcp_tso_should_defer() leaves unused.
    static bool is_full(const PassedSender& sender, const WindowRow& row) {
        if (row.advertised_window == unknown<uint32_t>) return false;
        const int32_t outstanding = Serial32(row.snd_una).distance_to(Serial32(row.snd_nxt));
        // What was sent beyond a window shows that the sender knew of a wider one.
        if (sender.is_near && outstanding > 0 &&
            static_cast<uint64_t>(outstanding) > uint64_t{row.advertised_window} + sender.mss)
            return false;
        const uint64_t left_over = std::max<uint64_t>(2 * uint64_t{sender.mss}, row.advertised_window / 8);
        return outstanding >= 0 && static_cast<uint64_t>(outstanding) + left_over >= row.advertised_window;
    }

    // Whether it is closed from this row on.
    void stalls(const PassedSender& sender, const WindowRow& row) {
        const bool closed =
            row.limit == SendLimit::receiver &&
            row.advertised_window < room_of_segment(sender.facts->connection->mss, widest_offered_);
        if (closed && stall_.begin_ns == no_time) stall_ = {row.time_ns, no_time, row.packet};
        if (!closed) end_stall(sender, row.time_ns);
    }

    // The widest window that was offered by now, and whether it grew noticeably.
    void note_window(const WindowRow& row) {
        if (row.advertised_window <= widest_offered_ || row.advertised_window == unknown<uint32_t>) return;
        widest_offered_ = row.advertised_window;
        if (widest_offered_ <= grown_to_ + grown_to_ / 8) return;
        grown_to_ = widest_offered_;
        rounds_ = 0;
    }

    // It is what the sender waits for from this row on.
    static void note_limit(const PassedSender& sender, const WindowRow& row) {
        SenderFacts& facts = *sender.facts;
        const int32_t outstanding = Serial32(row.snd_una).distance_to(Serial32(row.snd_nxt));
        facts.widest_window = std::max(facts.widest_window, row.advertised_window);
        // From afar both are estimates, and no more can have been under way than was offered.
        if (outstanding > 0) {
            facts.outstanding_at_limit =
                std::max(facts.outstanding_at_limit,
                         std::min(static_cast<uint32_t>(outstanding), row.advertised_window));
        }
        facts.cwnd_was_wider =
            facts.cwnd_was_wider || (row.cwnd != unknown<uint32_t> && row.cwnd >= row.advertised_window);
    }

    // It was what the sender waited for until this row.
    void waited_for(const PassedSender& sender, const WindowRow& last, const WindowRow& row,
                    int64_t busy_ns) {
        at_windows_.add(widest_offered_, busy_ns);
        if (last.advertised_window < widest_offered_ / 4 * 3)
            at_shrunk_windows_.add(widest_offered_, busy_ns);
        const int64_t round_ns =
            sender.rtt_min_ns == no_time ? SenderFacts::default_round_ns : sender.rtt_min_ns;
        if (busy_ns == 0 ||
            (round_began_ns_ != no_time && elapsed_ns(round_began_ns_, row.time_ns) < round_ns))
            return;
        round_began_ns_ = row.time_ns;
        ++rounds_;
    }

    // The rows end then.
    void finish(const PassedSender& sender, int64_t time_ns) {
        SenderFacts& facts = *sender.facts;
        end_stall(sender, time_ns);
        facts.stalls.spans.finish();
        const uint32_t little = widest_offered_ / 3 * 2;
        facts.receiver_growing_ns = static_cast<int64_t>(at_windows_.below(little));
        facts.receiver_shrunk_ns =
            static_cast<int64_t>(at_shrunk_windows_.all() - at_shrunk_windows_.below(little));
        facts.receiver_rounds = rounds_;
        facts.widest_offered = widest_offered_;
    }

  private:
    void end_stall(const PassedSender& sender, int64_t time_ns) {
        if (stall_.begin_ns == no_time) return;
        stall_.end_ns = time_ns;
        sender.facts->stalls.add(stall_);
        stall_ = {};
    }

    uint32_t widest_offered_ = 0;
    uint32_t grown_to_ = 0;
    uint32_t rounds_ = 0;
    int64_t round_began_ns_ = no_time;
    BytesByTime at_windows_;         // time before windows, by the widest one offered by then …
    BytesByTime at_shrunk_windows_;  // … of it, before those that had shrunk since
    Spell stall_;
};

}  // namespace sanscope
