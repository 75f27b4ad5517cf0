// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/kernel/ack_work.h"
#include "analyzer/sender/kernel/kernel_observer.h"
#include "analyzer/sender/kernel/rack.h"
#include "analyzer/sender/kernel/send_queue.h"
#include "analyzer/sender/kernel/sender_state.h"
#include "analyzer/sender/kernel/tail_loss_probe.h"
#include "analyzer/sender/kernel/undo.h"

namespace sanscope {

// The SACK scoreboard (RFC 2018, 2883, 6675): which outstanding segments the receiver has, by tcp_input.c's tagging of
// the retransmission queue.
class Scoreboard {
  public:
    Scoreboard(SenderState& tp, SendQueue& queue, Rack& rack, Undo& undo, const TailLossProbe& probe,
               KernelObserver& observer)
        : tp_(tp), queue_(queue), rack_(rack), undo_(undo), probe_(probe), observer_(observer) {}

    // tcp_sacktag_write_queue().
    void sacktag_write_queue(AckWork& work);
    // tcp_highest_sack_seq(): where the segment behind the highest SACKed one begins.
    Serial32 highest_sack_seq() const {
        if (tp_.sacked_out == 0 || highest_sack_ == SendQueue::none) return tp_.snd_una;
        return highest_sack_ >= queue_.end() ? tp_.snd_nxt : queue_[highest_sack_].begin;
    }
    // tcp_highest_sack_replace(): segments at the queue's head are gone.
    void on_acked() {
        if (highest_sack_ != SendQueue::none) highest_sack_ = std::max(highest_sack_, queue_.first());
    }
    // Nothing is known of what is outstanding.
    void clear() {
        highest_sack_ = SendQueue::none;
        cache_size_ = 0;
    }
    // Lets the observer know of a segment delivered, before or after higher ones. `passed`: higher ones were SACKed
    // before (RFC 4737's reordering). Without SACK duplicate acknowledgements show the same of the segment that the
    // receiver asked for, `oldest`: those behind it may be what it had already.
    void note_order(const SendQueue::Segment& segment, bool passed, bool oldest = false) {
        const bool asked_for = !tp_.sack && tp_.sacked_out > 0 && (oldest || segment.late != 0);
        const bool on_path = passed || asked_for;
        if (on_path || segment.late != 0) observer_.on_reordered_delivery(segment, on_path);
    }

  private:
    using Index = SendQueue::Index;
    using Blocks = std::array<ReceivedAck::Block, 4>;

    bool check_dsack(AckWork& work);
    uint32_t dsack_seen(AckWork& work, Serial32 begin, Serial32 end);
    bool is_sackblock_valid(bool dsack, Serial32 begin, Serial32 end) const;
    uint8_t take_blocks(const AckWork& work, bool dsack, Blocks& blocks, int& first_block) const;
    void sacktag_walk(AckWork& work, const ReceivedAck::Block& block, Serial32 from, Serial32 to, bool dsack);
    void sacktag_one(AckWork& work, Index i, bool dsack);

    SenderState& tp_;
    SendQueue& queue_;
    Rack& rack_;
    Undo& undo_;
    const TailLossProbe& probe_;
    KernelObserver& observer_;
    Index highest_sack_ = SendQueue::none;  // tp->highest_sack: the segment behind the highest SACKed
    Blocks cache_{};                        // tp->recv_sack_cache
    uint8_t cache_size_ = 0;
    uint64_t dsack_dups_ = 0;
};

}  // namespace sanscope
