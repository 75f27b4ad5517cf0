// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/store/session_events.h"

namespace sanscope {

// What explains the wrong digests of a capture, taken together. Digests that were not examined do not count.
class DigestErrors {
  public:
    // A PDU with a wrong digest: of its header, of its data, or both.
    void add(const SessionEvent& event);

    uint64_t examined() const { return examined_; }
    uint64_t of(DigestError::Cause cause) const { return counts_[static_cast<size_t>(cause)]; }
    uint64_t flipped_bits() const { return of(DigestError::Cause::flipped_bit); }
    uint64_t unexplained() const { return of(DigestError::Cause::unexplained); }
    // Of these, digests that the sender made by another rule.
    uint64_t senders() const;
    // All of them are such, by one rule. The first ones may not have been tried by that rule.
    bool are_all_senders() const;

    // How many of them each cause explains, and where: a sentence a cause, none where nothing was examined.
    std::vector<std::string> signs() const;
    // What the places of flipped bits have in common: the same bit of words of 8, 32 or 64 bits, counted from where header or
    // data begin; empty where they are fewer than 4 or not alike.
    std::string places_in_words() const;
    // They are one bit of one byte of the header, not of its digest.
    bool is_one_field() const;
    // Of at least 8 flipped bits as many are in headers as their share of the bytes makes likely, some of either.
    bool is_in_proportion(const DigestedBytes& bytes) const;

  private:
    struct Flip {
        bool of_header;
        uint64_t bit;  // from where header or data begin
        PacketNumber packet;
        bool in_digest;  // which follows them
    };
    static constexpr size_t causes = 9;

    void add(const DigestError& error, bool of_header, PacketNumber packet);
    std::vector<Flip> flips_of_one_part(bool header) const;
    static unsigned common_width(const std::vector<Flip>& flips);

    uint64_t examined_ = 0;
    uint64_t without_crc32_ = 0;  // unexplained, and not tried by that rule
    std::array<uint64_t, causes> counts_{};
    std::vector<Flip> flips_;  // single bits
};

}  // namespace sanscope
