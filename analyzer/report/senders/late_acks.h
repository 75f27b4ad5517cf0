// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/base/time_spans.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Acknowledgements of data that took much longer than a round trip. In: a sender's rows of the table `windows`, each with the one
// before it, and the packets that brought data of the other side. Out: the time those took longer, proven or not to be the path's
// or a TCP's doing (SenderFacts::late_acks, SenderFacts::unproven_acks).
class LateAcks {
  public:
    LateAcks() = default;
    explicit LateAcks(int64_t rtt_min_ns) : rtt_min_ns_(rtt_min_ns) {}

    // Without a round trip none is late.
    bool wanted() const { return rtt_min_ns_ != no_time; }

    void on_row(const WindowRow& last, const WindowRow& row) {
        if (!wanted()) return;
        if (Serial32(last.snd_nxt).before(Serial32(row.snd_nxt))) {
            if (sent_.size() >= most_sent) sent_.pop_front();
            sent_.push_back({row.snd_nxt, row.time_ns});
        }
        const int64_t oldest_ns = sent_.empty() ? no_time : sent_.front().time_ns;
        int64_t sent_ns = no_time;
        while (!sent_.empty() && !Serial32(row.snd_una).before(Serial32(sent_.front().end))) {
            sent_ns = sent_.front().time_ns;
            sent_.pop_front();
        }
        // What was sent again is known by others.
        if (sent_ns == no_time || last.ca_state != CaState::open || row.ca_state != CaState::open) return;
        constexpr int64_t host_takes_ns = 1'000'000;
        const int64_t in_time_ns = rtt_min_ns_ + rtt_min_ns_ / 2 + host_takes_ns;
        if (elapsed_ns(oldest_ns, row.time_ns) <= in_time_ns) return;
        // An estimate of what the far end heard may be out of the capture's order.
        if (!late_.empty() && row.packet <= late_.back().packet) return;
        if (late_.size() >= most_late) {
            if (beyond_ns_ == no_time) beyond_ns_ = oldest_ns;
            last_ns_ = row.time_ns;
            return;
        }
        const int64_t took_ns = elapsed_ns(sent_ns, row.time_ns);
        if (took_ns > in_time_ns) {
            const bool answered = std::ranges::find(answers_, row.packet) != answers_.end();
            late_.push_back({sent_ns + rtt_min_ns_, row.time_ns, row.packet,
                             answered || took_ns - rtt_min_ns_ >= delayed_ack_ns});
        }
        // What was sent before the last of them may have waited on the path, or to be acknowledged with it
        // (RFC 1122 §4.2.3.2).
        if (oldest_ns < sent_ns) {
            const int64_t end_ns = took_ns > in_time_ns ? sent_ns + rtt_min_ns_ : row.time_ns;
            late_.push_back({oldest_ns + rtt_min_ns_, end_ns, row.packet, true});
        }
    }
    // The other side's data came by this packet, whose row stands before that of the acknowledgement or behind it.
    void on_answer(PacketNumber packet) {
        answers_[answers_count_++ % answers_.size()] = packet;
        const auto found = std::ranges::lower_bound(late_, packet, {}, &Late::packet);
        if (found != late_.end() && found->packet == packet) found->unproven = true;
    }
    void finish(TimeSpans& proven, TimeSpans& unproven) const {
        for (const Late& late : late_) (late.unproven ? unproven : proven).add(late.begin_ns, late.end_ns);
        unproven.add(beyond_ns_, last_ns_);
        proven.finish();
        unproven.finish();
    }

  private:
    // RFC 1122 §4.2.3.2; Linux's TCP_DELACK_MIN is 40 ms.
    static constexpr int64_t delayed_ack_ns = 35'000'000;
    static constexpr size_t most_sent = 4096;
    static constexpr size_t most_late = 16384;
    struct SentUntil {
        uint32_t end;
        int64_t time_ns;
    };
    struct Late {
        int64_t begin_ns;
        int64_t end_ns;
        PacketNumber packet;
        bool unproven;
    };

    int64_t rtt_min_ns_ = no_time;
    std::deque<SentUntil> sent_;
    std::array<PacketNumber, 256> answers_{};  // a ring
    size_t answers_count_ = 0;
    std::vector<Late> late_;       // in order of packets
    int64_t beyond_ns_ = no_time;  // since when there were too many
    int64_t last_ns_ = no_time;
};

}  // namespace sanscope
