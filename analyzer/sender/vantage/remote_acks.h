// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/vantage/event_ring.h"
#include "analyzer/sender/vantage/remote_packets.h"

namespace sanscope {

// The acknowledgements on their way from the tap to a remote sender. In: each of them, in the order of the capture.
// Out: those that were not given yet, each with what is acknowledged, SACKed, sent and allowed up to it, so that bounds
// on which of them a segment's sender had processed are found in logarithmic time.
class RemoteAcks {
  public:
    // The place of the next one, to be written whole; then on_new() takes it, at the tap's time.
    ReceivedAck& add() { return ring_.add_back().ack; }
    const ReceivedAck& newest() const { return ring_.back().ack; }
    void on_new(int64_t now_ns);
    // The first one reaches the sender. Valid until something is added.
    PendingAck& give();

    bool empty() const { return ring_.empty(); }
    size_t size() const { return ring_.size(); }
    AckIndex first() const { return ring_.first(); }
    AckIndex end() const { return ring_.end(); }
    const PendingAck& operator[](AckIndex i) const { return ring_[i]; }
    const PendingAck& front() const { return ring_.front(); }
    const PendingAck& back() const { return ring_.back(); }
    bool any_given() const { return any_given_; }
    const Acknowledged& last_given() const { return last_given_; }

    // The first for which it holds, where it holds for all behind such a one too; end() if none.
    template <class Predicate>
    AckIndex find_first(Predicate is_beyond) const {
        return ring_.find_first(is_beyond);
    }
    // The first that the tap saw after that time.
    AckIndex first_after(int64_t time_ns) const {
        return find_first([&](const PendingAck& a) { return a.left_ns > time_ns; });
    }
    // What is in flight once the sender has sent up to `end`, all before that one processed.
    int64_t flight(AckIndex processed, Serial32 end) const {
        const Acknowledged& last = processed > first() ? ring_[processed - 1].upto : last_given_;
        return last.highest.distance_to(end);
    }
    // The one without which the receiver's window had no room for the segment; end() if there is none.
    AckIndex opened_window(const SentSegment& segment) const;
    // The one that showed the loss of the segment that ends there: three segments beyond it SACKed (RFC 6675 §4), or
    // the third duplicate (RFC 5681 §3.2). end() if there is none.
    AckIndex asked_by_sack(Serial32 segment_end, uint32_t mss) const;
    AckIndex asked_by_duplicates(Serial32 segment_begin) const;

  private:
    EventRing<PendingAck> ring_;
    bool any_ = false;
    bool any_given_ = false;
    Acknowledged last_given_;
};

}  // namespace sanscope
