// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/candidates/window_candidates.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "analyzer/sender/candidates/window_candidate.h"
#include "analyzer/sender/kernel/rate_sample.h"
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

// A path that delivers ten segments in each round trip of 10 ms, whatever the window.
class TwoBbrs : public testing::Test {
  protected:
    static constexpr uint32_t a_round = 10;
    static constexpr int64_t rtt_us = 10'000;

    TwoBbrs() {
        state.now_us = 1'000'000;
        state.min_rtt_us = rtt_us;
        state.srtt_us = rtt_us;
        windows.each([&](auto& window) { window.init(state); });
    }
    void pass_rounds(int rounds, bool app_limited, bool surely) {
        for (int round = 0; round < rounds; ++round) {
            state.now_us += rtt_us + 1;
            state.delivered_us = state.now_us;
            AckSample sample;
            sample.delivered = a_round;
            sample.prior_in_flight = 10 * a_round;
            sample.rtt_us = rtt_us;
            sample.rate = {.delivered = a_round,
                           .interval_us = rtt_us,
                           .prior_delivered = state.delivered,
                           .app_limited = app_limited,
                           .surely_app_limited = surely};
            state.delivered += a_round;
            windows.each([&](auto& window) { window.cong_control(state, sample); });
        }
    }
    void run_dry() {
        state.app_limited = state.delivered + 1;
        windows.doubt_application_limit(state);
    }

    SenderState state;
    WindowCandidates windows;
};

TEST_F(TwoBbrs, AreReplayedOnceTheApplicationSeemsToHaveHadNoMore) {
    windows.doubt_application_limit(state);
    EXPECT_EQ(windows.other_bbr, nullptr);
    run_dry();
    ASSERT_NE(windows.other_bbr, nullptr);
    EXPECT_EQ(windows.other_bbr->cwnd(), windows.bbr.cwnd());
}

// As behind a small buffer: what is sent ends with a segment that is not full, and yet the application waits with more.
TEST_F(TwoBbrs, OnlyTheOneThatDoubtsThatEndsItsStartup) {
    run_dry();
    pass_rounds(20, true, false);
    EXPECT_TRUE(windows.bbr.starting_up());
    EXPECT_FALSE(windows.other_bbr->starting_up());
    constexpr uint64_t bytes = 100'000;
    EXPECT_GT(windows.other_bbr->pacing_gap_us(bytes), 3 * windows.bbr.pacing_gap_us(bytes) / 2);
}

TEST_F(TwoBbrs, NeitherEndsItsStartupWhereTheApplicationSurelyHadNoMore) {
    run_dry();
    pass_rounds(20, true, true);
    EXPECT_TRUE(windows.bbr.starting_up());
    EXPECT_TRUE(windows.other_bbr->starting_up());
}

TEST_F(TwoBbrs, TheOtherIsShownWhereItExplainsMore) {
    run_dry();
    pass_rounds(20, true, false);
    const uint32_t other = windows.other_bbr->cwnd();
    EXPECT_FALSE(windows.choose_bbr(false));
    EXPECT_TRUE(windows.choose_bbr(true));
    EXPECT_EQ(windows.bbr.cwnd(), other);
    EXPECT_TRUE(windows.other_bbr_is_possible());
}

// In the phase that probes, the kernel's window is larger by a burst's share and two segments; in which phase it is, nobody knows.
TEST_F(TwoBbrs, WhatAnotherPhaseAllowsContradictsNothing) {
    pass_rounds(20, false, false);
    ASSERT_FALSE(windows.bbr.starting_up());
    while (windows.bbr.over_the_cycle(state).high == windows.bbr.cwnd()) pass_rounds(1, false, false);
    const uint32_t most = windows.bbr.over_the_cycle(state).high;
    ASSERT_GT(most, windows.bbr.cwnd());
    state.packets_out = most;
    windows.bbr.on_sent(state, false);
    EXPECT_EQ(windows.bbr.mismatch(), 0);
    EXPECT_EQ(windows.bbr.cwnd(), most);
    state.packets_out = 2 * most;
    windows.bbr.on_sent(state, false);
    EXPECT_GT(windows.bbr.mismatch(), 0);
}

}  // namespace
}  // namespace sanscope
