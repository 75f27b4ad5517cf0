// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>

#include "gui/document/time_range.h"

namespace sanscope {

// Time laid along a stretch of pixels (to the right, or downwards): a value, to and fro.
struct TimeViewport {
    TimeRange range;
    double origin = 0;  // of range.begin_ns, device-independent pixels
    double length = 1;  // pixels of the whole range, > 0

    double pixels_per_ns() const { return length / static_cast<double>(range.span_ns()); }
    double ns_per_pixel() const { return static_cast<double>(range.span_ns()) / length; }
    // Beyond the range, too; exact to a fraction of a pixel wherever that is near the range.
    double x_of(int64_t time_ns) const {
        return origin + static_cast<double>(time_ns - range.begin_ns) * pixels_per_ns();
    }
    int64_t time_at(double x) const {
        return range.begin_ns + static_cast<int64_t>(std::llround((x - origin) * ns_per_pixel()));
    }
    // The stretch of time that a pixel column covers, at least one nanosecond; columns join without a gap.
    TimeRange column(int column_index) const {
        const int64_t begin =
            range.begin_ns + static_cast<int64_t>(std::floor(column_index * ns_per_pixel()));
        const int64_t end =
            range.begin_ns + static_cast<int64_t>(std::floor((column_index + 1) * ns_per_pixel()));
        return {begin, end > begin ? end : begin + 1};
    }
    bool operator==(const TimeViewport&) const = default;
};

// What to prepare for a viewport: wider by half its span at each end, and aligned to a grid of powers of two, so that
// panning and small zooms find what they need already drawn up.
struct PreparedRange {
    TimeRange range;
    int64_t ns_per_column =
        1;  // a power of two: of what a pixel covers at least half and at most all, but never below 1

    static PreparedRange around(const TimeViewport& viewport) {
        PreparedRange prepared;
        const double wanted = viewport.ns_per_pixel();
        while (static_cast<double>(prepared.ns_per_column) * 2 <= wanted) prepared.ns_per_column *= 2;
        const TimeRange wide = viewport.range.widened(0.5);
        const int64_t grid = prepared.ns_per_column * 64;
        const auto floor_to = [grid](int64_t time_ns) {
            const int64_t rest = time_ns % grid;
            return time_ns - (rest < 0 ? rest + grid : rest);
        };
        prepared.range = {floor_to(wide.begin_ns), floor_to(wide.end_ns + grid - 1)};
        return prepared;
    }
    size_t columns() const { return static_cast<size_t>(range.span_ns() / ns_per_column); }
    TimeRange column(size_t index) const {
        const int64_t begin = range.begin_ns + static_cast<int64_t>(index) * ns_per_column;
        return {begin, begin + ns_per_column};
    }
    // Whether it still serves this viewport without a loss that shows.
    bool serves(const TimeViewport& viewport) const {
        const double wanted = viewport.ns_per_pixel();
        const auto have = static_cast<double>(ns_per_column);
        return range.contains(viewport.range) && (have <= wanted || ns_per_column == 1) && have * 4 > wanted;
    }
    bool operator==(const PreparedRange&) const = default;
};

}  // namespace sanscope
