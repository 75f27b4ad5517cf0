// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/ingest/packet_batch.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// Where and why the bytes of a capture cannot be followed any further.
struct FormatFault {
    uint64_t at_byte = 0;  // where the record begins that is damaged
    std::string message;
};

// Finds the packets in the bytes of one capture file, from its first byte on, whichever pieces they come in.
// Does no I/O. The packets found do not depend on how the bytes are cut into pieces.
class RecordParser {
  public:
    struct Progress {
        size_t consumed = 0;  // bytes that are done with; the rest must be given again, with more behind it;
                              // all after a fault
        size_t wanted = 0;    // how many bytes it takes from there on to get any further; 0 after a fault
    };

    virtual ~RecordParser() = default;

    // Appends the packets of all whole records in `bytes`, pointing into them. `bytes` begin where the last
    // call's consumed ones ended.
    virtual Progress parse(std::span<const uint8_t> bytes, std::vector<RawPacket>& packets) = 0;

    // Set once a record made no sense: nothing after it is parsed.
    virtual const std::optional<FormatFault>& fault() const = 0;
    // What is wrong when the input ends here, `left` bytes after the last consumed one; nothing where it may
    // end here.
    virtual std::optional<FormatFault> fault_at_end(size_t left) const = 0;

    virtual const std::vector<CaptureInterface>& interfaces() const = 0;

    // As of PacketSource.
    virtual void keep_sections() {}
    virtual const PcapngSections* sections() const { return nullptr; }
    virtual void keep_notes() {}
    virtual const CaptureNotes* notes() const { return nullptr; }
    virtual void keep_names() {}
    virtual const ResolvedNames* names() const { return nullptr; }
};

// The largest packet that a record is believed to hold, and the largest pcapng block that is held in memory.
// Real packets end at 64 KiB or, in captures of USB and the like, at a few MiB; a damaged length is mostly
// far beyond.
constexpr uint32_t max_record_length = uint32_t{16} << 20;

}  // namespace sanscope
