// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_geometry.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace sanscope {
namespace {

constexpr int64_t start = 1'700'000'000'000'000'000;

LadderGeometry geometry() {
    return {{{start, start + 1000}, 50, 500}, 100, 600};  // two nanoseconds a pixel
}

LadderArrow arrow(int64_t left, int64_t arrival, Role sender) {
    LadderArrow made;
    made.transit = {start + left, start + arrival};
    made.sender = sender;
    made.packet = 1;
    return made;
}

TEST(LadderGeometry, AWayGoesFromTheSendersLineToTheReceivers) {
    EXPECT_EQ(geometry().line({start + 100, start + 300}, Role::initiator), QLineF(100, 100, 600, 200));
    EXPECT_EQ(geometry().line({start + 100, start + 300}, Role::target), QLineF(600, 100, 100, 200));
}

TEST(LadderGeometry, ThePartInSightOfALine) {
    const QLineF line(0, 0, 100, 100);
    EXPECT_EQ(part_between(line, 25, 75), (std::pair{0.25, 0.75}));
    EXPECT_EQ(part_between(QLineF(line.p2(), line.p1()), 25, 150), (std::pair{0.0, 0.75}));
    const auto none = part_between(line, 150, 200);
    EXPECT_GT(none.first, none.second);
    const auto level = part_between(QLineF(0, 10, 100, 10), 20, 30);
    EXPECT_GT(level.first, level.second);
}

TEST(LadderGeometry, TheNearestArrowIsHitAndALostOneOnlyAsFarAsItWent) {
    LadderPicture picture;
    picture.arrows = {arrow(100, 300, Role::initiator), arrow(140, 340, Role::initiator),
                      arrow(100, 300, Role::target)};
    picture.arrows[1].fate = LadderArrow::Fate::lost;
    const LadderGeometry g = geometry();
    const auto at = [&](size_t i, double part) {
        return g.line(picture.arrows[i].transit, picture.arrows[i].sender).pointAt(part);
    };
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(hit_ladder(picture, g, at(i, 0.2) + QPointF(0, 2), 8),
                  (LadderHit{LadderHit::Kind::arrow, i}));
    }
    EXPECT_EQ(hit_ladder(picture, g, at(1, 0.8), 8).kind, LadderHit::Kind::none);
    EXPECT_EQ(hit_ladder(picture, g, at(0, 0.8) + QPointF(0, 9), 8).kind, LadderHit::Kind::none);
}

TEST(LadderGeometry, OfBandsThatHoldAPointTheBriefestIsHit) {
    LadderPicture picture;
    picture.detail = LadderDetail::pdus;
    LadderPdu wide;
    wide.first = {start, start + 100};
    wide.last = {start + 800, start + 900};
    LadderPdu narrow;
    narrow.first = {start + 300, start + 400};
    narrow.last = {start + 350, start + 450};
    picture.pdus = {wide, narrow};
    const LadderGeometry g = geometry();
    const QPointF inside = g.line({start + 325, start + 425}, Role::target).pointAt(0.4);
    EXPECT_EQ(hit_ladder(picture, g, inside, 8), (LadderHit{LadderHit::Kind::pdu, 1}));
    EXPECT_EQ(hit_ladder(picture, g, inside + QPointF(0, 60), 8), (LadderHit{LadderHit::Kind::pdu, 0}));
    picture.detail = LadderDetail::packets;
    EXPECT_EQ(hit_ladder(picture, g, inside, 8).kind, LadderHit::Kind::none);
}

TEST(LadderGeometry, ACommandIsHitAtItsBracketItsWaysAndItsData) {
    LadderPicture picture;
    picture.detail = LadderDetail::commands;
    LadderCommand command;
    command.begin_ns = start + 100;
    command.end_ns = start + 800;
    command.has_request = command.has_response = command.has_data = true;
    command.request = {start + 100, start + 200};
    command.first_data = {start + 300, start + 400};
    command.last_data = {start + 600, start + 700};
    command.response = {start + 700, start + 800};
    command.lane = 2;
    picture.commands = {command};
    const LadderGeometry g = geometry();
    const LadderHit hit{LadderHit::Kind::command, 0};
    EXPECT_EQ(hit_ladder(picture, g, {lane_x(g, 2, 8), 300}, 8), hit);
    EXPECT_EQ(hit_ladder(picture, g, g.line(command.request, Role::initiator).pointAt(0.5), 8), hit);
    EXPECT_EQ(hit_ladder(picture, g, g.line(command.response, Role::target).pointAt(0.5), 8), hit);
    EXPECT_EQ(hit_ladder(picture, g, g.line({start + 450, start + 550}, Role::target).pointAt(0.5), 8), hit);
    EXPECT_EQ(hit_ladder(picture, g, {350, 500}, 8).kind, LadderHit::Kind::none);
}

