// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/sender/testing/virtual_time.h"
#include "analyzer/sender/testing/wire_segment.h"

namespace sanscope::simulated {

// The side that takes the data: acknowledges as RFC 9293 §3.8.6.3 and RFC 5681 §4.2 have it, with SACK (RFC 2018),
// D-SACK (RFC 2883), timestamps (RFC 7323 §4.3) and ECN (RFC 3168 §6.1.3). The application reads at once, unless it is
// asked to pause.
class SimulatedReceiver {
  public:
    struct Options {
        Serial32 first_byte{1};  // sequence number of the first byte that comes
        bool sack = true;
        bool timestamps = true;
        bool delayed_acks =
            true;  // every second segment, or after `delayed_ack_ns`; else every segment at once
        int64_t delayed_ack_ns = 40 * millisecond;
        uint32_t mss = 1448;
        uint32_t buffer_bytes = 64u << 20;  // the window when nothing waits to be read
        uint32_t clock_offset = 5'000'000;  // TSval = that + milliseconds
    };
    using Answer = std::function<void(const WireSegment&)>;

    SimulatedReceiver(VirtualTime& time, const Options& options, Answer answer);

    void on_segment(const WireSegment& segment);
    void pause_reading();
    // What a segment that carries data of the receiver's own acknowledges: no acknowledgement is delayed any more.
    Serial32 acknowledged_with_data();
    void resume_reading();  // announces the window where it had become too small for a segment

    uint64_t bytes_received() const { return bytes_received_; }          // in order, each once
    uint64_t duplicate_segments() const { return duplicate_segments_; }  // wholly received before
    uint64_t acks_sent() const { return acks_sent_; }
    uint32_t window() const;

  private:
    using Block = ReceivedAck::Block;

    void keep_timestamp(const WireSegment& segment);
    void take_data(const WireSegment& segment);
    void accept_in_order(const WireSegment& segment);
    void keep_out_of_order(const WireSegment& segment);
    void acknowledge();

    VirtualTime& time_;
    Options options_;
    Answer answer_;
    VirtualTimer delayed_ack_;
    Serial32 next_;              // RCV.NXT
    Serial32 last_ack_sent_;     // RFC 7323's Last.ACK.sent
    std::vector<Block> blocks_;  // received out of order; that which changed last comes first
    Block duplicate_{};
    bool has_duplicate_ = false;
    uint32_t recent_timestamp_ = 0;  // RFC 7323's TS.Recent
    uint32_t unacknowledged_segments_ = 0;
    uint32_t unread_ = 0;
    bool reading_ = true;
    bool echo_congestion_ = false;
    uint16_t ip_id_ = 0;
    uint64_t bytes_received_ = 0;
    uint64_t duplicate_segments_ = 0;
    uint64_t acks_sent_ = 0;
};

}  // namespace sanscope::simulated
