// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

// Makes captures of any length for measuring, from a recorded one: its TCP conversations are repeated, each time
// between other hosts and ports and at a later time, several repetitions at once. Every repetition is a whole, valid
// conversation (checksums included), so that what is found in it is what is found in the recorded one.
class CaptureMaker {
  public:
    struct Shape {
        std::string sample;        // the recorded capture: Ethernet and IPv4
        unsigned connections = 4;  // repetitions under way at once
        uint32_t snap_length = 0;  // bytes kept of a packet; 0: all there are
    };
    static Result<CaptureMaker> make(const Shape& shape);

    // Receives the next bytes of the file; false to end early.
    using Sink = std::function<bool(std::span<const uint8_t>)>;
    // Writes a pcap file (nanoseconds) of exactly that many packets. Repetitions under way at the end are cut there, as
    // when a recording is stopped. False if the sink ended it.
    bool write(uint64_t packets, const Sink& sink) const;

    uint64_t packets_of_sample() const { return packets_.size(); }

  private:
    struct Packet {
        int64_t time_ns;  // since the sample's first packet
        size_t at;        // in bytes_
        uint32_t captured;
        uint32_t length;
        uint32_t tcp;           // offset of the TCP header in the frame
        uint32_t shifted_port;  // offset of the port that changes: the initiator's
    };
    // A place for one repetition after the other; `connections` of them run side by side.
    struct Lane {
        uint64_t repetition;
        size_t next;  // in packets_
        int64_t begin_ns;
    };

    CaptureMaker() = default;
    void append_record(const Packet& packet, const Lane& lane, std::vector<uint8_t>& out) const;

    std::vector<uint8_t> bytes_;
    std::vector<Packet> packets_;
    int64_t first_ns_ = 0;
    int64_t period_ns_ = 0;  // from the begin of a repetition to that of the next in its lane
    unsigned connections_ = 1;
    uint32_t snap_length_ = 0;
};

}  // namespace sanscope
