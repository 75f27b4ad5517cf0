// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/sender_curve_painter.h"

#include <QPainter>

namespace sanscope {
namespace {

bool has(ShownCurves shown, SenderCurve curve) {
    return shown.test(static_cast<size_t>(curve));
}

}  // namespace

void SenderCurvePainter::line(QPainter& painter, const StepSeries& series, int64_t until_ns,
                              const CurvePlace& place, const QColor& color, int width, Qt::PenStyle style) {
    step_lines(series, place.time, place.scale, until_ns, lines_);
    if (place.downwards) {
        const auto turned = [&](QPointF p) {
            return QPointF(place.left + place.scale.bottom - p.y(), p.x());
        };
        for (QLineF& each : lines_) each = {turned(each.p1()), turned(each.p2())};
    }
    painter.setPen(QPen(color, width, style, Qt::FlatCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawLines(lines_.data(), static_cast<int>(lines_.size()));
}

void SenderCurvePainter::band(QPainter& painter, const StepSeries& low, const StepSeries& high,
                              int64_t until_ns, const CurvePlace& place, const QColor& color) {
    step_band(low, high, place.time, place.scale, until_ns, rectangles_);
    if (place.downwards) {
        for (QRectF& each : rectangles_) {
            each = {place.left + place.scale.bottom - each.bottom(), each.left(), each.height(),
                    each.width()};
        }
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRects(rectangles_.data(), static_cast<int>(rectangles_.size()));
}

void SenderCurvePainter::paint(QPainter& painter, const SenderCurves& curves, const CurvePlace& place,
                               const Theme& theme, ShownCurves shown) {
    const auto draw = [&](SenderCurve curve, const StepSeries& series, const QColor& color, int width,
                          Qt::PenStyle style) {
        if (has(shown, curve)) line(painter, series, curves.until_ns, place, color, width, style);
    };
    if (has(shown, SenderCurve::in_flight_area) && !curves.in_flight.empty()) {
        zero_.assign(1, {curves.in_flight.front().time_ns, 0, 0, 0, 0});
        QColor fill = theme.in_flight;
        fill.setAlphaF(0.22F);
        band(painter, zero_, curves.in_flight, curves.until_ns, place, fill);
    }
    if (has(shown, SenderCurve::interval))
        band(painter, curves.cwnd_low, curves.cwnd_high, curves.until_ns, place, theme.cwnd_interval);
    // Broad: what is in flight often lies on it.
    draw(SenderCurve::advertised_window, curves.advertised_window, theme.advertised_window,
         advertised_line_width, Qt::SolidLine);
    draw(SenderCurve::ssthresh, curves.ssthresh, theme.ssthresh, 1, Qt::DashLine);
    draw(SenderCurve::in_flight, curves.in_flight, theme.in_flight, 1, Qt::SolidLine);
    draw(SenderCurve::cwnd, curves.cwnd, theme.cwnd, 2, Qt::SolidLine);
    if (has(shown, SenderCurve::kernel_cwnd))
        line(painter, curves.kernel_cwnd, curves.kernel_until_ns, place, theme.kernel, 1, Qt::DotLine);
}

SenderCurvePainter::Greatest SenderCurvePainter::greatest(const SenderCurves& curves, const TimeRange& range,
                                                          ShownCurves shown) {
    Greatest found;
    const auto add = [&](Extent& extent, SenderCurve curve, const StepSeries& series) {
        if (has(shown, curve)) extent.add(extent_in(series, range));
    };
    add(found.own, SenderCurve::cwnd, curves.cwnd);
    add(found.own, SenderCurve::in_flight, curves.in_flight);
    if (range.begin_ns < curves.kernel_until_ns) add(found.own, SenderCurve::kernel_cwnd, curves.kernel_cwnd);
    add(found.others, SenderCurve::interval, curves.cwnd_low);
    add(found.others, SenderCurve::interval, curves.cwnd_high);
    add(found.others, SenderCurve::ssthresh, curves.ssthresh);
    add(found.advertised, SenderCurve::advertised_window, curves.advertised_window);
    return found;
}

}  // namespace sanscope
