// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sanscope::testing_gui {

// What becomes of linear RGB in somebody's eyes: with all three kinds of cones, or without one of them. Matrices of Machado,
// Oliveira, Fernandes 2009, severity 1.
using Eyes = std::array<std::array<double, 3>, 3>;
inline constexpr Eyes everyone{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
inline constexpr Eyes protanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
inline constexpr Eyes deuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
inline constexpr Eyes tritanopia{
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

using Lab = std::array<double, 3>;  // CIE L*a*b*, D65

inline std::array<double, 3> linear_rgb(const QColor& color) {
    const auto linear = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return {linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
}

// An opaque colour as these eyes see it.
inline Lab seen(const QColor& color, const Eyes& eyes) {
    const auto times = [](const Eyes& matrix, const std::array<double, 3>& v) {
        std::array<double, 3> result{};
        for (size_t i = 0; i < 3; ++i)
            result[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
        return result;
    };
    std::array<double, 3> rgb = times(eyes, linear_rgb(color));
    for (double& value : rgb) value = std::clamp(value, 0.0, 1.0);
    constexpr Eyes to_xyz{{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
    const std::array<double, 3> xyz = times(to_xyz, rgb);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f(xyz[0] / 0.9505);
    const double y = f(xyz[1]);
    const double z = f(xyz[2] / 1.089);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// CIEDE2000: 1 can just be seen side by side.
inline double ciede2000(const Lab& one, const Lab& other) {
    constexpr double full = 360;
    const auto radians = [](double degrees) { return degrees * std::numbers::pi / 180; };
    const auto cosine = [&](double degrees) { return std::cos(radians(degrees)); };
    const auto saturation = [](double chroma) {
        const double seventh = std::pow(chroma, 7);
        return std::sqrt(seventh / (seventh + std::pow(25.0, 7)));
    };
    const double mean_chroma = (std::hypot(one[1], one[2]) + std::hypot(other[1], other[2])) / 2;
    const double stretch = 1.5 - saturation(mean_chroma) / 2;
    const auto hue = [&](const Lab& color) {
        const double a = color[1] * stretch;
        if (a == 0 && color[2] == 0) return 0.0;
        const double degrees = std::atan2(color[2], a) * 180 / std::numbers::pi;
        return degrees < 0 ? degrees + full : degrees;
    };
    const double c1 = std::hypot(one[1] * stretch, one[2]);
    const double c2 = std::hypot(other[1] * stretch, other[2]);
    const double h1 = hue(one);
    const double h2 = hue(other);
    const bool grey = c1 * c2 == 0;
    double hue_step = grey ? 0 : h2 - h1;
    if (hue_step > full / 2) hue_step -= full;
    if (hue_step < -full / 2) hue_step += full;
    double mean_hue = h1 + h2;
    if (!grey) {
        if (std::abs(h1 - h2) > full / 2) mean_hue += mean_hue < full ? full : -full;
        mean_hue /= 2;
    }
    const double lightness = (one[0] + other[0]) / 2;
    const double chroma = (c1 + c2) / 2;
    const double t = 1 - 0.17 * cosine(mean_hue - 30) + 0.24 * cosine(2 * mean_hue) +
                     0.32 * cosine(3 * mean_hue + 6) - 0.20 * cosine(4 * mean_hue - 63);
    const double from_middle = (lightness - 50) * (lightness - 50);
    const double dl = (other[0] - one[0]) / (1 + 0.015 * from_middle / std::sqrt(20 + from_middle));
    const double dc = (c2 - c1) / (1 + 0.045 * chroma);
    const double dh = 2 * std::sqrt(c1 * c2) * std::sin(radians(hue_step / 2)) / (1 + 0.015 * chroma * t);
    const double turn = 30 * std::exp(-std::pow((mean_hue - 275) / 25, 2));
    const double mixed = -std::sin(radians(2 * turn)) * 2 * saturation(chroma);
    return std::sqrt(dl * dl + dc * dc + dh * dh + mixed * dc * dh);
}

// The least that any of the four kinds of eyes sees of a difference.
inline double least_difference(const QColor& one, const QColor& other) {
    double least = 1000;
    for (const Eyes* eyes : {&everyone, &protanopia, &deuteranopia, &tritanopia})
        least = std::min(least, ciede2000(seen(one, *eyes), seen(other, *eyes)));
    return least;
}

// WCAG 2: from 1 to 21.
inline double contrast(const QColor& one, const QColor& other) {
    const auto luminance = [](const QColor& color) {
        const std::array<double, 3> rgb = linear_rgb(color);
        return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    };
    const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
    return (lighter + 0.05) / (darker + 0.05);
}

}  // namespace sanscope::testing_gui
