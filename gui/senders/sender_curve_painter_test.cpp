// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/sender_curve_painter.h"

#include <QImage>
#include <QPainter>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

StepPoint step(int64_t time_ns, double value) {
    return {time_ns, value, value, value, value};
}

// From 0 to 100 ns: cwnd at 20, from 50 ns on at 80; 60 in flight until nothing is known from 70 ns on.
SenderCurves curves() {
    SenderCurves made;
    made.until_ns = 100;
    made.cwnd = {step(0, 20), step(50, 80)};
    made.cwnd_low = {step(0, 10), step(50, 70)};
    made.cwnd_high = {step(0, 30), step(50, 90)};
    made.in_flight = {step(0, 60), step(70, no_value)};
    return made;
}

const TimeViewport time_axis{{0, 100}, 0, 200};  // two pixels a nanosecond
constexpr int value_pixels = 100;                // one a byte

QImage drawn(bool downwards, ShownCurves shown, const SenderCurves& what = curves()) {
    QImage image(downwards ? QSize(value_pixels + 2, 200) : QSize(200, value_pixels + 2),
                 QImage::Format_RGB32);
    const Theme& theme = Theme::of(QPalette());
    image.fill(theme.background);
    QPainter painter(&image);
    const CurvePlace place{
        .time = time_axis, .scale = {.upper = 100, .top = 0, .bottom = value_pixels}, .downwards = downwards};
    SenderCurvePainter().paint(painter, what, place, theme, shown);
    return image;
}

QColor color_at(const QImage& image, bool downwards, int time_px, int value) {
    return image.pixelColor(downwards ? QPoint(value, time_px) : QPoint(time_px, value_pixels - value));
}

class SenderCurvePainterTest : public testing::TestWithParam<bool> {};

TEST_P(SenderCurvePainterTest, ALineIsAtItsValueUntilItIsNotKnown) {
    const QImage image = drawn(GetParam(), only(SenderCurve::cwnd) | only(SenderCurve::in_flight));
    const Theme& theme = Theme::of(QPalette());
    // A line two pixels wide lies on either side of its value.
    const auto has_cwnd = [&](int time_px, int value) {
        return color_at(image, GetParam(), time_px, value) == theme.cwnd ||
               color_at(image, GetParam(), time_px, value + 1) == theme.cwnd;
    };
    EXPECT_TRUE(has_cwnd(40, 20));
    EXPECT_FALSE(has_cwnd(40, 80));
    EXPECT_TRUE(has_cwnd(160, 80));
    EXPECT_FALSE(has_cwnd(160, 20));
    EXPECT_TRUE(has_cwnd(100, 50)) << "the step itself";
    EXPECT_EQ(color_at(image, GetParam(), 20, 60), theme.in_flight);
    EXPECT_EQ(color_at(image, GetParam(), 160, 60), theme.background);
}

TEST_P(SenderCurvePainterTest, TheIntervalFillsWhatLiesBetweenItsBounds) {
    const QImage image = drawn(GetParam(), only(SenderCurve::interval));
    const QColor background = Theme::of(QPalette()).background;
    EXPECT_NE(color_at(image, GetParam(), 40, 25), background);
    EXPECT_EQ(color_at(image, GetParam(), 40, 50), background);
    EXPECT_NE(color_at(image, GetParam(), 160, 75), background);
    EXPECT_EQ(color_at(image, GetParam(), 160, 50), background);
}

TEST_P(SenderCurvePainterTest, TheAreaOfWhatIsInFlightReachesFromNothingToTheLine) {
    const QImage image = drawn(GetParam(), only(SenderCurve::in_flight_area));
    const QColor background = Theme::of(QPalette()).background;
    EXPECT_NE(color_at(image, GetParam(), 40, 5), background);
    EXPECT_NE(color_at(image, GetParam(), 40, 55), background);
    EXPECT_EQ(color_at(image, GetParam(), 40, 70), background);
    EXPECT_EQ(color_at(image, GetParam(), 160, 5), background) << "nothing is known there";
}

TEST_P(SenderCurvePainterTest, WhatIsNotShownIsNotDrawn) {
    QImage blank = drawn(GetParam(), {});
    EXPECT_EQ(blank, drawn(GetParam(), only(SenderCurve::ssthresh) | only(SenderCurve::kernel_cwnd)))
        << "of these nothing is known";
    EXPECT_NE(blank, drawn(GetParam(), only(SenderCurve::cwnd)));
}

TEST_P(SenderCurvePainterTest, TheKernelsWordEndsWithItsRecord) {
    SenderCurves with_kernel = curves();
    with_kernel.kernel_cwnd = {step(0, 40)};
    with_kernel.kernel_until_ns = 60;
    const QImage image = drawn(GetParam(), only(SenderCurve::kernel_cwnd), with_kernel);
    const Theme& theme = Theme::of(QPalette());
    int last = -1;
    for (int time_px = 0; time_px < 200; ++time_px) {
        for (const int value : {39, 40, 41}) {
            if (color_at(image, GetParam(), time_px, value) == theme.kernel) last = time_px;
        }
    }
    EXPECT_GE(last, 110) << "dotted";
    EXPECT_LE(last, 120);
    const auto greatest = [&](TimeRange range) {
        return SenderCurvePainter::greatest(with_kernel, range, only(SenderCurve::kernel_cwnd)).own;
    };
    EXPECT_EQ(greatest({50, 100}).max, 40);
    EXPECT_FALSE(greatest({60, 100}).any) << "behind the record";
}

INSTANTIATE_TEST_SUITE_P(Directions, SenderCurvePainterTest, testing::Bool(),
                         [](const auto& direction) { return direction.param ? "downwards" : "rightwards"; });

TEST(SenderCurvePainterGreatest, IsOfWhatIsShownInTheRange) {
    const auto all = ~ShownCurves();
    EXPECT_EQ(SenderCurvePainter::greatest(curves(), {0, 40}, all).own.max, 60);
    EXPECT_EQ(SenderCurvePainter::greatest(curves(), {0, 100}, all).own.max, 80);
    EXPECT_EQ(SenderCurvePainter::greatest(curves(), {0, 100}, only(SenderCurve::in_flight)).own.max, 60);
    EXPECT_EQ(SenderCurvePainter::greatest(curves(), {0, 100}, all).others.max, 90);
    EXPECT_FALSE(SenderCurvePainter::greatest(curves(), {0, 100}, all).advertised.any);
}

}  // namespace
}  // namespace sanscope
