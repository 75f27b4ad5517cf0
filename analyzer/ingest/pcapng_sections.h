// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/ingest/file_byte_order.h"

namespace sanscope {

// What the packets of a pcapng rest on besides their own blocks, as it was met: the sections, and of each the blocks that
// describe interfaces, resolve names or hold secrets, unchanged. For those who show packets as Wireshark does; the packets
// themselves are parsed without.
//
// Memory is bounded: names and secrets beyond `max_other_bytes` are passed over, and from the first section or interface on
// that no longer fits into `max_bytes`, packets are of no section.
class PcapngSections {
  public:
    static constexpr size_t max_bytes = size_t{64} << 20;
    static constexpr size_t max_other_bytes = size_t{32} << 20;

    struct Section {
        uint64_t first_packet = 0;  // the number that the first packet of the section has, if it has any
        FileByteOrder order;
    };
    enum class Kind : uint8_t { interface, other };
    struct Block {
        uint64_t before_packet = 0;  // the number that the next packet behind it has, if there is one
        uint32_t section = 0;        // from 1
        Kind kind = Kind::interface;
        std::span<const uint8_t>
            bytes;  // the whole block in the byte order of its section; until the next one is added
    };

    void begin_section(FileByteOrder order, uint64_t next_packet);
    void add(Kind kind, std::span<const uint8_t> block, uint64_t next_packet);

    size_t blocks() const { return blocks_.size(); }
    Block block(size_t index) const;  // index < blocks(), in the order of the file

    // Packets from this one on are of no section that is kept.
    uint64_t end() const { return end_; }
    static std::string why_ended();
    // The section of a packet (from 1) that has been met; 0: it is of none that is kept.
    uint32_t section_of(uint64_t packet) const;
    // Of a section that section_of() or a block reported.
    FileByteOrder order_of(uint32_t section) const { return sections_[section - 1].order; }

  private:
    struct Kept {
        uint64_t before_packet;
        size_t begin;  // in bytes_
        uint32_t length;
        uint32_t section;
        Kind kind;
    };

    bool takes(size_t bytes, uint64_t next_packet);

    std::vector<Section> sections_;
    std::vector<Kept> blocks_;
    std::vector<uint8_t> bytes_;
    size_t other_bytes_ = 0;
    size_t used_ = 0;
    uint64_t end_ = UINT64_MAX;  // from this packet on none is kept
};

}  // namespace sanscope
