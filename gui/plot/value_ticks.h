// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "gui/plot/value_scale.h"

namespace sanscope {

// What the values of an axis are.
enum class ValueUnit : uint8_t { bytes, bytes_per_second, nanoseconds, count };

// "1.24 MB", "12.4 MB/s" or what rate_unit() says, "1.24 ms", "12".
QString value_text(double value, ValueUnit unit);

// The ticks of a value axis, at round values within it and not closer than `least_pixels`. On a logarithmic axis, the
// decades have the labels, and where there is room what is between; the rest are minor.
struct ValueTicks {
    struct Tick {
        double value = 0;
        QString label;
    };
    std::vector<Tick> major;
    std::vector<double> minor;
};
ValueTicks value_ticks(const ValueScale& scale, ValueUnit unit, double least_pixels);

// Bounds for an axis on which values from `least` to `greatest` are to be seen: round ones, so that they stay the same
// while those change a little. Linear ones begin at zero where `from_zero`.
struct ValueRange {
    double lower = 0;
    double upper = 1;
    bool operator==(const ValueRange&) const = default;
};
ValueRange round_range(double least, double greatest, bool from_zero);
ValueRange round_log_range(double least, double greatest);

}  // namespace sanscope
