// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>

#include "analyzer/base/serial32.h"

namespace sanscope::simulated {

// What is known of one segment between its first transmission and its acknowledgement (RFC 6675 §2's scoreboard).
struct OutstandingSegment {
    Serial32 begin;
    Serial32 end;
    int64_t first_sent_ns = 0;
    int64_t last_sent_ns = 0;
    uint32_t transmissions = 0;
    uint64_t delivered_when_sent = 0;  // segments that had been delivered at the last transmission
    bool pushed = false;               // PSH
    bool sacked = false;
    bool lost = false;  // held for lost; a retransmission of it may be on its way
    bool retransmission_on_way = false;

    bool ever_retransmitted() const { return transmissions > 1; }
};

// The segments outstanding, in order of sequence, and how many there are of each sort.
class Flight {
  public:
    using Segments = std::deque<OutstandingSegment>;

    // Marks are changed only through the functions below, which keep the counts.
    Segments& segments() { return segments_; }
    const OutstandingSegment& front() const { return segments_.front(); }
    bool empty() const { return segments_.empty(); }

    uint32_t size() const { return static_cast<uint32_t>(segments_.size()); }
    uint32_t sacked() const { return sacked_; }
    uint32_t lost() const { return lost_; }
    uint32_t retransmissions_on_way() const { return on_way_; }
    // Segments, and retransmissions of them, that were ever held for lost.
    uint64_t losses() const { return losses_; }
    // Whether an acknowledgement now might be for a retransmission: one is on its way, or the first segment had one.
    bool retransmission_in_doubt() const { return on_way_ > 0 || (!empty() && front().ever_retransmitted()); }
    // The end of the highest segment SACKed; `otherwise` where there is none.
    Serial32 highest_sacked_end(Serial32 otherwise) const {
        if (sacked_ == 0) return otherwise;
        for (auto segment = segments_.rbegin(); segment != segments_.rend(); ++segment) {
            if (segment->sacked) return segment->end;
        }
        return otherwise;
    }

    OutstandingSegment& add(Serial32 begin, uint32_t length) {
        OutstandingSegment& segment = segments_.emplace_back();
        segment.begin = begin;
        segment.end = begin + length;
        return segment;
    }
    void remove_front() {
        clear_marks(segments_.front());
        sacked_ -= segments_.front().sacked;
        segments_.pop_front();
    }
    void mark_lost(OutstandingSegment& segment) {
        if (segment.lost && !segment.retransmission_on_way) return;
        clear_marks(segment);
        segment.lost = true;
        ++lost_;
        ++losses_;
    }
    void mark_sacked(OutstandingSegment& segment) {
        clear_marks(segment);
        segment.sacked = true;
        ++sacked_;
    }
    void mark_retransmitted(OutstandingSegment& segment) {
        segment.retransmission_on_way = true;
        ++on_way_;
    }
    void hold_none_for_lost() {
        for (OutstandingSegment& segment : segments_) segment.lost = false;
        lost_ = 0;
    }

  private:
    void clear_marks(OutstandingSegment& segment) {
        lost_ -= segment.lost;
        on_way_ -= segment.retransmission_on_way;
        segment.lost = segment.retransmission_on_way = false;
    }

    Segments segments_;
    uint32_t sacked_ = 0;
    uint32_t lost_ = 0;
    uint32_t on_way_ = 0;
    uint64_t losses_ = 0;
};

}  // namespace sanscope::simulated
