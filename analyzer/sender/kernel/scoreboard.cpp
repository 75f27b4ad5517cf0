// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/kernel/scoreboard.h"

#include <utility>

#include "analyzer/sender/kernel/delivery_rate.h"
#include "analyzer/sender/kernel/loss_marking.h"

namespace sanscope {

// tcp_is_sackblock_valid().
bool Scoreboard::is_sackblock_valid(bool dsack, Serial32 begin, Serial32 end) const {
    if (end.after(tp_.snd_nxt) || !begin.before(end) || !begin.before(tp_.snd_nxt)) return false;
    if (begin.after(tp_.snd_una)) return true;
    if (!dsack || !tp_.undo_marked) return false;
    if (end.after(tp_.snd_una)) return false;
    if (!begin.before(undo_.marker())) return true;
    if (!end.after(undo_.marker())) return false;
    return static_cast<uint32_t>(begin.distance_to(end)) <= tp_.max_window;
}

// tcp_dsack_seen(): how many segments arrived twice; 0 if that cannot be.
uint32_t Scoreboard::dsack_seen(AckWork& work, Serial32 begin, Serial32 end) {
    const auto length = static_cast<uint32_t>(begin.distance_to(end));
    if (length > tp_.max_window || length == 0) return 0;
    uint32_t segments = 1;
    if (length > tp_.mss) {
        segments = (length + tp_.mss - 1) / tp_.mss;
    } else if (probe_.ends_at(end)) {
        work.flags.dsack_of_probe = true;
    }
    dsack_dups_ += segments;
    if (dsack_dups_ > tp_.total_retrans) {
        // Not Linux's: the path duplicates some. Where those are few, one that was sent again arrived twice for that reason.
        constexpr uint64_t few = 8;
        if ((dsack_dups_ - tp_.total_retrans) * few < tp_.delivered) observer_.on_dsack(begin, end);
        return 0;
    }
    if (tp_.reord_seen && !work.flags.dsack_of_probe) rack_.note_dsack();
    work.flags.dsacking = true;
    work.sack_delivered += segments;
    observer_.on_dsack(begin, end);
    return segments;
}

// tcp_check_dsack().
bool Scoreboard::check_dsack(AckWork& work) {
    const ReceivedAck& ack = *work.ack;
    const auto& first = ack.sack[0];
    if (!first.begin.before(ack.ack)) {
        if (ack.sack_blocks < 2) return false;
        const auto& second = ack.sack[1];
        if (first.end.after(second.end) || first.begin.before(second.begin)) return false;
    }
    const uint32_t segments = dsack_seen(work, first.begin, first.end);
    if (segments == 0) return false;
    undo_.on_dsack(first.end, work.prior_una, segments);
    return true;
}

// The first half of tcp_sacktag_write_queue(): the usable blocks in order of sequence. `first_block`: which of them was
// the first in the option, -1 if that was not usable.
uint8_t Scoreboard::take_blocks(const AckWork& work, bool dsack, Blocks& blocks, int& first_block) const {
    const ReceivedAck& ack = *work.ack;
    uint8_t count = 0;
    first_block = 0;
    for (uint8_t k = 0; k < ack.sack_blocks; ++k) {
        ReceivedAck::Block block = ack.sack[k];
        const bool is_dsack = k == 0 && dsack;
        // Not Linux's: where the capture begins amid a hole, the block also has what was sent before.
        const bool begun_before = !is_dsack && ack.ack.before(tp_.snd_una) &&
                                  !block.begin.after(tp_.snd_una) && block.end.after(tp_.snd_una) &&
                                  !block.end.after(tp_.snd_nxt);
        if (begun_before) block.begin = tp_.snd_una;
        const bool usable = begun_before || (is_sackblock_valid(is_dsack, block.begin, block.end) &&
                                             block.end.after(work.prior_una));
        if (!usable) {
            if (k == 0) first_block = -1;
            continue;
        }
        blocks[count++] = block;
    }
    for (int k = count - 1; k > 0; --k) {
        for (int j = 0; j < k; ++j) {
            auto& one = blocks[static_cast<size_t>(j)];
            auto& next = blocks[static_cast<size_t>(j) + 1];
            if (!one.begin.after(next.begin)) continue;
            std::swap(one, next);
            if (j == first_block) first_block = j + 1;
        }
    }
    return count;
}

void Scoreboard::sacktag_write_queue(AckWork& work) {
    work.reordered = tp_.snd_nxt;
    if (tp_.sacked_out == 0) {
        highest_sack_ = queue_.first();
        cache_size_ = 0;
    }
    const bool dsack = check_dsack(work);
    if (tp_.packets_out == 0) return;

    Blocks blocks;
    int first_block = 0;
    const uint8_t count = take_blocks(work, dsack, blocks, first_block);
    for (int k = 0; k < count; ++k) {
        const auto& block = blocks[static_cast<size_t>(k)];
        const bool dsack_block = dsack && k == first_block;
        Serial32 from = block.begin;
        if (!dsack_block) {
            // What the acknowledgement before SACKed is tagged already.
            for (uint8_t c = 0; c < cache_size_ && from.before(block.end); ++c) {
                const auto& done = cache_[c];
                if (!done.end.after(from) || !done.begin.before(block.end)) continue;
                sacktag_walk(work, block, from, done.begin, false);
                from = done.end;
            }
        }
        sacktag_walk(work, block, from, block.end, dsack_block);
    }
    cache_ = blocks;
    cache_size_ = count;
    if (tp_.ca_state != CaState::loss || tp_.undo_marked)
        check_sack_reordering(tp_, work.reordered, highest_sack_seq());
}

// tcp_sacktag_walk(): the segments of the block that lie between, as far as they lie within it whole.
void Scoreboard::sacktag_walk(AckWork& work, const ReceivedAck::Block& block, Serial32 from, Serial32 to,
                              bool dsack) {
    if (!from.before(to)) return;
    for (Index i = queue_.find(from); i != queue_.end() && queue_[i].begin.before(to); ++i) {
        if (!queue_[i].begin.before(block.begin) && !queue_[i].end.after(block.end))
            sacktag_one(work, i, dsack);
    }
}

// tcp_sacktag_one().
void Scoreboard::sacktag_one(AckWork& work, Index i, bool dsack) {
    SendQueue::Segment& segment = queue_[i];
    if (dsack && segment.ever_retransmitted) {
        undo_.on_dsacked_segment(segment.end);
        if (segment.sacked && segment.begin.before(work.reordered)) work.reordered = segment.begin;
    }
    if (!segment.end.after(tp_.snd_una)) return;
    if (!segment.sacked) {
        rack_.advance(segment);
        if (segment.retransmitted) {
            if (segment.lost) {
                segment.lost = false;
                segment.retransmitted = false;
                --tp_.lost_out;
                --tp_.retrans_out;
            }
        } else {
            if (!segment.ever_retransmitted) {
                const bool passed = segment.begin.before(highest_sack_seq());
                if (passed && segment.begin.before(work.reordered)) work.reordered = segment.begin;
                note_order(segment, passed);
                if (!segment.end.after(tp_.high_seq)) work.flags.original_acked = true;
                if (work.first_sacked_us == 0) work.first_sacked_us = segment.last_sent_us;
                work.last_sacked_us = segment.last_sent_us;
            }
            if (segment.lost) {
                segment.lost = false;
                --tp_.lost_out;
            }
        }
        segment.sacked = true;
        work.flags.data_sacked = true;
        ++tp_.sacked_out;
        ++work.sack_delivered;
        rate_skb_delivered(tp_, work, segment);
    }
    if (dsack && segment.retransmitted) {
        segment.retransmitted = false;
        --tp_.retrans_out;
    }
    queue_.leave_time_order(i);
    if (highest_sack_ == SendQueue::none || i >= highest_sack_) highest_sack_ = i + 1;
}

}  // namespace sanscope
