// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/candidates/shown_window.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

class WindowIsShown : public testing::Test {
  protected:
    WindowIsShown() { window_.begin_late(); }
    // Round trips in each of which a sender with more to send stops at these many segments in flight, twice.
    void stop_at(uint32_t first, uint32_t second) {
        for (const uint32_t segments : {first, second}) {
            state_.packets_out = segments;
            window_.on_stop(state_, burst);
        }
        state_.snd_una = state_.snd_nxt;
        state_.snd_nxt += state_.mss;
    }
    bool is_shown() const { return !window_.is_unknown(); }

    static constexpr uint32_t burst = 2;
    ShownWindow window_;
    SenderState state_;
};

TEST_F(WindowIsShown, ByGrowthAsOfAWindowThatIsFull) {
    for (uint32_t round = 0; round < 8; ++round) {
        EXPECT_FALSE(is_shown());
        stop_at(100 + round, 100 + round);
    }
    stop_at(108, 109);
    stop_at(109, 110);
    EXPECT_TRUE(is_shown());
}

// As a send buffer, or the receiver's window, leaves room for.
TEST_F(WindowIsShown, NotByTheSameFlightForLong) {
    for (int round = 0; round < 1000; ++round) stop_at(100, 100);
    EXPECT_FALSE(is_shown());
}

TEST_F(WindowIsShown, NotByAFlightThatVaries) {
    for (uint32_t round = 0; round < 1000; ++round) stop_at(90 + round % 5, 92 + round % 7);
    EXPECT_FALSE(is_shown());
}

// Of a small window, where a burst happens to end varies by as much.
TEST_F(WindowIsShown, NotByGrowthWithinABurst) {
    for (uint32_t round = 0; round < 20; ++round) stop_at(10 + round / 4, 10 + round / 4);
    EXPECT_FALSE(is_shown());
}

TEST_F(WindowIsShown, WhereAReductionLeavesLessInFlight) {
    for (int round = 0; round < 3; ++round) stop_at(100, 100);
    window_.on_reduction();
    stop_at(70, 70);
    stop_at(70, 71);
    EXPECT_FALSE(is_shown());
    stop_at(71, 71);
    EXPECT_TRUE(is_shown());
}

TEST_F(WindowIsShown, NotWhereAReductionLeavesAsMuchInFlight) {
    for (int round = 0; round < 3; ++round) stop_at(100, 100);
    window_.on_reduction();
    for (int round = 0; round < 100; ++round) stop_at(98, 100);
    EXPECT_FALSE(is_shown());
}

// What was in flight before it is not known.
TEST_F(WindowIsShown, NotByAReductionThatNoStopPreceded) {
    window_.on_reduction();
    for (int round = 0; round < 100; ++round) stop_at(50, 50);
    EXPECT_FALSE(is_shown());
}

TEST_F(WindowIsShown, NotByStopsWhileItIsReduced) {
    for (int round = 0; round < 3; ++round) stop_at(100, 100);
    window_.on_reduction();
    state_.ca_state = CaState::recovery;
    for (int round = 0; round < 100; ++round) stop_at(50, 50);
    EXPECT_FALSE(is_shown());
}

}  // namespace
}  // namespace sanscope
