// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/whole_blocks.h"

#include <array>
#include <span>
#include <string>

#include "analyzer/ingest/byte_source.h"

namespace sanscope {
namespace {

constexpr uint32_t shortest_block = 12;

// 0, which is the length of no block, where there are not enough bytes.
uint32_t number_at(int descriptor, uint64_t offset) {
    std::array<uint8_t, 4> bytes;
    std::string fault;
    if (read_at(descriptor, bytes, offset, fault) != bytes.size()) return 0;
    return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

}  // namespace

uint64_t end_of_whole_blocks(int descriptor, uint64_t from) {
    for (uint64_t at = from;;) {
        const uint32_t length = number_at(descriptor, at + 4);
        if (length < shortest_block || length % 4 != 0) return at;
        if (number_at(descriptor, at + length - 4) != length) return at;
        at += length;
    }
}

}  // namespace sanscope
