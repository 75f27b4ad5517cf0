// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/arrow/arrow_stream.h"
#include "analyzer/export/byte_sink.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// Where a table comes from.
struct ArrowOrigin {
    std::string capture;     // in the column `capture` of each row
    ArrowMetadata metadata;  // of the schema
};

// Rows of a batch: with 48 columns one takes 1.6 MiB, which the caches hold.
constexpr size_t arrow_batch_rows = size_t{1} << 12;

// A table as an Arrow IPC stream: its columns (arrow_field.h), then `capture`, all of which may be null; batches of
// arrow_batch_rows rows, the last one of what is left, none of no rows. Before a batch come the dictionaries of which it has
// new words, whole. False when the sink refused.
bool write_arrow(const Table& table, const ArrowOrigin& origin, ByteSink& sink);

}  // namespace sanscope
