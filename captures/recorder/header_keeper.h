// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "captures/scrub/payload_follower.h"

#include "analyzer/base/link_type.h"

namespace sanscope {

// Whether headers can be told from what they carry on an interface of this LINKTYPE_ number.
bool is_followed_link_type(uint16_t link_type);

// Of a recording's packets, lets pass what `--keep headers` keeps (is_kept_with_headers(), docs/scrub.md): each packet's block
// ends behind its last byte of that, and bytes before that which are not are zeros. Times and original lengths stand. What is
// not known for what it is ends behind the frame's headers.
//
// Blocks go in and come out in one order. A packet of which it shows only later what it holds keeps all behind it waiting, for
// `Limits::longest_wait` at most. In the steady state nothing is allocated.
class HeaderKeeper {
  public:
    using Clock = std::chrono::steady_clock;
    // Whole blocks, with so many packets.
    using Write = std::function<void(std::span<const uint8_t> blocks, uint64_t packets)>;

    struct Limits {
        std::chrono::milliseconds longest_wait{1000};
        size_t waiting_bytes = size_t{64} << 20;  // of blocks
        size_t waiting_blocks = size_t{1} << 16;
        PayloadFollower::Limits follower{
            .waiting_packets = SIZE_MAX, .waiting_bytes = SIZE_MAX, .iscsi_connections = 1024};
    };

    // `link_types`: LINKTYPE_ numbers of the interfaces, in the order of the file.
    HeaderKeeper(std::vector<uint16_t> link_types, Write write)
        : HeaderKeeper(std::move(link_types), std::move(write), Limits{}) {}
    HeaderKeeper(std::vector<uint16_t> link_types, Write write, const Limits& limits);

    // Enhanced packet blocks as put_packet_block() makes them, whole, in the order of the recording.
    void take(std::span<const uint8_t> blocks, Clock::time_point now);
    // Blocks without a packet, which pass as they are.
    void take_other(std::span<const uint8_t> blocks, Clock::time_point now);
    // To be called now and then: what has waited for too long comes out.
    void tick(Clock::time_point now);
    // There are no more: all that waits comes out.
    void finish();

    size_t waiting() const { return waiting_.size(); }
    // Packets of iSCSI connections that held bytes which are not known for what they are.
    uint64_t out_of_step() const { return out_of_step_; }

  private:
    // A block that has not come out.
    struct Waiting {
        size_t length = 0;  // in bytes_
        Clock::time_point since;
        bool is_packet = false;
        bool as_it_is = true;           // else what it holds is still to show, and it is as captured
        uint32_t headers = 0;           // of the frame: what lies before the TCP payload
        uint32_t payload_captured = 0;  // behind them
    };

    void take_packet(std::span<const uint8_t> block, Clock::time_point now);
    void append_kept(std::span<const uint8_t> block, uint32_t headers, const PacketParts& parts,
                     std::span<const uint8_t> payload, std::vector<uint8_t>& into);
    void queue(std::span<const uint8_t> block, Waiting waiting);
    void pass_what_is_known();
    void pass_first(bool known);
    bool too_much() const;
    void flush();

    std::vector<uint16_t> link_types_;
    Write write_;
    Limits limits_;
    PayloadFollower follower_;
    PacketNumber number_ = 0;
    std::deque<Waiting> waiting_;
    std::vector<uint8_t> bytes_;  // of waiting_, in their order, from begin_ on
    size_t begin_ = 0;
    std::vector<uint8_t> block_;  // in the making
    std::vector<uint8_t> out_;
    uint64_t out_packets_ = 0;
    uint64_t out_of_step_ = 0;
};

}  // namespace sanscope
