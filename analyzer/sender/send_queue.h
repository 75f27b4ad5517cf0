// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/send_budget.h"
#include "analyzer/store/rows.h"

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

    struct Segment {
        int64_t first_sent_us = 0;
        int64_t last_sent_us = 0;
        PacketNumber first_packet = 0;
        PacketNumber last_packet = 0;
        Index newer = none;  // in order of transmission
        Index older = none;
        uint64_t loss = 0;  // the number of the newest loss row about it
        // Of tcp_rate.c: what had been delivered, and when, as this was sent.
        int64_t delivered_us = 0;
        int64_t first_tx_us = 0;
        uint32_t delivered = 0;
        Serial32 begin;
        Serial32 end;
        uint32_t timestamp = 0;  // TSval of the last transmission
        bool sacked : 1 = false;
        bool lost : 1 = false;
        bool retransmitted : 1 = false;  // and that is still held for in flight
        bool ever_retransmitted : 1 = false;
        bool in_time_order : 1 = false;
        bool unseen : 1 = false;       // no captured packet brought it
        bool app_limited : 1 = false;  // sent while the application had no more
        LossKind loss_kind = LossKind::fast_retransmit;
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

    // A new segment behind all others, sent now. There is room.
    Segment& push_back();
    // The first one is acknowledged. There is one.
    void pop_front();
    void clear();

    // The first segment that ends after `seq`; end() if none does.
    Index find(Serial32 seq) const;

    Index oldest_sent() const { return oldest_; }
    Index newest_sent() const { return newest_; }
    // Sent again: the newest of all.
    void resent(Index i);
    // No longer of interest to RACK, until it is sent again.
    void leave_time_order(Index i);

  private:
    void join_time_order(Index i);
    bool grow();

    SendBudget& budget_;
    std::vector<Segment> ring_;
    Index mask_ = 0;
    Index head_ = 0;
    Index tail_ = 0;
    Index oldest_ = none;
    Index newest_ = none;
};

}  // namespace sanscope
