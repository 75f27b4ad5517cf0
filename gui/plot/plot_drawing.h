// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <functional>

#include "gui/plot/state_band.h"
#include "gui/plot/step_series.h"
#include "gui/plot/time_plot.h"

namespace sanscope {

// Draw functions for what was prepared, with their geometry kept between frames, so that none of it is allocated anew.
// GUI thread only.
class StepDrawing {
  public:
    void line(QPainter& painter, const PlotPane& pane, const StepSeries& series, const QColor& color,
              int64_t until_ns, int width = 1, Qt::PenStyle style = Qt::SolidLine);
    void band(QPainter& painter, const PlotPane& pane, const StepSeries& low, const StepSeries& high,
              const QColor& color, int64_t until_ns);

  private:
    std::vector<QLineF> lines_;
    std::vector<QRectF> rectangles_;
};

// What a pane shows, in its upper left corner, over the data.
void draw_pane_title(QPainter& painter, const PlotPane& pane, const QString& title);

// A band in `area`, with names where there is room; where it is drawn column by column, shares are stacked upwards in the
// order of the states, each that was entered at least two pixels high. State `unnamed` counts for nothing.
void draw_state_band(QPainter& painter, const TimeViewport& viewport, const QRectF& area,
                     const StateBand& band, const std::function<QColor(uint8_t)>& color_of,
                     const std::function<QString(uint8_t)>& name_of, const Theme& theme);

}  // namespace sanscope
