// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/inference/sender_log.h"
#include "analyzer/sender/kernel/kernel_observer.h"
#include "analyzer/sender/kernel/send_queue.h"

namespace sanscope {

// Makes the rows of losses, reordering and transitions of what the replayed kernel does, and corrects those of
// retransmissions that turn out to have been spurious.
class LossJournal final : public KernelObserver {
  public:
    explicit LossJournal(SenderLog& log) : log_(log) {}

    // The packet that all of the following is about.
    void at(PacketNumber packet, int64_t time_ns) {
        packet_ = packet;
        time_ns_ = time_ns;
    }
    PacketNumber packet() const { return packet_; }
    int64_t time_ns() const { return time_ns_; }

    // Something was sent again, or to keep the connection or its window open. `original`: the segment of the queue that
    // it repeats.
    void add(const SentSegment& segment, Serial32 begin, uint32_t length, LossKind kind,
             SendQueue::Segment* original, int64_t now_us);
    // A segment that passed the tap after later ones; the row's number.
    uint64_t add_late(const SentSegment& segment, Serial32 begin, uint32_t length);
    // Who put that one out of order, where it was acknowledged already.
    void classify_late(uint64_t row, bool asked_for);
    // An original came after its retransmission, if there was one: that was not needed.
    void on_late_original(Serial32 begin, Serial32 end) { on_dsack(begin, end); }
    // A series of timeouts begins.
    void begin_timeouts() { timeouts_begin_ = recent_count_; }
    void count_rest(LossKind kind) { log_.summary().on_rest_sent_again(kind); }
    void count_resent_after_ack() { log_.summary().on_resent_after_ack(); }

    void on_transition(CaState from, CaState to, const char* cause) override;
    void on_dsack(Serial32 begin, Serial32 end) override;
    void on_unasked_ack(int64_t time_ns) override;
    void on_spurious_retransmission(const SendQueue::Segment& segment) override;
    void on_needless_probe(Serial32 end) override;
    void on_timeout_undone() override;
    void on_reordered_delivery(const SendQueue::Segment& segment, bool on_path) override;

  private:
    // What is remembered of the newest retransmissions, for D-SACKs that come after the bytes were acknowledged: of
    // more than the largest burst of segmentation offload (44 segments). Chosen, not measured.
    static constexpr size_t max_recent = 256;

    struct Retransmission {
        Serial32 begin;
        Serial32 end;
        uint64_t loss = 0;  // the row's number
        LossKind kind = LossKind::fast_retransmit;
    };
    void make_spurious(Retransmission& sent);

    SenderLog& log_;
    PacketNumber packet_ = 0;
    int64_t time_ns_ = no_time;
    std::vector<Retransmission> recent_;  // a ring, once there was one
    uint64_t recent_count_ = 0;
    int64_t last_sent_again_ns_ = no_time;
    uint64_t timeouts_begin_ = 0;  // recent_count_ then
};

}  // namespace sanscope
