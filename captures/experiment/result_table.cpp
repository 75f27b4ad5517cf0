// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/result_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

#include "captures/experiment/markup.h"

namespace sanscope::lab {
namespace {

bool has(const RunSettings& settings, const SettingColumn& column) {
    return column.means_something_to(settings.load);
}

// Those of which there are several values among the loads that they mean something to.
std::vector<const SettingColumn*> differing(const std::vector<ResultRow>& rows) {
    std::vector<const SettingColumn*> columns;
    for (const SettingColumn& column : setting_columns()) {
        std::optional<std::string> first;
        bool differs = false;
        for (const ResultRow& row : rows) {
            if (!has(row.settings, column)) continue;
            if (!first) first = column.text(row.settings);
            differs = differs || *first != column.text(row.settings);
        }
        if (differs) columns.push_back(&column);
    }
    return columns;
}

std::string cell(const std::optional<Spread>& spread, const MeasureInfo& info) {
    if (!spread) return "–";
    const auto scaled = [&](double value) {
        return fmt::format("{:.{}f}", value / info.scale, info.decimals);
    };
    std::string text = scaled(spread->median);
    if (spread->count > 1) text += fmt::format(" ({} … {})", scaled(spread->lowest), scaled(spread->highest));
    return text;
}

using Cells = std::vector<std::string>;

Cells heading_cells(const Experiment& experiment, const std::vector<const SettingColumn*>& columns) {
    Cells cells;
    for (const SettingColumn* column : columns) cells.emplace_back(column->heading);
    for (const Measure measure : experiment.measured) cells.emplace_back(measure_info(measure).heading);
    return cells;
}

Cells row_cells(const Experiment& experiment, const std::vector<const SettingColumn*>& columns,
                const ResultRow& row) {
    Cells cells;
    for (const SettingColumn* column : columns)
        cells.push_back(has(row.settings, *column) ? column->text(row.settings) : "–");
    for (const Measure measure : experiment.measured)
        cells.push_back(cell(row[measure], measure_info(measure)));
    return cells;
}

}  // namespace

std::optional<Spread> spread_of(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::ranges::sort(values);
    const size_t middle = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return Spread{median, values.front(), values.back(), values.size()};
}

std::vector<ResultRow> summarise(const std::vector<RunSettings>& settings,
                                 const std::vector<RunRecord>& records, double seconds) {
    std::map<std::string, std::vector<const RunRecord*>> by_settings;
    for (const RunRecord& record : records) {
        if (record.seconds == seconds) by_settings[settings_text(record.run.settings)].push_back(&record);
    }
    std::vector<ResultRow> rows;
    for (const RunSettings& one : settings) {
        const auto found = by_settings.find(settings_text(one));
        if (found == by_settings.end()) continue;
        ResultRow& row = rows.emplace_back();
        row.settings = one;
        for (size_t i = 0; i < measures; ++i) {
            std::vector<double> values;
            for (const RunRecord* record : found->second) {
                if (record->measured.values[i]) values.push_back(*record->measured.values[i]);
            }
            row.measured[i] = spread_of(std::move(values));
        }
    }
    return rows;
}

std::string table_csv(const Experiment& experiment, const std::vector<ResultRow>& rows) {
    std::string text;
    for (const SettingColumn& column : setting_columns()) text += fmt::format("{},", column.name);
    text += "repetitions";
    for (const Measure measure : experiment.measured) {
        const std::string_view name = measure_info(measure).name;
        text += fmt::format(",{0},{0}_lowest,{0}_highest", name);
    }
    text += '\n';
    for (const ResultRow& row : rows) {
        size_t repetitions = 0;
        for (const Measure measure : experiment.measured) {
            if (row[measure]) repetitions = std::max(repetitions, row[measure]->count);
        }
        text += fmt::format("{},{}", settings_text(row.settings), repetitions);
        for (const Measure measure : experiment.measured) {
            const auto& spread = row[measure];
            text += spread ? fmt::format(",{},{},{}", spread->median, spread->lowest, spread->highest)
                           : std::string(",,,");
        }
        text += '\n';
    }
    return text;
}

std::string table_markdown(const Experiment& experiment, const std::vector<ResultRow>& rows) {
    const auto columns = differing(rows);
    const Cells headings = heading_cells(experiment, columns);
    const auto line = [](const Cells& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); };
    std::string text = line(headings) + line(Cells(headings.size(), "---:"));
    for (const ResultRow& row : rows) text += line(row_cells(experiment, columns, row));
    return text;
}

std::string table_html(const Experiment& experiment, const std::vector<ResultRow>& rows) {
    const auto columns = differing(rows);
    const auto line = [](const Cells& cells, std::string_view element) {
        std::string text = "<tr>";
        for (const std::string& one : cells)
            text += fmt::format("<{0}>{1}</{0}>", element, escape_markup(one));
        return text + "</tr>\n";
    };
    std::string text =
        "<table>\n<thead>" + line(heading_cells(experiment, columns), "th") + "</thead>\n<tbody>\n";
    for (const ResultRow& row : rows) text += line(row_cells(experiment, columns, row), "td");
    return text + "</tbody>\n</table>\n";
}

}  // namespace sanscope::lab
