// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/wrong_digest.h"

#include <array>
#include <bit>

#include "analyzer/base/crc32c.h"

namespace sanscope {
namespace {

using Cause = DigestError::Cause;

constexpr auto crc32_table = [] {
    constexpr uint32_t reflected_polynomial = 0xedb88320;
    std::array<uint32_t, 256> table{};
    for (uint32_t b = 0; b < 256; ++b) {
        uint32_t crc = b;
        for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? reflected_polynomial : 0);
        table[b] = crc;
    }
    return table;
}();

Cause senders_cause(const WrongDigest& wrong) {
    if (wrong.received == 0) return Cause::never_computed;
    if (wrong.received == __builtin_bswap32(wrong.computed)) return Cause::byte_swapped;
    if (wrong.crc32 && wrong.received == *wrong.crc32) return Cause::crc32;
    if (wrong.received == ~wrong.computed) return Cause::no_final_xor;
    if (wrong.padding == 0) return Cause::unexplained;
    uint32_t unpadded = ~wrong.computed;
    for (uint32_t i = 0; i < wrong.padding; ++i) unpadded = crc32c_before_zero(unpadded);
    return wrong.received == crc32c_final(unpadded) ? Cause::no_padding : Cause::unexplained;
}

// Takes the flips that one byte explains, single bits before others; two of those contradict each other.
class Flips {
  public:
    void add(uint32_t byte, uint32_t bits, bool in_digest) {
        const bool single = std::has_single_bit(bits);
        if (found_.cause == Cause::flipped_bit && !single) return;
        contradicted_ = found_.is_flip() && single == (found_.cause == Cause::flipped_bit);
        found_.cause = single ? Cause::flipped_bit : Cause::flipped_in_byte;
        found_.flipped = static_cast<uint8_t>(bits);
        found_.in_digest = in_digest;
        found_.byte = byte;
    }
    DigestError found() const { return contradicted_ ? DigestError{.cause = Cause::unexplained} : found_; }

  private:
    DigestError found_{.cause = Cause::unexplained};
    bool contradicted_ = false;
};

// From the digest backwards: what the syndrome was so many bytes before is what a flip there would have made of it.
DigestError flip_of(const WrongDigest& wrong) {
    const bool any_bits = wrong.length <= longest_for_flipped_in_byte;
    const auto counts = [=](uint32_t bits) {
        return bits != 0 && bits <= 0xff && (any_bits || std::has_single_bit(bits));
    };
    Flips flips;
    uint32_t syndrome = wrong.computed ^ wrong.received;
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t bits = syndrome >> 8 * i;
        if (counts(bits) && bits << 8 * i == syndrome) flips.add(wrong.length + i, bits, true);
    }
    for (uint32_t byte = wrong.length; byte-- > 0;) {
        syndrome = crc32c_before_zero(syndrome);
        if (counts(syndrome)) flips.add(byte, syndrome, false);
    }
    return flips.found();
}

}  // namespace

DigestError explain(const WrongDigest& wrong) {
    DigestError error{.cause = senders_cause(wrong)};
    if (!error.is_senders()) error = wrong.length <= longest_for_flipped_bit ? flip_of(wrong) : DigestError{};
    error.crc32_known = wrong.crc32.has_value();
    return error;
}

DigestError DigestExaminer::examine(const WrongDigest& wrong) {
    if (digests_ >= most_digests || wrong.length > most_bytes - bytes_) return {};
    ++digests_;
    bytes_ += wrong.length;
    return explain(wrong);
}

bool DigestExaminer::wants_crc32(uint32_t bytes) {
    if (digests_ == 0 || digests_ >= most_digests || bytes > most_bytes - crc32_bytes_) return false;
    crc32_bytes_ += bytes;
    return true;
}

uint32_t crc32_update(uint32_t crc, std::span<const uint8_t> bytes) {
    for (const uint8_t byte : bytes) crc = crc >> 8 ^ crc32_table[(crc ^ byte) & 0xff];
    return crc;
}

}  // namespace sanscope
