// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/arrow/arrow_field.h"
#include "analyzer/export/block_writer.h"

namespace sanscope {

using ArrowMetadata = std::vector<std::pair<std::string, std::string>>;

// A column's part of a batch: how many of its values are null, and its buffers in the order of the format's physical
// layout (validity; offsets where they vary in length; data). An empty validity: none is null.
struct ArrowArray {
    size_t length = 0;
    size_t null_count = 0;
    std::vector<std::span<const char>> buffers;
};

// An Arrow IPC stream, message by message: encapsulated messages of metadata version 5, little-endian, not compressed.
// Each call is false once the sink has refused.
class ArrowStream {
  public:
    explicit ArrowStream(ByteSink& sink) : out_(sink) {}

    // First, once. The dictionary of the field with index i has the id i.
    bool schema(std::span<const ArrowField> fields, const ArrowMetadata& metadata);
    // All words of a dictionary, as a Utf8 array; a later one of the same id takes its place.
    bool dictionary(size_t id, const ArrowArray& words);
    // One array a field, all of one length.
    bool batch(size_t rows, std::span<const ArrowArray> columns);
    bool end();

  private:
    bool message(std::span<const uint8_t> metadata, std::span<const ArrowArray> body);

    BlockWriter out_;
};

}  // namespace sanscope
