// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <array>
#include <vector>

#include "gui/plot/time_plot.h"
#include "gui/views/turnaround/turnaround_picture.h"
#include "gui/views/turnaround/turnaround_statistics.h"

namespace sanscope {

// How commands and their turnarounds look. Unless said otherwise, GUI thread only.

// Of a histogram by decimal logarithm: the value at which a bin begins. Any thread.
double bin_edge(int bin, int bins_per_decade);

const QColor& class_color(const Theme& theme, CommandClass kind);

// With the painter's pen and brush: reads are round, writes square, others triangular.
void draw_command_dot(QPainter& painter, CommandClass kind, QPointF center, double radius);
void draw_failed(QPainter& painter, const Theme& theme, QPointF center);

// What nobody answered is open, at the pane's upper edge.
constexpr double unanswered_band = 13;  // its height in pixels
void draw_unanswered(QPainter& painter, const Theme& theme, CommandClass kind, QPointF center);
void draw_unanswered(QPainter& painter, const PlotPane& pane, const std::vector<UnansweredMark>& marks,
                     const std::array<bool, command_classes>& on, uint64_t selected_command);

// The picture of a grid's cells: a pixel a cell, the longest turnarounds on top. Any thread.
QImage density_image(const DensityGrid& grid, const Theme& theme);

// What of a grid's picture is in sight, in its place.
void draw_density(QPainter& painter, const PlotPane& pane, const DensityGrid& grid, const QImage& image);
// A command's point highlighted, where it is in sight.
void draw_selected_dot(QPainter& painter, const PlotPane& pane, const CommandDot& dot);

// Where the axis of the histogram's cumulative curve ends.
constexpr double most_share = 1.1;

// Bars of how many commands took how long, how many took no longer as a curve, and the percentiles by name.
void draw_turnaround_histogram(QPainter& painter, const PlotPane& pane,
                               const TurnaroundStatistics& statistics, const QFont& font);

// Names of percentiles, those of lines too near to each other for more together: "p50, p90".
struct PercentileLabel {
    double top = 0;  // of its lines, pixels
    QString text;
    std::vector<double> lines;
};
// For labels of that height, from the lowest percentile on. Any thread.
std::vector<PercentileLabel> percentile_labels(const TurnaroundStatistics& statistics,
                                               const ValueScale& scale, double height);
void draw_percentiles(QPainter& painter, const PlotPane& pane, const TurnaroundStatistics& statistics,
                      const QFont& font);

// Draws points, with their geometry kept between frames, so that none of it is allocated anew.
class DotDrawing {
  public:
    // Those in sight of the classes that are `on`.
    void draw(QPainter& painter, const PlotPane& pane, const std::vector<CommandDot>& dots,
              const std::array<bool, command_classes>& on);

  private:
    std::array<std::vector<QRectF>, 2 * command_classes> boxes_;  // of classes, then of their faint ones
};

}  // namespace sanscope
