// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/table_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/point_captures.h"
#include "analyzer/points/points_tables.h"
#include "analyzer/query/chosen_columns.h"
#include "analyzer/query/filtered_table.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/query/select.h"
#include "analyzer/report/capture_summary.h"
#include "analyzer/report/finding_rows.h"
#include "analyzer/report/human_units.h"
#include "analyzer/tables/captures_table.h"
#include "analyzer/tables/findings_table.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

// In the order in which --help has them.
std::vector<const TableInfo*> all_tables() {
    std::vector<const TableInfo*> tables;
    for (const TableInfo& table : table_infos()) tables.push_back(&table);
    tables.push_back(&findings_table);
    tables.push_back(&captures_table);
    for (const TableInfo* table : point_tables()) tables.push_back(table);
    return tables;
}

std::string columns_help() {
    std::string text =
        "Tables and their columns. Unknown values are empty; times are nanoseconds since the epoch.\n";
    const auto describe = [&text](const TableInfo& table) {
        text += fmt::format("\n{}: {}\n", table.name, table.description);
        for (const ColumnInfo& column : table.columns) {
            text += fmt::format("  {:<40} {}\n", column.name, column.description);
        }
    };
    for (const TableInfo* table : all_tables()) describe(*table);
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
        "  sanscope table points --points initiator.pcap target.pcap\n"
        "  sanscope table commands san.pcapng --format arrow | python3 -c 'import polars, sys; "
        "print(polars.read_ipc_stream(sys.stdin.buffer))'\n"
        "  sanscope table commands san.pcapng --format parquet -o commands.parquet\n"
        "  sanscope table --tables commands,budgets,losses,findings san.pcapng --format parquet -o san/\n";
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

const TableInfo* find_any_table(std::string_view name) {
    for (const TableInfo* table : all_tables()) {
        if (table->name == name) return table;
    }
    return nullptr;
}

bool is_of_points(const TableInfo& table) {
    return std::ranges::find(point_tables(), &table) != point_tables().end();
}

// Tables that are made of what was found, not of rows in the store.
bool is_of_findings(const TableInfo& table) {
    return &table == &findings_table || &table == &captures_table;
}

std::string names_of_tables() {
    return fmt::format("{}", fmt::join(TableCommand::table_names(), ", "));
}

// What all of them together are made of.
ResultStore::Keep rows_for(std::span<const TableInfo* const> tables) {
    ResultStore::Keep keep = ResultStore::Keep::nothing();
    keep.window_intervals = false;
    for (const TableInfo* table : tables) {
        const ResultStore::Keep& one = is_of_findings(*table) ? rows_for_findings : table->keep;
        keep.commands |= one.commands;
        keep.pdus |= one.pdus;
        keep.windows |= one.windows;
        keep.ca_transitions |= one.ca_transitions;
        keep.losses |= one.losses;
        keep.kernel_windows |= one.kernel_windows;
        keep.kernel_ca_transitions |= one.kernel_ca_transitions;
        keep.window_intervals |= one.windows && one.window_intervals;
        keep.budgets |= one.budgets && one.commands;
    }
    return keep;
}

std::string joined(std::span<const std::string> files) {
    std::string text;
    for (const std::string& file : files) {
        if (!text.empty()) text += ',';
        text += file;
    }
    return text;
}

// The tables of captures that were analysed with the rows for them.
class TableMaker {
  public:
    TableMaker(const Analysed& analysed, const CaptureOptions& captures)
        : analysed_(analysed), captures_(captures) {}

    // Good as long as this.
    std::unique_ptr<Table> make(const TableInfo& table) {
        if (!is_of_findings(table)) return table.make(analysed_.engine->store());
        if (!found_) found_ = findings_of(analysed_);
        if (&table == &findings_table) {
            finding_rows_ = ChunkedRows<FindingRow>();
            append_finding_rows(*found_, finding_rows_);
            return make_findings_table(finding_rows_);
        }
        capture_rows_ = ChunkedRows<CaptureRow>();
        capture_rows_.append(summary_of(analysed_, joined(captures_.files), *found_));
        return make_captures_table(capture_rows_);
    }

  private:
    const Analysed& analysed_;
    const CaptureOptions& captures_;
    std::optional<std::vector<Finding>> found_;
    ChunkedRows<FindingRow> finding_rows_;
    ChunkedRows<CaptureRow> capture_rows_;
};

std::string damage_of(const Analysed* analysed) {
    std::string text;
    if (analysed == nullptr || analysed->source == nullptr) return text;
    for (const Damage& damage : analysed->source->damage()) {
        if (!text.empty()) text += '\n';
        text += fmt::format("{}: {}", damage.file, damage_text(damage));
    }
    return text;
}

}  // namespace

