// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/export/export_control.h"
#include "analyzer/export/packet_notes.h"
#include "analyzer/packets/packet_reader.h"

namespace sanscope {

// What became of an export.
struct PacketExport {
    bool stopped = false;  // as asked: nothing was written
    uint64_t written = 0;  // packets
    // Asked for and not written: records that are no packets, packets too long for a block, and those that the reader does
    // not know.
    uint64_t left_out = 0;
    uint64_t too_early = 0;  // of those written: with a later time than theirs (PcapngWriter::too_early())
};

// Writes packets that the reader knows, in the order they are named, to a pcapng at `target` (PcapngWriter), with the
// comments they have in the capture, or for packets named in `notes` those. An Error where `target` is the capture that is
// read, the capture has changed since, or something cannot be written; it begins with the name of the file it is about.
// Whatever happens, `target` is either what it was before or the whole export. `control` is told packets.
//
// Nothing else may use the reader meanwhile but what only reads from it.
Result<PacketExport> export_packets(const PacketReader& reader, std::span<const PacketNumber> packets,
                                    const PacketNotes& notes, const std::string& target,
                                    const ExportControl& control = {});

}  // namespace sanscope
