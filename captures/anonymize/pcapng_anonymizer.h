// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "captures/anonymize/anonymizer.h"

#include "analyzer/ingest/file_byte_order.h"

namespace sanscope {

// What was taken out of a pcapng besides the packets.
struct DroppedMetadata {
    uint64_t comments = 0;
    uint64_t options = 0;  // other options, that hold names, or are not known to hold none
    uint64_t blocks = 0;   // secrets, and blocks that are not known
};

// A pcapng's blocks without what tells of their origin, in the byte order of their section.
class PcapngAnonymizer {
  public:
    explicit PcapngAnonymizer(Anonymizer& anonymizer) : anonymizer_(&anonymizer) {}

    // Any whole block but one with a packet; `block` begins with its type, and ends with its length for the second time. Empty
    // where it is to be left out.
    //
    // Section header and interface description keep what the packets rest on: snap length, resolution and offset of the times,
    // length of the frame check sequence, speed. Name resolution keeps its records, with the replacements. Statistics keep their counters. A block of what
    // a kernel told keeps all but its addresses. Other custom blocks, and journal entries, to which Wireshark gives numbers
    // as to packets, are left as empty ones.
    std::vector<uint8_t> rewrite_block(std::span<const uint8_t> block, FileByteOrder order);

    // The options of an enhanced packet block: flags, drop count, identifier and queue stay. Without the end of the list, which
    // is to be added where anything stays.
    std::vector<uint8_t> rewrite_packet_options(std::span<const uint8_t> options, FileByteOrder order);

    const DroppedMetadata& dropped() const { return dropped_; }

  private:
    std::vector<uint8_t> rewrite_options(std::span<const uint8_t> options, FileByteOrder order,
                                         std::span<const uint16_t> kept);
    std::vector<uint8_t> rewrite_names(std::span<const uint8_t> body, FileByteOrder order);
    std::vector<uint8_t> rewrite_custom(std::span<const uint8_t> block, uint32_t type, FileByteOrder order);

    Anonymizer* anonymizer_;
    DroppedMetadata dropped_;
};

}  // namespace sanscope
