// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captures/scrub/capture_rewriter.h"
#include "captures/scrub/payload_follower.h"
#include "captures/scrub/scrub_capture.h"

#include "analyzer/export/block_writer.h"
#include "analyzer/ingest/file_byte_order.h"
#include "analyzer/ingest/packet_batch.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/ingest/timestamp_unit.h"

namespace sanscope {

// The records of a capture in, the blocks of its scrubbed copy out, in their order. It follows what a RecordParser has found to
// be whole, and so numbers packets as that does. Packets wait, with the blocks behind them, until PayloadFollower knows what
// they hold.
class BlockScrubber {
  public:
    // Of the two times that a capture with a rewriter is gone through: `note` writes nothing.
    enum class Pass : uint8_t { note, write };

    explicit BlockScrubber(BlockWriter& out, CaptureRewriter* rewriter = nullptr, Pass pass = Pass::write)
        : out_(out), rewriter_(rewriter), pass_(pass) {}

    // Of a pcapng: `bytes` were consumed by the parser (of a fault, those before it), `packets` found in them. In order and
    // without a gap.
    void take_blocks(std::span<const uint8_t> bytes, std::span<const RawPacket> packets);
    // Of a pcap: the section that its packets shall be in, then these.
    void begin_pcap(const CaptureInterface& interface);
    void take_records(std::span<const RawPacket> packets);
    // There are no more: all that waits is written.
    void finish();

    const ScrubbedCapture& outcome() const { return outcome_; }

  private:
    // What waits to be written: a block as it is, or a packet, whose block is made when it is known what it holds.
    struct Item {
        bool is_packet = false;
        size_t length = 0;  // in bytes_: of the block, or the frame and its block's options
        uint32_t captured = 0;
        uint32_t wire = 0;
        uint32_t headers = 0;           // of the frame
        uint32_t payload_captured = 0;  // behind them
        bool is_fragment = false;
        bool has_payload = false;  // TCP
        uint32_t interface = 0;
        uint64_t ticks = 0;
        FileByteOrder order;
        LinkType link_type = LinkType::ethernet;
    };

    void take_block(std::span<const uint8_t> block, const RawPacket* packet);
    void pass_in_pieces(uint32_t type, size_t length);
    void take_section_header(std::span<const uint8_t> block);
    void take_interface(std::span<const uint8_t> block);
    void take_packet_block(uint32_t type, std::span<const uint8_t> block, const RawPacket& packet);
    void take_numbered_block(uint32_t type, std::span<const uint8_t> block);
    void follow(Item item, const RawPacket& packet, std::span<const uint8_t> options);
    void queue_block(std::span<const uint8_t> block);
    // Of the capture, not made here: the rewriter may have something to change.
    void queue_copied(std::span<const uint8_t> block);
    void add_mark(std::vector<uint8_t>& block) const;
    void write_what_is_known();
    void write_packet(const Item& item, const PacketParts& parts);
    std::span<uint8_t> front_bytes();

    BlockWriter& out_;
    CaptureRewriter* rewriter_;
    Pass pass_;
    PayloadFollower follower_;
    ScrubbedCapture outcome_;
    std::deque<Item> items_;
    std::vector<uint8_t> bytes_;  // of items_, in their order, from begin_ on
    size_t begin_ = 0;
    std::vector<uint8_t> block_;     // in the making
    std::vector<uint8_t> original_;  // the frame in hand as captured, for the rewriter

    FileByteOrder order_;
    std::vector<uint8_t> passing_;  // of a block that comes in pieces and is copied, what came of it
    size_t passing_left_ = 0;       // of a block that comes in pieces
    bool passing_kept_ = false;
    std::optional<TimestampUnit> first_unit_;  // of the section's first interface
    PacketNumber number_ = 0;
};

}  // namespace sanscope
