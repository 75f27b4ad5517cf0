// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QRectF>
#include <cmath>
#include <limits>
#include <vector>

#include "gui/plot/columns.h"
#include "gui/plot/value_scale.h"

namespace sanscope {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

// A figure that holds from one moment until it changes, prepared to be drawn as a line of steps: a point is one change, or,
// where there are many, all those of a column. What is not known is NaN, and leaves a gap.
struct StepPoint {
    int64_t time_ns = 0;
    double first = no_value;
    double min = no_value;
    double max = no_value;
    double last = no_value;  // holds until the next point
};
using StepSeries = std::vector<StepPoint>;

// Of the rows of `columns`: `value_at(position)` is a row's value, NaN where unknown, and `extent_of(first, last)` the least
// and greatest (.min, .max, .any) of some. Begins with what held before the range.
template <class TimeAt, class ValueAt, class ExtentOf>
StepSeries make_steps(const RowColumns& columns, TimeAt time_at, ValueAt value_at, ExtentOf extent_of) {
    StepSeries series;
    const auto single = [&](int64_t time_ns, double value) {
        series.push_back({time_ns, value, value, value, value});
    };
    if (columns.first() > 0) single(time_at(columns.first() - 1), value_at(columns.first() - 1));
    if (columns.near()) {
        series.reserve(series.size() + columns.rows());
        for (size_t i = columns.first(); i < columns.last(); ++i) {
            const double value = value_at(i);
            // What does not change needs no point, but for the first one of all.
            if (!series.empty() &&
                (series.back().last == value || (std::isnan(series.back().last) && std::isnan(value)))) {
                continue;
            }
            single(time_at(i), value);
        }
        return series;
    }
    series.reserve(series.size() + columns.columns());
    for (size_t c = 0; c < columns.columns(); ++c) {
        const size_t first = columns.begins[c];
        const size_t last = columns.begins[c + 1];
        if (first == last) continue;
        const auto extent = extent_of(first, last);
        StepPoint point{columns.prepared.column(c).begin_ns, value_at(first), no_value, no_value,
                        value_at(last - 1)};
        if (extent.any) {
            point.min = static_cast<double>(extent.min);
            point.max = static_cast<double>(extent.max);
        }
        series.push_back(point);
    }
    return series;
}

// Where in sight a series begins to matter: the position of the last point at or before `time_ns`.
size_t first_in_sight(const StepSeries& series, int64_t time_ns);

// The least and greatest value within a range, that which holds at its beginning included; any == false where none is known.
struct Extent {
    double min = 0;
    double max = 0;
    bool any = false;
    void add(double value);
    void add(const Extent& other);
};
Extent extent_in(const StepSeries& series, const TimeRange& range);
// What holds at a moment; NaN where nothing is known.
double value_at(const StepSeries& series, int64_t time_ns);

// Replaces `lines` by the level and upright lines of the part in sight, in pixels; the last value holds until `until_ns`.
void step_lines(const StepSeries& series, const TimeViewport& time, const ValueScale& scale, int64_t until_ns,
                std::vector<QLineF>& lines);

// Replaces `rectangles` by those that fill the stretch between two series that change at the same moments or columns:
// side by side without overlap.
void step_band(const StepSeries& low, const StepSeries& high, const TimeViewport& time,
               const ValueScale& scale, int64_t until_ns, std::vector<QRectF>& rectangles);

}  // namespace sanscope
