// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analyzer/vocabulary/digest_error.h"

namespace sanscope {

// A digest that is not the CRC32C of what it covers, all of which was captured.
struct WrongDigest {
    uint32_t length = 0;    // bytes that it covers, padding included
    uint32_t padding = 0;   // of these, the last ones
    uint32_t computed = 0;  // their CRC32C
    uint32_t received = 0;
    std::optional<uint32_t> crc32;  // of the same bytes, where it is known (crc32_final())
};

// Bytes up to which flips are looked for. CRC32C XORed with the digest, the syndrome, depends on what differs alone, so that
// it tells its place. But any wrong digest has the syndrome of some flipped bit with a probability of about 8 * length / 2^32,
// 0.2 % at the first limit, and of several flipped bits of one byte with 247 * length / 2^32, 0.1 % at the second.
constexpr uint32_t longest_for_flipped_bit = 1 << 20;
constexpr uint32_t longest_for_flipped_in_byte = 16 << 10;

// Time grows with the length, up to the first limit; beyond it flips are `not_examined`.
DigestError explain(const WrongDigest& wrong);

// The wrong digests of one direction of a connection: the first ones, so that a stream of nothing else costs no more.
class DigestExaminer {
  public:
    static constexpr uint32_t most_digests = 64;
    static constexpr uint32_t most_bytes = 16 << 20;  // that these cover in all

    DigestError examine(const WrongDigest& wrong);
    // Whether the CRC32 of so many bytes to come is worth its time: a digest was wrong before. At most of `most_bytes`.
    bool wants_crc32(uint32_t bytes);

  private:
    uint32_t digests_ = 0;
    uint32_t bytes_ = 0;
    uint32_t crc32_bytes_ = 0;
};

// CRC-32 of IEEE 802.3, to be told from CRC32C; streamed as that is (base/crc32c.h).
constexpr uint32_t crc32_init = 0xffffffff;
uint32_t crc32_update(uint32_t crc, std::span<const uint8_t> bytes);
constexpr uint32_t crc32_final(uint32_t crc) {
    return ~crc;
}

}  // namespace sanscope
