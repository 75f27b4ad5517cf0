// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "captures/anonymize/anonymizer.h"
#include "captures/anonymize/frame_rewriter.h"
#include "captures/anonymize/payload_anonymizer.h"
#include "captures/anonymize/pcapng_anonymizer.h"
#include "captures/scrub/capture_rewriter.h"

namespace sanscope {

// Makes a scrubbed copy one without names.
class CaptureAnonymizer final : public CaptureRewriter {
  public:
    explicit CaptureAnonymizer(Anonymizer& anonymizer)
        : frames_(anonymizer), payloads_(anonymizer), blocks_(anonymizer) {}

    void note(const PacketParts& parts, std::span<const uint8_t> payload) override {
        payloads_.note(parts, payload);
    }
    void settle() override { payloads_.settle(); }
    void rewrite_payload(const PacketParts& parts, std::span<uint8_t> payload) override {
        payloads_.apply(parts, payload);
    }
    uint32_t rewrite_frame(const Frame& frame, std::span<uint8_t> copy) override {
        return frames_.rewrite(frame.link_type, frame.original, copy, frame.wire_length,
                               {frame.payload_at, frame.payload_kept});
    }
    std::vector<uint8_t> rewrite_block(std::span<const uint8_t> block, FileByteOrder order) override {
        return blocks_.rewrite_block(block, order);
    }
    std::vector<uint8_t> rewrite_packet_options(std::span<const uint8_t> options,
                                                FileByteOrder order) override {
        return blocks_.rewrite_packet_options(options, order);
    }

    std::string_view comment() const override {
        return "Anonymized: addresses, names, serial numbers and authentication values are replaced by "
               "others of the same "
               "length. Times, sizes, logical unit numbers and block addresses stand.";
    }

    const DroppedMetadata& dropped() const { return blocks_.dropped(); }
    uint64_t not_held() const { return payloads_.not_held(); }

  private:
    FrameRewriter frames_;
    PayloadAnonymizer payloads_;
    PcapngAnonymizer blocks_;
};

}  // namespace sanscope
