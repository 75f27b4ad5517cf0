// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/graph_painting.h"

#include <QCoreApplication>
#include <QLineF>
#include <array>
#include <cmath>

namespace sanscope {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(IoGraph)
};

constexpr double marked_pixels = 8;  // intervals that wide have a mark each
constexpr double line_width = 2;
constexpr double firm_radius = 2.5;
constexpr double hollow_radius = 3.5;

// The part of a line to the right that lies between two upright ones; a null line where there is none.
QLineF between(QPointF from, QPointF to, double left, double right) {
    if (to.x() < left || from.x() > right) return {};
    const double slope = to.x() > from.x() ? (to.y() - from.y()) / (to.x() - from.x()) : 0;
    const auto at = [&](double x) { return QPointF(x, from.y() + (x - from.x()) * slope); };
    return {from.x() < left ? at(left) : from, to.x() > right ? at(right) : to};
}

}  // namespace

QColor graph_color(const Theme& theme, uint8_t color) {
    const std::array<QColor, graph_colors> colors = {
        theme.initiator, theme.target,       theme.acknowledgement,
        theme.ssthresh,  theme.in_flight,    theme.limit_color(SendLimit::congestion),
        theme.problem,   theme.other_command};
    return colors[color % graph_colors];
}

QString graph_color_name(uint8_t color) {
    switch (color % graph_colors) {
        case 0:
            return Words::tr("blue");
        case 1:
            return Words::tr("vermilion");
        case 2:
            return Words::tr("green");
        case 3:
            return Words::tr("purple");
        case 4:
            return Words::tr("orange");
        case 5:
            return Words::tr("sky blue");
        case 6:
            return Words::tr("red");
        default:
            return Words::tr("grey");
    }
}

QColor series_color(const Theme& theme, const GraphPicture& picture, const GraphSeries& series) {
    if (series.of == GraphSeries::Of::others) return theme.faint_text;
    const uint8_t first = picture.line_of(series).color;
    if (series.of == GraphSeries::Of::all) return graph_color(theme, first);
    uint8_t place = 0;
    for (const GraphSeries& other : picture.series) {
        if (&other == &series) break;
        if (other.line == series.line) ++place;
    }
    return graph_color(theme, static_cast<uint8_t>((first + place) % graph_colors));
}

double middle_of(const TimeViewport& view, const GraphIntervals& intervals, size_t index) {
    return view.x_of(intervals.interval(index).begin_ns) +
           static_cast<double>(intervals.length_ns) * view.pixels_per_ns() / 2;
}

void draw_series(QPainter& painter, const TimeViewport& view, const ValueScale& scale,
                 const GraphIntervals& intervals, const GraphSeries& series, const QColor& color,
                 const QColor& background) {
    const bool marks = static_cast<double>(intervals.length_ns) * view.pixels_per_ns() >= marked_pixels;
    const QPen whole(color, line_width);
    const QPen dotted(color, line_width, Qt::DotLine);
    const auto known = [&](size_t i) {
        return i < series.points.size() && !std::isnan(series.points[i].value);
    };
    const auto place = [&](size_t i) {
        return QPointF(middle_of(view, intervals, i), scale.y_of(series.points[i].value));
    };
    const double left = view.origin - 2 * marked_pixels;
    const double right = view.origin + view.length + 2 * marked_pixels;
    // One beyond the edge: a line leads there.
    const size_t in_sight = intervals.at(view.range.begin_ns);
    const size_t first = in_sight == 0 || in_sight == intervals.count ? 0 : in_sight - 1;
    painter.setRenderHint(QPainter::Antialiasing);
    for (size_t i = first; i < series.points.size(); ++i) {
        if (!known(i)) continue;
        const QPointF at = place(i);
        if (at.x() > right) break;
        const bool firm = series.points[i].firm;
        if (known(i + 1)) {
            painter.setPen(firm && series.points[i + 1].firm ? whole : dotted);
            const QLineF line = between(at, place(i + 1), left, right);
            if (!line.isNull()) painter.drawLine(line);
        }
        const bool alone = !known(i + 1) && (i == 0 || !known(i - 1));
        if (at.x() < left || (!marks && !alone)) continue;
        painter.setPen(firm ? QPen(Qt::NoPen) : QPen(color, 1.2));
        painter.setBrush(firm ? color : background);
        const double radius = firm ? firm_radius : hollow_radius;
        painter.drawEllipse(at, radius, radius);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace sanscope
