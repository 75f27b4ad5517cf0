// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/view_state.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
constexpr int64_t start = 1'700'000'000'000'000'000;

struct Counter {
    explicit Counter(ViewState& state) {
        QObject::connect(&state, &ViewState::range_changed, [this] { ++ranges; });
        QObject::connect(&state, &ViewState::selection_changed, [this] { ++selections; });
    }
    int ranges = 0;
    int selections = 0;
};

TEST(ViewState, TheRangeGrowsWithTheWholeUntilSomeoneLooksCloser) {
    ViewState state;
    const Counter counter(state);
    state.set_whole({start, start + 10 * ms});
    EXPECT_EQ(state.range(), state.whole());
    state.set_whole({start, start + 20 * ms});
    EXPECT_EQ(state.range(), state.whole());
    state.set_range({start + 2 * ms, start + 4 * ms});
    state.set_whole({start, start + 40 * ms});
    EXPECT_EQ(state.range(), (TimeRange{start + 2 * ms, start + 4 * ms}));
    EXPECT_EQ(counter.ranges, 3);
}

TEST(ViewState, TheFirstViewIsOfTheTrafficUntilSomeoneLooksElsewhere) {
    ViewState state;
    const TimeRange traffic{start + 10 * ms, start + 20 * ms};
    state.set_whole({start, start + 100 * ms}, traffic);
    EXPECT_TRUE(state.range().contains(traffic));
    EXPECT_LT(state.range().span_ns(), 11 * ms);
    state.set_whole({start, start + 200 * ms}, {start + 10 * ms, start + 50 * ms});
    EXPECT_TRUE(state.range().contains({start + 10 * ms, start + 50 * ms}));
    EXPECT_FALSE(state.can_go_back());
    state.show_all();
    EXPECT_EQ(state.range(), state.whole());
    state.set_whole({start, start + 300 * ms}, {start + 10 * ms, start + 60 * ms});
    EXPECT_EQ(state.range(), state.whole()) << "all there is was asked for";
    state.show_first_view();
    EXPECT_EQ(state.range(), state.first_view());
    state.go_back();
    EXPECT_EQ(state.range(), state.whole());
}

TEST(ViewState, ALittleBesideTheTrafficIsNotLeftOut) {
    ViewState state;
    state.set_whole({start, start + 100 * ms}, {start + 2 * ms, start + 96 * ms});
    EXPECT_EQ(state.range(), state.whole());
    state.set_whole({start, start + 200 * ms}, {});
    EXPECT_EQ(state.range(), state.whole());
}

// A capture whose clock is broken: what views prepare around what they show is still a number of 64 bits.
TEST(ViewState, ARangeIsNeverTooLongToBeDrawn) {
    constexpr int64_t longest = int64_t{1} << 61;
    ViewState state;
    state.set_whole({0, 4'294'967'295'000'000'000});
    EXPECT_EQ(state.range(), (TimeRange{0, longest}));
    state.show_all();
    EXPECT_EQ(state.range(), (TimeRange{0, longest}));
    state.set_whole({0, 4'294'967'296'000'000'000});
    EXPECT_EQ(state.range(), (TimeRange{0, longest})) << "still all that can be seen at once";
    state.set_range({4'294'967'295'000'000'000 - 10 * ms, 4'294'967'295'000'000'000});
    EXPECT_EQ(state.range().span_ns(), 10 * ms) << "the end is in reach";
    state.set_range({INT64_MIN, INT64_MAX});
    EXPECT_LE(state.range().span_ns(), longest);
}

TEST(ViewState, ZoomKeepsTheMomentUnderThePointer) {
    ViewState state;
    state.set_whole({start, start + 100 * ms});
    state.zoom(4, start + 25 * ms);
    EXPECT_EQ(state.range().span_ns(), 25 * ms);
    EXPECT_EQ(state.range().begin_ns, start + 25 * ms - 25 * ms / 4);
}

TEST(ViewState, ZoomEndsAtTheShortestAndAtTheWholeWithALittleAround) {
    ViewState state;
    state.set_whole({start, start + 100 * ms});
    for (int i = 0; i < 200; ++i) state.zoom(2, start + 33 * ms);
    EXPECT_EQ(state.range().span_ns(), ViewState::shortest_ns);
    EXPECT_TRUE(state.range().contains(start + 33 * ms));
    for (int i = 0; i < 200; ++i) state.zoom(0.5, start + 33 * ms);
    EXPECT_LE(state.range().span_ns(), 111 * ms);
    EXPECT_TRUE(state.range().contains(state.whole()));
}

