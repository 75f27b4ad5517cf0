// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sanscope {

// What a line shows of the rows of an interval.
enum class GraphFunction : uint8_t { count, rate, sum, mean, minimum, maximum, p50, p95, p99 };
constexpr size_t graph_functions = 9;

// A line each for the values of that column.
enum class GraphSplit : uint8_t { none, lun, session, connection };
constexpr size_t graph_splits = 4;

// What the values of a line are: lines of one unit share an axis.
enum class GraphUnit : uint8_t { number, number_per_second, bytes, bytes_per_second, duration };

// A line of an I/O graph, or, where it is split, several.
struct GraphLine {
    std::string table = "commands";
    std::string time =
        "response_ns";   // the column that says when a row counts: of moments, or `packet`: that one's time
    std::string filter;  // over the table's columns; empty: all rows
    GraphFunction function = GraphFunction::rate;
    std::string column;  // of numbers; empty: the rows themselves
    GraphSplit split = GraphSplit::none;
    uint8_t color = 0;  // < graph_colors
    bool on = true;

    bool operator==(const GraphLine&) const = default;
};
constexpr uint8_t graph_colors = 8;

// Of a view: its lines, and how long an interval is; 0: as the range in sight asks for.
struct GraphSetup {
    std::vector<GraphLine> lines;
    int64_t interval_ns = 0;

    bool operator==(const GraphSetup&) const = default;
};
constexpr size_t most_graph_lines = 8;

// Names of tables that have a time, in the order of menus.
std::vector<std::string_view> graph_tables();
// Of such a table: what GraphLine::time, ::column and ::split can be. Times have the usual one first.
std::vector<std::string_view> graph_times(std::string_view table);
std::vector<std::string_view> graph_value_columns(std::string_view table);
std::vector<GraphSplit> graph_splits_of(std::string_view table);
// The column a split is by; empty for none.
std::string_view column_of(GraphSplit split);

bool takes_column(GraphFunction function);
bool needs_column(GraphFunction function);
// 0 for a function that is no percentile.
unsigned percent_of(GraphFunction function);
// Of fewer rows the percentile is nothing but the greatest value; 1 for a function that is no percentile.
uint64_t least_rows(GraphFunction function);
// Of no rows it is zero, and not unknown.
bool is_zero_of_nothing(GraphFunction function);
// Of a line whose column the table has.
GraphUnit unit_of(const GraphLine& line);
bool is_duration(const GraphLine& line);

// Why the line cannot be drawn, in a sentence; empty where it can.
QString problem_of(const GraphLine& line);
// Replaces what its table does not have by what it has.
void make_fit(GraphLine& line);

// JSON, to and fro; nothing for what is damaged, or has what this program does not know.
QByteArray to_json(const GraphSetup& setup);
std::optional<GraphSetup> setup_from_json(const QByteArray& json);

}  // namespace sanscope
