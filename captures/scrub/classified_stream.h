// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "captures/scrub/payload_parts.h"

namespace sanscope {

// One direction of a connection: what its bytes turned out to be, as far as that is remembered, and which packet brought each of
// them first. Offsets are of the stream.
class ClassifiedStream {
  public:
    // Of what was classified last, at least so many packets are remembered, or half as many as bring this many ranges.
    static constexpr size_t remembered = 1024;
    static constexpr size_t most_ranges = 2048;

    // All before it is known for what it is, or was given up.
    uint64_t end() const { return end_; }
    // The next bytes, up to `end`, are of such a part of a PDU. `part` tells of the whole stretch, which begins at
    // `stretch_begin`; its offset, begin and length are not looked at.
    void classify(uint64_t end, const PayloadPart& part, uint64_t stretch_begin);
    void classify_unknown(uint64_t end) { classify(end, PayloadPart{}, end_); }

    // The next bytes of the stream, in order, as they come: of this packet, or of none (0). Packets from `awaited` on are still
    // to be looked up, and what they brought is remembered.
    void bring(uint64_t begin, uint64_t end, PacketNumber packet, PacketNumber awaited);

    // The parts of a packet's payload, which lies at `begin`: of bytes that it brought first. Those that an earlier packet
    // brought are as they were then if they are the same here, else unknown. `payload`: as far as captured.
    void look_up(int64_t begin, uint32_t length, std::span<const uint8_t> payload, PacketNumber packet,
                 std::vector<PayloadPart>& parts, bool& seen_before);

  private:
    struct Range {
        uint64_t begin;
        uint64_t end;
        uint64_t stretch_begin;
        PayloadPart part;
    };
    struct Brought {
        uint64_t begin;
        uint64_t end;
        PacketNumber packet;
        uint32_t kept_crc = 0;  // of the bytes that are kept, once the packet was looked up
        bool looked_up = false;
    };
    void forget_oldest(PacketNumber awaited);
    uint32_t kept_crc(uint64_t begin, uint64_t end, uint64_t payload_begin,
                      std::span<const uint8_t> payload) const;
    void add_parts(uint64_t begin, uint64_t end, uint64_t payload_begin, bool unknown,
                   std::vector<PayloadPart>& parts) const;

    uint64_t end_ = 0;
    std::vector<Range> ranges_;     // in order, disjoint, without a gap
    std::vector<Brought> brought_;  // likewise
};

}  // namespace sanscope
