// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "captures/recorder/packet_buffers.h"
#include "captures/scrub/payload_follower.h"

#include "analyzer/base/link_type.h"

namespace sanscope {

// Whether headers can be told from what they carry on an interface of this LINKTYPE_ number.
bool is_followed_link_type(uint16_t link_type);

// A packet as a recording takes it.
struct CapturedPacket {
    uint32_t interface = 0;          // its number in the file
    int64_t time_ns = 0;             // since the epoch
    std::span<const uint8_t> bytes;  // of the frame, as captured
    uint32_t wire_length = 0;
};

// Of a recording's packets, lets pass what `--keep headers` keeps (is_kept_with_headers(), docs/scrub.md): each packet's block
// ends behind its last byte of that, and bytes before that which are not are zeros. Times and original lengths stand. What is
// not known for what it is ends behind the frame's headers.
//
// Packets go in and come out in one order. One of which it shows only later what it holds keeps all behind it waiting, for
// `Limits::longest_wait` at most, and is copied for that; of others only what is kept is. In the steady state nothing is
// allocated.
class HeaderKeeper {
  public:
    using Clock = std::chrono::steady_clock;

    struct Limits {
        std::chrono::milliseconds longest_wait{1000};
        size_t waiting_bytes = size_t{64} << 20;  // of packets
        size_t waiting_packets = size_t{1} << 16;
        // An interface gives packets in their order but for moments: one that is missing when it was acknowledged was dropped,
        // and to hold what lies behind it for long would have more dropped.
        PayloadFollower::Limits follower{.waiting_packets = SIZE_MAX,
                                         .waiting_bytes = SIZE_MAX,
                                         .iscsi_connections = 1024,
                                         .acknowledged_grace_ns = 5'000'000};
    };

    // `link_types`: LINKTYPE_ numbers of the interfaces, in the order of the file. Blocks go to `output`, whose buffers hold one of
    // every packet that comes.
    HeaderKeeper(std::vector<uint16_t> link_types, BlockOutput& output)
        : HeaderKeeper(std::move(link_types), output, Limits{}) {}
    HeaderKeeper(std::vector<uint16_t> link_types, BlockOutput& output, const Limits& limits);

    // In the order of the recording. Its bytes are not looked at any more when this returns.
    void take(const CapturedPacket& packet, Clock::time_point now);
    // Enhanced packet blocks as put_packet_block() makes them, whole, likewise. What comes out is handed over.
    void take_blocks(std::span<const uint8_t> blocks, Clock::time_point now);
    // To be called now and then: what has waited for too long comes out.
    void tick(Clock::time_point now);
    // There are no more: all that waits comes out.
    void finish();

    size_t waiting() const { return waiting_.size(); }
    // Since when the one that has waited for the longest time does so; the latest time there is, if none waits.
    Clock::time_point waiting_since() const {
        return waiting_.empty() ? Clock::time_point::max() : waiting_.front().since;
    }
    // Packets of iSCSI connections that held bytes which are not known for what they are; not those all of whose payload came
    // before, of which nothing is missing.
    uint64_t out_of_step() const { return out_of_step_; }
    // Packets for which the output had no room.
    uint64_t refused() const { return refused_; }

  private:
    // A packet that has not come out.
    struct Waiting {
        CapturedPacket packet;          // without its bytes
        uint32_t captured = 0;          // of them, in bytes_
        uint32_t headers = 0;           // of the frame: what lies before the TCP payload
        uint32_t payload_captured = 0;  // behind them
        bool as_it_is = true;           // else what it holds is still to show, and it is as captured
        Clock::time_point since;
    };

    uint32_t note_cut(uint32_t headers, const PacketParts& parts, size_t payload_captured);
    template <class MakeZero, class Wrote>
    static void copy_kept(std::span<const uint8_t> packet, uint32_t headers, const PacketParts& parts,
                          size_t payload_captured, uint8_t* to, const MakeZero& make_zero,
                          const Wrote& wrote);
    void put_kept(const CapturedPacket& packet, uint32_t headers, const PacketParts& parts,
                  std::span<const uint8_t> payload);
    uint8_t* begin_block(const CapturedPacket& packet, uint32_t captured);
    void end_block(const CapturedPacket& packet, uint32_t captured);
    void pass_what_is_known();
    void pass_first(bool known);
    bool too_much() const;

    std::vector<uint16_t> link_types_;
    BlockOutput& output_;
    Limits limits_;
    PayloadFollower follower_;
    PacketNumber number_ = 0;
    std::deque<Waiting> waiting_;
    std::vector<uint8_t> bytes_;  // of waiting_, in their order, from begin_ on
    size_t begin_ = 0;
    uint64_t out_of_step_ = 0;
    uint64_t refused_ = 0;
};

}  // namespace sanscope
