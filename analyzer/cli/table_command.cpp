// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/table_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/core.h>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/point_captures.h"
#include "analyzer/export/export_format.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/points/points_tables.h"
#include "analyzer/query/filtered_table.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/query/select.h"
#include "analyzer/report/finding_rows.h"
#include "analyzer/report/human_units.h"
#include "analyzer/tables/findings_table.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

std::string columns_help() {
    std::string text =
        "Tables and their columns. Unknown values are empty; times are nanoseconds since the epoch.\n";
    const auto describe = [&text](const TableInfo& table) {
        text += fmt::format("\n{}: {}\n", table.name, table.description);
        for (const ColumnInfo& column : table.columns) {
            text += fmt::format("  {:<40} {}\n", column.name, column.description);
        }
    };
    for (const TableInfo& table : table_infos()) describe(table);
    describe(findings_table);
    for (const TableInfo* table : point_tables()) describe(*table);
    text +=
        "\nWhich rows, --where EXPRESSION: as in Wireshark's display filters, with these columns.\n"
        "  turnaround \"Request time\"    columns also by the headers of the window's tables: turnaround_ns, "
        "request_ns\n"
        "  and or not ( )              also && || !\n"
        "  == != < <= > >=             also eq ne lt le gt ge; false where the column is unknown\n"
        "  in {0x28, 1..5}             one of these values and ranges; not in {…}\n"
        "  contains \"text\"             matches \"regular expression\", whatever the case\n"
        "  a column alone              is known; is true\n"
        "  10ms 1.5s 20us 7ns          durations; without unit: nanoseconds\n"
        "  4KiB 64kB 1MiB              sizes; without unit: bytes\n"
        "  \"2026-11-21 11:08:21.5\"     moments, UTC\n"
        "  0x28 40 READ \"READ(10)\"     numbers, also beside columns like opcode; text\n"
        "docs/filter-language.md has the whole language.\n";
    text +=
        "\nExamples:\n"
        "  sanscope table commands san.pcapng > commands.csv\n"
        "  sanscope table commands san.pcapng --where 'turnaround_ns > 10ms and opcode == 0x28'\n"
        "  sanscope table windows san.pcapng --where 'limit == receiver and in_flight >= 64KiB'\n"
        "  sanscope table pdus san.pcap.zst --format json | jq 'select(.data_digest == \"bad\")'\n"
        "  sanscope table losses san.pcapng | mlr --icsv --opprint count-distinct -f sender,kind\n"
        "  tcpdump -i eth0 -w - port 3260 | sanscope table commands - -o commands.csv\n"
        "  sanscope table sessions initiator.pcap target.pcap --format pb -o sessions.pb\n"
        "  sanscope table points --points initiator.pcap target.pcap\n";
    return text;
}

std::vector<size_t> selected_rows(const RowFilter& filter, const Table& table) {
    std::vector<size_t> rows;
    const SelectOutcome selection = select(filter, table, 0, table.rows(), rows);
    if (selection.given_up != 0) {
        print_text(stderr,
                   "sanscope: --where: {} it took too long to see whether the regular expression matches; "
                   "it is taken not to\n",
                   counted_exactly(selection.given_up, "time"));
    }
    return rows;
}

}  // namespace

void TableCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("table", "One table of the analysis, for other programs to read");
    std::vector<std::string> tables;
    for (const TableInfo& table : table_infos()) tables.emplace_back(table.name);
    tables.emplace_back(findings_table.name);
    for (const TableInfo* table : point_tables()) tables.emplace_back(table->name);
    std::vector<std::string> formats;
    for (const ExportFormat& format : export_formats()) formats.emplace_back(format.name);

    command_->add_option("TABLE", table_, "Which one")->required()->check(CLI::IsMember(tables));
    captures_.add_to(*command_);
    command_
        ->add_option("--format", format_,
                     "csv; csv-spreadsheet: with no text that a spreadsheet takes for a formula; json: one "
                     "object a row; pb: "
                     "length-delimited protobuf messages")
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
    command_->add_flag("--points", points_,
                       "For the tables points, point_losses, point_commands and point_senders: the captures "
                       "are of the same traffic at "
                       "several points of its "
                       "path");
    where_option_ = command_->add_option(
        "--where", where_,
        "Only the rows for which this holds, as in 'turnaround_ns > 10ms and opcode == 0x28'; "
        "see below");
    command_->add_option("-o,--output", output_, "Where to; - is standard output")->capture_default_str();
    command_->footer(columns_help);
}

