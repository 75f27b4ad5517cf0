// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "analyzer/base/log_histogram.h"
#include "analyzer/base/serial32.h"
#include "analyzer/tcp/stream_reassembler.h"

namespace sanscope {

// Data of one side that were captured behind the segment that acknowledges them, and how long behind it, at least. Where one
// clock stamps both directions as they pass, that is so of a few: of what was sent again, and was not captured the first time.
class LateData {
  public:
    // The other side acknowledged what it had not before.
    void acknowledged(Serial32 ack, int64_t time_ns) {
        acks_[next_] = {ack, time_ns};
        next_ = (next_ + 1) % acks_.size();
        known_ = std::min(known_ + 1, acks_.size());
    }
    // Data that end there, which had been acknowledged.
    void add(Serial32 end, const Arrival& arrival) {
        int64_t acknowledged_ns = arrival.time_ns;
        // From the oldest on: the first that acknowledges all of it.
        for (size_t i = 0; i < known_; ++i) {
            const Acknowledgement& ack = acks_[(next_ + acks_.size() - known_ + i) % acks_.size()];
            if (ack.number.before(end)) continue;
            acknowledged_ns = ack.time_ns;
            break;
        }
        // By its time it was not: an interface of several queues may write them in another order.
        if (arrival.time_ns < acknowledged_ns) return;
        if (lateness_.count() == 0) first_packet_ = arrival.packet;
        lateness_.add(arrival.time_ns - acknowledged_ns);
    }

    uint64_t segments() const { return lateness_.count(); }
    PacketNumber first_packet() const { return first_packet_; }
    // One in ten is as late or later. Each is a bound; the greatest may be of what was sent again.
    int64_t p90_ns() const { return lateness_.percentile_ns(0.9); }

  private:
    struct Acknowledgement {
        Serial32 number;
        int64_t time_ns = 0;
    };
    std::array<Acknowledgement, 64> acks_{};
    size_t next_ = 0;
    size_t known_ = 0;
    LogHistogram lateness_;
    PacketNumber first_packet_ = 0;
};

}  // namespace sanscope
