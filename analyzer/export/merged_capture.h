// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/export/export_control.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {

constexpr size_t most_merged_captures = 64;

// What became of a merge.
struct MergedCapture {
    bool stopped = false;   // as asked: nothing was written
    uint64_t written = 0;   // packets
    uint64_t left_out = 0;  // records that are no packets, packets too long for a block
    std::vector<Damage>
        damage;  // of the captures: what could be read before it is in the merge; at byte 0, nothing
};

// Writes the packets of several captures, in order of time (open_captures()), to one pcapng at `target`. Clocks are taken as
// they are, before 1970 too. Names of hosts that the captures bring along are written, too; of an address that several name,
// that of the capture given first. Each capture's interfaces stay apart, and are called after its file: "a.pcapng: eth0". An Error, which begins with
// the name of the file it is about, where there are less than two captures or too many, none can be read, `target` is one of
// them or cannot be written. Whatever happens, `target` is either what it was before or the whole merge. `control` is told
// bytes of the captures.
Result<MergedCapture> merge_captures(std::span<const std::string> paths, const std::string& target,
                                     const ExportControl& control = {});

}  // namespace sanscope
