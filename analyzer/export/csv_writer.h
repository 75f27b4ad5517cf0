// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/export/byte_sink.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// Writes a table as comma-separated values (RFC 4180, lines ended by LF alone): a header row of column names,
// then a row each. An unknown is an empty field, a truth value 0 or 1. Text with a comma, quote or line break
// is quoted; what is not UTF-8, and any other control character but TAB, becomes U+FFFD. False when the sink
// refused.
bool write_csv(const Table& table, ByteSink& sink);

// The same for spreadsheets, which take a text that begins with = + - @ for a formula: it gets an apostrophe before it.
bool write_spreadsheet_csv(const Table& table, ByteSink& sink);

}  // namespace sanscope
