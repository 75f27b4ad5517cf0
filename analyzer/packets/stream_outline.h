// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/packets/packet_reader.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The next bytes that one side of a TCP connection sent, in order, each once.
struct OutlinedPiece {
    uint64_t offset = 0;      // of the first in its sender's stream, from which PduRow::bhs_offset counts
    PacketNumber packet = 0;  // that holds them; of bytes that no packet held, the one behind them
    uint32_t length = 0;      // on the wire
    Role sender = Role::initiator;
    bool not_captured = false;  // no packet held them
};

// What both sides of one connection sent, without the bytes: pieces in the order in which TCP could deliver them, made from the
// rows of segments alone. 24 bytes a segment with payload.
struct StreamOutline {
    uint32_t connection = 0;
    std::vector<OutlinedPiece> pieces;
    // By Role: the sequence number of the byte at offset 0.
    std::array<uint32_t, 2> start_seq = {0, 0};
    std::array<uint64_t, 2> bytes = {0, 0};         // on the wire
    std::array<uint64_t, 2> not_captured = {0, 0};  // of them, in no packet
};

// Of a connection (1-based) of a store that keeps segments, and is finished; `index` is of the same packets. Without pieces for a
// number that is none; soon after `stop` is set, with those found by then.
StreamOutline outline_stream(const ResultStore& store, const PacketIndex& index, uint32_t connection,
                             const std::atomic<bool>& stop);

// The bytes of pieces of such an outline. One thread at a time; store, outline and reader must outlive it.
class StreamBytes {
  public:
    StreamBytes(const ResultStore& store, const StreamOutline& outline, const PacketReader& reader)
        : store_(store), outline_(outline), reader_(reader) {}

    // The captured ones, from the first on: fewer than its length where the snap length cut the packet, none where no packet
    // held them. An Error where the packet cannot be read.
    Result<std::vector<uint8_t>> read(const OutlinedPiece& piece) const;

  private:
    Result<std::vector<uint8_t>> payload_of(PacketNumber packet) const;
    Result<std::vector<uint8_t>> payload_of_fragments(PacketNumber last) const;
    LinkType link_type(PacketNumber packet) const;

    const ResultStore& store_;
    const StreamOutline& outline_;
    const PacketReader& reader_;
};

}  // namespace sanscope
