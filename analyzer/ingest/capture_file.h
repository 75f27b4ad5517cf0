// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/ingest/byte_source.h"
#include "analyzer/ingest/growing_file.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// One capture as a PacketSource. A file that is stored plain is read by load(), several stretches at once if
// so asked; a stream (a pipe, anything compressed) can only be read in order, so that claim() does it.

// Bytes of a stretch. Measured on 1514-byte packets in the page cache: from 128 to 512 KiB the cost is the
// same, the bytes and their packets then staying in a core's second-level cache until they have been
// analysed.
constexpr size_t default_block_length = size_t{256} << 10;

// open_capture() with another length of stretch.
Result<std::unique_ptr<PacketSource>> open_capture_file(const std::string& path, size_t block_length);

// The capture in a stream, compressed or not. `name` stands for its file in Damage and Interface; `total` is
// how many bytes are stored, 0 where unknown.
Result<std::unique_ptr<PacketSource>> open_capture_stream(std::unique_ptr<ByteSource> stored,
                                                          const std::string& name, uint64_t total,
                                                          size_t block_length);

// A capture that is still being written, to a file that is stored plain: its packets up to the end that it has once `growth`
// has ended. Where all that is there was claimed, claim() waits for more. Waits until the file says what it is; an Error where it
// says something else than a capture, or ends before it says anything.
Result<std::unique_ptr<PacketSource>> open_growing_capture(const std::string& path,
                                                           std::shared_ptr<FileGrowth> growth,
                                                           size_t block_length = default_block_length);

}  // namespace sanscope
