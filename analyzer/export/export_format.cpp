// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/export_format.h"

#include <algorithm>
#include <iterator>

#include "analyzer/export/csv_writer.h"
#include "analyzer/export/json_writer.h"
#include "analyzer/export/protobuf_writer.h"

namespace sanscope {
namespace {

constexpr ExportFormat formats[] = {
    {"csv", "comma-separated values, a header row first; an unknown is an empty field", write_csv},
    {"csv-spreadsheet", "the same for spreadsheets: no text of the capture is a formula",
     write_spreadsheet_csv},
    {"json", "JSON Lines, one object a row; an unknown is null", write_json_lines},
    {"pb", "length-delimited protocol buffer messages (sanscope/v1/tables.proto)", write_protobuf},
};

}  // namespace

std::span<const ExportFormat> export_formats() {
    return formats;
}

const ExportFormat* find_export_format(std::string_view name) {
    const auto* format = std::ranges::find(formats, name, &ExportFormat::name);
    return format == std::end(formats) ? nullptr : format;
}

}  // namespace sanscope
