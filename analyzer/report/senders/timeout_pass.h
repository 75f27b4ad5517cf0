// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/report/senders/passed_sender.h"
#include "analyzer/store/send_silence.h"

namespace sanscope {

// How long a sender made no progress until its retransmission timer ran out and what that sent was acknowledged. Out:
// SenderFacts::timeouts, timeouts_answered, stands_still_at_end, repeats_after_ack.
class TimeoutPass {
  public:
    // `begun`: there was a row before, `last`.
    void on_row(const PassedSender& sender, bool begun, const WindowRow& last, const WindowRow& row) {
        const bool progress = !begun || row.snd_una != last.snd_una || last.snd_una == last.snd_nxt;
        const bool entered = row.ca_state == CaState::loss && begun && last.ca_state != CaState::loss;
        if (entered && timeout_.begin_ns == no_time) timeout_ = {progress_ns_, no_time, row.packet};
        if (!progress) return;
        // The row that shows the timeout may be one in which something was acknowledged, late.
        if (!entered) {
            if (timeout_.begin_ns != no_time && sender.rtt_min_ns != no_time) {
                const int64_t answered_ns = elapsed_ns(last.time_ns, row.time_ns);
                constexpr int64_t slack_ns = 2'000'000;
                // From afar, when it was answered is an estimate.
                const bool as_wanted = sender.is_near && answered_ns >= sender.rtt_min_ns / 4 * 3 &&
                                       answered_ns <= sender.rtt_min_ns / 2 * 3 + slack_ns;
                if (as_wanted) ++sender.facts->timeouts_answered;
            }
            end_timeout(sender, row.time_ns);
        }
        progress_ns_ = row.time_ns;
    }

    // It stood still though the capture shows its data acknowledged, until it sent some of them again.
    void repeats_after_ack(PassedSender& sender, const WindowRow& last, const WindowRow& row) {
        const std::vector<NeedlessRepeat>& repeats = sender.facts->repeats;
        if (next_repeat_ >= repeats.size()) return;
        while (next_repeat_ < repeats.size() && repeats[next_repeat_].packet <= last.packet) ++next_repeat_;
        if (next_repeat_ == repeats.size() || repeats[next_repeat_].packet > row.packet) return;
        const NeedlessRepeat& repeat = repeats[next_repeat_++];
        constexpr int64_t least_silence_ns = 100'000'000;
        const bool acknowledged = repeat.original == 0 && last.snd_una == last.snd_nxt;
        if (!acknowledged || sender.facts->busy == nullptr) return;
        const Spell silence{last.time_ns, repeat.time_ns, repeat.packet};
        const int64_t waited_ns = sender.busy_ns(silence.begin_ns, silence.end_ns);
        if (silence.length_ns() < least_silence_ns || waited_ns < silence.length_ns() / 2) return;
        // The clock's doing, not a timer's.
        if (silence.length_ns() > longest_first_timer_ns(last.srtt_ns)) return;
        sender.facts->repeats_after_ack.add(silence);
    }

    // The rows end then.
    void finish(const PassedSender& sender, int64_t time_ns) {
        sender.facts->stands_still_at_end = timeout_.begin_ns != no_time;
        end_timeout(sender, time_ns);
        sender.facts->timeouts.spans.finish();
    }

  private:
    void end_timeout(const PassedSender& sender, int64_t time_ns) {
        if (timeout_.begin_ns == no_time) return;
        timeout_.end_ns = time_ns;
        sender.facts->timeouts.add(timeout_);
        timeout_ = {};
    }

    int64_t progress_ns_ = no_time;
    size_t next_repeat_ = 0;
    Spell timeout_;
};

}  // namespace sanscope
