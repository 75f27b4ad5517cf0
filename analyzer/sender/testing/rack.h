// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/testing/flight.h"
#include "analyzer/sender/testing/round_trip.h"

namespace sanscope::simulated {

// Recent acknowledgement (RFC 8985 §5 to §6): a segment is lost when one sent after it was delivered, and its own time
// is over by more than reordering explains.
class Rack {
  public:
    // Step 2. A retransmission delivered sooner than any round trip was not it that was delivered.
    void on_delivered(const OutstandingSegment& segment, int64_t now_ns, int64_t shortest_rtt_ns) {
        const int64_t rtt_ns = now_ns - segment.last_sent_ns;
        if (segment.ever_retransmitted() && rtt_ns < shortest_rtt_ns) return;
        rtt_ns_ = rtt_ns;
        if (!any_ || sent_after(segment.last_sent_ns, segment.end, sent_ns_, end_)) {
            any_ = true;
            sent_ns_ = segment.last_sent_ns;
            end_ = segment.end;
        }
    }

    // Step 3: never-retransmitted data arrived below what had been SACKed, by so many segments.
    void on_reordering(uint32_t degree_segments) {
        reordering_seen_ = true;
        if (degree_segments > reordering_segments_)
            reordering_segments_ = degree_segments < most_reordering ? degree_segments : most_reordering;
    }
    // Without SACK, more duplicate acknowledgements than segments that could have caused them show it as well.
    void on_impossible_duplicates(uint32_t degree_segments) {
        reordering_seen_ = true;
        reordering_segments_ = degree_segments < most_reordering ? degree_segments : most_reordering;
    }
    uint32_t reordering_segments() const { return reordering_segments_; }
    void forget_reordering_degree() {
        reordering_segments_ = reordering_segments_ < 3 ? reordering_segments_ : 3;
    }

    // Step 4: the window widens once a round trip in which a D-SACK came, and stays so for 16 recoveries. The round is
    // shown by how much had been delivered when the segment delivered now was sent.
    void on_duplicate_reported() {
        if (reordering_seen_) duplicate_reported_ = true;
    }
    void on_round(uint64_t delivered_when_sent, uint64_t delivered) {
        if (delivered_when_sent < widened_at_delivered_) duplicate_reported_ = false;
        if (duplicate_reported_) {
            if (steps_ < 255) ++steps_;
            duplicate_reported_ = false;
            widened_at_delivered_ = delivered;
            persists_ = 16;
        } else if (persists_ == 0) {
            steps_ = 1;
        }
    }
    void on_recovered() {
        if (persists_ > 0) --persists_;
    }

    int64_t reordering_window_ns(const RoundTrip& rtt, bool recovering, uint32_t sacked) const {
        if (!reordering_seen_ && (recovering || sacked >= reordering_segments_)) return 0;
        const int64_t window_ns = rtt.shortest_ns() / 4 * steps_;
        return window_ns < rtt.smoothed_ns() ? window_ns : rtt.smoothed_ns();
    }

    // Step 5. Marks what is lost; returns how long until the next one may be (0: none waits).
    int64_t detect(Flight& flight, int64_t now_ns, int64_t window_ns) const {
        int64_t wait_ns = 0;
        if (!any_ || flight.empty()) return 0;
        // If the first was sent once, all others were sent later.
        const OutstandingSegment& first = flight.front();
        if (!first.ever_retransmitted() && !sent_after(sent_ns_, end_, first.last_sent_ns, first.end))
            return 0;
        for (OutstandingSegment& segment : flight.segments()) {
            if (segment.sacked || (segment.lost && !segment.retransmission_on_way)) continue;
            if (!sent_after(sent_ns_, end_, segment.last_sent_ns, segment.end)) continue;
            const int64_t left_ns = time_left_ns(segment, now_ns, window_ns);
            if (left_ns <= 0) {
                flight.mark_lost(segment);
            } else if (left_ns > wait_ns) {
                wait_ns = left_ns;
            }
        }
        return wait_ns;
    }
    int64_t time_left_ns(const OutstandingSegment& segment, int64_t now_ns, int64_t window_ns) const {
        return segment.last_sent_ns + rtt_ns_ + window_ns - now_ns;
    }

  private:
    static constexpr uint32_t most_reordering = 300;

    static bool sent_after(int64_t time_a, Serial32 end_a, int64_t time_b, Serial32 end_b) {
        return time_a > time_b || (time_a == time_b && end_b.before(end_a));
    }

    bool any_ = false;
    bool reordering_seen_ = false;
    bool duplicate_reported_ = false;
    int64_t sent_ns_ = 0;  // RACK.xmit_ts
    Serial32 end_;         // RACK.end_seq
    int64_t rtt_ns_ = 0;   // RACK.rtt
    uint32_t reordering_segments_ = 3;
    uint32_t steps_ = 1;
    uint32_t persists_ = 0;
    uint64_t widened_at_delivered_ = 0;
};

}  // namespace sanscope::simulated
