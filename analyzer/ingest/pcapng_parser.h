// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/ingest/file_byte_order.h"
#include "analyzer/ingest/record_parser.h"
#include "analyzer/ingest/timestamp_unit.h"

namespace sanscope {

// How many bytes of a section header tell that a file is pcapng and can be read.
constexpr size_t pcapng_start_length = 24;

// Whether a file with these first four bytes is pcapng.
bool is_pcapng(std::span<const uint8_t> first_bytes);

// Looks at the first pcapng_start_length bytes of a file; an Error where they are no section header that can
// be read.
Result<FileByteOrder> read_pcapng_start(std::span<const uint8_t> bytes);

// Any block's type and length, before its body.
constexpr size_t pcapng_block_head = 8;

// What RawPacket::block_head is for a packet in this block, of which pcapng_block_head bytes will do; in either byte order.
uint16_t packet_head_of_block(std::span<const uint8_t> block);
// Whether a block, of which as much will do, is a custom block.
bool is_custom_block(std::span<const uint8_t> block);

// The packets of a pcapng file (draft-ietf-opsawg-pcapng): enhanced, simple and obsolete packet blocks of any
// number of sections, each in its own byte order and with its own interfaces. Custom blocks come as
// LinkType::not_a_packet, since Wireshark counts them. Blocks that are not needed are passed over without
// being held. Section lengths are not looked at: following the blocks finds the next section as well, and
// does not depend on whoever wrote the length having known it.
class PcapngParser final : public RecordParser {
  public:
    explicit PcapngParser(std::string file) : file_(std::move(file)) {}

    Progress parse(std::span<const uint8_t> bytes, std::vector<RawPacket>& packets) override;
    const std::optional<FormatFault>& fault() const override { return fault_; }
    std::optional<FormatFault> fault_at_end(size_t left) const override;
    const std::vector<CaptureInterface>& interfaces() const override { return interfaces_; }
    void keep_sections() override { kept_ = std::make_unique<PcapngSections>(); }
    const PcapngSections* sections() const override { return kept_.get(); }
    void keep_notes() override { notes_ = std::make_unique<CaptureNotes>(); }
    const CaptureNotes* notes() const override { return notes_.get(); }
    void keep_names() override { names_ = std::make_unique<ResolvedNames>(); }
    const ResolvedNames* names() const override { return names_.get(); }

    // No section may describe more interfaces; real ones have a few, and their memory has to end somewhere.
    static constexpr size_t max_section_interfaces = 65536;
    // What is kept of a longer if_name.
    static constexpr size_t max_name_length = 256;

  private:
    struct SectionInterface {
        TimestampUnit unit;
        uint32_t snap_length = 0;
        LinkType link_type = LinkType::ethernet;
        uint16_t number = 0;  // in interfaces_
    };

    struct PacketFields {
        uint32_t interface = 0;
        uint64_t ticks = 0;
        uint32_t captured = 0;
        uint32_t original = 0;
    };

    Progress follow_blocks(std::span<const uint8_t> bytes, std::vector<RawPacket>& packets);
    void fail(std::string message);
    bool is_taken(uint32_t type, uint32_t length) const;
    bool is_wanted(uint32_t type) const;
    // Each handles one whole block; false where it failed.
    bool take_block(uint32_t type, std::span<const uint8_t> block, std::vector<RawPacket>& packets);
    bool take_interface_description(std::span<const uint8_t> body);
    bool take_interface_statistics(std::span<const uint8_t> body);
    bool take_packet(const PacketFields& fields, std::span<const uint8_t> data,
                     std::vector<RawPacket>& packets);
    // Of the packet found last.
    void take_packet_comments(std::span<const uint8_t> data, uint32_t captured,
                              const std::vector<RawPacket>& packets);
    void take_section_options(std::span<const uint8_t> block, FileByteOrder order);
    bool take_simple_packet(std::span<const uint8_t> body, std::vector<RawPacket>& packets);
    void take_numbered_block(std::span<const uint8_t> body, std::vector<RawPacket>& packets);

    std::string file_;
    std::unique_ptr<PcapngSections> kept_;
    std::unique_ptr<CaptureNotes> notes_;
    std::unique_ptr<ResolvedNames> names_;
    uint64_t packets_ = 0;      // of the earlier calls
    uint64_t position_ = 0;     // of the byte in hand
    uint64_t block_start_ = 0;  // of the block in hand
    std::optional<FormatFault> fault_;

    FileByteOrder order_;  // of the section in hand
    std::vector<SectionInterface> section_;
    bool data_not_kept_ = false;  // as the section says
    std::vector<CaptureInterface> interfaces_;
    int64_t last_time_ns_ = 0;  // of the packet before

    // A block being passed over: its length, and how much of its body is still to come. What then follows is
    // its trailing length.
    uint32_t passing_length_ = 0;  // 0: none
    uint32_t passing_left_ = 0;
};

}  // namespace sanscope
