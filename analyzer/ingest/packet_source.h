// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/ingest/capture_notes.h"
#include "analyzer/ingest/packet_batch.h"
#include "analyzer/ingest/pcapng_sections.h"
#include "analyzer/ingest/resolved_names.h"

namespace sanscope {

// Where an input was damaged or cut off. All packets before it were delivered.
struct Damage {
    std::string file;
    // Offset of the first record that could not be read, or of the end of what could; in the file as stored
    // where it is plain, else in the decompressed stream.
    uint64_t at_byte = 0;
    std::string message;  // "the file is cut off inside a packet record", …
};

// "the file is cut off inside a packet record at byte 1234"; without a place where it is that of a file which could not be
// opened at all.
std::string damage_text(const Damage& damage);

// What a capture says of one interface it was taken on.
struct CaptureInterface {
    std::string file;
    std::string name;  // if_name, empty where the file does not say
    LinkType link_type = LinkType::ethernet;
    uint32_t snap_length = 0;  // 0 where unlimited or unknown
    uint64_t dropped = 0;      // ifdrop + osdrop of the interface statistics, where the file carries them …
    bool tells_dropped = false;  // … which it does
    bool described =
        false;  // by the file, which is a pcapng; a pcap has one interface and says nothing of it
    bool data_not_kept = false;  // the section says so: kept_data_mark.h
};

// A capture as batches of packets. Filling a batch takes three steps, so that several batches can be on their
// way at once: claim() and parse() are each called by one thread at a time, for the batches in the same
// order; load() may run for several claimed batches at once.
//
//     PacketBatch batch;
//     while (source.claim(batch)) { source.load(batch); source.parse(batch); … }
//
// Every claimed batch must be loaded and parsed, since a record may lie across several. A batch whose packets
// are still in use must not be claimed again.
class PacketSource {
  public:
    using Interface = CaptureInterface;

    virtual ~PacketSource() = default;

    // Reserves the next stretch of input for `batch`; false when there is none left. On a pipe this waits for
    // bytes.
    virtual bool claim(PacketBatch& batch) = 0;
    // Brings that stretch's bytes into the batch.
    virtual void load(PacketBatch& batch) = 0;
    // Finds the packets in them. A batch may come out with no packets although more are to come.
    virtual void parse(PacketBatch& batch) = 0;

    // What was damaged so far, at most once for each file; complete once claim() has returned false and all
    // that was claimed is parsed. To be asked, as interfaces(), on the thread that parses, or after it is
    // done.
    virtual const std::vector<Damage>& damage() const = 0;
    // Bytes of the stored files consumed so far, and their total, 0 where unknown (a pipe). Any thread may
    // ask.
    virtual uint64_t bytes_read() const = 0;
    virtual uint64_t bytes_total() const = 0;
    // The interfaces met so far, in the order of RawPacket::interface. That is a 16-bit number: should a
    // capture have more interfaces than fit, the last number stands for all the rest.
    virtual const std::vector<Interface>& interfaces() const = 0;

    // To be called before the first claim(), or not at all: has the source keep what the packets of a pcapng rest on.
    virtual void keep_sections() {}
    // That of the packets met so far; none where it was not to be kept, or the source is not one pcapng. To be asked as
    // damage().
    virtual const PcapngSections* sections() const { return nullptr; }

    // The files that Wireshark's reader reads, slower than our own would: name and format. Known from the beginning.
    struct ReadByWireshark {
        std::string file;
        std::string format;
    };
    virtual std::span<const ReadByWireshark> read_by_wireshark() const { return {}; }

    // Likewise for the comments in a pcapng.
    virtual void keep_notes() {}
    virtual const CaptureNotes* notes() const { return nullptr; }

    // Likewise for the names of hosts in a pcapng.
    virtual void keep_names() {}
    virtual const ResolvedNames* names() const { return nullptr; }
};

// Opens one file, or `-` for standard input; the format is known by content: pcap and pcapng, each plain or
// compressed with gzip, zstd, lz4, xz or bzip2. An Error when it cannot be opened, or nothing in it can be read as a
// capture. A file is read to the end it has when it is opened.
Result<std::unique_ptr<PacketSource>> open_capture(const std::string& path);

// Several files at once, merged by time (stable: at equal times the earlier named file goes first). A file
// that cannot be opened does not stop the others, it is a Damage at byte 0; an Error when that holds for all.
// Unlike open_capture's, the Error begins with the file's name.
Result<std::unique_ptr<PacketSource>> open_captures(const std::vector<std::string>& paths);

}  // namespace sanscope
