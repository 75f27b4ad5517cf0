// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/export/byte_sink.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// Writes a table as JSON Lines: one object (RFC 8259) a row and line, its members the columns in their order.
// Every object has every member: an unknown is null. Integers are written in full, although times in
// nanoseconds exceed the 53 bits some readers keep. Control characters are escaped; what is not UTF-8 becomes
// U+FFFD. False when the sink refused.
bool write_json_lines(const Table& table, ByteSink& sink);

}  // namespace sanscope
