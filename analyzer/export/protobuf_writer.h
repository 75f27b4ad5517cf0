// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/export/byte_sink.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// Writes a table as protocol buffer messages, one a row, each after its length as a varint (what the
// libraries call delimited). The messages are those of analyzer/proto/sanscope/v1/tables.proto; column n of
// the table, counted from 1, is field n: integers int64 and uint64, truth values bool, text string, in which
// what is not UTF-8 becomes U+FFFD. An unknown is a field that is not there. False when the sink refused.
bool write_protobuf(const Table& table, ByteSink& sink);

}  // namespace sanscope
