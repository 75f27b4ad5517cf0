// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/crc32c.h"

#include <array>

#include "analyzer/base/byte_order.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace sanscope {
namespace {

constexpr uint32_t reflected_polynomial = 0x82f63b78;

// tables[k][b]: the CRC of byte b followed by k zero bytes ("slicing by eight").
constexpr auto tables = [] {
    std::array<std::array<uint32_t, 256>, 8> t{};
    for (uint32_t b = 0; b < 256; ++b) {
        uint32_t crc = b;
        for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? reflected_polynomial : 0);
        t[0][b] = crc;
    }
    for (size_t k = 1; k < 8; ++k) {
        for (size_t b = 0; b < 256; ++b) t[k][b] = t[k - 1][b] >> 8 ^ t[0][t[k - 1][b] & 0xff];
    }
    return t;
}();

// By the highest byte of a CRC, which only one entry of tables[0] has.
constexpr auto backward_table = [] {
    std::array<uint32_t, 256> t{};
    for (uint32_t b = 0; b < 256; ++b) t[tables[0][b] >> 24] = tables[0][b] << 8 ^ b;
    return t;
}();

}  // namespace

uint32_t crc32c_before_zero(uint32_t crc) {
    return crc << 8 ^ backward_table[crc >> 24];
}

uint32_t crc32c_update_table(uint32_t crc, std::span<const uint8_t> bytes) {
    const uint8_t* p = bytes.data();
    size_t n = bytes.size();
    for (; n >= 8; n -= 8, p += 8) {
        const uint64_t word = load_le64(p) ^ crc;
        crc = tables[7][word & 0xff] ^ tables[6][word >> 8 & 0xff] ^ tables[5][word >> 16 & 0xff] ^
              tables[4][word >> 24 & 0xff] ^ tables[3][word >> 32 & 0xff] ^ tables[2][word >> 40 & 0xff] ^
              tables[1][word >> 48 & 0xff] ^ tables[0][word >> 56];
    }
    for (; n > 0; --n, ++p) crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
    return crc;
}

#if defined(__x86_64__)

bool crc32c_has_instruction() {
    return __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2"))) uint32_t crc32c_update_instruction(uint32_t crc,
                                                                     std::span<const uint8_t> bytes) {
    const uint8_t* p = bytes.data();
    size_t n = bytes.size();
    uint64_t state = crc;
    for (; n >= 8; n -= 8, p += 8) state = _mm_crc32_u64(state, load_le64(p));
    auto tail = static_cast<uint32_t>(state);
    for (; n > 0; --n, ++p) tail = _mm_crc32_u8(tail, *p);
    return tail;
}

#else

bool crc32c_has_instruction() {
    return false;
}
uint32_t crc32c_update_instruction(uint32_t crc, std::span<const uint8_t> bytes) {
    return crc32c_update_table(crc, bytes);
}

#endif

uint32_t crc32c_update(uint32_t crc, std::span<const uint8_t> bytes) {
    static const bool instruction = crc32c_has_instruction();
    return instruction ? crc32c_update_instruction(crc, bytes) : crc32c_update_table(crc, bytes);
}

}  // namespace sanscope
