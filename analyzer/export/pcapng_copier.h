// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/export/block_writer.h"
#include "analyzer/export/packet_notes.h"
#include "analyzer/ingest/file_byte_order.h"
#include "analyzer/ingest/packet_batch.h"
#include "analyzer/ingest/timestamp_unit.h"

namespace sanscope {

// Copies a pcapng block by block, each in its own byte order, and as it is but for the comments of some packets: a block that
// gets others has its remaining options in their order, new comments in the place of the old. A simple packet block, which
// cannot have any, becomes an enhanced one, of the section's first interface as it was and with the time that our reader
// gives it, that of the packet before. Custom blocks that are not to be copied (type 0x40000bad) are left out.
//
// It follows what a PcapngParser has found to be whole, and so numbers packets as that does.
class PcapngCopier {
  public:
    // `notes` as of storable_notes(); both must outlive this.
    PcapngCopier(const PacketNotes& notes, BlockWriter& out)
        : notes_(notes), next_note_(notes.begin()), out_(out) {}

    // `bytes` were consumed by the parser (of a fault, those before it), `packets` found in them. Must be given in order and
    // without a gap. An Error where comments do not fit into a block.
    std::optional<Error> copy(std::span<const uint8_t> bytes, std::span<const RawPacket> packets);

    // A section that shows its own length, and does not have it any more.
    struct SectionLength {
        uint64_t at = 0;  // in the copy, of the 64 bits that tell it
        uint64_t length = 0;
        FileByteOrder order;
    };
    // How the copy is to be put right once all is written. `damage_at`: where in the input a block begins that is not
    // whole. The copy is to end behind `size`, and sections that changed are to tell their `lengths`.
    struct Ending {
        uint64_t size = 0;
        std::vector<SectionLength> lengths;
    };
    Ending end(std::optional<uint64_t> damage_at);

    uint64_t packets() const { return packets_; }      // copied, those that are but numbered as packets too
    uint64_t annotated() const { return annotated_; }  // of `notes`, packets that are as reported there
    uint64_t left_out() const { return left_out_; }    // blocks

  private:
    struct Section {
        uint64_t length_at = 0;
        uint64_t declared_length = 0;
        int64_t grown_by = 0;
        std::optional<TimestampUnit> unit;  // of the first interface
    };

    void append(std::span<const uint8_t> bytes);
    void begin_section(std::span<const uint8_t> block);
    void end_section();
    void look_at_interface(std::span<const uint8_t> block);
    bool has_comments(std::span<const uint8_t> block, const RawPacket& packet,
                      const std::vector<std::string>& comments) const;
    void rewrite(std::span<const uint8_t> block, const RawPacket& packet,
                 const std::vector<std::string>& comments);
    void add_enhanced_head(std::span<const uint8_t> simple_block, const RawPacket& packet);
    void add_option(uint16_t code, std::span<const uint8_t> value);
    void add_comments(const std::vector<std::string>& comments);

    const PacketNotes& notes_;
    PacketNotes::const_iterator next_note_;
    BlockWriter& out_;
    uint64_t read_ = 0;
    uint64_t written_ = 0;
    uint64_t block_left_ = 0;  // of a block whose first part was copied
    uint64_t number_ = 0;      // of the packet found last
    uint64_t packets_ = 0;
    uint64_t annotated_ = 0;
    uint64_t left_out_ = 0;
    FileByteOrder order_;
    std::optional<Section> section_;
    std::vector<SectionLength> lengths_;
    std::vector<uint8_t> block_;  // being rewritten
};

}  // namespace sanscope
