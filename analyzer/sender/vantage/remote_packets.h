// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/vantage/event_ring.h"

namespace sanscope {

// The packets of a remote sender's connection while they wait for their place in its order (RemoteSender).

// So many packets of one kind wait at most; what comes before them is then given as it is.
constexpr size_t max_remote_pending = 8192;
// A hole of more bytes is no loss but a capture that was not looking.
constexpr int32_t largest_hole = 1 << 26;
// No retransmission timeout is shorter (TCP_RTO_MIN).
constexpr int64_t least_timeout_ns = 200'000'000;

// What has been acknowledged up to an acknowledgement, it included.
struct Acknowledged {
    Serial32 last;            // by that one
    Serial32 highest;         // the greatest acknowledgement
    Serial32 sacked_end;      // one past the farthest byte acknowledged or SACKed
    Serial32 data_end;        // one past the farthest byte the receiver sent
    Serial32 window_end;      // one past the farthest byte allowed, where the window's scale is known
    uint32_t timestamp = 0;   // TSval of that one
    uint32_t duplicates = 0;  // dupACK count: how many acknowledgements repeated this one up to here
};

struct PendingAck {
    ReceivedAck ack;
    Acknowledged upto;
    int64_t left_ns = 0;         // when the tap saw it, never before the one before
    bool brings_data = false;    // upto.data_end is by this one
    bool first_of_tick = false;  // no earlier one has its TSval
};

struct PendingSegment {
    enum class Kind : uint8_t {
        original,
        retransmission,
        evidence,  // occupies no sequence space
        missing,   // a hole; `segment` is the one that revealed it, but for sequence and length
    };
    SentSegment segment;
    int64_t arrival_ns = 0;
    Kind kind = Kind::original;
    bool spaced = false;           // a pause came before it
    bool continues_write = false;  // of the segment that arrived before
    bool known_lost = false;       // of a hole
    int64_t silence_ns = 0;        // since the segment that arrived before
    uint32_t piece = 0;            // of a hole: bytes that are given as one segment
};

using AckIndex = EventRing<PendingAck>::Index;
using SegmentIndex = EventRing<PendingSegment>::Index;

// The acknowledgements processed before a segment was sent: all before an index that lies in [least, most].
struct AckRange {
    AckIndex least = 0;
    AckIndex most = 0;
    bool most_is_firm = true;  // even against the sender's clock
};

inline uint32_t sequence_length(const SentSegment& segment) {
    return segment.length + ((segment.flags & tcp_syn) != 0 ? 1 : 0) +
           ((segment.flags & tcp_fin) != 0 ? 1 : 0);
}

inline Serial32 end_of(const SentSegment& segment) {
    return segment.seq + sequence_length(segment);
}

// Where the next SentSegment to be given of it ends.
inline Serial32 end_of_next(const PendingSegment& pending) {
    if (pending.kind != PendingSegment::Kind::missing) return end_of(pending.segment);
    return pending.segment.seq + std::min(pending.piece, pending.segment.length);
}

inline Serial32 later(Serial32 a, Serial32 b) {
    return a.before(b) ? b : a;
}

}  // namespace sanscope
