// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "captures/scrub/scrub_capture.h"

#include "analyzer/base/result.h"
#include "analyzer/export/export_control.h"

namespace sanscope {

// A copy of a capture that can be given away: without users' data and, if it is asked for, without names.
struct ShareRequest {
    std::string source;
    std::string
        target;  // .pcapng, or .pcapng.zst to be compressed; replaced where it is there, but never the source
    bool anonymize = true;
    std::string mapping;  // a new file for what was replaced by what; empty: none
};

struct SharedCopy {
    bool stopped = false;  // as asked: nothing was written
    ScrubbedCapture scrubbed;
    uint64_t file_bytes = 0;  // of the copy
    // Of an anonymized one:
    uint64_t replacements = 0;  // addresses, names and numbers that have one
    uint64_t unlisted = 0;      // of these, too many for the mapping
    uint64_t comments = 0;      // left out
    uint64_t options = 0;       // of blocks, left out
    uint64_t not_held = 0;      // data segments with names that are zeros, since there are so many
};

// Reads the capture once, or twice to anonymize it; on a worker. What was begun is gone after an error and a stop. An Error begins
// with the name of the file it is about.
Result<SharedCopy> write_shared_copy(const ShareRequest& request, const ExportControl& control);

}  // namespace sanscope
