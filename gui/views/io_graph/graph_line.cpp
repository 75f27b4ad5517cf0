// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/graph_line.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>

#include "gui/models/table_access.h"
#include "gui/models/table_kinds.h"

#include "analyzer/query/column_meaning.h"
#include "analyzer/query/row_filter.h"

namespace sanscope {
namespace {

constexpr std::array<std::string_view, graph_functions> function_words = {
    "count", "rate", "sum", "mean", "minimum", "maximum", "p50", "p95", "p99"};
constexpr std::array<std::string_view, graph_splits> split_columns = {"", "lun", "session", "connection"};
constexpr std::string_view packet_column = "packet";
constexpr qsizetype longest_filter = 4096;

bool has(const std::vector<std::string_view>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

// Numbers that name something: a sum or a mean of these says nothing.
bool is_identifier(const ColumnInfo& column) {
    constexpr std::array<std::string_view, 4> beginnings = {"Row of ", "Number of ", "Packet ",
                                                            "Logical unit number"};
    return std::ranges::any_of(
        beginnings, [&](std::string_view beginning) { return column.description.starts_with(beginning); });
}

std::optional<Meaning> meaning_in(std::string_view table, std::string_view column) {
    if (find_table_kind(table) == nullptr) return std::nullopt;
    const auto columns = columns_of_table(table);
    const auto at = find_column(columns, column);
    if (!at) return std::nullopt;
    return meaning_of(columns[*at]);
}

QString translated(const char* text) {
    return QCoreApplication::translate("IoGraph", text);
}

QString from_utf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QJsonObject to_object(const GraphLine& line) {
    return {{QStringLiteral("table"), QString::fromStdString(line.table)},
            {QStringLiteral("time"), QString::fromStdString(line.time)},
            {QStringLiteral("filter"), QString::fromStdString(line.filter)},
            {QStringLiteral("function"), from_utf8(function_words[static_cast<size_t>(line.function)])},
            {QStringLiteral("column"), QString::fromStdString(line.column)},
            {QStringLiteral("split"), from_utf8(column_of(line.split))},
            {QStringLiteral("color"), int{line.color}},
            {QStringLiteral("on"), line.on}};
}

std::optional<std::string> text_in(const QJsonObject& object, const QString& name) {
    const QJsonValue value = object.value(name);
    if (!value.isString() || value.toString().size() > longest_filter) return std::nullopt;
    return value.toString().toStdString();
}

std::optional<size_t> place_of(std::string_view word, std::span<const std::string_view> words) {
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) return std::nullopt;
    return static_cast<size_t>(found - words.begin());
}

std::optional<GraphLine> line_from(const QJsonValue& value) {
    if (!value.isObject()) return std::nullopt;
    const QJsonObject object = value.toObject();
    const auto table = text_in(object, QStringLiteral("table"));
    const auto time = text_in(object, QStringLiteral("time"));
    const auto filter = text_in(object, QStringLiteral("filter"));
    const auto function = text_in(object, QStringLiteral("function"));
    const auto column = text_in(object, QStringLiteral("column"));
    const auto split = text_in(object, QStringLiteral("split"));
    if (!table || !time || !filter || !function || !column || !split) return std::nullopt;
    const auto function_place = place_of(*function, function_words);
    const auto split_place = place_of(*split, split_columns);
    const int color = object.value(QStringLiteral("color")).toInt(-1);
    const QJsonValue on = object.value(QStringLiteral("on"));
    if (!function_place || !split_place || color < 0 || color >= graph_colors || !on.isBool())
        return std::nullopt;
    GraphLine line{*table,
                   *time,
                   *filter,
                   static_cast<GraphFunction>(*function_place),
                   *column,
                   static_cast<GraphSplit>(*split_place),
                   static_cast<uint8_t>(color),
                   on.toBool()};
    if (!has(graph_tables(), line.table)) return std::nullopt;
    GraphLine fitting = line;
    make_fit(fitting);
    if (!(fitting == line)) return std::nullopt;
    return line;
}

}  // namespace

std::vector<std::string_view> graph_tables() {
    std::vector<std::string_view> tables;
    for (const TableKind& kind : table_kinds()) {
        if (!graph_times(kind.name).empty()) tables.push_back(kind.name);
    }
    return tables;
}

std::vector<std::string_view> graph_times(std::string_view table) {
    const TableKind* const kind = find_table_kind(table);
    if (kind == nullptr) return {};
    std::vector<std::string_view> times;
    for (const ColumnInfo& column : columns_of_table(table)) {
        if (meaning_of(column) == Meaning::moment) times.push_back(column.name);
    }
    // A loss stands where it was captured, in all views, but what a sender's TCP did when it did so.
    if (kind->at_packets) {
        const bool captured = kind->selection == Selection::Kind::loss;
        times.insert(captured ? times.begin() : times.end(), packet_column);
    }
    const auto answer = std::ranges::find(times, std::string_view("response_ns"));
    if (answer != times.end()) std::rotate(times.begin(), answer, answer + 1);
    return times;
}

std::vector<std::string_view> graph_value_columns(std::string_view table) {
    std::vector<std::string_view> names;
    if (find_table_kind(table) == nullptr) return names;
    for (const ColumnInfo& column : columns_of_table(table)) {
        const Meaning meaning = meaning_of(column);
        const bool number =
            meaning == Meaning::number || meaning == Meaning::bytes || meaning == Meaning::duration;
        if (number && !is_identifier(column)) names.push_back(column.name);
    }
    return names;
}

std::vector<GraphSplit> graph_splits_of(std::string_view table) {
    std::vector<GraphSplit> splits{GraphSplit::none};
    for (size_t i = 1; i < graph_splits; ++i) {
        if (meaning_in(table, split_columns[i])) splits.push_back(static_cast<GraphSplit>(i));
    }
    return splits;
}

std::string_view column_of(GraphSplit split) {
    return split_columns[static_cast<size_t>(split)];
}

bool takes_column(GraphFunction function) {
    return function != GraphFunction::count;
}

bool needs_column(GraphFunction function) {
    return function != GraphFunction::count && function != GraphFunction::rate;
}

unsigned percent_of(GraphFunction function) {
    switch (function) {
        case GraphFunction::p50:
            return 50;
        case GraphFunction::p95:
            return 95;
        case GraphFunction::p99:
            return 99;
        default:
            return 0;
    }
}

uint64_t least_rows(GraphFunction function) {
    const unsigned percent = percent_of(function);
    return percent == 0 ? 1 : 100 / (100 - percent);
}

bool is_zero_of_nothing(GraphFunction function) {
    return function == GraphFunction::count || function == GraphFunction::rate ||
           function == GraphFunction::sum;
}

bool is_duration(const GraphLine& line) {
    return takes_column(line.function) && meaning_in(line.table, line.column) == Meaning::duration;
}

GraphUnit unit_of(const GraphLine& line) {
    if (line.function == GraphFunction::count) return GraphUnit::number;
    const auto meaning = meaning_in(line.table, line.column);
    const bool rate = line.function == GraphFunction::rate;
    if (meaning == Meaning::bytes) return rate ? GraphUnit::bytes_per_second : GraphUnit::bytes;
    // Seconds in each second: how many were waiting on average.
    if (meaning == Meaning::duration) return rate ? GraphUnit::number : GraphUnit::duration;
    return rate ? GraphUnit::number_per_second : GraphUnit::number;
}

QString problem_of(const GraphLine& line) {
    if (needs_column(line.function) && line.column.empty())
        return translated("It has no column whose values are to be taken.");
    if (line.filter.empty()) return {};
    const auto compiled = RowFilter::compile(line.filter, line.table, columns_of_table(line.table));
    const auto* const error = std::get_if<FilterError>(&compiled);
    return error == nullptr ? QString()
                            : translated("Its filter: %1.").arg(QString::fromStdString(error->message));
}

void make_fit(GraphLine& line) {
    if (!has(graph_tables(), line.table)) line.table = graph_tables().front();
    const auto times = graph_times(line.table);
    if (!has(times, line.time)) line.time = times.front();
    const auto columns = graph_value_columns(line.table);
    if (!takes_column(line.function) || !has(columns, line.column)) line.column.clear();
    const auto splits = graph_splits_of(line.table);
    if (std::ranges::find(splits, line.split) == splits.end()) line.split = GraphSplit::none;
}

QByteArray to_json(const GraphSetup& setup) {
    QJsonArray lines;
    for (const GraphLine& line : setup.lines) lines.append(to_object(line));
    const QJsonObject object{{QStringLiteral("interval_ns"), static_cast<double>(setup.interval_ns)},
                             {QStringLiteral("lines"), lines}};
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

std::optional<GraphSetup> setup_from_json(const QByteArray& json) {
    const QJsonDocument document = QJsonDocument::fromJson(json);
    if (!document.isObject()) return std::nullopt;
    const QJsonValue lines = document.object().value(QStringLiteral("lines"));
    const double interval_ns = document.object().value(QStringLiteral("interval_ns")).toDouble(-1);
    constexpr double longest_ns = 1e12;
    if (!lines.isArray() || lines.toArray().size() > static_cast<qsizetype>(most_graph_lines) ||
        !(interval_ns >= 0 && interval_ns <= longest_ns)) {
        return std::nullopt;
    }
    GraphSetup setup;
    setup.interval_ns = static_cast<int64_t>(interval_ns);
    for (const QJsonValue& value : lines.toArray()) {
        const auto line = line_from(value);
        if (!line) return std::nullopt;
        setup.lines.push_back(*line);
    }
    return setup;
}

}  // namespace sanscope
