// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/overview/overview_window.h"

#include <algorithm>
#include <cmath>

namespace sanscope {
namespace {

constexpr double least_width = 3;  // so that it can be seen
constexpr double grip = 6;

}  // namespace

OverviewWindow OverviewWindow::of(TimeRange range, const TimeViewport& strip) {
    OverviewWindow window;
    const double end = strip.origin + strip.length;
    window.left = std::clamp(strip.x_of(range.begin_ns), strip.origin, end);
    window.right = std::clamp(strip.x_of(range.end_ns), strip.origin, end);
    if (window.right - window.left < least_width) {
        const double middle = (window.left + window.right) / 2;
        window.left = std::clamp(middle - least_width / 2, strip.origin, end - least_width);
        window.right = window.left + least_width;
    }
    window.everything = window.left <= strip.origin && window.right >= end;
    return window;
}

OverviewWindow::Part OverviewWindow::part_at(double x) const {
    const bool narrow = right - left < 4 * grip;
    const double inwards = narrow ? 0 : grip;
    if (x >= left - grip && x < left + inwards) return Part::begin;
    if (x > right - inwards && x <= right + grip) return Part::end;
    return x >= left && x <= right && !everything ? Part::inside : Part::outside;
}

TimeRange dragged_range(OverviewWindow::Part part, TimeRange range, const TimeViewport& strip, double from_x,
                        double to_x) {
    const auto by = static_cast<int64_t>(std::llround((to_x - from_x) * strip.ns_per_pixel()));
    switch (part) {
        case OverviewWindow::Part::inside:
            return {range.begin_ns + by, range.end_ns + by};
        case OverviewWindow::Part::begin:
            return {std::min(range.begin_ns + by, range.end_ns), std::max(range.begin_ns + by, range.end_ns)};
        case OverviewWindow::Part::end:
            return {std::min(range.begin_ns, range.end_ns + by), std::max(range.begin_ns, range.end_ns + by)};
        case OverviewWindow::Part::outside:
            break;
    }
    const double end = strip.origin + strip.length;
    const int64_t a = strip.time_at(std::clamp(from_x, strip.origin, end));
    const int64_t b = strip.time_at(std::clamp(to_x, strip.origin, end));
    return {std::min(a, b), std::max(a, b)};
}

}  // namespace sanscope
