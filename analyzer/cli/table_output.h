// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/arrow/arrow_writer.h"
#include "analyzer/cli/exit_status.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// How a table leaves the program, and where to.
struct TableOutput {
    std::string format;  // one of table_formats()
    std::string place;   // a file; - is standard output
    ArrowOrigin origin;  // for the formats that can tell it
};

// All formats, as given to --format; the default first.
std::vector<std::string> table_formats();
// Of a file in that format, with its dot.
std::string_view file_ending(std::string_view format);

// What is wrong with such an output before there is a table, as a sentence; empty: nothing.
std::string refused(const TableOutput& output);

// Writes the table; `status` if that went well, or if the reader of a pipe wanted no more. Else the error is told on standard
// error. Arrow and Parquet in regular files are there whole or not at all.
ExitStatus write_table(const Table& table, const TableOutput& output, ExitStatus status);

}  // namespace sanscope