std::vector<std::string> TableCommand::table_names() {
    std::vector<std::string> names;
    for (const TableInfo* table : all_tables()) names.emplace_back(table->name);
    return names;
}

void TableCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("table", "Tables of the analysis, for other programs to read");
    command_->add_option("TABLE", table_, "Which one: " + names_of_tables() + "; none with --tables");
    captures_.add_to(*command_)->required(false);
    command_->add_option(
        "--tables", tables_,
        "Several tables in one pass, separated by commas, each into a file of its name in the "
        "folder that --output names");
    command_
        ->add_option(
            "--format", format_,
            "csv; csv-spreadsheet: with no text that a spreadsheet takes for a formula; json: one "
            "object a row; pb: "
            "length-delimited protobuf messages; arrow: an Arrow IPC stream; parquet: a Parquet file, for "
            "which Python's pyarrow must be there")
        ->check(CLI::IsMember(table_formats()))
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
    columns_option_ = command_->add_option("--columns", columns_,
                                           "Only these columns, separated by commas, in this order; not with "
                                           "pb, whose messages name theirs by number");
    capture_id_option_ = command_->add_option(
        "--capture-id", capture_id_,
        "What the column capture of Arrow and Parquet has in each row, in place of the names of the files");
    command_
        ->add_option("-o,--output", output_,
                     "Where to; - is standard output. With --tables a folder, which is made")
        ->capture_default_str();
    command_->footer(columns_help);
}

bool TableCommand::chosen() const {
    return command_->parsed();
}

bool TableCommand::understand(Request& request) const {
    const auto refuse = [](const std::string& why) {
        print_text(stderr, "sanscope: table: {}\nRun with --help for more information.\n", why);
        return false;
    };
    request.captures = captures_;
    std::vector<std::string> names = CLI::detail::split(tables_, ',');
    if (tables_.empty()) {
        if (table_.empty()) return refuse("TABLE is required: " + names_of_tables());
        names = {table_};
    } else if (!table_.empty()) {
        request.captures.files.insert(request.captures.files.begin(), table_);
    }
    for (const std::string& name : names) {
        const TableInfo* const table = find_any_table(name);
        if (table == nullptr)
            return refuse(fmt::format("there is no table \"{}\"; there are {}", name, names_of_tables()));
        if (std::ranges::find(request.tables, table) == request.tables.end()) request.tables.push_back(table);
    }
    if (request.captures.files.empty()) return refuse("FILE is required");
    if (columns_option_->count() != 0 && format_ == "pb")
        return refuse("--columns is not for --format pb, whose messages have a number for each column");

    for (const TableInfo* table : request.tables) {
        if (is_of_points(*table) == points_) continue;
        return refuse(fmt::format(
            "{}: {}", table->name,
            points_ ? "--points is for the tables points, point_losses, point_commands and point_senders"
                    : "is of captures at several points of a path: --points"));
    }
    if (tables_.empty()) return true;
    if (points_) return refuse("--points gives one table at a time");
    if (where_option_->count() != 0) return refuse("--where is for one table at a time");
    if (columns_option_->count() != 0) return refuse("--columns is for one table at a time");
    if (output_ == "-") return refuse("--tables needs a folder: --output DIR");
    return true;
}

TableOutput TableCommand::output_of(std::string_view table, const CaptureOptions& captures,
                                    const std::string& place, const Analysed* analysed) const {
    TableOutput output{.format = format_, .place = place, .origin = {}};
    output.origin.capture = capture_id_option_->count() != 0 ? capture_id_ : joined(captures.files);
    output.origin.metadata = {{"sanscope.version", SANSCOPE_VERSION},
                              {"sanscope.table", std::string(table)},
                              {"sanscope.files", joined(captures.files)},
                              {"sanscope.damage", damage_of(analysed)}};
    if (analysed != nullptr)
        output.origin.metadata.emplace_back("sanscope.exit_status", fmt::to_string(int{analysed->status}));
    return output;
}

