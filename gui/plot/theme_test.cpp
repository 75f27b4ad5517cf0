// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/theme.h"

#include <QImage>
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "gui/testing/colour_vision.h"

namespace sanscope {
namespace {

using testing_gui::ciede2000;
using testing_gui::contrast;
using testing_gui::least_difference;
using testing_gui::seen;

// What differs by less than some 2.3 is easily taken for the same; this is told apart at a glance, side by side.
constexpr double least_between_states = 8;
constexpr double least_of_lines = 3;   // WCAG 2, 1.4.11
constexpr double least_of_text = 4.5;  // WCAG 2, 1.4.3

struct Named {
    std::string name;
    QColor color;
};
using Group = std::vector<Named>;

class ThemeTest : public testing::TestWithParam<const Theme*> {
  protected:
    const Theme& theme() const { return *GetParam(); }

    Group ca_states() const {
        return {{"Open", theme().ca_color(CaState::open)},
                {"Disorder", theme().ca_color(CaState::disorder)},
                {"CWR", theme().ca_color(CaState::cwr)},
                {"Recovery", theme().ca_color(CaState::recovery)},
                {"Loss", theme().ca_color(CaState::loss)}};
    }
    Group limits() const {
        return {{"application", theme().limit_color(SendLimit::application)},
                {"receiver", theme().limit_color(SendLimit::receiver)},
                {"congestion", theme().limit_color(SendLimit::congestion)},
                {"pacing", theme().limit_color(SendLimit::pacing)},
                {"recovery", theme().limit_color(SendLimit::recovery)},
                {"unknown", theme().limit.back()}};
    }
    Group lines() const {
        return {{"initiator", theme().initiator},
                {"target", theme().target},
                {"acknowledgement", theme().acknowledgement},
                {"cwnd", theme().cwnd},
                {"ssthresh", theme().ssthresh},
                {"in flight", theme().in_flight},
                {"advertised window", theme().advertised_window},
                {"kernel", theme().kernel},
                {"problem", theme().problem},
                {"read", theme().read},
                {"write", theme().write},
                {"other command", theme().other_command},
                {"selection", theme().selection},
                {"axis", theme().axis}};
    }
    // `exempt`: names of two that differ by more than their colours.
    void expect_apart(const Group& group,
                      const std::vector<std::pair<std::string, std::string>>& exempt = {}) const {
        for (size_t i = 0; i < group.size(); ++i) {
            for (size_t j = i + 1; j < group.size(); ++j) {
                const std::pair pair(group[i].name, group[j].name);
                if (std::find(exempt.begin(), exempt.end(), pair) != exempt.end()) continue;
                EXPECT_GE(least_difference(group[i].color, group[j].color), least_between_states)
                    << group[i].name << ", " << group[j].name;
            }
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Themes, ThemeTest, testing::Values(&Theme::light(), &Theme::dark_one()),
                         [](const auto& tested) { return tested.param->dark ? "dark" : "light"; });

TEST_P(ThemeTest, WhatIsDrawnInOneViewIsToldApartByTheColourBlind) {
    expect_apart(ca_states());
    expect_apart(limits());
    expect_apart({{"initiator", theme().initiator},
                  {"target", theme().target},
                  {"acknowledgement", theme().acknowledgement}});
    expect_apart({{"read", theme().read}, {"write", theme().write}, {"other", theme().other_command}});
    // ssthresh is dashed, what is in flight is not, and may be filled down to the axis.
    expect_apart({{"cwnd", theme().cwnd},
                  {"ssthresh", theme().ssthresh},
                  {"in flight", theme().in_flight},
                  {"advertised window", theme().advertised_window},
                  {"kernel", theme().kernel}},
                 {{"ssthresh", "in flight"}});
}

// Kinds of loss share colours: their shapes tell them apart, in whatever colours.
TEST_P(ThemeTest, MarksOfLossesDifferByTheirShapes) {
    constexpr int side = 24;
    std::vector<QImage> marks;
    for (size_t kind = 0; kind < loss_kinds; ++kind) {
        QImage& image = marks.emplace_back(side, side, QImage::Format_RGB32);
        image.fill(theme().background);
        QPainter painter(&image);
        draw_loss_mark(painter, theme(), static_cast<LossKind>(kind), QPointF(side / 2.0, side / 2.0), 14);
    }
    const auto shape = [&](const QImage& mark, int x, int y) {
        return contrast(mark.pixelColor(x, y), theme().background) > 1.8;
    };
    for (size_t one = 0; one < marks.size(); ++one) {
        for (size_t other = one + 1; other < marks.size(); ++other) {
            // Both are probes of an idle or shut connection, and none of data lost: a ring; hover names which.
            if (static_cast<LossKind>(one) == LossKind::keep_alive &&
                static_cast<LossKind>(other) == LossKind::zero_window_probe) {
                continue;
            }
            int different = 0;
            for (int y = 0; y < side; ++y) {
                for (int x = 0; x < side; ++x)
                    different += shape(marks[one], x, y) != shape(marks[other], x, y) ? 1 : 0;
            }
            EXPECT_GT(different, 12) << "kinds " << one << ", " << other;
        }
    }
}

TEST_P(ThemeTest, LinesStandOutFromWhatIsBehindThem) {
    for (const Named& line : lines()) {
        EXPECT_GE(contrast(line.color, theme().background), least_of_lines) << line.name;
        EXPECT_GE(contrast(line.color, theme().alternate_background), least_of_lines) << line.name;
    }
}

TEST_P(ThemeTest, TextCanBeReadOnWhatItIsWrittenOn) {
    for (const QColor& behind : {theme().background, theme().alternate_background}) {
        EXPECT_GE(contrast(theme().text, behind), least_of_text);
        EXPECT_GE(contrast(theme().faint_text, behind), least_of_text);
        EXPECT_GE(contrast(theme().problem, behind), least_of_text);
    }
    for (const Named& state : ca_states())
        EXPECT_GE(contrast(theme().text, state.color), least_of_text) << state.name;
    for (const Named& limit : limits())
        EXPECT_GE(contrast(theme().text, limit.color), least_of_text) << limit.name;
}

// Pairs of the data that the formula's authors published to check implementations with (Sharma, Wu, Dalal 2005).
TEST(ColourVision, DifferencesAreThoseOfTheStandard) {
    constexpr double exact = 0.0001;
    EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, exact);
    EXPECT_NEAR(ciede2000({50, 2.49, -0.001}, {50, -2.49, 0.0009}), 7.1792, exact);
    EXPECT_NEAR(ciede2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, exact);
    EXPECT_NEAR(ciede2000({2.0776, 0.0795, -1.135}, {0.9033, -0.0636, -0.5514}), 0.9082, exact);
    EXPECT_NEAR(contrast(Qt::black, Qt::white), 21, exact);
    // Red and green of one lightness are told apart by most, not by who lacks the cones for it.
    const QColor red(0xc0, 0x60, 0x50);
    const QColor green(0x7c, 0x7c, 0x30);
    EXPECT_GT(ciede2000(seen(red, testing_gui::everyone), seen(green, testing_gui::everyone)), 20);
    EXPECT_LT(least_difference(red, green), 12);
}

}  // namespace
}  // namespace sanscope
