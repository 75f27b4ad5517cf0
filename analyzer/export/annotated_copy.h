// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/export/export_control.h"
#include "analyzer/export/packet_notes.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// What became of a copy.
struct AnnotatedCopy {
    bool stopped = false;    // as asked: nothing was written
    uint64_t packets = 0;    // copied; records that are but numbered as packets too
    uint64_t annotated = 0;  // packets named in the notes that are in the copy and have just these comments
    uint64_t not_placed =
        0;  // the others: the capture has no such packet, or a record that can have no comment
    // Not copied: custom blocks that say they are not to be, and packets too long for a block.
    uint64_t left_out = 0;
    std::optional<Damage> damage;  // of the capture: what comes before it was copied
};

// Copies a whole capture, in whichever format and compression, to a plain pcapng at `target` with `notes` as the comments of
// its packets. A pcapng is copied as it is but for these (PcapngCopier), a pcap by PcapngWriter, its times to the
// nanosecond.
//
// `captures` is what is open: one file. An Error for several, whose packets are numbered over all of them, and for standard
// input or a pipe, which cannot be read again; where `target` is the capture itself; and where anything cannot be read or
// written. It begins with the name of the file it is about. Whatever happens, `target` is either what it was before or the
// whole copy. `control` is told bytes of the file as stored.
Result<AnnotatedCopy> write_annotated_copy(std::span<const std::string> captures, const PacketNotes& notes,
                                           const std::string& target, const ExportControl& control = {});

}  // namespace sanscope
