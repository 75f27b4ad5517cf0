// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/ingest/byte_source.h"

namespace sanscope {

// A capture in a format that only Wireshark's reader knows, as the pcapng that sanscope-capture-reader makes of it.
struct ForeignFile {
    std::unique_ptr<ByteSource> pcapng;
    std::string format;  // as Wireshark calls it, "Sun snoop"
};

// `descriptor`: a regular file, read from its begin whatever its position; may be closed afterwards. Waits until the format is
// known. An Error with `not_known` as its text where Wireshark does not know it either or the program is not there; another one says
// what is wrong. The process is killed with the source; one that gives nothing for a minute is, and is a fault.
Result<ForeignFile> open_foreign_file(int descriptor, const std::string& not_known);

// All the bytes that `source` still has, behind `first`, as a file without a name: what comes through a pipe or was compressed,
// for open_foreign_file().
Result<FileDescriptor> store_bytes(ByteSource& source, std::span<const uint8_t> first);

}  // namespace sanscope
