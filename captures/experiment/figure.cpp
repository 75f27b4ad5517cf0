// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/figure.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace sanscope::lab {
namespace {

AxisScale::Kind kind_of(Drawing::Axis axis) {
    switch (axis) {
        case Drawing::Axis::logarithmic:
            return AxisScale::Kind::logarithmic;
        case Drawing::Axis::sizes:
            return AxisScale::Kind::sizes;
        case Drawing::Axis::linear:
            break;
    }
    return AxisScale::Kind::linear;
}

bool is_drawn(const Drawing& drawing, const RunSettings& settings) {
    if (settings.load != Load::iscsi && !drawing.with_sockets) return false;
    return std::ranges::all_of(drawing.only, [&](const auto& wanted) {
        const SettingColumn* const column = find_setting(wanted.first);
        if (column != nullptr && !column->means_something_to(settings.load)) return true;
        RunSettings like = settings;
        return column != nullptr && column->set(like, wanted.second) &&
               column->text(like) == column->text(settings);
    });
}

std::string line_label(const Drawing& drawing, const RunSettings& settings) {
    std::string label = settings.load == Load::iscsi ? "" : find_setting("load")->label(settings);
    for (const std::string_view name : drawing.lines) {
        const SettingColumn* const column = find_setting(name);
        if (column == nullptr || !column->means_something_to(settings.load)) continue;
        label += (label.empty() ? "" : ", ") + column->label(settings);
    }
    return label;
}

// From end to end of what the other lines have. There is one row for each, at no place of its own.
void draw_level(ChartPanel& panel, std::vector<ChartLine> level) {
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (const ChartLine& line : panel.lines) {
        for (const ChartPoint& point : line.points) {
            first = std::min(first, point.x);
            last = std::max(last, point.x);
        }
    }
    if (first >= last) return;
    for (ChartLine& line : level) {
        line.points.push_back(line.points.front());
        line.points.front().x = first;
        line.points.back().x = last;
        panel.lines.push_back(std::move(line));
    }
}

ChartPanel panel_of(const Drawing& drawing, const std::vector<ResultRow>& rows, SinglePoints single_points) {
    const MeasureInfo& measure = measure_info(drawing.y);
    const SettingColumn* const x = find_setting(drawing.x);
    ChartPanel panel{.title = std::string(drawing.title),
                     .x_heading = std::string(x == nullptr ? drawing.x : x->heading),
                     .y_heading = std::string(measure.heading),
                     .x_axis = kind_of(drawing.x_axis),
                     .y_axis = kind_of(drawing.y_axis),
                     .lines = {}};
    if (x == nullptr) return panel;
    std::vector<ChartLine> level;
    for (const ResultRow& row : rows) {
        const auto& spread = row[drawing.y];
        if (!spread || !is_drawn(drawing, row.settings)) continue;
        const ChartPoint value{0, spread->median / measure.scale, spread->lowest / measure.scale,
                               spread->highest / measure.scale, static_cast<size_t>(&row - rows.data())};
        if (row.settings.load == Load::blast && !x->means_something_to(Load::blast)) {
            level.push_back({.label = line_label(drawing, row.settings), .points = {value}});
            continue;
        }
        const double at = x->number(row.settings);
        if (at <= 0 && drawing.x_axis != Drawing::Axis::linear) continue;
        const std::string label = line_label(drawing, row.settings);
        auto line = std::ranges::find(panel.lines, label, &ChartLine::label);
        if (line == panel.lines.end()) {
            const bool reference = row.settings.load == Load::socket;
            line = panel.lines.insert(panel.lines.end(),
                                      ChartLine{.label = label, .points = {}, .reference = reference});
        }
        line->points.push_back(value);
        line->points.back().x = at;
    }
    const auto single = [](const ChartLine& line) { return line.points.size() == 1; };
    if (single_points == SinglePoints::left_out && !std::ranges::all_of(panel.lines, single))
        std::erase_if(panel.lines, single);
    for (ChartLine& line : panel.lines) std::ranges::sort(line.points, {}, &ChartPoint::x);
    draw_level(panel, std::move(level));
    return panel;
}

}  // namespace

std::vector<ChartPanel> figure_panels(const Experiment& experiment, const std::vector<ResultRow>& rows,
                                      SinglePoints single_points) {
    std::vector<ChartPanel> panels;
    for (const Drawing& drawing : experiment.drawings)
        panels.push_back(panel_of(drawing, rows, single_points));
    return panels;
}

}  // namespace sanscope::lab
