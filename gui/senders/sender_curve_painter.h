// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bitset>
#include <vector>

#include "gui/plot/theme.h"
#include "gui/senders/sender_curves.h"

class QPainter;

namespace sanscope {

enum class SenderCurve : uint8_t {
    cwnd,
    interval,
    ssthresh,
    in_flight,
    advertised_window,
    kernel_cwnd,
    in_flight_area  // filled below the line
};
constexpr size_t sender_curves = 7;
using ShownCurves = std::bitset<sender_curves>;  // by SenderCurve
inline ShownCurves only(SenderCurve curve) {
    return ShownCurves().set(static_cast<size_t>(curve));
}

// Where curves are drawn. Time runs to the right and values upwards; or, `downwards`, time runs downwards, and values to the
// right from `left`: then `scale.bottom` - `scale.top` is the width.
struct CurvePlace {
    TimeViewport time;
    ValueScale scale;
    bool downwards = false;
    double left = 0;
};

constexpr int advertised_line_width = 3;

// Draws a sender's windows in every view in the same way: which line lies above which, colours, widths. Keeps its geometry
// between frames, so that none of it is allocated anew. GUI thread only.
class SenderCurvePainter {
  public:
    void paint(QPainter& painter, const SenderCurves& curves, const CurvePlace& place, const Theme& theme,
               ShownCurves shown);
    // One line of it, in a colour and width of the caller's choice.
    void line(QPainter& painter, const StepSeries& series, int64_t until_ns, const CurvePlace& place,
              const QColor& color, int width = 1, Qt::PenStyle style = Qt::SolidLine);

    // Of what is shown in a range the greatest value, and that of the advertised window apart, since one that is far from
    // being full would press all else to the ground.
    struct Greatest {
        Extent own;     // cwnd, as the kernel reported it too, and in flight
        Extent others;  // its interval and ssthresh
        Extent advertised;
    };
    static Greatest greatest(const SenderCurves& curves, const TimeRange& range, ShownCurves shown);

  private:
    void band(QPainter& painter, const StepSeries& low, const StepSeries& high, int64_t until_ns,
              const CurvePlace& place, const QColor& color);

    std::vector<QLineF> lines_;
    std::vector<QRectF> rectangles_;
    StepSeries zero_;
};

}  // namespace sanscope
