// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// What one command may ask of a logical unit, as its Block Limits VPD page tells (SBC-3 §6.6.4). Each bounds the memory
// that an initiator can have held, or the work it can ask for, with one command.
struct BlockLimits {
    uint8_t compare_and_write_blocks = 0;
    uint32_t unmap_blocks = 0;  // of all descriptors of an UNMAP together
    uint32_t unmap_descriptors = 0;
    uint32_t write_same_blocks = 0;
};

// `block_size`: 512 or 4096.
constexpr BlockLimits block_limits(uint32_t block_size) {
    constexpr uint32_t kib = 1024;
    return {.compare_and_write_blocks = static_cast<uint8_t>(16 * kib / block_size),
            .unmap_blocks = 512 * kib * kib / block_size,
            .unmap_descriptors = 256,
            .write_same_blocks = 64 * kib * kib / block_size};
}

// An UNMAP parameter list: a header, then descriptors of a range each (SBC-3 §5.28.2).
constexpr uint32_t unmap_header_length = 8;
constexpr uint32_t unmap_descriptor_length = 16;
constexpr uint32_t longest_unmap_list(const BlockLimits& limits) {
    return unmap_header_length + limits.unmap_descriptors * unmap_descriptor_length;
}

}  // namespace sanscope
