// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "captures/anonymize/anonymizer.h"
#include "captures/scrub/payload_parts.h"

namespace sanscope {

// Replaces names in what is kept of iSCSI's payload. A name may lie over several segments, and these may come again, cut at
// other places: so the capture is gone through twice, first note() for all packets, then settle(), then apply() for all packets,
// each with the parts that the same follower tells.
class PayloadAnonymizer {
  public:
    // More than this is not held; what is not held is zeroed.
    static constexpr size_t max_bytes = size_t{256} << 20;

    explicit PayloadAnonymizer(Anonymizer& anonymizer) : anonymizer_(&anonymizer) {}

    // `payload`: as captured.
    void note(const PacketParts& packet, std::span<const uint8_t> payload);
    // Works all replacements out, and right data digests anew.
    void settle();
    // Changes the payload's kept parts; all that is none of them is left as it is.
    void apply(const PacketParts& packet, std::span<uint8_t> payload) const;

    // Stretches zeroed since too much would have to be held.
    uint64_t not_held() const { return not_held_; }

  private:
    // A data segment, a digest, a header: of a PDU in one direction of a connection.
    struct Place {
        uint32_t connection = 0;
        bool from_target = false;
        uint64_t offset = 0;  // in the stream
        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison left to the compiler for a pointer
        auto operator<=>(const Place&) const = default;
    };
    struct Stretch {
        PayloadPart what;
        std::vector<uint8_t> bytes;
        std::vector<bool> captured;

        bool is_whole() const;
    };
    using Stretches = std::map<Place, Stretch>;

    void note_header(const PacketParts& packet, const PayloadPart& part, std::span<const uint8_t> bytes);
    bool text_continues(const Place& text) const;
    // The text of one PDU, or of several that go on in the next; the answer is the one behind them.
    Stretches::iterator settle_text(Stretches::iterator first);
    void rewrite(const PayloadPart& what, std::span<uint8_t> bytes, bool behind_hole);
    void rewrite_runs(const PayloadPart& what, std::vector<uint8_t>& bytes,
                      const std::vector<bool>& captured);
    // `before`: the data segment as captured; `now`: as it will be.
    void settle_digest(const Place& data, std::span<const uint8_t> before, std::span<const uint8_t> now);

    Anonymizer* anonymizer_;
    Stretches stretches_;
    // Of the headers of Login and Text PDUs: whether their text goes on in the next (the C bit).
    std::map<Place, bool> text_headers_;
    size_t held_ = 0;
    uint64_t not_held_ = 0;
};

}  // namespace sanscope
