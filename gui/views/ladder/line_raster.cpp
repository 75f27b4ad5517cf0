// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/line_raster.h"

#include <algorithm>
#include <cmath>

namespace sanscope {
namespace {

// `alpha` of 256.
inline void blend(uint32_t& pixel, uint32_t color, uint32_t alpha) {
    const uint32_t red_blue = 0x00ff00ff;
    const uint32_t green = 0x0000ff00;
    const uint32_t rest = 256 - alpha;
    pixel = 0xff000000 | ((((pixel & red_blue) * rest + (color & red_blue) * alpha) >> 8) & red_blue) |
            ((((pixel & green) * rest + (color & green) * alpha) >> 8) & green);
}

}  // namespace

LineRaster::LineRaster(uint32_t* pixels, ptrdiff_t stride, QRect clip, double device_pixel_ratio)
    : pixels_(pixels), stride_(stride), ratio_(device_pixel_ratio) {
    const auto device = [&](int at) { return static_cast<int>(std::lround(at * ratio_)); };
    clip_ = QRect(QPoint(device(clip.left()), device(clip.top())),
                  QPoint(device(clip.right() + 1) - 1, device(clip.bottom() + 1) - 1));
}

// Pixel by pixel along the axis the line is nearer to, `at` the other coordinate at 0; each covers `half` to both sides.
template <bool steep>
void LineRaster::run(double from, double to, double at, double slope, double half,
                     const QColor& color) const {
    const int low = steep ? clip_.top() : clip_.left();
    const int high = steep ? clip_.bottom() : clip_.right();
    const int across_low = steep ? clip_.left() : clip_.top();
    const int across_high = steep ? clip_.right() : clip_.bottom();
    const int first = std::max(low, static_cast<int>(std::floor(std::max(from, -1e6))));
    const int last = std::min(high, static_cast<int>(std::floor(std::min(to, 1e6))));
    const uint32_t rgb = color.rgb();
    // Coordinates across in 256ths of a pixel, strengths of 256.
    const double least = across_low * 256.0;
    const double most = (across_high + 1) * 256.0;
    const double alpha = color.alphaF() * 256;
    const auto whole = static_cast<uint32_t>(alpha);
    for (int i = first; i <= last; ++i) {
        uint32_t strength = whole;
        if (i < from || i + 1 > to) {
            const double part = std::min(to, i + 1.0) - std::max<double>(from, i);
            strength = static_cast<uint32_t>(std::max(0.0, part) * alpha);
        }
        const double middle = at + slope * (i + 0.5);
        const auto begin = static_cast<int>(std::clamp((middle - half) * 256, least, most));
        const auto end = static_cast<int>(std::clamp((middle + half) * 256, least, most));
        for (int here = begin; here < end;) {
            const int j = here >> 8;
            const int behind = std::min(end, (j + 1) << 8);
            blend(steep ? pixels_[i * stride_ + j] : pixels_[j * stride_ + i], rgb,
                  strength * static_cast<uint32_t>(behind - here) >> 8);
            here = behind;
        }
    }
}

void LineRaster::line(const QLineF& line, double width, const QColor& color) const {
    double x1 = line.x1() * ratio_;
    double y1 = line.y1() * ratio_;
    double x2 = line.x2() * ratio_;
    double y2 = line.y2() * ratio_;
    const double dx = x2 - x1;
    const double dy = y2 - y1;
    const double length = std::hypot(dx, dy);
    if (!(length > 0) || !std::isfinite(length)) return;
    if (std::abs(dx) >= std::abs(dy)) {
        if (x1 > x2) {
            std::swap(x1, x2);
            std::swap(y1, y2);
        }
        const double slope = (y2 - y1) / (x2 - x1);
        run<false>(x1, x2, y1 - slope * x1, slope, width * ratio_ / 2 * length / std::abs(dx), color);
    } else {
        if (y1 > y2) {
            std::swap(x1, x2);
            std::swap(y1, y2);
        }
        const double slope = (x2 - x1) / (y2 - y1);
        run<true>(y1, y2, x1 - slope * y1, slope, width * ratio_ / 2 * length / std::abs(dy), color);
    }
}

void LineRaster::fill(const QLineF& first, const QLineF& last, const QColor& color) const {
    const bool rightwards = first.dx() > 0;
    const double left = (rightwards ? first.x1() : first.x2()) * ratio_;
    const double right = (rightwards ? first.x2() : first.x1()) * ratio_;
    if (!(right > left)) return;
    const double first_left = (rightwards ? first.y1() : first.y2()) * ratio_;
    const double first_right = (rightwards ? first.y2() : first.y1()) * ratio_;
    const double last_left = (rightwards ? last.y1() : last.y2()) * ratio_;
    const double last_right = (rightwards ? last.y2() : last.y1()) * ratio_;
    const double top = std::max<double>(clip_.top(), std::floor(std::min(first_left, first_right)));
    const double bottom = std::min<double>(clip_.bottom(), std::ceil(std::max(last_left, last_right)));
    const uint32_t rgb = color.rgb();
    const auto alpha = static_cast<uint32_t>(std::clamp(color.alphaF() * 256, 0.0F, 256.0F));
    for (int y = static_cast<int>(top); y <= bottom; ++y) {
        // Where on this line of pixels the first line is above, and the last one below.
        double begin = left;
        double end = right;
        const auto cut = [&](double at_left, double at_right, bool wants_above) {
            const double value_left = wants_above ? y + 0.5 - at_left : at_left - y - 0.5;
            const double value_right = wants_above ? y + 0.5 - at_right : at_right - y - 0.5;
            if (value_left < 0 && value_right < 0) {
                end = begin - 1;
            } else if (value_left < 0) {
                begin = std::max(begin, left + (right - left) * value_left / (value_left - value_right));
            } else if (value_right < 0) {
                end = std::min(end, left + (right - left) * value_left / (value_left - value_right));
            }
        };
        cut(first_left, first_right, true);
        cut(last_left, last_right, false);
        const int from = std::max(clip_.left(), static_cast<int>(std::lround(begin)));
        const int to = std::min(clip_.right(), static_cast<int>(std::lround(end)) - 1);
        for (int x = from; x <= to; ++x) blend(pixels_[y * stride_ + x], rgb, alpha);
    }
}

}  // namespace sanscope
