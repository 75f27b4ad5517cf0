// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/ingest/packet_batch.h"
#include "analyzer/ingest/record_parser.h"

namespace sanscope {

// Runs a parser over the batches of one file in their order. The first part of a record that straddles two
// batches is kept and put in front of the second batch's bytes; all other bytes stay where they were read to.
class RecordJoiner {
  public:
    // `first_bytes` of the file were read already: they come before the first batch.
    RecordJoiner(std::unique_ptr<RecordParser> parser, std::vector<uint8_t> first_bytes)
        : parser_(std::move(parser)), carried_(std::move(first_bytes)) {}

    // Finds the packets of `batch`, whose bytes follow those of the batch before.
    void parse(PacketBatch& batch);

    // Set once the bytes cannot be followed any further, because of their format or because they could not be
    // read.
    const std::optional<FormatFault>& fault() const { return fault_; }
    const RecordParser& parser() const { return *parser_; }
    RecordParser& parser() { return *parser_; }

    // Room in front of a batch's bytes that holds the first part of any ordinary packet's record. For a
    // larger record the batch's buffer grows.
    static constexpr size_t headroom = size_t{128} << 10;

  private:
    void prepend_carried(PacketBatch& batch);

    std::unique_ptr<RecordParser> parser_;
    std::vector<uint8_t> carried_;
    size_t wanted_ = 0;  // the parser gets no further with fewer bytes, the carried ones included
    uint64_t next_packet_ = 1;
    std::optional<FormatFault> fault_;
};

}  // namespace sanscope
