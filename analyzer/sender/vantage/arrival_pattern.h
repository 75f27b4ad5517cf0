// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/vantage/remote_packets.h"

namespace sanscope {

// How a remote sender's segments follow each other at the tap. In: each of them, in the order of the capture. Out:
// whether one is of the same write of segmentation offload as the one before, whether a pause came before it, what a
// byte costs on the slowest link, and whether the IP identification counts the sender's packets up (RFC 6864 §4: of
// datagrams that are not fragmented it need not).
class ArrivalPattern {
  public:
    explicit ArrivalPattern(uint32_t mss) : mss_(mss) {}

    // A segment that occupies sequence space: sets its `spaced` and `continues_write`.
    void on_segment(PendingSegment& pending);
    // Any other packet of the sender.
    void on_ip_id(uint16_t ip_id);

    // Since the last segment; 0 before the first.
    int64_t silence_ns(int64_t now_ns) const { return any_ ? now_ns - last_ns_ : 0; }
    // On the slowest link; 0: not known.
    double byte_time_ns() const { return byte_time_ns_; }
    // From the packet before.
    int32_t ip_id_step(uint16_t ip_id) const { return ip_id_distance(last_.ip_id, ip_id); }
    static int32_t ip_id_distance(uint16_t from, uint16_t to) {
        return static_cast<int16_t>(static_cast<uint16_t>(to - from));
    }
    // The identification counts up, rather than not; for certain.
    bool ip_id_counts() const { return ip_id_credit_ > 0; }
    bool ip_id_is_sure() const { return ip_id_credit_ >= ip_id_believed; }

  private:
    static constexpr int ip_id_believed = 16;

    // What shows whether the next segment is of the same write.
    struct Arrived {
        Serial32 end;
        Serial32 ack;
        uint32_t timestamp = 0;
        uint32_t timestamp_echo = 0;
        uint16_t ip_id = 0;
        bool pushed = false;
    };

    bool continues_write(const SentSegment& segment) const;
    void note_byte_time(double byte_ns, bool same_write);

    uint32_t mss_;
    bool any_ = false;
    Arrived last_;
    int64_t last_ns_ = 0;
    uint32_t write_length_ = 0;  // bytes of the write that is arriving
    double byte_time_ns_ = 0;
    double measured_byte_ns_ = 0;
    double byte_step_ns_ = 0;  // by which the next one moves that
    uint32_t byte_times_ = 0;  // that were measured
    bool write_seen_ = false;  // it is by segments of one write
    int ip_id_credit_ = 0;     // how far the IP identification is believed to count up
};

}  // namespace sanscope
