// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/base/bare_array.h"
#include "analyzer/base/serial32.h"
#include "analyzer/sender/kernel/send_budget.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a sender has outstanding: one entry a segment, in order of sequence, from SND.UNA to SND.NXT; and the same
// entries in order of their last transmission, as RACK (RFC 8985 §5.2) wants them.
//
// Entries are named by an Index that stays good while the segment is outstanding, and grows with the sequence. They
// live in a ring that grows to the largest flight seen and is used again; a segment takes 88 bytes.
class SendQueue {
  public:
    using Index = uint64_t;
    static constexpr Index none = ~Index{0};

    // push_back() and who calls it set every field.
    struct Segment {
        int64_t first_sent_us;
        int64_t last_sent_us;
        PacketNumber first_packet;
        uint64_t loss;  // the number of the newest loss row about it
        uint64_t late;  // the number of the row about its passing the tap late, 0 if it did not
        // Of tcp_rate.c: what had been delivered, and when, as this was sent.
        int64_t delivered_us;
        int64_t first_tx_us;
        uint32_t delivered;
        Serial32 begin;
        Serial32 end;
        uint32_t timestamp;  // TSval of the last transmission
        // To the neighbours in order of transmission, as differences of Index; 0: none.
        int32_t to_newer;
        int32_t to_older;
        bool sacked;
        bool lost;
        bool retransmitted;  // and that is still held for in flight
        bool ever_retransmitted;
        bool in_time_order;
        bool unseen;       // no captured packet brought it
        bool app_limited;  // sent while the application had no more,
        bool surely_app_limited;
    };

    explicit SendQueue(SendBudget& budget) : budget_(budget) {}
    ~SendQueue() { budget_.give_back(ring_.size()); }
    SendQueue(const SendQueue&) = delete;
    SendQueue& operator=(const SendQueue&) = delete;

    // Makes room for one more; false if the budget has none: some must go first.
    bool has_room() { return size() < ring_.size() || grow(); }
    bool empty() const { return head_ == tail_; }
    size_t size() const { return static_cast<size_t>(tail_ - head_); }
    Index first() const { return head_; }
    Index end() const { return tail_; }  // one past the last
    Segment& operator[](Index i) { return ring_[i & mask_]; }
    const Segment& operator[](Index i) const { return ring_[i & mask_]; }

    // A new segment behind all others, sent now. There is room. Its place in sequence and what was sent are to be set.
    Segment& push_back();
    // The first one is acknowledged. There is one.
    void pop_front();
    void clear();

    // The first segment that ends after `seq`; end() if none does.
    Index find(Serial32 seq) const;

    Index oldest_sent() const { return oldest_; }
    // The one sent next after it; none if it is the newest, or of no interest to RACK.
    Index newer(Index i) const { return neighbour(i, (*this)[i].to_newer); }
    // Sent again: the newest of all.
    void resent(Index i);
    // No longer of interest to RACK, until it is sent again.
    void leave_time_order(Index i);

  private:
    static Index neighbour(Index i, int32_t distance) {
        return distance == 0 ? none : i + static_cast<Index>(int64_t{distance});
    }
    static int32_t distance(Index from, Index to) {
        return from == none || to == none ? 0 : static_cast<int32_t>(static_cast<int64_t>(to - from));
    }
    void join_time_order(Index i);
    bool grow();

    SendBudget& budget_;
    BareArray<Segment> ring_;
    Index mask_ = 0;
    Index head_ = 0;
    Index tail_ = 0;
    Index oldest_ = none;
    Index newest_ = none;
};

inline SendQueue::Segment& SendQueue::push_back() {
    const Index i = tail_++;
    Segment& segment = (*this)[i];
    segment.loss = 0;
    segment.sacked = false;
    segment.lost = false;
    segment.retransmitted = false;
    segment.ever_retransmitted = false;
    join_time_order(i);
    return segment;
}

inline void SendQueue::pop_front() {
    leave_time_order(head_);
    ++head_;
}

inline void SendQueue::join_time_order(Index i) {
    Segment& segment = (*this)[i];
    segment.in_time_order = true;
    segment.to_newer = 0;
    segment.to_older = distance(i, newest_);
    if (newest_ != none) (*this)[newest_].to_newer = distance(newest_, i);
    newest_ = i;
    if (oldest_ == none) oldest_ = i;
}

inline void SendQueue::leave_time_order(Index i) {
    Segment& segment = (*this)[i];
    if (!segment.in_time_order) return;
    segment.in_time_order = false;
    const Index newer = neighbour(i, segment.to_newer);
    const Index older = neighbour(i, segment.to_older);
    if (older != none) (*this)[older].to_newer = distance(older, newer);
    if (newer != none) (*this)[newer].to_older = distance(newer, older);
    if (oldest_ == i) oldest_ = newer;
    if (newest_ == i) newest_ = older;
    segment.to_newer = 0;
    segment.to_older = 0;
}

}  // namespace sanscope
