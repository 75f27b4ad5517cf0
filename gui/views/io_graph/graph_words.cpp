// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/graph_words.h"

#include <QCoreApplication>

#include "gui/models/column_format.h"
#include "gui/models/table_access.h"
#include "gui/models/table_kinds.h"

#include "analyzer/query/column_meaning.h"

namespace sanscope {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(IoGraph)
};

constexpr int longest_filter_in_name = 40;

// "commands", "rows of Windows".
QString rows_of(std::string_view table) {
    const TableKind* const kind = find_table_kind(table);
    if (kind == nullptr) return {};
    const bool has_noun = std::string_view(kind->nouns) != "rows";
    return has_noun ? kind->noun_for(2) : Words::tr("rows of %1").arg(kind->translated_title());
}

QString value_name(const GraphLine& line) {
    const QString column = column_title(line.table, line.column);
    switch (line.function) {
        case GraphFunction::count:
            return rows_of(line.table);
        case GraphFunction::rate:
            return line.column.empty() ? Words::tr("%1 per second").arg(rows_of(line.table))
                                       : Words::tr("%1 of %2 per second").arg(column, rows_of(line.table));
        default:
            return Words::tr("%1 %2", "function and column").arg(function_title(line.function), column);
    }
}

GraphLine line(std::string_view table, std::string_view time, GraphFunction function, std::string_view column,
               uint8_t color) {
    GraphLine made;
    made.table = table;
    made.time = time;
    made.function = function;
    made.column = column;
    made.color = color;
    return made;
}

}  // namespace

QString function_title(GraphFunction function) {
    switch (function) {
        case GraphFunction::count:
            return Words::tr("count");
        case GraphFunction::rate:
            return Words::tr("rate per second");
        case GraphFunction::sum:
            return Words::tr("sum");
        case GraphFunction::mean:
            return Words::tr("mean");
        case GraphFunction::minimum:
            return Words::tr("minimum");
        case GraphFunction::maximum:
            return Words::tr("maximum");
        case GraphFunction::p50:
            return Words::tr("p50");
        case GraphFunction::p95:
            return Words::tr("p95");
        case GraphFunction::p99:
            break;
    }
    return Words::tr("p99");
}

QString split_title(GraphSplit split) {
    switch (split) {
        case GraphSplit::lun:
            return Words::tr("by LUN");
        case GraphSplit::session:
            return Words::tr("by session");
        case GraphSplit::connection:
            return Words::tr("by connection");
        case GraphSplit::none:
            break;
    }
    return Words::tr("one line");
}

QString table_title(std::string_view table) {
    const TableKind* const kind = find_table_kind(table);
    return kind == nullptr ? QString() : kind->translated_title();
}

QString column_title(std::string_view table, std::string_view column) {
    if (find_table_kind(table) == nullptr) return {};
    const auto columns = columns_of_table(table);
    const auto at = find_column(columns, column);
    return at ? ColumnFormat(columns[*at]).title() : QString();
}

QString line_name(const GraphLine& line) {
    QString name = value_name(line);
    if (line.filter.empty()) return name;
    QString filter = QString::fromStdString(line.filter);
    if (filter.size() > longest_filter_in_name)
        filter = filter.left(longest_filter_in_name - 1) + QChar(0x2026);
    return name + QStringLiteral(" (") + filter + QLatin1Char(')');
}

QString unit_title(GraphUnit unit) {
    switch (unit) {
        case GraphUnit::number:
            return Words::tr("number");
        case GraphUnit::number_per_second:
            return Words::tr("per second");
        case GraphUnit::bytes:
            return Words::tr("bytes");
        case GraphUnit::bytes_per_second:
            return Words::tr("throughput");
        case GraphUnit::duration:
            break;
    }
    return Words::tr("duration");
}

ValueUnit value_unit(GraphUnit unit) {
    switch (unit) {
        case GraphUnit::bytes:
            return ValueUnit::bytes;
        case GraphUnit::bytes_per_second:
            return ValueUnit::bytes_per_second;
        case GraphUnit::duration:
            return ValueUnit::nanoseconds;
        default:
            return ValueUnit::count;
    }
}

QString graph_value_text(double value, GraphUnit unit) {
    const QString text = value_text(value, value_unit(unit));
    return unit == GraphUnit::number_per_second ? text + QStringLiteral("/s") : text;
}

std::vector<GraphPreset> graph_presets() {
    GraphLine iops = line("commands", "response_ns", GraphFunction::rate, "", 0);
    iops.split = GraphSplit::lun;
    GraphLine throughput = line("commands", "response_ns", GraphFunction::rate, "bytes", 0);
    throughput.split = GraphSplit::session;
    GraphLine retransmissions = line("losses", "packet", GraphFunction::rate, "", 6);
    retransmissions.filter = "kind in {fast_retransmit, rto, tlp, spurious}";
    return {{Words::tr("IOPS by LUN"), {iops}},
            {Words::tr("Throughput by session"), {throughput}},
            {Words::tr("Turnaround: p50 and p99"),
             {line("commands", "response_ns", GraphFunction::p50, "turnaround_ns", 0),
              line("commands", "response_ns", GraphFunction::p99, "turnaround_ns", 1)}},
            {Words::tr("Retransmissions per second"), {retransmissions}},
            {Words::tr("Queue depth"),
             {line("commands", "request_ns", GraphFunction::mean, "queue_depth", 0),
              line("commands", "request_ns", GraphFunction::maximum, "queue_depth", 1)}},
            {Words::tr("As at first"), default_graph_lines()}};
}

std::vector<GraphLine> default_graph_lines() {
    std::vector<GraphLine> lines{line("packets", "time_ns", GraphFunction::rate, "length", 2),
                                 line("commands", "response_ns", GraphFunction::rate, "", 0),
                                 line("commands", "response_ns", GraphFunction::p50, "turnaround_ns", 3),
                                 line("commands", "response_ns", GraphFunction::p99, "turnaround_ns", 1)};
    lines[2].on = lines[3].on = false;
    return lines;
}

}  // namespace sanscope