bool TableCommand::chosen() const {
    return command_->parsed();
}

ExitStatus TableCommand::write(const Table& whole, const RowFilter* filter, ExitStatus status) const {
    auto sink = FileSink::create(output_);
    if (!sink) {
        print_text(stderr, "sanscope: {}\n", sink.error().message);
        return exit_usage;
    }
    std::optional<FilteredTable> some;
    if (filter != nullptr) some.emplace(whole, selected_rows(*filter, whole));
    const Table& table = some ? static_cast<const Table&>(*some) : whole;
    const bool written = find_export_format(format_)->write(table, *sink) && sink->close();
    if (!written && sink->error() != nullptr) {
        print_text(stderr, "sanscope: {}: {}\n", output_, sink->error()->message);
        return exit_nothing_analysed;
    }
    return status;
}

ExitStatus TableCommand::write_points(const RowFilter* filter) const {
    FollowedPath followed = follow_points(captures_);
    if (followed.path.points.empty()) return followed.status;
    if (table_ == point_commands_table.name) {
        if (!split_point_commands(captures_, followed))
            return followed.status == exit_interrupted ? exit_interrupted : exit_nothing_analysed;
        return write(
            *make_point_commands_table(followed.path, followed.commands.engine->store(), *followed.splits),
            filter, followed.status);
    }
    if (table_ == point_senders_table.name) {
        std::vector<SenderAgreement> agreements;
        if (!compare_point_senders(captures_, followed, agreements))
            return followed.status == exit_interrupted ? exit_interrupted : exit_nothing_analysed;
        ChunkedRows<PointSenderRow> rows;
        append_point_sender_rows(followed.path, agreements, rows);
        return write(*make_point_senders_table(rows), filter, followed.status);
    }
    if (table_ == points_table.name) {
        ChunkedRows<PointRow> rows;
        append_point_rows(followed.path, rows);
        return write(*make_points_table(rows), filter, followed.status);
    }
    ChunkedRows<PointLossRow> rows;
    append_point_loss_rows(followed.path, rows);
    return write(*make_point_losses_table(rows), filter, followed.status);
}

ExitStatus TableCommand::run() const {
    const bool of_findings = table_ == findings_table.name;
    const TableInfo* of_points = nullptr;
    for (const TableInfo* table : point_tables()) {
        if (table_ == table->name) of_points = table;
    }
    if ((of_points != nullptr) != points_) {
        print_text(stderr, "sanscope: table {}: {}\n", table_,
                   points_
                       ? "--points is for the tables points, point_losses, point_commands and point_senders"
                       : "is of captures at several points of a path: --points");
        return exit_usage;
    }
    const TableInfo& info = of_findings            ? findings_table
                            : of_points != nullptr ? *of_points
                                                   : *find_table(table_);
    std::optional<RowFilter> filter;
    if (where_option_->count() != 0) {
        auto compiled = RowFilter::compile(where_, info.name, info.columns);
        if (const auto* error = std::get_if<FilterError>(&compiled)) {
            print_text(stderr, "sanscope: --where: {}\n{}", error->message, underlined(where_, *error));
            return exit_usage;
        }
        filter = std::get<RowFilter>(std::move(compiled));
    }
    const RowFilter* const rows = filter ? &*filter : nullptr;
    if (of_points != nullptr) return write_points(rows);
    const Analysed analysed = of_findings ? analyse_captures_aside(captures_, rows_for_findings)
                                          : analyse_captures(captures_, info.keep);
    if (analysed.status == exit_nothing_analysed) return analysed.status;
    ChunkedRows<FindingRow> found;
    if (of_findings) append_finding_rows(findings_of(analysed), found);
    const auto whole = of_findings ? make_findings_table(found) : info.make(analysed.engine->store());
    return write(*whole, rows, analysed.status);
}

}  // namespace sanscope
