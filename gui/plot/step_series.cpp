// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/step_series.h"

#include <algorithm>

namespace sanscope {
namespace {

bool is_before(int64_t time_ns, const StepPoint& point) {
    return time_ns < point.time_ns;
}

}  // namespace

void Extent::add(double value) {
    if (std::isnan(value)) return;
    min = any ? std::min(min, value) : value;
    max = any ? std::max(max, value) : value;
    any = true;
}

void Extent::add(const Extent& other) {
    if (!other.any) return;
    add(other.min);
    add(other.max);
}

size_t first_in_sight(const StepSeries& series, int64_t time_ns) {
    const auto behind = std::upper_bound(series.begin(), series.end(), time_ns, is_before);
    return behind == series.begin() ? 0 : static_cast<size_t>(behind - series.begin()) - 1;
}

Extent extent_in(const StepSeries& series, const TimeRange& range) {
    Extent extent;
    for (size_t i = first_in_sight(series, range.begin_ns); i < series.size(); ++i) {
        const StepPoint& point = series[i];
        if (point.time_ns >= range.end_ns) break;
        // Of what came before the range only the last value is in it.
        if (point.time_ns >= range.begin_ns) {
            extent.add(point.min);
            extent.add(point.max);
        }
        extent.add(point.last);
    }
    return extent;
}

double value_at(const StepSeries& series, int64_t time_ns) {
    const auto behind = std::upper_bound(series.begin(), series.end(), time_ns, is_before);
    return behind == series.begin() ? no_value : std::prev(behind)->last;
}

void step_lines(const StepSeries& series, const TimeViewport& time, const ValueScale& scale, int64_t until_ns,
                std::vector<QLineF>& lines) {
    lines.clear();
    if (series.empty()) return;
    const double left = time.origin - 2;
    const double right = time.origin + time.length + 2;
    const auto x_of = [&](int64_t at) { return std::clamp(std::floor(time.x_of(at)), left, right); };
    // Nothing leaves the pane: not every device a picture is drawn to cuts it off.
    const auto level = [&](double x0, double x1, double value) {
        if (std::isnan(value) || x1 <= x0) return;
        const double y = std::round(scale.y_of(value));
        if (y >= scale.top && y <= scale.bottom) lines.emplace_back(x0, y, x1, y);
    };
    const auto upright = [&](double x, double low, double high) {
        const double y0 = std::min(std::round(scale.y_of(low)), scale.bottom);
        const double y1 = std::max(std::round(scale.y_of(high)), scale.top);
        if (y0 > y1) lines.emplace_back(x, y0, x, y1);
    };
    double held = no_value;
    double x_before = left;
    for (size_t i = first_in_sight(series, time.range.begin_ns); i < series.size(); ++i) {
        const StepPoint& point = series[i];
        if (point.time_ns >= time.range.end_ns && point.time_ns != series.front().time_ns) break;
        const double x = x_of(point.time_ns);
        level(x_before, x, held);
        Extent extent;
        extent.add(point.min);
        extent.add(point.max);
        if (extent.any && !std::isnan(held)) extent.add(held);
        if (extent.any && extent.max > extent.min && x > left) {
            upright(x, extent.min, extent.max);
        }
        held = point.last;
        x_before = x;
    }
    // What was over within a pixel is still to be seen.
    const bool seen = until_ns > time.range.begin_ns && x_before > left;
    level(x_before, std::max(x_of(std::min(until_ns, time.range.end_ns)), seen ? x_before + 2 : left), held);
}

void step_band(const StepSeries& low, const StepSeries& high, const TimeViewport& time,
               const ValueScale& scale, int64_t until_ns, std::vector<QRectF>& rectangles) {
    rectangles.clear();
    const double left = time.origin - 2;
    const double right = time.origin + time.length + 2;
    const auto x_of = [&](int64_t at) { return std::clamp(std::floor(time.x_of(at)), left, right); };
    const auto fill = [&](double x0, double x1, double from, double to) {
        if (std::isnan(from) || std::isnan(to) || x1 <= x0) return;
        const double top = std::max(std::round(scale.y_of(to)), scale.top);
        const double bottom = std::min(std::max(top + 1, std::round(scale.y_of(from))), scale.bottom);
        if (bottom > top) rectangles.emplace_back(x0, top, x1 - x0, bottom - top);
    };
    // Either may have a point where the other does not change: both are followed at once.
    size_t at_low = first_in_sight(low, time.range.begin_ns);
    size_t at_high = first_in_sight(high, time.range.begin_ns);
    double held_low = no_value;
    double held_high = no_value;
    double x_before = left;
    double column_low = no_value;
    double column_high = no_value;
    while (at_low < low.size() || at_high < high.size()) {
        int64_t next = std::numeric_limits<int64_t>::max();
        if (at_low < low.size()) next = std::min(next, low[at_low].time_ns);
        if (at_high < high.size()) next = std::min(next, high[at_high].time_ns);
        if (next >= time.range.end_ns) break;
        const double x = x_of(next);
        fill(x_before, x, column_low, column_high);
        if (at_low < low.size() && low[at_low].time_ns == next) {
            const StepPoint& point = low[at_low++];
            held_low = point.last;
            column_low = point.min;
        } else {
            column_low = held_low;
        }
        if (at_high < high.size() && high[at_high].time_ns == next) {
            const StepPoint& point = high[at_high++];
            held_high = point.last;
            column_high = point.max;
        } else {
            column_high = held_high;
        }
        x_before = x;
    }
    fill(x_before, x_of(std::min(until_ns, time.range.end_ns)), column_low, column_high);
}

}  // namespace sanscope
