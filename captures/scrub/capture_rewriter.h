// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "captures/scrub/payload_parts.h"

#include "analyzer/base/link_type.h"
#include "analyzer/ingest/file_byte_order.h"

namespace sanscope {

// Changes what a scrubbed copy keeps. The capture is gone through twice: note() for each packet, settle(), then the other
// functions, with the same parts, for each packet and block in their order.
class CaptureRewriter {
  public:
    // A frame as captured, and what of its TCP payload is kept: of `payload_at`, where that begins, so many bytes.
    struct Frame {
        LinkType link_type = LinkType::ethernet;
        std::span<const uint8_t> original;
        uint32_t wire_length = 0;
        size_t payload_at = 0;
        size_t payload_kept = 0;
    };

    virtual ~CaptureRewriter() = default;

    // A packet's TCP payload as captured.
    virtual void note(const PacketParts& parts, std::span<const uint8_t> payload) = 0;
    virtual void settle() = 0;

    // The kept parts of a payload, in place; the others are zeroed behind this.
    virtual void rewrite_payload(const PacketParts& parts, std::span<uint8_t> payload) = 0;
    // `copy`: the whole frame with the payload as it is to be. The answer is how many bytes of it are kept.
    virtual uint32_t rewrite_frame(const Frame& frame, std::span<uint8_t> copy) = 0;
    // A whole block of a pcapng without a packet, in the byte order of its section. Empty: it is left out.
    virtual std::vector<uint8_t> rewrite_block(std::span<const uint8_t> block, FileByteOrder order) = 0;
    // For people who read the copy: what was done besides leaving out users' data.
    virtual std::string_view comment() const = 0;
    // The options of a packet's block, without their end.
    virtual std::vector<uint8_t> rewrite_packet_options(std::span<const uint8_t> options,
                                                        FileByteOrder order) = 0;
};

}  // namespace sanscope
