// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "analyzer/export/pcapng_encoding.h"

namespace sanscope {

// The pcapng blocks of a recording (draft-ietf-opsawg-pcapng), little-endian, times in nanoseconds since the epoch.

// What the machine and its kernel are called; the program is sanscope. `headers_only`: that users' data are not kept is said
// to people in a comment, and to this program in kept_data_mark.h.
std::string section_header(bool headers_only = false);

struct InterfaceDescription {
    std::string name;
    std::string filter;  // in libpcap's language; empty: none
    uint16_t link_type = 1;
    uint32_t snap_length = 0;
};
std::string interface_description(const InterfaceDescription& interface);

// Counts since the recording began.
struct InterfaceStatistics {
    int64_t began_ns = 0;
    int64_t now_ns = 0;
    uint64_t received = 0;              // that passed the filter, dropped by the kernel or not
    uint64_t dropped_by_interface = 0;  // by the adapter or its driver
    uint64_t dropped_by_kernel = 0;
};
std::string interface_statistics(uint32_t interface, const InterfaceStatistics& statistics);
// Of every such block.
size_t interface_statistics_length();

// The longest block of a packet of which `captured` bytes are kept.
constexpr size_t packet_block_length(uint32_t captured) {
    return pcapng::block_frame + pcapng::packet_fields + pcapng::padded(captured);
}

constexpr size_t packet_block_head = 28;  // before the packet's bytes

// Writes an enhanced packet block of packet_block_length(captured) bytes to `at`, but for the packet's bytes: they are still to
// be written, behind its head, afterwards.
inline void put_around_packet(uint8_t* at, uint32_t interface, uint64_t time_ns, uint32_t captured,
                              uint32_t on_the_wire) {
    const auto length = static_cast<uint32_t>(packet_block_length(captured));
    const uint32_t head[] = {
        pcapng::enhanced_packet_block,  length,   interface,  static_cast<uint32_t>(time_ns >> 32),
        static_cast<uint32_t>(time_ns), captured, on_the_wire};
    static_assert(sizeof head == packet_block_head);
    std::memcpy(at, head, packet_block_head);
    // The padding is written first, and what it takes too much is written over.
    std::memset(at + length - 8, 0, 4);
    std::memcpy(at + length - 4, &length, 4);
}

// Writes the whole of it.
inline void put_packet_block(uint8_t* at, uint32_t interface, uint64_t time_ns, const uint8_t* bytes,
                             uint32_t captured, uint32_t on_the_wire) {
    put_around_packet(at, interface, time_ns, captured, on_the_wire);
    std::memcpy(at + packet_block_head, bytes, captured);
}

// The first of `blocks`, which are whole and made here, that have no more than so many bytes and packets together.
struct BlockCut {
    uint64_t bytes = 0;
    uint64_t packets = 0;
};
BlockCut cut_blocks(std::span<const uint8_t> blocks, uint64_t most_bytes, uint64_t most_packets);

}  // namespace sanscope
