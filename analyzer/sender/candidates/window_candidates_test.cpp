// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/candidates/window_candidates.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {
namespace {

// More in flight than the candidate's window allows, in a round trip of its own.
void contradict(WindowCandidate<Cubic>& candidate, SenderState& state) {
    state.snd_una = state.snd_nxt;
    state.snd_nxt += state.mss;
    state.packets_out = 2 * candidate.cwnd();
    candidate.on_sent(state, false);
}

class CubicPhases : public testing::Test {
  protected:
    CubicPhases() {
        state.now_us = 1'000'000;
        windows.each([&](auto& window) { window.init(state); });
    }
    void lose() {
        windows.each([&](auto& window) { window.init_cwnd_reduction(); });
        windows.choose_phase();
    }

    SenderState state;
    WindowCandidates windows;
};

TEST_F(CubicPhases, AreReplayedFromTheFirstReductionOn) {
    windows.choose_phase();
    EXPECT_EQ(windows.shifted, nullptr) << "slow start goes by no tick";
    lose();
    ASSERT_NE(windows.shifted, nullptr);
    for (const auto& candidate : *windows.shifted) {
        EXPECT_EQ(candidate.ssthresh(), windows.cubic.ssthresh());
        EXPECT_TRUE(windows.may_be_cubic(candidate));
    }
}

// For small windows they differ: 32 ms after the last growth the next one is due at a tick, by one of them now and by
// others not yet.
TEST_F(CubicPhases, GrowAtTicksOfTheirOwn) {
    lose();
    windows.cubic.ops().set_phase(0);
    Window early{.cwnd = 5, .ssthresh = 4};
    Window late = early;
    Cubic by_its_own = windows.cubic.ops();
    Cubic by_another = windows.cubic.ops();
    by_another.set_phase(Cubic::tick_us / 2);
    uint32_t differ = 0;
    for (int64_t i = 0; i < 1000; ++i) {
        state.now_us += 1300;
        by_its_own.cong_avoid(state, early, 1);
        by_another.cong_avoid(state, late, 1);
        differ += early.cwnd != late.cwnd;
    }
    EXPECT_GT(differ, 0u);
}

TEST_F(CubicPhases, TheOneContradictedClearlyLessIsShown) {
    lose();
    contradict(windows.cubic, state);
    contradict(windows.cubic, state);
    const double contradicted = windows.cubic.mismatch();
    ASSERT_GT(contradicted, 1);
    windows.choose_phase();
    EXPECT_EQ(windows.cubic.mismatch(), 0);
    uint32_t others = 0;
    for (const auto& candidate : *windows.shifted) others += windows.may_be_cubic(candidate);
    EXPECT_EQ(others, 2u) << "not the one that was contradicted";
}

}  // namespace
}  // namespace sanscope
