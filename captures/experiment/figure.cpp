// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/figure.h"

#include <algorithm>
#include <string>

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
    if (settings.load == Load::socket && !drawing.with_sockets) return false;
    return std::ranges::all_of(drawing.only, [&](const auto& wanted) {
        const SettingColumn* const column = find_setting(wanted.first);
        if (column != nullptr && column->of_iscsi_only && settings.load == Load::socket) return true;
        RunSettings like = settings;
        return column != nullptr && column->set(like, wanted.second) &&
               column->text(like) == column->text(settings);
    });
}

std::string line_label(const Drawing& drawing, const RunSettings& settings) {
    std::string label = settings.load == Load::socket ? "plain socket" : "";
    for (const std::string_view name : drawing.lines) {
        const SettingColumn* const column = find_setting(name);
        if (column == nullptr || (settings.load == Load::socket && column->of_iscsi_only)) continue;
        label += (label.empty() ? "" : ", ") + column->label(settings);
    }
    return label;
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
    for (const ResultRow& row : rows) {
        const auto& spread = row[drawing.y];
        if (!spread || !is_drawn(drawing, row.settings)) continue;
        const double at = x->number(row.settings);
        if (at <= 0 && drawing.x_axis != Drawing::Axis::linear) continue;
        const std::string label = line_label(drawing, row.settings);
        auto line = std::ranges::find(panel.lines, label, &ChartLine::label);
        if (line == panel.lines.end()) {
            const bool reference = row.settings.load == Load::socket;
            line = panel.lines.insert(panel.lines.end(),
                                      ChartLine{.label = label, .points = {}, .reference = reference});
        }
        line->points.push_back({at, spread->median / measure.scale, spread->lowest / measure.scale,
                                spread->highest / measure.scale, static_cast<size_t>(&row - rows.data())});
    }
    const auto single = [](const ChartLine& line) { return line.points.size() == 1; };
    if (single_points == SinglePoints::left_out && !std::ranges::all_of(panel.lines, single))
        std::erase_if(panel.lines, single);
    for (ChartLine& line : panel.lines) std::ranges::sort(line.points, {}, &ChartPoint::x);
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