TEST(ViewState, PanningStopsWhereThereIsNothingMore) {
    ViewState state;
    state.set_whole({start, start + 100 * ms});
    state.set_range({start, start + 10 * ms});
    for (int i = 0; i < 100; ++i) state.pan(1);
    EXPECT_EQ(state.range().span_ns(), 10 * ms);
    EXPECT_TRUE(state.range().overlaps(state.whole()));
    for (int i = 0; i < 100; ++i) state.pan(-1);
    EXPECT_TRUE(state.range().overlaps(state.whole()));
}

TEST(ViewState, GoesBackAMovementAtATime) {
    ViewState state;
    state.set_whole({start, start + 100 * ms});
    state.set_range({start, start + 50 * ms});
    state.zoom(2, start, ViewState::Step::fresh);
    state.zoom(2, start, ViewState::Step::continued);
    state.zoom(2, start, ViewState::Step::continued);
    const TimeRange closest = state.range();
    state.go_back();
    EXPECT_EQ(state.range(), (TimeRange{start, start + 50 * ms}));
    state.go_back();
    EXPECT_EQ(state.range(), state.whole());
    EXPECT_FALSE(state.can_go_back());
    state.go_forward();
    state.go_forward();
    EXPECT_EQ(state.range(), closest);
    state.go_back();
    state.set_range({start + ms, start + 2 * ms});
    EXPECT_FALSE(state.can_go_forward());
}

TEST(ViewState, RevealMovesOnlyIfItMust) {
    ViewState state;
    state.set_whole({start, start + 100 * ms});
    state.set_range({start + 10 * ms, start + 20 * ms});
    state.reveal({start + 12 * ms, start + 13 * ms});
    EXPECT_EQ(state.range(), (TimeRange{start + 10 * ms, start + 20 * ms}));
    state.reveal({start + 50 * ms, start + 52 * ms});
    EXPECT_EQ(state.range(), (TimeRange{start + 46 * ms, start + 56 * ms}));
    state.reveal({start + 5 * ms, start + 85 * ms});
    EXPECT_TRUE(state.range().contains(TimeRange{start + 5 * ms, start + 85 * ms}));
}

TEST(ViewState, TellsASelectionOnce) {
    ViewState state;
    const Counter counter(state);
    state.select({Selection::Kind::command, 5});
    state.select({Selection::Kind::command, 5});
    EXPECT_EQ(counter.selections, 1);
}

TEST(ViewState, ARangeThatFollowsMovesOnWithTheEnd) {
    ViewState state;
    state.set_whole({0, 1000});
    state.set_range({400, 900});
    state.set_following(true);
    EXPECT_EQ(state.range(), (TimeRange{500, 1000}));
    state.set_whole({0, 4000});
    EXPECT_EQ(state.range(), (TimeRange{3500, 4000}));
    // A longer one that shows the end follows as long as it is.
    state.zoom(0.5, 4000);
    EXPECT_TRUE(state.following());
    EXPECT_EQ(state.range(), (TimeRange{3000, 4000}));
    state.set_whole({0, 5000});
    EXPECT_EQ(state.range(), (TimeRange{4000, 5000}));
}

TEST(ViewState, LookingAtAnEarlierMomentEndsFollowing) {
    ViewState state;
    state.set_whole({0, 10'000});
    state.set_range({9'000, 10'000});
    state.set_following(true);
    int told = 0;
    QObject::connect(&state, &ViewState::following_changed, [&] { ++told; });
    state.pan(-0.5);
    EXPECT_FALSE(state.following());
    EXPECT_EQ(told, 1);
    EXPECT_EQ(state.range(), (TimeRange{8'500, 9'500}));
    state.set_whole({0, 20'000});
    EXPECT_EQ(state.range(), (TimeRange{8'500, 9'500}));
    state.set_following(true);
    EXPECT_EQ(state.range(), (TimeRange{19'000, 20'000}));
}

TEST(ViewState, FollowingFromTheBeginningShowsAllThereIsAtFirst) {
    ViewState state;
    state.set_following(true);
    state.set_whole({0, 1000});
    EXPECT_EQ(state.range(), (TimeRange{0, 1000}));
    state.set_range({200, 1000});
    state.set_whole({0, 3000});
    EXPECT_EQ(state.range(), (TimeRange{2200, 3000}));
}

}  // namespace
}  // namespace sanscope
