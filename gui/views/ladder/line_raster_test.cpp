// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/line_raster.h"

#include <QImage>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

class Raster : public testing::Test {
  protected:
    static constexpr int size = 200;
    Raster() { image.fill(Qt::white); }
    LineRaster raster(QRect clip = QRect(10, 10, 180, 180), double ratio = 1) {
        return LineRaster(reinterpret_cast<uint32_t*>(image.bits()), image.bytesPerLine() / 4, clip, ratio);
    }
    // Pixels covered, parts of them as parts.
    double covered() const {
        double sum = 0;
        for (int y = 0; y < size; ++y) {
            for (int x = 0; x < size; ++x) sum += (255 - qRed(image.pixel(x, y))) / 255.0;
        }
        return sum;
    }
    QImage image{size, size, QImage::Format_RGB32};
};

TEST_F(Raster, ALineCoversItsLengthTimesItsWidthWhicheverWayItRuns) {
    for (const QPointF end :
         {QPointF(150, 30), QPointF(150, 150), QPointF(40, 160), QPointF(30, 150), QPointF(150, 40)}) {
        for (const double width : {1.0, 2.4, 5.0}) {
            const QLineF line(QPointF(30, 40), end);
            image.fill(Qt::white);
            raster().line(line, width, Qt::black);
            EXPECT_NEAR(covered(), line.length() * width, line.length() * width * 0.03 + 1)
                << end.x() << ' ' << end.y() << ' ' << width;
            const double forth = covered();
            image.fill(Qt::white);
            raster().line(QLineF(line.p2(), line.p1()), width, Qt::black);
            EXPECT_NEAR(covered(), forth, 0.01);
            EXPECT_LT(qRed(image.pixel(line.center().toPoint())), width < 2 ? 200 : 128);
        }
    }
}

TEST_F(Raster, NothingIsDrawnOutsideTheClip) {
    const QRect clip(50, 60, 40, 30);
    raster(clip).line(QLineF(-1e9, -1e9, 1e9, 1.1e9), 400, Qt::black);
    raster(clip).line(QLineF(70, -1e7, 71, 1e7), 9, Qt::black);
    raster(clip).fill(QLineF(0, -1e8, 199, -1e8), QLineF(0, 1e8, 199, 1e8), Qt::black);
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x)
            ASSERT_EQ(image.pixel(x, y) == qRgb(255, 255, 255), !clip.contains(x, y)) << x << ' ' << y;
    }
}

TEST_F(Raster, AnAreaIsThatBetweenItsLines) {
    raster().fill(QLineF(20, 30, 120, 60), QLineF(20, 70, 120, 100), Qt::black);
    EXPECT_NEAR(covered(), 100 * 40, 60);
    image.fill(Qt::white);
    // From right to left, and narrowing to a point.
    raster().fill(QLineF(120, 30, 20, 60), QLineF(120, 30, 20, 100), Qt::black);
    EXPECT_NEAR(covered(), 100 * 40 / 2.0, 60);
}

TEST_F(Raster, TranslucentColoursMixAndRatiosScale) {
    QColor half = Qt::black;
    half.setAlphaF(0.5F);
    raster().fill(QLineF(20, 20, 80, 20), QLineF(20, 80, 80, 80), half);
    EXPECT_NEAR(qRed(image.pixel(50, 50)), 128, 2);
    image.fill(Qt::white);
    raster(QRect(5, 5, 90, 90), 2).line(QLineF(10, 20, 60, 20), 2, Qt::black);
    EXPECT_NEAR(covered(), 100 * 4, 8);
}

TEST_F(Raster, LinesWithoutLengthOrWithNoNumbersDrawNothing) {
    raster().line(QLineF(50, 50, 50, 50), 3, Qt::black);
    raster().line(QLineF(50, 50, std::numeric_limits<double>::quiet_NaN(), 60), 3, Qt::black);
    raster().line(QLineF(50, 50, std::numeric_limits<double>::infinity(), 60), 3, Qt::black);
    EXPECT_EQ(covered(), 0);
}

}  // namespace
}  // namespace sanscope
