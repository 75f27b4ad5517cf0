// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tcp/stream_reassembler.h"

#include <algorithm>

namespace sanscope {

void StreamReassembler::begin_at(Serial32 seq) {
    begun_ = true;
    next_seq_ = seq;
}

StreamReassembler::Added StreamReassembler::add_other(const Segment& segment, StreamPiece& piece) {
    if (!begun_) begin_at(segment.seq);
    const int64_t ahead = next_seq_.distance_to(segment.seq);
    const auto length = static_cast<int64_t>(segment.length);
    if (ahead > 0) {
        const uint64_t begin = next_offset_ + static_cast<uint64_t>(ahead);
        return hold(segment, begin, begin + segment.length) ? Added::held : Added::seen;
    }
    if (ahead + length <= 0) return Added::seen;

    // The segment holds the next byte, perhaps after some seen before, perhaps running into what is held.
    const auto seen = static_cast<uint32_t>(-ahead);
    uint32_t fresh = segment.length - seen;
    if (holding()) {
        const uint64_t until_held = held_[head_].offset - next_offset_;
        if (fresh > until_held) {
            const uint64_t begin = next_offset_ - seen;
            hold(segment, held_[head_].offset, begin + segment.length);
            fresh = static_cast<uint32_t>(until_held);
        }
    } else if (arena_.capacity() > worth_keeping) {
        std::vector<uint8_t>().swap(arena_);
    }
    pass_on(segment, seen, fresh, piece);
    return Added::in_order;
}

void StreamReassembler::acknowledged(Serial32 ack, Arrival arrival) {
    if (!begun_) return;
    if (!next_seq_.before(ack)) return;
    if (acknowledged_to_ < offset_of(ack)) {
        acknowledged_to_ = offset_of(ack);
        acknowledged_by_ = arrival;
    }
    if (hole_acknowledged_ns_ == no_time) hole_acknowledged_ns_ = arrival.time_ns;
}

bool StreamReassembler::next(Arrival now, StreamPiece& piece) {
    if (!holding()) return false;
    if (pop_ready(piece)) return true;
    const int64_t grace_begins_ns = std::max(hole_acknowledged_ns_, held_[head_].arrival.time_ns);
    const bool acknowledged_long_ago = hole_acknowledged_ns_ != no_time &&
                                       acknowledged_to_ >= held_[head_].offset &&
                                       now.time_ns - grace_begins_ns >= acknowledged_grace_ns;
    const bool too_much = held_bytes() > max_held_bytes || held_.size() - head_ > max_held_segments ||
                          budget_->used > budget_->limit;
    if (!acknowledged_long_ago && !too_much) return false;
    give_up_hole(held_[head_].offset, held_[head_].arrival, piece);
    return true;
}

bool StreamReassembler::flush(StreamPiece& piece) {
    if (holding()) {
        if (!pop_ready(piece)) give_up_hole(held_[head_].offset, held_[head_].arrival, piece);
        return true;
    }
    // One more may be a FIN (RFC 9293 §3.4).
    if (!begun_ || acknowledged_to_ <= next_offset_ + 1) return false;
    give_up_hole(acknowledged_to_, acknowledged_by_, piece);
    return true;
}

// Holds what of [begin, end) is not held yet. True if anything was new.
bool StreamReassembler::hold(const Segment& segment, uint64_t begin, uint64_t end) {
    if (!holding()) {
        held_.clear();
        arena_.clear();
        head_ = 0;
    }
    const uint64_t segment_begin = end - segment.length;
    bool fresh = false;
    size_t i = held_.size();
    while (i > head_ && held_[i - 1].offset >= begin) --i;
    if (i > head_) begin = std::max(begin, std::min(held_[i - 1].end(), end));
    while (begin < end) {
        const uint64_t until = i < held_.size() ? std::min(end, held_[i].offset) : end;
        if (begin < until) {
            insert_held(i, segment, begin, until, segment_begin);
            fresh = true;
            ++i;
        }
        if (i >= held_.size()) break;
        begin = std::max(until, held_[i].end());
        ++i;
    }
    return fresh;
}

void StreamReassembler::insert_held(size_t position, const Segment& segment, uint64_t begin, uint64_t end,
                                    uint64_t segment_begin) {
    const auto skip = static_cast<uint32_t>(begin - segment_begin);
    const auto length = static_cast<uint32_t>(end - begin);
    const uint32_t captured = segment.captured > skip ? std::min(segment.captured - skip, length) : 0;
    const Held held{begin, length, captured, arena_.size(), segment.arrival};
    if (captured > 0) arena_.insert(arena_.end(), segment.data + skip, segment.data + skip + captured);
    held_.insert(held_.begin() + static_cast<std::ptrdiff_t>(position), held);
    held_bytes_ += captured;
    budget_->used += captured + sizeof(Held);
}

bool StreamReassembler::pop_ready(StreamPiece& piece) {
    const Held held = held_[head_];
    if (held.offset != next_offset_) return false;
    compact();
    const size_t at = held_[head_].at;
    deliver_at(held.arrival);
    piece.data = arena_.data() + at;
    piece.captured = held.captured;
    piece.length = held.length;
    piece.not_captured = false;
    piece.offset = held.offset;
    piece.carried = held.arrival;
    piece.delivered = delivered_;
    ++head_;
    held_bytes_ -= held.captured;
    budget_->used -= held.captured + sizeof(Held);
    advance(held.length);
    return true;
}

void StreamReassembler::give_up_hole(uint64_t until, const Arrival& behind, StreamPiece& piece) {
    const uint64_t hole = until - next_offset_;
    piece.data = nullptr;
    piece.captured = 0;
    piece.length = static_cast<uint32_t>(hole);
    piece.not_captured = true;
    piece.offset = next_offset_;
    piece.carried = behind;
    piece.delivered = delivered_;
    advance(hole);
}

// Drops what was delivered, once that is the greater part.
void StreamReassembler::compact() {
    if (head_ > 0 && head_ * 2 >= held_.size()) {
        held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
    }
    constexpr size_t not_worth_it = 1u << 16;
    const size_t in_use = held_bytes_ + (held_.size() - head_) * sizeof(Held);
    if (arena_.size() > 2 * in_use + not_worth_it) compact_arena();
}

// Segments come in any order, so what was delivered may lie anywhere between what is held.
void StreamReassembler::compact_arena() {
    std::vector<uint8_t> kept;
    kept.reserve(held_bytes_);
    for (size_t i = head_; i < held_.size(); ++i) {
        const auto begin = arena_.begin() + static_cast<std::ptrdiff_t>(held_[i].at);
        held_[i].at = kept.size();
        kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(held_[i].captured));
    }
    arena_.swap(kept);
}

void StreamReassembler::release() {
    for (size_t i = head_; i < held_.size(); ++i) budget_->used -= held_[i].captured + sizeof(Held);
}

}  // namespace sanscope
