// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QLineF>
#include <QRect>
#include <cstddef>
#include <cstdint>

namespace sanscope {

// Draws many straight lines into an image of 32 bits a pixel (QImage::Format_RGB32), some ten times sooner than a painter
// does. Coordinates are device-independent pixels, as the painter's of the same image.
class LineRaster {
  public:
    // `pixels` of the image's first line, `stride` pixels from line to line; nothing is drawn outside `clip`, which must lie
    // within the image.
    LineRaster(uint32_t* pixels, ptrdiff_t stride, QRect clip, double device_pixel_ratio);

    // With smooth edges; `width` is measured across.
    void line(const QLineF& line, double width, const QColor& color) const;
    // What lies between two lines that begin at one x and end at another, the first one above.
    void fill(const QLineF& first, const QLineF& last, const QColor& color) const;

  private:
    template <bool steep>
    void run(double from, double to, double at, double slope, double half, const QColor& color) const;

    uint32_t* pixels_;
    ptrdiff_t stride_;
    QRect clip_;  // device pixels
    double ratio_;
};

}  // namespace sanscope
