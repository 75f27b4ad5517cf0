// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

struct Arrival {
    PacketNumber packet = 0;
    int64_t time_ns = no_time;
};

// A TCP segment's payload as captured.
struct Segment {
    Serial32 seq;
    uint32_t length = 0;    // bytes on the wire
    uint32_t captured = 0;  // of them, from the first on, at `data`
    const uint8_t* data = nullptr;
    Arrival arrival;
};

// The next bytes of a stream, in order. `captured` bytes lie at `data`; the rest of `length` is not there, because the
// snap length cut it off or because no packet with it was captured at all.
struct StreamPiece {
    const uint8_t* data = nullptr;  // valid until the reassembler's next call
    uint32_t captured = 0;
    uint32_t length = 0;
    bool not_captured = false;  // a hole: no packet held these bytes
    uint64_t offset = 0;        // of the first byte in the stream
    // The packet that held these bytes; of a hole, the packet after it, or the one that acknowledged the last of it.
    Arrival carried;
    Arrival delivered;  // the packet whose arrival let TCP deliver them in order
};

// How many bytes of out-of-order segments may be held, over all streams that share the budget.
struct ReassemblyBudget {
    size_t limit = 96u << 20;
    size_t used = 0;
};

// One direction of a TCP connection: segments in, as captured; bytes out, in order, each once (RFC 9293 §3.4).
//
// Assumption that shapes it: nearly every segment is the next one. That one is handed through without a copy; only
// what arrives ahead of a hole is copied and held. Of bytes seen twice the first stand.
//
// A hole is closed by the segment that fills it. It is given up, and becomes a piece that was not captured, when the
// other side has acknowledged bytes beyond it and `acknowledged_grace_ns` have passed since then and since the segment
// behind it came (the capture dropped the packet, or the file has it later, out of order), when more is held than `max_held_bytes`/`max_held_segments` or the shared
// budget allow, or when flushed.
class StreamReassembler {
  public:
    static constexpr int64_t acknowledged_grace_ns = 50'000'000;
    static constexpr size_t max_held_bytes = 16u << 20;
    static constexpr size_t max_held_segments = 32768;

    explicit StreamReassembler(ReassemblyBudget& budget) : budget_(&budget) {}
    StreamReassembler(const StreamReassembler&) = delete;
    StreamReassembler& operator=(const StreamReassembler&) = delete;
    ~StreamReassembler() { release(); }

    // The stream begins at `seq`. To be called before the first add(), which else begins it at its segment.
    void begin_at(Serial32 seq);
    bool begun() const { return begun_; }
    Serial32 next_seq() const { return next_seq_; }
    uint64_t next_offset() const { return next_offset_; }

    enum class Added : uint8_t {
        in_order,  // `piece` is to be consumed now, then next() asked
        held,      // ahead of a hole
        seen,      // nothing new in it
    };
    Added add(const Segment& segment, StreamPiece& piece) {
        const bool is_next = begun_ && segment.seq == next_seq_ && segment.length > 0;
        if (!is_next || holding() || arena_.capacity() > worth_keeping) return add_other(segment, piece);
        pass_on(segment, 0, segment.length, piece);
        return Added::in_order;
    }

    // The other side has acknowledged all bytes before `ack`.
    void acknowledged(Serial32 ack, Arrival arrival);

    // Whether next() may have something to give: cheap, to be asked for every packet of the connection.
    bool holding() const { return head_ < held_.size(); }
    // Gives the held piece that has become the next one, or a hole that is given up as of `now`.
    bool next(Arrival now, StreamPiece& piece);
    // The same, giving up every hole: the stream has ended. The last hole is what was acknowledged and never captured.
    bool flush(StreamPiece& piece);

    size_t held_bytes() const { return held_bytes_; }
    // All that the stream occupies for what is or was held.
    size_t memory_bytes() const { return arena_.capacity() + held_.capacity() * sizeof(Held); }

  private:
    // As much memory may stay with a stream that holds nothing.
    static constexpr size_t worth_keeping = 1u << 20;
    struct Held {
        uint64_t offset;
        uint32_t length;
        uint32_t captured;
        size_t at;  // in arena_
        Arrival arrival;
        uint64_t end() const { return offset + length; }
    };

    uint64_t offset_of(Serial32 seq) const {
        return next_offset_ + static_cast<uint64_t>(static_cast<int64_t>(next_seq_.distance_to(seq)));
    }
    Added add_other(const Segment& segment, StreamPiece& piece);
    // Of a segment, the `fresh` bytes behind those that were seen before: they are the next. Arrivals go field by field, as they
    // were just written: a copy of the whole would wait for that.
    void pass_on(const Segment& segment, uint32_t seen, uint32_t fresh, StreamPiece& piece) {
        deliver_at(segment.arrival);
        const uint32_t captured = segment.captured > seen ? std::min(segment.captured - seen, fresh) : 0;
        piece.data = segment.data + (captured > 0 ? seen : 0);
        piece.captured = captured;
        piece.length = fresh;
        piece.not_captured = false;
        piece.offset = next_offset_;
        piece.carried.packet = segment.arrival.packet;
        piece.carried.time_ns = segment.arrival.time_ns;
        piece.delivered.packet = delivered_.packet;
        piece.delivered.time_ns = delivered_.time_ns;
        advance(fresh);
    }
    bool hold(const Segment& segment, uint64_t begin, uint64_t end);
    void insert_held(size_t position, const Segment& segment, uint64_t begin, uint64_t end,
                     uint64_t segment_begin);
    bool pop_ready(StreamPiece& piece);
    void give_up_hole(uint64_t until, const Arrival& behind, StreamPiece& piece);
    void advance(uint64_t length) {
        next_seq_ += static_cast<uint32_t>(length);
        next_offset_ += length;
        if (acknowledged_to_ <= next_offset_) hole_acknowledged_ns_ = no_time;
    }
    void deliver_at(const Arrival& arrival) {
        if (arrival.packet <= delivered_.packet) return;
        delivered_.packet = arrival.packet;
        delivered_.time_ns = arrival.time_ns;
    }
    void compact();
    void compact_arena();
    void release();

    ReassemblyBudget* budget_;
    bool begun_ = false;
    Serial32 next_seq_;
    uint64_t next_offset_ = 0;
    Arrival delivered_;  // of the latest packet among the bytes delivered
    uint64_t acknowledged_to_ = 0;
    Arrival acknowledged_by_;  // the packet that did
    int64_t hole_acknowledged_ns_ =
        no_time;              // when the acknowledgement first lay beyond the hole at next_offset_
    std::vector<Held> held_;  // in order of offset, disjoint; those before head_ are gone
    size_t head_ = 0;
    std::vector<uint8_t> arena_;  // bytes of held_, and of some that are gone
    size_t held_bytes_ = 0;       // of captured payload, in those not gone
};

}  // namespace sanscope
