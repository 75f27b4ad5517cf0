// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/table_output.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "analyzer/arrow/parquet_file.h"
#include "analyzer/base/print_text.h"
#include "analyzer/cli/command_output.h"
#include "analyzer/export/export_format.h"

namespace sanscope {
namespace {

constexpr std::string_view arrow = "arrow";
constexpr std::string_view parquet = "parquet";

ExitStatus tell(const TableOutput& output, const Error& error, ExitStatus status) {
    print_text(stderr, "sanscope: {}: {}\n", name_of_output(output.place), error.message);
    return status;
}

bool write_rows(const Table& table, const TableOutput& output, ByteSink& sink) {
    if (output.format == arrow || output.format == parquet) return write_arrow(table, output.origin, sink);
    return find_export_format(output.format)->write(table, sink);
}

ExitStatus write_parquet(const Table& table, const TableOutput& output, ExitStatus status) {
    const UnfinishedOutput unfinished(output.place);
    auto file = ParquetFile::create(output.place);
    if (!file) return tell(output, file.error(), exit_usage);
    write_rows(table, output, (*file)->sink());
    if (const auto committed = (*file)->commit(); !committed)
        return tell(output, committed.error(), exit_nothing_analysed);
    return status;
}

}  // namespace

std::vector<std::string> table_formats() {
    std::vector<std::string> names;
    for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
    names.emplace_back(arrow);
    names.emplace_back(parquet);
    return names;
}

std::string_view file_ending(std::string_view format) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> endings = {
        {{"csv", ".csv"},
         {"csv-spreadsheet", ".csv"},
         {"json", ".jsonl"},
         {"pb", ".pb"},
         {arrow, ".arrows"},
         {parquet, ".parquet"}}};
    for (const auto& [name, ending] : endings) {
        if (name == format) return ending;
    }
    return "";
}

std::string refused(const TableOutput& output) {
    if (output.format == parquet && is_stream(output.place))
        return "--format parquet writes a file: -o FILE.parquet";
    if (output.format == arrow && output.place == "-" && ::isatty(STDOUT_FILENO) != 0)
        return "--format arrow is not for a terminal: -o FILE.arrows, or a pipe";
    return "";
}

ExitStatus write_table(const Table& table, const TableOutput& output, ExitStatus status) {
    if (output.format == parquet) return write_parquet(table, output, status);
    auto file = CommandOutput::create(output.place);
    if (!file) return tell(output, file.error(), exit_usage);
    write_rows(table, output, file->sink());
    if (const auto committed = file->commit(); !committed)
        return tell(output, committed.error(), exit_nothing_analysed);
    return status;
}

}  // namespace sanscope
