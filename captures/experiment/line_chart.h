// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "captures/experiment/axis_ticks.h"

namespace sanscope::lab {

// A point with how far it spreads.
struct ChartPoint {
    double x = 0;
    double y = 0;
    double lowest = 0;
    double highest = 0;
    size_t row = 0;  // of the rows that the figure was made of
};

struct ChartLine {
    std::string label;
    std::vector<ChartPoint> points;  // in order of x
    bool reference = false;          // black and broken: what the others are to be compared with
    bool markers = true;             // of its points: many that lie close together have none
};

struct ChartPanel {
    std::string title;
    std::string x_heading;
    std::string y_heading;
    AxisScale::Kind x_axis = AxisScale::Kind::linear;
    AxisScale::Kind y_axis = AxisScale::Kind::linear;
    std::vector<ChartLine> lines = {};
};

// The panels, two beside each other, each with its legend, as one SVG 1.1 document. On a logarithmic axis what is not
// above zero is left out; a panel without points says so.
std::string chart_svg(const std::string& title, const std::vector<ChartPanel>& panels);

}  // namespace sanscope::lab
