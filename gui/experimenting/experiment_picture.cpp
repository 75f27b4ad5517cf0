// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_picture.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "captures/experiment/figure.h"
#include "captures/experiment/result_table.h"

namespace sanscope {
namespace {

// The lines that there are once all runs are done.
std::set<std::string> planned_lines(const lab::ChosenExperiment& chosen, size_t drawing) {
    std::vector<lab::ResultRow> rows;
    for (const lab::RunSettings& settings : chosen.settings) {
        rows.push_back({.settings = settings, .measured = {}});
        rows.back().measured.fill(lab::Spread{1, 1, 1, 1});
    }
    const std::vector<lab::ChartPanel> panels = lab::figure_panels(chosen.experiment, rows);
    std::set<std::string> labels;
    for (const lab::ChartLine& line : panels[drawing].lines) labels.insert(line.label);
    return labels;
}

lab::AxisScale scale_of(lab::AxisScale::Kind kind, const std::vector<double>& values) {
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (const double value : values) {
        if (kind != lab::AxisScale::Kind::linear && value <= 0) continue;
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
    }
    if (lowest > highest) {
        lowest = 1;
        highest = 2;
    }
    switch (kind) {
        case lab::AxisScale::Kind::logarithmic:
            return lab::logarithmic_axis(lowest, highest);
        case lab::AxisScale::Kind::sizes:
            return lab::sizes_axis(lowest, highest);
        case lab::AxisScale::Kind::linear:
            break;
    }
    return lab::linear_axis(lowest, highest);
}

}  // namespace

lab::AxisScale ExperimentPicture::scale_of_x() const {
    std::vector<double> values;
    for (const PictureLine& line : lines) {
        for (const PictureRun& run : line.runs) values.push_back(run.x);
    }
    return scale_of(x_axis, values);
}

lab::AxisScale ExperimentPicture::scale_of_y() const {
    std::vector<double> values;
    for (const PictureLine& line : lines) {
        for (const PictureRun& run : line.runs) values.push_back(run.y);
    }
    return scale_of(y_axis, values);
}

bool ExperimentPicture::can_be_drawn(double x, double y) const {
    return (x_axis == lab::AxisScale::Kind::linear || x > 0) &&
           (y_axis == lab::AxisScale::Kind::linear || y > 0);
}

ExperimentPicture picture_of(const lab::ChosenExperiment& chosen, const std::vector<lab::RunRecord>& records,
                             size_t drawing) {
    if (drawing >= chosen.experiment.drawings.size()) return {};
    const auto rows = lab::summarise(chosen.settings, records, chosen.seconds);
    const lab::ChartPanel panel =
        lab::figure_panels(chosen.experiment, rows, lab::SinglePoints::drawn)[drawing];
    const lab::Measure measure = chosen.experiment.drawings[drawing].y;
    std::map<std::string, std::vector<size_t>> by_settings;
    for (size_t i = 0; i < records.size(); ++i) {
        if (records[i].seconds == chosen.seconds && records[i].measured[measure])
            by_settings[lab::settings_text(records[i].run.settings)].push_back(i);
    }
    ExperimentPicture picture{.title = QString::fromStdString(panel.title),
                              .x_heading = QString::fromStdString(panel.x_heading),
                              .y_heading = QString::fromStdString(panel.y_heading),
                              .x_axis = panel.x_axis,
                              .y_axis = panel.y_axis,
                              .lines = {}};
    const std::set<std::string> planned = planned_lines(chosen, drawing);
    for (const lab::ChartLine& line : panel.lines) {
        if (!planned.contains(line.label)) continue;
        PictureLine& drawn = picture.lines.emplace_back();
        drawn.label = QString::fromStdString(line.label);
        drawn.reference = line.reference;
        for (const lab::ChartPoint& point : line.points) {
            drawn.medians.push_back({point.x, point.y});
            for (const size_t record : by_settings[lab::settings_text(rows[point.row].settings)]) {
                drawn.runs.push_back(
                    {point.x, *records[record].measured[measure] / lab::measure_info(measure).scale, record});
            }
        }
    }
    return picture;
}

}  // namespace sanscope
