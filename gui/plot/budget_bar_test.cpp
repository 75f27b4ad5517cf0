// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/budget_bar.h"

#include <QImage>
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "gui/plot/budget_colors.h"
#include "gui/plot/budget_strip.h"
#include "gui/testing/colour_vision.h"

namespace sanscope {
namespace {

using testing_gui::deuteranopia;
using testing_gui::everyone;
using testing_gui::Eyes;
using testing_gui::Lab;
using testing_gui::protanopia;
using testing_gui::seen;

constexpr auto part_at = [](size_t index) { return static_cast<BudgetPart>(index); };

TEST(BudgetSegments, CoverTheBarAndAreAsWideAsTheirSharesToAPixel) {
    std::mt19937 random(7);
    for (size_t round = 0; round < 500; ++round) {
        BudgetSums parts{};
        for (int64_t& ns : parts)
            ns = random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 10'000'000'000);
        parts[round % budget_parts] += 1;
        const int length = static_cast<int>(random() % 1500) + 1;
        const auto segments = budget_segments(parts, length);
        ASSERT_FALSE(segments.empty());
        EXPECT_EQ(segments.front().left, 0);
        EXPECT_EQ(segments.back().right, length);
        const auto whole = static_cast<double>(sum_of(parts));
        std::array<double, budget_parts> drawn{};
        for (size_t i = 0; i < segments.size(); ++i) {
            if (i > 0) {
                EXPECT_EQ(segments[i].left, segments[i - 1].right);
                EXPECT_LT(segments[i - 1].part, segments[i].part);
            }
            drawn[static_cast<size_t>(segments[i].part)] = segments[i].right - segments[i].left;
        }
        for (size_t i = 0; i < budget_parts; ++i) {
            EXPECT_NEAR(drawn[i], static_cast<double>(parts[i]) / whole * length, 1.0);
            EXPECT_TRUE(parts[i] > 0 || drawn[i] == 0);
        }
    }
    EXPECT_TRUE(budget_segments({}, 100).empty());
}

TEST(BudgetBar, ItsPixelsAreThoseOfThePartsInTheirOrder) {
    BudgetSums parts{};
    parts[static_cast<size_t>(BudgetPart::recovery)] = 300;
    parts[static_cast<size_t>(BudgetPart::target)] = 600;
    parts[static_cast<size_t>(BudgetPart::wire)] = 100;
    QImage image(100, 4, QImage::Format_RGB32);
    image.fill(Qt::magenta);
    {
        QPainter painter(&image);
        draw_budget_bar(painter, Theme::light(), image.rect(), parts);
    }
    std::map<QRgb, int> widths;
    for (int x = 0; x < 100; ++x) ++widths[image.pixel(x, 2)];
    const auto width_of = [&](BudgetPart part) { return widths[budget_color(Theme::light(), part).rgb()]; };
    EXPECT_EQ(width_of(BudgetPart::recovery), 30);
    EXPECT_EQ(width_of(BudgetPart::target), 60);
    EXPECT_EQ(width_of(BudgetPart::wire), 10);
    EXPECT_EQ(image.pixel(0, 2), budget_color(Theme::light(), BudgetPart::recovery).rgb());
    EXPECT_EQ(image.pixel(99, 2), budget_color(Theme::light(), BudgetPart::wire).rgb());
}

TEST(BudgetBar, WordsNameTheLargestPartsAndAddUp) {
    BudgetSums parts{};
    parts[static_cast<size_t>(BudgetPart::recovery)] = 7'000'000;
    parts[static_cast<size_t>(BudgetPart::target)] = 2'000'000;
    parts[static_cast<size_t>(BudgetPart::wire)] = 600'000;
    parts[static_cast<size_t>(BudgetPart::return_path)] = 400'000;
    const QStringList lines = largest_parts(parts, 2);
    ASSERT_EQ(lines.size(), 3);
    EXPECT_EQ(lines[0].toStdString(), "recovery 7.00 ms, 70 %");
    EXPECT_EQ(lines[1].toStdString(), "target 2.00 ms, 20 %");
    EXPECT_EQ(lines[2].toStdString(), "the other parts 1.00 ms, 10 %");
    // One more line is no longer than a line that stands for it.
    EXPECT_EQ(largest_parts(parts, 3).back().toStdString(), "return path 400 µs, 4.0 %");
}

TEST(BudgetBar, SharesAreNotRoundedToNoneOrAll) {
    EXPECT_EQ(share_text(0).toStdString(), "0 %");
    EXPECT_EQ(share_text(0.0001).toStdString(), "< 0.1 %");
    EXPECT_EQ(share_text(0.28).toStdString(), "28 %");
    EXPECT_EQ(share_text(0.9996).toStdString(), "> 99 %");
    EXPECT_EQ(share_text(1).toStdString(), "100 %");
}

double difference(const QColor& a, const QColor& b) {
    double least = 1000;
    for (const Eyes* eyes : {&everyone, &protanopia, &deuteranopia}) {
        const Lab p = seen(a, *eyes);
        const Lab q = seen(b, *eyes);
        least = std::min(least, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    }
    return least;
}

// The states of TCP have the colours that they have everywhere; each other part differs from all by much more than can be seen
// side by side (2.3), for those who lack a kind of cones, too. What is unknown is hatched.
TEST(BudgetColors, AreToldApartByThoseWhoCannotTellRedFromGreen) {
    constexpr double least_of_tcp = 11;
    constexpr double least_of_all = 16;
    const auto of_tcp = [](BudgetPart part) {
        return part >= BudgetPart::cwnd && part <= BudgetPart::application;
    };
    for (const Theme* theme : {&Theme::light(), &Theme::dark_one()}) {
        for (size_t i = 0; i < budget_parts; ++i) {
            for (size_t j = i + 1; j < budget_parts; ++j) {
                if (part_at(i) == BudgetPart::unknown || part_at(j) == BudgetPart::unknown) continue;
                EXPECT_GT(difference(budget_color(*theme, part_at(i)), budget_color(*theme, part_at(j))),
                          of_tcp(part_at(i)) && of_tcp(part_at(j)) ? least_of_tcp : least_of_all)
                    << (theme->dark ? "dark: " : "light: ") << budget_part_name(part_at(i)) << ", "
                    << budget_part_name(part_at(j));
            }
        }
    }
    const Theme& theme = Theme::light();
    EXPECT_EQ(budget_color(theme, BudgetPart::timeout), theme.ca_color(CaState::loss));
    EXPECT_EQ(budget_color(theme, BudgetPart::recovery), theme.limit_color(SendLimit::recovery));
    EXPECT_EQ(budget_color(theme, BudgetPart::cwnd), theme.limit_color(SendLimit::congestion));
    EXPECT_EQ(budget_color(theme, BudgetPart::receiver_window), theme.limit_color(SendLimit::receiver));
}

TEST(BudgetColors, WhatIsUnknownIsHatched) {
    QImage image(40, 40, QImage::Format_RGB32);
    for (size_t i = 0; i < budget_parts; ++i) {
        QPainter painter(&image);
        fill_budget_part(painter, Theme::light(), part_at(i), image.rect());
        painter.end();
        bool plain = true;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) plain = plain && image.pixel(x, y) == image.pixel(0, 0);
        }
        EXPECT_EQ(plain, part_at(i) != BudgetPart::unknown) << budget_part_name(part_at(i));
    }
}

TEST(BudgetStrip, GrowsWithItsLegendAndIsHiddenWithoutACommand) {
    QWidget window;
    BudgetStrip strip(&window);
    window.resize(1000, 400);
    EXPECT_TRUE(strip.isHidden());
    BudgetSums parts{};
    parts.fill(1'000'000);
    strip.show_parts(QStringLiteral("command 7"), parts);
    EXPECT_FALSE(strip.isHidden());
    EXPECT_GT(strip.heightForWidth(300), strip.heightForWidth(2000));
    for (size_t i = 0; i < budget_parts; ++i)
        EXPECT_TRUE(strip.accessibleDescription().contains(budget_title(part_at(i))));
    strip.show_reason(QStringLiteral("command 8"), QStringLiteral("never answered"));
    EXPECT_FALSE(strip.parts().has_value());
    strip.show_nothing();
    EXPECT_TRUE(strip.isHidden());
}

}  // namespace
}  // namespace sanscope
