// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>

namespace sanscope {

// Values laid upwards along a stretch of pixels, evenly or by their logarithm: a value, to and fro.
struct ValueScale {
    double lower = 0;
    double upper = 1;  // > lower; where logarithmic, both > 0
    double top = 0;    // of upper, device-independent pixels
    double bottom = 1;
    bool logarithmic = false;

    // What is not above zero lies far below a logarithmic scale.
    double y_of(double value) const {
        const double share = logarithmic ? (std::log(std::max(value, lower * 1e-9)) - std::log(lower)) /
                                               std::log(upper / lower)
                                         : (value - lower) / (upper - lower);
        return bottom + (top - bottom) * share;
    }
    double value_at(double y) const {
        const double share = (bottom - y) / (bottom - top);
        return logarithmic ? lower * std::pow(upper / lower, share) : lower + (upper - lower) * share;
    }
    bool operator==(const ValueScale&) const = default;
};

}  // namespace sanscope
