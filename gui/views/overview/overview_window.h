// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "gui/document/time_range.h"
#include "gui/plot/time_viewport.h"

namespace sanscope {

// The window that stands for the range looked at, on a strip of all there is: where it is and what a drag of it does. Pixels as
// in the strip's viewport.
struct OverviewWindow {
    enum class Part : uint8_t { outside, begin, end, inside };

    double left = 0;
    double right = 0;
    bool everything = false;  // nothing to speak of lies outside

    static OverviewWindow of(TimeRange range, const TimeViewport& strip);
    // Its edges can be taken hold of some pixels around; of a window too narrow for that, outside of it.
    Part part_at(double x) const;
};

// The range that a drag of `part` from `from_x` to `to_x` leads to, begun at `range`.
TimeRange dragged_range(OverviewWindow::Part part, TimeRange range, const TimeViewport& strip, double from_x,
                        double to_x);

}  // namespace sanscope
