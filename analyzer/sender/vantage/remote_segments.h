// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/vantage/arrival_pattern.h"
#include "analyzer/sender/vantage/event_ring.h"
#include "analyzer/sender/vantage/remote_packets.h"

namespace sanscope {

// A remote sender's segments, put from the order of their arrival at the tap into the order of its sequence. In: each
// of its packets. Out: from the head on, originals, retransmissions, packets that are evidence alone, and holes: what
// must have been sent and was lost before the tap. A hole is filled by its original where that was only late.
class RemoteSegments {
  public:
    explicit RemoteSegments(uint32_t mss) : mss_(mss), arrivals_(mss) {}

    // The place of the next one, to be written whole; then on_new() takes it, at the tap's time.
    SentSegment& add() { return ring_.add_back().segment; }
    const SentSegment& newest() const { return ring_.back().segment; }
    void on_new(int64_t now_ns, int64_t round_trip_ns);
    // Whether, since this was asked last, the head may have become another.
    bool take_head_changed() { return std::exchange(head_changed_, false); }

    bool empty() const { return ring_.empty(); }
    const PendingSegment& head() const { return ring_.front(); }
    // Nothing that is still to come belongs to it, or before it.
    bool head_ready(int64_t now_ns, int64_t round_trip_ns, bool finishing) const;
    // How many segments of the write that the head begins are here.
    int64_t segments_of_write() const;
    double byte_time_ns() const { return arrivals_.byte_time_ns(); }

    // The head, which is no hole, is given; it may be looked at until something is added.
    SentSegment& pop_head() {
        leave_lone();
        SentSegment& head = ring_.front().segment;
        ring_.pop_front();
        return head;
    }
    // The next piece of the hole that is the head.
    SentSegment& take_piece();

  private:
    using Kind = PendingSegment::Kind;
    struct Hole {
        Serial32 begin;
        Serial32 end;
        PendingSegment revealed_by;
    };

    void on_new_evidence();
    void on_new_data(int64_t round_trip_ns);
    void leave_lone() {
        if (lone_ == ring_.first()) lone_waits_ = false;
    }
    void settle_lone(int64_t round_trip_ns);
    void add_hole(Serial32 end);
    void make_hole(PendingSegment& hole, Serial32 begin, uint32_t length) const;
    bool take_repeated(int64_t round_trip_ns);
    bool fill_hole(const PendingSegment& late, int64_t round_trip_ns);
    void fill_hole_at(SegmentIndex i, const PendingSegment& late);
    void insert_rest(SegmentIndex i, const PendingSegment& hole, Serial32 begin, Serial32 end);
    bool is_original_of(const PendingSegment& late, const PendingSegment& revealed_by,
                        int64_t round_trip_ns) const;
    bool was_given_up(const PendingSegment& late, int64_t round_trip_ns) const;
    void keep_given_up(const PendingSegment& hole);

    uint32_t mss_;
    ArrivalPattern arrivals_;
    EventRing<PendingSegment> ring_;  // in the sender's order
    size_t holes_ = 0;                // of those, missing ones
    SegmentIndex last_break_ = 0;     // the last of them that continues no write
    bool head_changed_ = false;
    bool any_sequence_ = false;
    Serial32 sequence_end_;        // one past the farthest byte the sender is known to have sent
    bool lone_waits_ = false;      // whether it is new data is not known yet,
    SegmentIndex lone_ = 0;        // of this segment,
    int32_t lone_ip_id_step_ = 0;  // which has an IP identification so far from the one before
    std::array<Hole, 8> given_up_{};
    size_t given_up_count_ = 0;  // ever
    SentSegment piece_out_;      // of a hole
};

}  // namespace sanscope
