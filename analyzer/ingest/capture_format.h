// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/ingest/record_parser.h"

namespace sanscope {

// How many first bytes it takes to know that a capture can be read, as far as those in hand tell. No more
// than a capture without packets has, so that asking for them never makes a live stream wait.
size_t capture_start_length(std::span<const uint8_t> first_bytes);

// Whether they are the start of a pcap or pcapng, as far as their first four bytes tell.
bool is_known_capture(std::span<const uint8_t> first_bytes);

// The parser for a capture that begins with `first_bytes`; it is to be given all bytes of the file, these
// too. `file` is the name that interfaces bear. An Error where the bytes are not the start of a capture.
Result<std::unique_ptr<RecordParser>> make_record_parser(std::span<const uint8_t> first_bytes,
                                                         const std::string& file);

}  // namespace sanscope