TEST(SpreadLabels, KeepTheirOrderStayInsideAndNeverOverlap) {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        const double height = 14;
        std::vector<double> wanted(random() % 40);
        for (double& y : wanted) y = 50 + static_cast<double>(random() % (round % 2 == 0 ? 600 : 60));
        std::ranges::sort(wanted);
        const std::vector<double> got = spread_labels(wanted, height, 50, 650);
        ASSERT_EQ(got.size(), wanted.size());
        for (size_t i = 0; i < got.size(); ++i) {
            ASSERT_GE(got[i], 50 + height / 2 - 1e-6);
            ASSERT_LE(got[i], 650 - height / 2 + 1e-6);
            if (i > 0) {
                ASSERT_GE(got[i] - got[i - 1], height - 1e-6);
            }
        }
    }
}

TEST(SpreadLabels, WhatHasRoomStaysWhereItIsWanted) {
    const std::vector<double> wanted{100, 200, 300};
    EXPECT_EQ(spread_labels(wanted, 14, 0, 400), wanted);
    const std::vector<double> close{100, 100};
    EXPECT_EQ(spread_labels(close, 14, 0, 400), (std::vector<double>{93, 107}));
}

TEST(ChooseNamed, NamesStandNearWhatTheyNameAndTheGraverAreKept) {
    std::mt19937 random(5);
    const TimeViewport view{{start, start + 1000}, 46, 700};
    for (int round = 0; round < 100; ++round) {
        std::vector<LadderTransition> transitions(1 + random() % 120);
        for (LadderTransition& transition : transitions) {
            transition.time_ns =
                start - 100 + static_cast<int64_t>(random() % (round % 3 == 0 ? 120U : 1200U));
            transition.to = static_cast<CaState>(random() % ca_states);
        }
        std::ranges::sort(transitions, {}, &LadderTransition::time_ns);
        const auto chosen = choose_named(transitions, view, 14);
        ASSERT_TRUE(std::ranges::is_sorted(chosen));
        std::vector<double> wanted;
        for (const size_t i : chosen) {
            ASSERT_TRUE(view.range.contains(transitions[i].time_ns));
            wanted.push_back(view.x_of(transitions[i].time_ns));
        }
        const auto centres = spread_labels(wanted, 14, 46, 746);
        for (size_t i = 0; i < centres.size(); ++i) {
            if (centres.size() > 1) {
                ASSERT_LE(std::abs(centres[i] - wanted[i]), 4 * 14 + 1e-6);
            }
        }
    }
    // One fall into Loss among many small things.
    std::vector<LadderTransition> transitions(60);
    for (LadderTransition& transition : transitions) {
        transition.time_ns = start + 500;
        transition.from = CaState::disorder;
    }
    transitions[37].to = CaState::loss;
    EXPECT_TRUE(std::ranges::count(choose_named(transitions, view, 14), size_t{37}) == 1);
}

TEST(LadderLayout, PartsLieSideBySideAtAnySize) {
    for (int width = 1; width < 2600; width += 37) {
        const LadderLayout layout = LadderLayout::of({width, 500}, width % 2 == 0);
        ASSERT_LE(layout.axis.right(), layout.ladder.left());
        ASSERT_LT(layout.ladder.right(), layout.band.left());
        ASSERT_LE(layout.band.right(), layout.names.left());
        ASSERT_LE(layout.names.right(), layout.curves.left());
        if (width >= 300) {
            ASSERT_LE(layout.band.right(), width);
            ASSERT_LE(layout.curves.right(), width);
            ASSERT_LT(layout.x_initiator, layout.x_target) << width;
        }
    }
}

}  // namespace
}  // namespace sanscope
