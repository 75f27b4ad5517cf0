// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a sender's TCP did and heard, in its own order and at its own time: the packets of one connection as that host
// would have captured them. A capture taken there gives them as they are; one taken elsewhere, by RemoteSender's
// estimate.

// Whether the bytes of a segment were sent before, as far as the capture shows (SentHistory).
enum class Sent : uint8_t {
    unclassified,  // SentHistory was not asked
    first,
    late,     // first, though it passed the tap after segments that were sent later
    again,    // they were seen before, or are known to have been sent before
    unknown,  // nothing shows it
};

// Of the timestamps option that is in every segment where the SYNs agreed on it, padding included (RFC 7323, appendix A).
constexpr uint32_t timestamps_length = 12;

struct SentSegment {
    int64_t time_ns = no_time;
    PacketNumber packet = 0;
    Serial32 seq;
    uint32_t length = 0;     // payload bytes; may be many segments at once (segmentation offload)
    uint32_t timestamp = 0;  // TSval, if has_timestamp
    uint16_t flags = 0;      // TcpFlag
    uint16_t ip_id = 0;
    bool has_timestamp = false;
    bool unseen = false;       // no captured packet is this transmission: it must have been
    bool overtaken = false;    // it passed the capture after segments that were sent later,
    int64_t overtaken_ns = 0;  // so long after the first of them
    Sent sent = Sent::unclassified;
    bool keeps_alive = false;          // the byte before all that is outstanding (RFC 1122 §4.2.3.6)
    bool asked = false;                // the receiver had shown before that it lacks these bytes
    bool acknowledged_before = false;  // sent again, though the tap saw it acknowledged a round trip before
    bool acknowledged = false;    // sent again, and all of it was acknowledged before this passed the tap
    uint8_t options_length = 0;   // bytes of TCP options; 0 if not known
    uint32_t timestamp_echo = 0;  // TSecr, if has_timestamp
    Serial32 ack;                 // if ACK is set
};

struct ReceivedAck {
    struct Block {
        Serial32 begin;
        Serial32 end;  // one past the last byte
    };

    int64_t time_ns = no_time;
    PacketNumber packet = 0;
    Serial32 ack;
    Serial32 seq;
    uint32_t window = 0;          // bytes, scaled; as in the header where the SYNs were not captured
    uint32_t payload_length = 0;  // data that came along
    uint32_t timestamp_echo = 0;  // TSecr, if has_timestamp
    uint16_t flags = 0;           // TcpFlag
    uint8_t sack_blocks = 0;      // how many of `sack` hold; the first may be a D-SACK (RFC 2883)
    bool has_timestamp = false;
    bool options_cut = false;  // of the TCP options not all were captured
    std::array<Block, 4> sack;
    uint32_t timestamp = 0;   // TSval, if has_timestamp
    bool scale_known = true;  // of the window
};

// What the SYNs agreed on for the data of one side.
struct SenderOptions {
    uint32_t mss = 0;  // payload bytes of a full segment, options subtracted; 0: SYNs not captured
    bool sack = true;
    bool timestamps = true;
    bool estimated = false;  // the events are RemoteSender's
};

}  // namespace sanscope
