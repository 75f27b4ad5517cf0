// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace sanscope {

// Lines between two clouds of points: below all of one and above all of the other.

struct FitPoint {
    double t = 0;  // seconds
    double x = 0;  // nanoseconds
};

struct FitLine {
    double offset = 0;  // at t = 0
    double slope = 0;   // nanoseconds a second
};

// The vertices of the clouds that a line can touch: the lower hull of what lies above, the upper one of what lies below.
// Points must be in order of t.
std::vector<FitPoint> lower_hull(std::span<const FitPoint> points);
std::vector<FitPoint> upper_hull(std::span<const FitPoint> points);

// The widest strip, measured along x, that fits between the hulls with a slope of at most ±`most_slope`: negative where no
// line does; infinite where one of the hulls is empty.
double widest_strip(std::span<const FitPoint> above, std::span<const FitPoint> below, double most_slope);

// The corners, in (slope, offset), of the set of all lines between the hulls: every line's value at any t lies between the
// least and the greatest of theirs. Empty where no line fits. Where one of the hulls is empty, the set is cut off at
// ±`far` beyond the other.
std::vector<FitLine> fitting_lines(std::span<const FitPoint> above, std::span<const FitPoint> below,
                                   double most_slope, double far);

}  // namespace sanscope