bool TableCommand::understand(const TableInfo& table, Choice& choice) const {
    if (where_option_->count() != 0) {
        auto compiled = RowFilter::compile(where_, table.name, table.columns);
        if (const auto* error = std::get_if<FilterError>(&compiled)) {
            print_text(stderr, "sanscope: --where: {}\n{}", error->message, underlined(where_, *error));
            return false;
        }
        choice.rows = std::get<RowFilter>(std::move(compiled));
    }
    if (columns_option_->count() != 0) {
        auto columns = columns_by_name(columns_, table.name, table.columns);
        if (!columns) {
            print_text(stderr, "sanscope: --columns: {}\n", columns.error().message);
            return false;
        }
        choice.columns = std::move(*columns);
    }
    return true;
}

ExitStatus TableCommand::write(const Table& whole, const Choice& choice, const TableOutput& output,
                               ExitStatus status) const {
    const Table* table = &whole;
    std::optional<FilteredTable> some_rows;
    if (choice.rows) table = &some_rows.emplace(whole, selected_rows(*choice.rows, whole));
    std::optional<ChosenColumns> some_columns;
    if (!choice.columns.empty()) table = &some_columns.emplace(*table, choice.columns);
    return write_table(*table, output, status);
}

ExitStatus TableCommand::write_points(const CaptureOptions& captures, const Choice& choice,
                                      const TableOutput& output) const {
    FollowedPath followed = follow_points(captures);
    if (followed.path.points.empty()) return followed.status;
    if (table_ == point_commands_table.name) {
        if (!split_point_commands(captures, followed))
            return followed.status == exit_interrupted ? exit_interrupted : exit_nothing_analysed;
        return write(
            *make_point_commands_table(followed.path, followed.commands.engine->store(), *followed.splits),
            choice, output, followed.status);
    }
    if (table_ == point_senders_table.name) {
        std::vector<SenderAgreement> agreements;
        if (!compare_point_senders(captures, followed, agreements))
            return followed.status == exit_interrupted ? exit_interrupted : exit_nothing_analysed;
        ChunkedRows<PointSenderRow> rows;
        append_point_sender_rows(followed.path, agreements, rows);
        return write(*make_point_senders_table(rows), choice, output, followed.status);
    }
    if (table_ == points_table.name) {
        ChunkedRows<PointRow> rows;
        append_point_rows(followed.path, rows);
        return write(*make_points_table(rows), choice, output, followed.status);
    }
    ChunkedRows<PointLossRow> rows;
    append_point_loss_rows(followed.path, rows);
    return write(*make_point_losses_table(rows), choice, output, followed.status);
}

ExitStatus TableCommand::run_one(const TableInfo& table, const CaptureOptions& captures) const {
    Choice choice;
    if (!understand(table, choice)) return exit_usage;
    const TableOutput planned = output_of(table.name, captures, output_, nullptr);
    if (const std::string why = refused(planned); !why.empty()) {
        print_text(stderr, "sanscope: table: {}\n", why);
        return exit_usage;
    }
    if (points_) return write_points(captures, choice, planned);

    const bool of_findings = is_of_findings(table);
    const bool by_batches = format_ == "arrow" || format_ == "parquet";
    const ResultStore::Keep keep = of_findings ? rows_for_findings : table.keep;
    const Analysed analysed =
        of_findings || by_batches ? analyse_captures_aside(captures, keep) : analyse_captures(captures, keep);
    if (analysed.status == exit_nothing_analysed) return analysed.status;
    TableMaker maker(analysed, captures);
    return write(*maker.make(table), choice, output_of(table.name, captures, output_, &analysed),
                 analysed.status);
}

ExitStatus TableCommand::run_several(const Request& request) const {
    std::error_code error;
    std::filesystem::create_directories(output_, error);
    if (error) {
        print_text(stderr, "sanscope: {}: cannot create: {}\n", output_, error.message());
        return exit_usage;
    }
    const Analysed analysed = analyse_captures_aside(request.captures, rows_for(request.tables));
    if (analysed.status == exit_nothing_analysed) return analysed.status;
    TableMaker maker(analysed, request.captures);
    for (const TableInfo* table : request.tables) {
        const std::string place =
            (std::filesystem::path(output_) / fmt::format("{}{}", table->name, file_ending(format_)))
                .string();
        const ExitStatus status = write_table(
            *maker.make(*table), output_of(table->name, request.captures, place, &analysed), analysed.status);
        if (status != analysed.status) return status;
    }
    return analysed.status;
}

ExitStatus TableCommand::run() const {
    Request request;
    if (!understand(request)) return exit_usage;
    return tables_.empty() ? run_one(*request.tables.front(), request.captures) : run_several(request);
}

}  // namespace sanscope
