// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPainter>
#include <QString>

#include "gui/plot/theme.h"
#include "gui/plot/time_viewport.h"
#include "gui/plot/value_scale.h"
#include "gui/views/io_graph/graph_picture.h"

namespace sanscope {

// GraphLine::color as a colour, and its name.
QColor graph_color(const Theme& theme, uint8_t color);
QString graph_color_name(uint8_t color);
// Those of the parts of a line follow each other; the others are grey.
QColor series_color(const Theme& theme, const GraphPicture& picture, const GraphSeries& series);

// Where an interval's value stands: in its middle.
double middle_of(const TimeViewport& view, const GraphIntervals& intervals, size_t index);

// A line from interval to interval with gaps where nothing is known; percentiles of too few rows are hollow, and what leads to
// them is dotted.
void draw_series(QPainter& painter, const TimeViewport& view, const ValueScale& scale,
                 const GraphIntervals& intervals, const GraphSeries& series, const QColor& color,
                 const QColor& background);

}  // namespace sanscope
