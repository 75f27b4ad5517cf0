// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/link_type.h"
#include "analyzer/ingest/byte_buffer.h"

namespace sanscope {

// One captured packet. `data` points into the PacketBatch that holds it and lives as long as that does.
struct RawPacket {
    const uint8_t* data = nullptr;
    int64_t time_ns = 0;           // since the epoch; where the file has no time, that of the packet before
    uint32_t captured_length = 0;  // bytes at `data`
    uint32_t wire_length = 0;      // bytes on the wire, never less than captured_length
    LinkType link_type = LinkType::ethernet;
    uint16_t interface = 0;  // index over all interfaces of all sections and files, in order of appearance
    // In a pcapng, the packet's block begins so many bytes before `data`, and lies whole in the batch; 0 elsewhere.
    uint16_t block_head = 0;
};
static_assert(sizeof(RawPacket) == 32);

// A run of consecutive packets with the bytes they point at. Made once and filled again and again: filling
// reuses the memory and ends the life of what was there before.
struct PacketBatch {
    std::vector<RawPacket> packets;
    uint64_t first_packet = 1;  // 1-based number of packets[0] in the whole input (Wireshark's frame.number)

    // Of several files none has anything of the time between the packet before and the first of these: one had ended, and the next
    // one had not begun.
    bool after_gap = false;

    // For the source only: where the bytes live, and where they came from.
    ByteBuffer buffer;
    size_t begin = 0;  // the bytes read are buffer[begin, end); before them is room for a record's first part
    size_t end = 0;
    uint64_t file_offset = 0;  // of buffer[begin] in the (decompressed) file
    bool last = false;         // the input ends with this batch
    std::string fault;         // why the input could not be read beyond these bytes; empty where it could
    std::vector<std::shared_ptr<const PacketBatch>> borrowed;  // batches whose bytes these packets point into
};

}  // namespace sanscope
