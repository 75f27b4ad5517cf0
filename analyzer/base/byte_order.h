// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace sanscope {

static_assert(std::endian::native == std::endian::little, "byte_order.h loads for little-endian hosts");

// Unaligned loads from wire bytes. `p` must point at enough readable bytes: callers check lengths first.
template <class T>
inline T load_native(const uint8_t* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
inline uint16_t load_be16(const uint8_t* p) {
    return __builtin_bswap16(load_native<uint16_t>(p));
}
inline uint32_t load_be24(const uint8_t* p) {
    return static_cast<uint32_t>(p[0]) << 16 | static_cast<uint32_t>(p[1]) << 8 | p[2];
}
inline uint32_t load_be32(const uint8_t* p) {
    return __builtin_bswap32(load_native<uint32_t>(p));
}
inline uint64_t load_be48(const uint8_t* p) {
    return static_cast<uint64_t>(load_be16(p)) << 32 | load_be32(p + 2);
}
inline uint64_t load_be64(const uint8_t* p) {
    return __builtin_bswap64(load_native<uint64_t>(p));
}
inline void store_be32(uint8_t* p, uint32_t value) {
    value = __builtin_bswap32(value);
    std::memcpy(p, &value, sizeof value);
}
inline uint16_t load_le16(const uint8_t* p) {
    return load_native<uint16_t>(p);
}
inline uint32_t load_le32(const uint8_t* p) {
    return load_native<uint32_t>(p);
}
inline uint64_t load_le64(const uint8_t* p) {
    return load_native<uint64_t>(p);
}

}  // namespace sanscope
