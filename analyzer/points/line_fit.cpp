// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/line_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sanscope {
namespace {

// Andrew's monotone chain. `sign`: 1 for the lower hull, -1 for the upper one.
std::vector<FitPoint> hull(std::span<const FitPoint> points, double sign) {
    std::vector<FitPoint> result;
    for (const FitPoint& point : points) {
        while (!result.empty() && result.back().t == point.t && sign * (result.back().x - point.x) >= 0)
            result.pop_back();
        if (!result.empty() && result.back().t == point.t) continue;
        while (result.size() >= 2) {
            const FitPoint& a = result[result.size() - 2];
            const FitPoint& b = result.back();
            const double turn = (b.t - a.t) * (point.x - a.x) - (b.x - a.x) * (point.t - a.t);
            if (sign * turn > 0) break;
            result.pop_back();
        }
        result.push_back(point);
    }
    return result;
}

double strip_at(std::span<const FitPoint> above, std::span<const FitPoint> below, double slope) {
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -std::numeric_limits<double>::infinity();
    for (const FitPoint& point : above) lowest = std::min(lowest, point.x - slope * point.t);
    for (const FitPoint& point : below) highest = std::max(highest, point.x - slope * point.t);
    return lowest - highest;
}

// Keeps what of a convex polygon has  sign * (offset + slope * point.t - point.x) >= 0.
void clip(std::vector<FitLine>& polygon, const FitPoint& point, double sign, std::vector<FitLine>& scratch) {
    const auto inside = [&](const FitLine& line) {
        return sign * (line.offset + line.slope * point.t - point.x);
    };
    scratch.clear();
    for (size_t i = 0; i < polygon.size(); ++i) {
        const FitLine& from = polygon[i];
        const FitLine& to = polygon[(i + 1) % polygon.size()];
        const double at_from = inside(from);
        const double at_to = inside(to);
        if (at_from >= 0) scratch.push_back(from);
        if ((at_from >= 0) != (at_to >= 0)) {
            const double share = at_from / (at_from - at_to);
            scratch.push_back({from.offset + share * (to.offset - from.offset),
                               from.slope + share * (to.slope - from.slope)});
        }
    }
    polygon.swap(scratch);
}

}  // namespace

std::vector<FitPoint> lower_hull(std::span<const FitPoint> points) {
    return hull(points, 1);
}

std::vector<FitPoint> upper_hull(std::span<const FitPoint> points) {
    return hull(points, -1);
}

double widest_strip(std::span<const FitPoint> above, std::span<const FitPoint> below, double most_slope) {
    if (above.empty() || below.empty()) return std::numeric_limits<double>::infinity();
    // As a function of the slope it is concave, and bends where a line lies along an edge.
    double low = -most_slope;
    double high = most_slope;
    for (int i = 0; i < 60 && high - low > 1e-3; ++i) {
        const double a = low + (high - low) / 3;
        const double b = high - (high - low) / 3;
        if (strip_at(above, below, a) < strip_at(above, below, b)) {
            low = a;
        } else {
            high = b;
        }
    }
    return strip_at(above, below, (low + high) / 2);
}

std::vector<FitLine> fitting_lines(std::span<const FitPoint> above, std::span<const FitPoint> below,
                                   double most_slope, double far) {
    if (above.empty() && below.empty()) return {};
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
    for (const std::span<const FitPoint> points : {above, below}) {
        for (const FitPoint& point : points) {
            least = std::min(least, point.x - std::abs(point.t) * most_slope);
            greatest = std::max(greatest, point.x + std::abs(point.t) * most_slope);
        }
    }
    std::vector<FitLine> polygon{{least - far, -most_slope},
                                 {greatest + far, -most_slope},
                                 {greatest + far, most_slope},
                                 {least - far, most_slope}};
    std::vector<FitLine> scratch;
    for (const FitPoint& point : above) clip(polygon, point, -1, scratch);
    for (const FitPoint& point : below) clip(polygon, point, 1, scratch);
    return polygon;
}

}  // namespace sanscope
