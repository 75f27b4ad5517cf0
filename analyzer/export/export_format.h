// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "analyzer/export/byte_sink.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// A form in which a table can leave the program.
struct ExportFormat {
    std::string_view name;                              // as given to --format
    std::string_view description;                       // one line
    bool (*write)(const Table& table, ByteSink& sink);  // false when the sink refused
};

// The default first.
std::span<const ExportFormat> export_formats();

// nullptr for a name that is none.
const ExportFormat* find_export_format(std::string_view name);

}  // namespace sanscope
