// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/table_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/core.h>

#include "analyzer/export/export_format.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

std::string columns_help() {
    std::string text =
        "Tables and their columns. Unknown values are empty; times are nanoseconds since the epoch.\n";
    for (const TableInfo& table : table_infos()) {
        text += fmt::format("\n{}: {}\n", table.name, table.description);
        for (const ColumnInfo& column : table.columns) {
            text += fmt::format("  {:<40} {}\n", column.name, column.description);
        }
    }
    text +=
        "\nExamples:\n"
        "  sanscope table commands san.pcapng > commands.csv\n"
        "  sanscope table pdus san.pcap.zst --format json | jq 'select(.data_digest == \"bad\")'\n"
        "  sanscope table losses san.pcapng | mlr --icsv --opprint count-distinct -f sender,kind\n"
        "  tcpdump -i eth0 -w - port 3260 | sanscope table commands - -o commands.csv\n"
        "  sanscope table sessions initiator.pcap target.pcap --format pb -o sessions.pb\n";
    return text;
}

}  // namespace

void TableCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("table", "One table of the analysis, for other programs to read");
    std::vector<std::string> tables;
    for (const TableInfo& table : table_infos()) tables.emplace_back(table.name);
    std::vector<std::string> formats;
    for (const ExportFormat& format : export_formats()) formats.emplace_back(format.name);

    command_->add_option("TABLE", table_, "Which one")->required()->check(CLI::IsMember(tables));
    captures_.add_to(*command_);
    command_
        ->add_option("--format", format_,
                     "csv; json: one object a row; pb: length-delimited protobuf messages")
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
    command_->add_option("-o,--output", output_, "Where to; - is standard output")->capture_default_str();
    command_->footer(columns_help);
}

bool TableCommand::chosen() const {
    return command_->parsed();
}

ExitStatus TableCommand::run() const {
    const TableInfo& info = *find_table(table_);
    const Analysed analysed = analyse_captures(captures_, info.keep);
    if (analysed.status == exit_nothing_analysed) return analysed.status;

    auto sink = FileSink::create(output_);
    if (!sink) {
        fmt::print(stderr, "sanscope: {}\n", sink.error().message);
        return exit_usage;
    }
    const auto table = info.make(analysed.engine->store());
    const bool written = find_export_format(format_)->write(*table, *sink) && sink->close();
    if (!written && sink->error() != nullptr) {
        fmt::print(stderr, "sanscope: {}: {}\n", output_, sink->error()->message);
        return exit_nothing_analysed;
    }
    return analysed.status;
}

}  // namespace sanscope
