// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/axis_ticks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sanscope::lab {
namespace {

// Values that differ by rounding only are the same place.
constexpr double rounding = 1e-9;

// 0.1, 20, 5000, 1e+07.
std::string number_label(double value) {
    return fmt::format("{:.6g}", value);
}

std::string size_label(double bytes) {
    constexpr double kibi = 1024;
    if (bytes >= kibi * kibi * kibi) return fmt::format("{:g}G", bytes / kibi / kibi / kibi);
    if (bytes >= kibi * kibi) return fmt::format("{:g}M", bytes / kibi / kibi);
    if (bytes >= kibi) return fmt::format("{:g}K", bytes / kibi);
    return fmt::format("{:g}", bytes);
}

}  // namespace

double AxisScale::place(double value) const {
    if (kind == Kind::linear) return (value - low) / (high - low);
    return std::log(value / low) / std::log(high / low);
}

AxisScale linear_axis(double lowest, double highest) {
    constexpr double wanted_steps = 5;
    lowest = std::min(lowest, 0.0);
    highest = std::max(highest, 0.0);
    if (highest <= lowest) highest = lowest + 1;
    const double rough = (highest - lowest) / wanted_steps;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough * (1 - rounding)) {
            step = factor * power;
            break;
        }
    }
    AxisScale axis;
    const double first = std::floor(lowest / step + rounding);
    const double last = std::ceil(highest / step - rounding);
    const auto marks = static_cast<int>(last - first) + 1;
    for (int i = 0; i < marks; ++i)
        axis.ticks.push_back({(first + i) * step, number_label((first + i) * step)});
    axis.low = axis.ticks.front().value;
    axis.high = axis.ticks.back().value;
    return axis;
}

AxisScale logarithmic_axis(double lowest, double highest) {
    AxisScale axis;
    axis.kind = AxisScale::Kind::logarithmic;
    const auto from = static_cast<int>(std::floor(std::log10(lowest) + rounding));
    const auto to = static_cast<int>(std::ceil(std::log10(highest) - rounding));
    const bool finely = std::log10(highest / lowest) <= 2 + rounding;
    std::vector<double> places;
    for (int power = from; power <= to; ++power) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            if (factor == 1 || finely) places.push_back(factor * std::pow(10, power));
        }
    }
    // The marks around the data are the ends.
    size_t first = 0;
    while (first + 1 < places.size() && places[first + 1] <= lowest * (1 + rounding)) ++first;
    size_t last = places.size() - 1;
    while (last > first + 1 && places[last - 1] >= highest * (1 - rounding)) --last;
    if (last == first) places.push_back(places[last++] * 10);
    for (size_t i = first; i <= last; ++i) axis.ticks.push_back({places[i], number_label(places[i])});
    axis.low = places[first];
    axis.high = places[last];
    return axis;
}

AxisScale sizes_axis(double lowest, double highest) {
    AxisScale axis;
    axis.kind = AxisScale::Kind::sizes;
    const auto from = static_cast<int>(std::floor(std::log2(lowest) + rounding));
    const int to = std::max(static_cast<int>(std::ceil(std::log2(highest) - rounding)), from + 1);
    // Ten labels have room.
    const int step = (to - from + 1 + 9) / 10;
    for (int power = from; power <= to; power += step)
        axis.ticks.push_back({std::exp2(power), size_label(std::exp2(power))});
    axis.low = std::exp2(from);
    axis.high = std::exp2(to);
    return axis;
}

}  // namespace sanscope::lab
