// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/text_scale.h"

#include <QFontMetricsF>
#include <QGuiApplication>
#include <algorithm>
#include <atomic>
#include <cmath>

namespace sanscope {
namespace {

constexpr double usual_line = 14.5;  // pixels of a line of text of nine points

std::atomic<double>& measured() {
    static std::atomic<double> scale = 0;
    return scale;
}

}  // namespace

void measure_text() {
    measured() = std::max(1.0, QFontMetricsF(QGuiApplication::font()).height() / usual_line);
}

double text_scale() {
    if (measured() == 0) measure_text();
    return measured();
}

int beside_text(int pixels) {
    return static_cast<int>(std::lround(pixels * text_scale()));
}

}  // namespace sanscope
