// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/ingest/packet_batch.h"

namespace sanscope {

// Where an input was damaged or cut off. All packets before it were delivered.
struct Damage {
    std::string file;
    uint64_t at_byte = 0;  // offset in the file as stored where it is plain, else in the decompressed stream
    std::string message;   // "cut off inside a packet record", …
};

// A capture as batches of packets. Filling a batch takes three steps, so that several batches can be on their way at
// once: claim() and parse() are called by one thread at a time, for the batches in the same order; load() may run for
// several claimed batches at once.
//
//     PacketBatch batch;
//     while (source.claim(batch)) { source.load(batch); source.parse(batch); … }
//
class PacketSource {
  public:
    virtual ~PacketSource() = default;

    // Reserves the next stretch of input for `batch`; false when there is none left.
    virtual bool claim(PacketBatch& batch) = 0;
    // Brings that stretch's bytes into the batch.
    virtual void load(PacketBatch& batch) = 0;
    // Finds the packets in them. A batch may come out with no packets although more are to come.
    virtual void parse(PacketBatch& batch) = 0;

    // What was damaged so far; complete once claim() has returned false.
    virtual const std::vector<Damage>& damage() const = 0;
    // Bytes of the stored files consumed so far, and their total, 0 where unknown (a pipe). Any thread may ask.
    virtual uint64_t bytes_read() const = 0;
    virtual uint64_t bytes_total() const = 0;
    // Packets whose link type is not decoded are counted here by the decoder's caller, names of interfaces, snap
    // lengths and the like are told by the source once parsed.
    struct Interface {
        std::string file;
        std::string name;          // if_name, empty where the file does not say
        LinkType link_type = LinkType::ethernet;
        uint32_t snap_length = 0;  // 0 where unlimited or unknown
        uint64_t dropped = 0;      // ifdrop + osdrop of the interface statistics, where the file carries them
    };
    virtual const std::vector<Interface>& interfaces() const = 0;
};

// Opens one file, or `-` for standard input; the format is told by content: pcap and pcapng, each plain or
// compressed with gzip, zstd or lz4. An Error when it cannot be opened, or nothing in it can be read as a capture.
Result<std::unique_ptr<PacketSource>> open_capture(const std::string& path);

// Several files at once, merged by time (stable: at equal times the earlier named file goes first); one path is the
// same as open_capture.
Result<std::unique_ptr<PacketSource>> open_captures(const std::vector<std::string>& paths);

}  // namespace sanscope
