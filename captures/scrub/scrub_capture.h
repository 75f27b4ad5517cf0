// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "captures/scrub/capture_rewriter.h"

#include "analyzer/base/result.h"
#include "analyzer/export/export_control.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// What became of a scrubbed copy.
struct ScrubbedCapture {
    bool stopped = false;         // as asked: nothing was written
    uint64_t packets = 0;         // copied
    uint64_t captured_bytes = 0;  // of these packets in the capture …
    uint64_t kept_bytes = 0;      // … and in the copy
    uint64_t out_of_step =
        0;                   // packets of iSCSI connections of whose payload not all is known for what it is
    uint64_t not_iscsi = 0;  // TCP segments with payload of connections that carry something else
    uint64_t fragments =
        0;  // of IP datagrams, which are not put together: nothing but headers was kept of them
    uint64_t blocks_emptied =
        0;  // custom blocks of others and journal entries: empty in the copy, so that numbers stay
    uint64_t blocks_left_out = 0;  // secrets, and blocks of which it is not known what they hold
    std::optional<Damage> damage;  // of the capture: what comes before it was copied
};

// Copies a capture, a file in whichever format and compression or `-`, to a pcapng at `target` without users' data: each packet
// ends behind its last byte of is_kept_with_headers(), and other bytes before that are zeros. Their original lengths stand. The
// section headers say so, to people in a comment and to this program in kept_data_mark.h. Of a pcapng, what else it says of
// packets and interfaces stands, but for custom options and hashes of packets.
//
// A `target` that ends in .zst is compressed with zstd. An Error, which begins with the name of the file it is about, where that
// is the capture itself or ends as another compression, or where anything cannot be read or written. Whatever happens, `target`
// is either what it was before or the whole copy. `control` is told bytes of the file as stored.
//
// With a `rewriter` the capture is read twice, and must be a file.
Result<ScrubbedCapture> scrub_capture(const std::string& capture, const std::string& target,
                                      const ExportControl& control = {}, CaptureRewriter* rewriter = nullptr);

}  // namespace sanscope
