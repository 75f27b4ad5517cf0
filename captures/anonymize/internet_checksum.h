// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sanscope {

// The ones' complement sum of RFC 1071 over bytes taken as 16-bit words in network order; a last odd byte is followed by a zero.
inline uint64_t internet_sum(std::span<const uint8_t> bytes) {
    uint64_t sum = 0;
    size_t at = 0;
    for (; at + 1 < bytes.size(); at += 2) sum += static_cast<uint32_t>(bytes[at] << 8 | bytes[at + 1]);
    if (at < bytes.size()) sum += static_cast<uint32_t>(bytes[at] << 8);
    return sum;
}

constexpr uint16_t fold_sum(uint64_t sum) {
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(sum);
}

// What becomes of a checksum when words of the sum `before` are replaced by words of the sum `after`: a right one stays right, a
// wrong one stays wrong by as much (RFC 1624 §3, equation 3).
constexpr uint16_t update_checksum(uint16_t checksum, uint64_t before, uint64_t after) {
    const uint64_t sum = static_cast<uint16_t>(~checksum) +
                         uint64_t{static_cast<uint16_t>(~fold_sum(before))} + fold_sum(after);
    return static_cast<uint16_t>(~fold_sum(sum));
}

}  // namespace sanscope
