// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/value_ticks.h"

#include <array>
#include <limits>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

// The least of 1, 2, 5 times a power of ten that is not below.
double round_up(double value) {
    const double decade = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        if (factor * decade >= value * (1 - 1e-9)) return factor * decade;
    }
    return 10 * decade;
}

// The greatest of these that is not above.
double round_down(double value) {
    const double decade = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {5.0, 2.0}) {
        if (factor * decade <= value * (1 + 1e-9)) return factor * decade;
    }
    return decade;
}

bool in_bits(ValueUnit unit) {
    return unit == ValueUnit::bytes_per_second && rate_unit() == RateUnit::bits;
}

struct Prefix {
    double size;
    const char* name;
};

Prefix prefix_of(double greatest, ValueUnit unit) {
    if (unit == ValueUnit::nanoseconds) {
        constexpr std::array<Prefix, 4> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
        for (const Prefix& prefix : units) {
            if (greatest >= prefix.size * (1 - 1e-9)) return prefix;
        }
        return units.back();
    }
    constexpr std::array<Prefix, 5> bytes{{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
    constexpr std::array<Prefix, 5> rates{
        {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}}};
    constexpr std::array<Prefix, 5> counts{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
    constexpr std::array<Prefix, 5> bit_rates{
        {{1e12, "Tbit/s"}, {1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {1, "bit/s"}}};
    const auto& prefixes = unit == ValueUnit::bytes   ? bytes
                           : unit == ValueUnit::count ? counts
                           : in_bits(unit)            ? bit_rates
                                                      : rates;
    for (const Prefix& prefix : prefixes) {
        if (greatest >= prefix.size * (1 - 1e-9)) return prefix;
    }
    return prefixes.back();
}

// With as many decimals as the step between neighbours needs.
QString label_of(double value, double step, const Prefix& prefix) {
    if (value == 0) return QStringLiteral("0");
    int decimals = 0;
    double unit = prefix.size;
    while (unit > step * (1 + 1e-9) && decimals < 6) {
        unit /= 10;
        ++decimals;
    }
    const QString name = QString::fromUtf8(prefix.name);
    return QString::number(value / prefix.size, 'f', decimals) +
           (name.isEmpty() ? QString() : QChar(0xa0) + name);
}

ValueTicks linear_ticks(const ValueScale& scale, ValueUnit unit, double least_pixels) {
    ValueTicks ticks;
    const double per_pixel = (scale.upper - scale.lower) / (scale.bottom - scale.top);
    double step = round_up(per_pixel * least_pixels);
    if (unit != ValueUnit::bytes_per_second) step = std::max(step, 1.0);
    // A single label would not tell how high the axis is: at least there are two, far apart.
    const double span = scale.upper - scale.lower;
    if (step > span) step = round_down(span) * (2 * round_down(span) <= span ? 2 : 1);
    const Prefix prefix = prefix_of(std::max(std::abs(scale.lower), std::abs(scale.upper)), unit);
    const double minor = step / 5;
    for (double i = std::ceil(scale.lower / step - 1e-9); i * step <= scale.upper + step * 1e-9; ++i) {
        ticks.major.push_back({i * step, label_of(i * step, step, prefix)});
    }
    for (double i = std::ceil(scale.lower / minor - 1e-9); i * minor <= scale.upper + minor * 1e-9; ++i) {
        if (std::fmod(std::abs(i), 5) != 0) ticks.minor.push_back(i * minor);
    }
    return ticks;
}

ValueTicks log_ticks(const ValueScale& scale, ValueUnit unit, double least_pixels) {
    ValueTicks ticks;
    const double decade_pixels = (scale.bottom - scale.top) / std::log10(scale.upper / scale.lower);
    // Where a decade has no room for a label, every n-th has one.
    const int stride = std::max(1, static_cast<int>(std::ceil(least_pixels / decade_pixels)));
    const int first = static_cast<int>(std::floor(std::log10(scale.lower) + 1e-9));
    const int last = static_cast<int>(std::ceil(std::log10(scale.upper) - 1e-9));
    const bool halves = decade_pixels * (1 - std::log10(5.0)) >= least_pixels;
    for (int power = first; power <= last; ++power) {
        const double decade = std::pow(10.0, power);
        for (int factor = 1; factor < 10; ++factor) {
            const double value = factor * decade;
            if (value < scale.lower * (1 - 1e-9) || value > scale.upper * (1 + 1e-9)) continue;
            const bool labelled =
                (factor == 1 && power % stride == 0) || (halves && (factor == 2 || factor == 5));
            if (labelled) {
                const Prefix prefix = prefix_of(value, unit);
                ticks.major.push_back({value, label_of(value, value, prefix)});
            } else {
                ticks.minor.push_back(value);
            }
        }
    }
    return ticks;
}

}  // namespace

QString value_text(double value, ValueUnit unit) {
    switch (unit) {
        case ValueUnit::bytes:
            return short_bytes(value);
        case ValueUnit::bytes_per_second:
            return short_rate(value);
        case ValueUnit::nanoseconds:
            return short_duration(static_cast<int64_t>(std::llround(value)));
        case ValueUnit::count:
            break;
    }
    return short_count(value);
}

ValueTicks value_ticks(const ValueScale& scale, ValueUnit unit, double least_pixels) {
    const bool drawable = scale.upper > scale.lower && scale.bottom - scale.top >= 1 && least_pixels >= 1 &&
                          (!scale.logarithmic || scale.lower > 0);
    if (!drawable) return {};
    // Round numbers of what is shown.
    const double shown = in_bits(unit) ? 8 : 1;
    ValueScale of_shown = scale;
    of_shown.lower *= shown;
    of_shown.upper *= shown;
    ValueTicks ticks = scale.logarithmic ? log_ticks(of_shown, unit, least_pixels)
                                         : linear_ticks(of_shown, unit, least_pixels);
    for (ValueTicks::Tick& tick : ticks.major) tick.value /= shown;
    for (double& value : ticks.minor) value /= shown;
    return ticks;
}

ValueRange round_range(double least, double greatest, bool from_zero) {
    if (!(greatest >= least)) return {0, 1};
    if (from_zero) {
        if (greatest <= 0) return {0, 1};
        // In steps of a tenth of the decade, or a half, so that a curve fills most of its pane.
        const double wanted = greatest * 1.06;
        const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
        const double step = wanted / decade < 2 ? decade / 5 : wanted / decade < 5 ? decade / 2 : decade;
        return {0, std::ceil(wanted / step - 1e-9) * step};
    }
    const double span = std::max(greatest - least, 1.0);
    const double step = round_up(span / 20);
    // What has no negative values gets no room for them.
    const double floor = least >= 0 ? 0 : -std::numeric_limits<double>::infinity();
    return {std::max(floor, std::floor((least - span * 0.03) / step) * step),
            std::ceil((greatest + span * 0.03) / step) * step};
}

ValueRange round_log_range(double least, double greatest) {
    if (!(greatest >= least) || least <= 0) return {1, 10};
    const auto bound = [](double value, bool up) {
        const double power = std::floor(std::log10(value) + 1e-12);
        const double decade = std::pow(10.0, power);
        double below = 1;
        for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
            if (up && factor * decade >= value * (1 - 1e-9)) return factor * decade;
            if (factor * decade <= value * (1 + 1e-9)) below = factor;
        }
        return below * decade;
    };
    ValueRange range{bound(least / 1.1, false), bound(greatest * 1.1, true)};
    if (range.upper < range.lower * 9.9) range.lower = bound(range.upper / 10, false);
    return range;
}

}  // namespace sanscope
