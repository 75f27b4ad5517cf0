// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sanscope {

// CRC-32C (Castagnoli) as iSCSI's digests use it (RFC 7143 §13.1, RFC 3720 Appendix B.4), streamed:
//     uint32_t crc = crc32c_init; crc = crc32c_update(crc, a); crc = crc32c_update(crc, b); crc32c_final(crc)
// is the digest of a followed by b. On the wire the digest's bytes are those of the little-endian integer.
constexpr uint32_t crc32c_init = 0xffffffff;
uint32_t crc32c_update(uint32_t crc, std::span<const uint8_t> bytes);
constexpr uint32_t crc32c_final(uint32_t crc) {
    return ~crc;
}

// What `crc` (not final) was before a byte of zeros: crc32c_update() backwards.
uint32_t crc32c_before_zero(uint32_t crc);

// The two implementations behind crc32c_update, for tests and benchmarks. The instruction (SSE4.2) is used where
// the processor has it.
bool crc32c_has_instruction();
uint32_t crc32c_update_table(uint32_t crc, std::span<const uint8_t> bytes);
uint32_t crc32c_update_instruction(uint32_t crc, std::span<const uint8_t> bytes);

}  // namespace sanscope
