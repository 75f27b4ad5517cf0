// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace sanscope::lab {

// A place on an axis that is marked, with what is written there.
struct Tick {
    double value;
    std::string label;
};

// An axis and its ends, which are at marked places or at the data's own ends.
struct AxisScale {
    enum class Kind : unsigned char { linear, logarithmic, sizes };

    Kind kind = Kind::linear;
    double low = 0;
    double high = 1;
    std::vector<Tick> ticks;

    // Where a value is, from 0 at the low end to 1 at the high one.
    double place(double value) const;
};

// Round steps of 1, 2 or 5 times a power of ten, from 0 or below the lowest value to above the highest one; some five
// of them.
AxisScale linear_axis(double lowest, double highest);

// Powers of ten; also their doubles and fivefolds where there are no more than two decades. `lowest` > 0.
AxisScale logarithmic_axis(double lowest, double highest);

// Bytes, at powers of two: "64K", "1M". `lowest` > 0.
AxisScale sizes_axis(double lowest, double highest);

}  // namespace sanscope::lab
