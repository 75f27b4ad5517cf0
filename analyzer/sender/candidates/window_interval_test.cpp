// SPDX-License-Identifier: GPL-3.0-or-later
// What the interval around a congestion window has to cover: who else may be the sender's congestion control, the phases of BBR's
// cycle, and at a remote tap what was in flight.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/sender/candidates/burst_end.h"
#include "analyzer/sender/candidates/cc_classifier.h"
#include "analyzer/sender/candidates/paced_candidate.h"
#include "analyzer/sender/candidates/reno.h"
#include "analyzer/sender/candidates/window_candidate.h"
#include "analyzer/sender/candidates/window_candidates.h"
#include "analyzer/sender/candidates/window_estimate.h"

namespace sanscope {
namespace {

using Control = CcClassifier::Control;

constexpr int64_t min_rtt_us = 2000;

// Round trips of two bursts each, of which so many in a hundred were not clocked; their pauses on BBR's pace or not.
void pass_rounds(CcClassifier& classifier, uint32_t rounds, uint32_t unclocked, uint32_t on_pace) {
    constexpr int64_t pacing_us = 1000;
    SenderState state;
    state.snd_nxt = Serial32(1);
    for (uint32_t burst = 0; burst < 2 * rounds; ++burst) {
        const bool clocked = burst % 100 >= unclocked;
        classifier.on_burst(clocked);
        if (!clocked)
            classifier.on_pause(burst % 100 < unclocked * on_pace / 100 ? pacing_us : 20 * pacing_us,
                                pacing_us);
        if (burst % 2 == 0) {
            state.snd_una = state.snd_nxt;
            state.snd_nxt += state.mss;
        }
        classifier.on_burst_end(state);
    }
}

TEST(WindowInterval, WithoutANameLeavesOutNeitherRenoNorCubic) {
    for (const bool remote : {false, true}) {
        CcClassifier classifier(remote);
        pass_rounds(classifier, 100, 50, 30);
        const CcClassifier::Scores scores{12, 30, 1};
        ASSERT_STREQ(classifier.name(scores, min_rtt_us), "");
        ASSERT_EQ(classifier.best(scores, min_rtt_us), Control::cubic);
        EXPECT_TRUE(classifier.is_possible(Control::reno, Control::cubic, scores, min_rtt_us)) << remote;
    }
}

// Of round trips in each of which the sender stopped where CUBIC's window ends and Reno's does not.
void stop_at_cubic(CcClassifier& classifier, int rounds) {
    SenderState state = {};
    state.mss = 1000;
    for (int round = 0; round < rounds; ++round) {
        state.snd_una = state.snd_nxt;
        state.snd_nxt += state.mss;
        classifier.on_stop(state, true, false);
    }
}

// Slow start ends in CUBIC's, BBR's and nobody's way.
TEST(WindowInterval, WhoNeverStoppedAtAWindowHasNoNameWhileBbrExplainsItToo) {
    CcClassifier classifier;
    pass_rounds(classifier, 400, 2, 0);
    constexpr int64_t short_rtt_us = 600;  // over which most bursts follow an acknowledgement by chance
    EXPECT_STREQ(classifier.name({0.3, 4, 0}, short_rtt_us), "");
    EXPECT_STREQ(classifier.name({0.3, 4, 0}, min_rtt_us), "cubic");
    EXPECT_STREQ(classifier.name({0.3, 4, 4}, short_rtt_us), "cubic");
    EXPECT_STREQ(classifier.name({0.3, 0.9, 4}, min_rtt_us), "") << "the other one explains it";
    CcClassifier afar(true);
    pass_rounds(afar, 400, 30, 50);
    EXPECT_STREQ(afar.name({0.3, 4, 4}, min_rtt_us), "");
    CcClassifier paced;
    pass_rounds(paced, 400, 25, 60);
    EXPECT_STREQ(paced.name({0.3, 4, 12}, min_rtt_us), "");
    stop_at_cubic(paced, 5);
    EXPECT_STREQ(paced.name({0.3, 4, 12}, min_rtt_us), "cubic");
}

// As BBR sends through a deep queue: most bursts follow acknowledgements, but pauses are paced.
TEST(WindowInterval, WhosePausesAreOnBbrsPaceMayBeBbr) {
    CcClassifier classifier;
    pass_rounds(classifier, 200, 25, 80);
    EXPECT_EQ(classifier.best({1.4, 0.3, 3.3}, min_rtt_us), Control::bbr);
    EXPECT_EQ(classifier.best({1.4, 0.3, 12}, min_rtt_us), Control::reno);
    EXPECT_TRUE(classifier.is_possible(Control::bbr, Control::reno, {1.4, 0.3, 12}, min_rtt_us));
    CcClassifier fewer;
    pass_rounds(fewer, 200, 25, 40);
    EXPECT_FALSE(fewer.is_possible(Control::bbr, Control::reno, {1.4, 0.3, 12}, min_rtt_us));
}

// At a remote tap BBR's own bursts contradict it: six of ten pauses on its pace are more than any other sender made there.
TEST(WindowInterval, WhosePausesAreOftenOnBbrsPaceMayBeBbrSeenFromAfar) {
    for (const bool remote : {false, true}) {
        CcClassifier classifier(remote);
        pass_rounds(classifier, 200, 25, 60);
        EXPECT_EQ(classifier.is_possible(Control::bbr, Control::reno, {1.4, 0.3, 12}, min_rtt_us), remote);
    }
}

// Three stops say nothing for a window that is contradicted in thirty round trips.
TEST(WindowInterval, StopsAtAWindowThatIsContradictedMoreOftenDoNotRefuteBbr) {
    CcClassifier classifier;
    pass_rounds(classifier, 200, 60, 80);
    stop_at_cubic(classifier, 4);
    EXPECT_EQ(classifier.best({34, 56, 1}, min_rtt_us), Control::bbr);
    EXPECT_TRUE(classifier.is_possible(Control::bbr, Control::cubic, {34, 56, 1}, min_rtt_us));
    EXPECT_EQ(classifier.best({0.3, 56, 0.2}, min_rtt_us), Control::cubic);
    EXPECT_FALSE(classifier.is_possible(Control::bbr, Control::cubic, {0.3, 56, 0.2}, min_rtt_us));
}

// Of a window far too large a rate far too high follows, whose pauses are too short to be compared.
TEST(WindowInterval, PausesTellWhichOfTheTwoBbrsIsTheSenders) {
    constexpr int64_t pause_us = 2000;
    for (const bool other : {false, true}) {
        CcClassifier classifier;
        for (int pause = 0; pause < 100; ++pause)
            classifier.on_pause(pause_us, other ? pause_us / 40 : pause_us, pause_us);
        EXPECT_EQ(classifier.pauses_as_other(), other);
        classifier.swap_paces();
        EXPECT_FALSE(classifier.pauses_as_other());
    }
}

// tcp_tso_autosize(): eleven segments over a path of 1.3 ms, whatever the rate.
TEST(WindowInterval, OfBbrABurstOverAShortPathContradictsNothing) {
    SenderState state;
    state.delivered = 100;
    state.srtt_us = 20'000;
    BurstEnd end;
    end.segments = 11;
    PacedCandidate near;
    near.init(state);
    state.min_rtt_us = 1300;
    near.on_burst_end(state, end);
    EXPECT_EQ(near.mismatch(), 0);
    PacedCandidate far;
    far.init(state);
    state.min_rtt_us = 20'000;
    far.on_burst_end(state, end);
    EXPECT_GT(far.mismatch(), 0);
}

TEST(WindowInterval, WithANameLeavesOutWhatIsRefuted) {
    CcClassifier classifier;
    pass_rounds(classifier, 100, 2, 0);
    stop_at_cubic(classifier, 5);
    const CcClassifier::Scores scores{0.5, 8, 20};
    ASSERT_STREQ(classifier.name(scores, min_rtt_us), "cubic");
    EXPECT_FALSE(classifier.is_possible(Control::reno, Control::cubic, scores, min_rtt_us));
    EXPECT_FALSE(classifier.is_possible(Control::bbr, Control::cubic, scores, min_rtt_us));
}

// Less contradicted than the others is not the same as true: a sender may have a congestion control that is no candidate.
TEST(WindowInterval, WhoseGrowthIsTakenBackAgainAndAgainHasNoName) {
    constexpr GrowthRecord own{.reductions = 5, .grown = 300, .raised = 60, .lowered = 10};
    constexpr GrowthRecord shared{.reductions = 5, .grown = 300, .raised = 10, .lowered = 200};
    CcClassifier classifier;
    pass_rounds(classifier, 400, 2, 0);
    EXPECT_STREQ(classifier.name({0.3, 4, 4}, min_rtt_us, own, own), "cubic");
    EXPECT_STREQ(classifier.name({0.3, 4, 4}, min_rtt_us, shared, own), "");
    EXPECT_STREQ(classifier.name({4, 0.3, 4}, min_rtt_us, shared, own), "reno");
    EXPECT_STREQ(classifier.name({4, 0.3, 4}, min_rtt_us, own, shared), "");
}

TEST(WindowInterval, WhoSendsMoreThanRenoAllowsIsNotReno) {
    constexpr GrowthRecord faster{.reductions = 5, .grown = 100, .raised = 300};
    CcClassifier classifier;
    pass_rounds(classifier, 400, 2, 0);
    EXPECT_STREQ(classifier.name({4, 0.3, 4}, min_rtt_us, faster, faster), "");
    EXPECT_STREQ(classifier.name({0.3, 4, 4}, min_rtt_us, faster, faster), "cubic")
        << "its growth comes a tick early or late";
}

TEST(WindowInterval, WhoNeverReducedItsWindowHasNoName) {
    constexpr GrowthRecord once{.reductions = 1, .grown = 300};
    CcClassifier classifier;
    pass_rounds(classifier, 400, 2, 0);
    ASSERT_STREQ(classifier.name({0.3, 4, 4}, min_rtt_us), "cubic");
    EXPECT_STREQ(classifier.name({0.3, 4, 4}, min_rtt_us, once, once), "");
}

// A window as large as BBR's contradicts little: that alone, the others contradicted no more than true ones are, is no
// evidence.
TEST(WindowInterval, BbrIsNotShownAtARemoteTapForItsSizeAlone) {
    CcClassifier classifier(true);
    pass_rounds(classifier, 400, 45, 50);
    EXPECT_EQ(classifier.best({14, 32, 0.05}, min_rtt_us), Control::cubic);
    CcClassifier contradicted(true);
    pass_rounds(contradicted, 40, 45, 50);
    EXPECT_EQ(contradicted.best({14, 32, 0.05}, min_rtt_us), Control::bbr);
}

TEST(WindowInterval, OnceShownAtARemoteTapBbrStaysOnlyWhilePausesOrTheOthersSaySo) {
    CcClassifier classifier(true);
    pass_rounds(classifier, 50, 60, 90);
    ASSERT_EQ(classifier.best({2, 3, 0.1}, min_rtt_us), Control::bbr);
    pass_rounds(classifier, 400, 60, 20);
    EXPECT_EQ(classifier.best({14, 32, 0.1}, min_rtt_us), Control::cubic);
}

// Sends at a steady rate, so that only the cycle moves its window.
TEST(WindowInterval, CoversEveryPhaseOfBbrsCycle) {
    PacedCandidate bbr;
    SenderState state;
    state.snd_nxt = Serial32(1);
    state.srtt_us = state.min_rtt_us = 400;
    bbr.init(state);
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    std::vector<Bbr::Range> ranges;
    for (uint32_t n = 0; n < 4000; ++n) {
        state.now_us += 100;
        state.delivered_us = state.now_us;
        state.delivered += 1;
        state.packets_out = n % 8 == 0 ? 60 : 2;
        AckSample sample;
        sample.delivered = 1;
        sample.rtt_us = 400;
        sample.prior_in_flight = state.packets_out;
        sample.rate = {4, 400, state.delivered - 4, false};
        bbr.cong_control(state, sample);
        if (n < 2000) continue;
        least = std::min(least, bbr.cwnd());
        most = std::max(most, bbr.cwnd());
        ranges.push_back(bbr.over_the_cycle(state));
    }
    ASSERT_GT(most, least + 2);
    for (const Bbr::Range& range : ranges) {
        ASSERT_LE(range.low, least);
        ASSERT_GE(range.high, most);
    }
}

// Passes round trips of `delivered` segments in `rtt_us`, none of them application-limited.
void pass_round_trips(PacedCandidate& bbr, SenderState& state, int rounds, uint32_t delivered,
                      int64_t rtt_us) {
    for (int n = 0; n < rounds; ++n) {
        state.now_us += rtt_us;
        state.delivered_us = state.now_us;
        state.delivered += delivered;
        state.packets_out = 4;
        AckSample sample;
        sample.delivered = delivered;
        sample.rtt_us = rtt_us;
        sample.prior_in_flight = delivered;
        sample.rate = {delivered, std::max(rtt_us, state.least_rtt_us), state.delivered - delivered, false};
        bbr.cong_control(state, sample);
    }
}

WindowEstimate estimate_of(const WindowCandidates& windows, const SenderState& state, bool remote) {
    CcClassifier classifier(remote);
    return estimate_window(windows, state, classifier, Control::bbr, remote);
}

WindowCandidates begin(const SenderState& state, bool late) {
    WindowCandidates windows;
    windows.each([&](auto& window) { late ? window.init_late(state) : window.init(state); });
    return windows;
}

// Its window was larger when it started up, perhaps, and is so as long as the application sends less.
TEST(WindowInterval, OfBbrCapturedLateReachesFartherUntilItsStartupEnds) {
    uint32_t high[2] = {};
    for (const bool late : {false, true}) {
        SenderState state;
        WindowCandidates windows = begin(state, late);
        pass_round_trips(windows.bbr, state, 1, 20, 4000);
        high[late] = estimate_of(windows, state, false).high;
        pass_round_trips(windows.bbr, state, 40, 20, 4000);
        ASSERT_FALSE(windows.bbr.starting_up());
        EXPECT_FALSE(windows.bbr.may_be_larger());
    }
    EXPECT_GE(high[1], high[0] * 3 / 2);
}

// A round trip from before the capture, without the queue that its own data stand in, counts for ten seconds.
TEST(WindowInterval, OfBbrCapturedLateReachesDownToTheFlightOfASenderWithMoreToSend) {
    SenderState state;
    state.packets_out = 200;  // so that no other candidate has a smaller window
    state.snd_nxt = Serial32(1);
    WindowCandidates windows = begin(state, true);
    windows.cubic.on_sent(state, false);
    windows.reno.on_sent(state, false);
    const auto pass = [&](int rounds) {
        for (int round = 0; round < rounds; ++round) {
            pass_round_trips(windows.bbr, state, 1, 40, 8000);
            state.packets_out = 40;
            state.snd_una = state.snd_nxt;
            state.snd_nxt += 40 * state.mss;
            windows.recent_flight.on_burst_end(state, true);
        }
    };
    pass(40);
    ASSERT_FALSE(windows.bbr.starting_up());
    ASSERT_GT(windows.bbr.cwnd(), 70u);
    EXPECT_LE(estimate_of(windows, state, false).low, 40u);
    pass(1300);
    ASSERT_GT(windows.bbr.cwnd(), 70u);
    EXPECT_GT(estimate_of(windows, state, false).low, 40u);
}

// At a remote tap moments are estimated, and with them round trips: what comes out shorter than the path shows its jitter.
TEST(WindowInterval, OfBbrFromAfarReachesFartherWhereRoundTripsSeemShorterThanThePath) {
    SenderState state;
    WindowCandidates windows = begin(state, false);
    pass_round_trips(windows.bbr, state, 40, 40, 1000);
    state.srtt_us = 4000;
    state.least_rtt_us = 1000;
    const uint32_t high = estimate_of(windows, state, true).high;
    state.least_rtt_us = 4000;
    EXPECT_GE(estimate_of(windows, state, true).high, high + 200);
    EXPECT_LT(estimate_of(windows, state, false).high, high + 1);
}

// Of BBR's window, grown in startup, only the flight shows that it has become smaller.
TEST(WindowInterval, WithoutANameFromAfarReachesDownToTheFlightOfASenderWithMoreToSend) {
    SenderState state;
    state.packets_out = 40;
    state.snd_nxt = Serial32(1);
    WindowCandidates windows = begin(state, false);
    windows.cubic.on_sent(state, false);
    windows.reno.on_sent(state, false);
    CcClassifier classifier(true);
    for (const bool more_waiting : {false, true}) {
        for (int round = 0; round < 8; ++round) {
            state.packets_out = 8;
            state.snd_una = state.snd_nxt;
            state.snd_nxt += 8 * state.mss;
            windows.recent_flight.on_burst_end(state, more_waiting);
        }
        const uint32_t low = estimate_window(windows, state, classifier, Control::reno, true).low;
        EXPECT_EQ(low <= 8, more_waiting) << low;
    }
}

// What is in flight is estimated from afar, too high now and then: one window is no more true than the other for that.
TEST(WindowInterval, FromAfarOnlyAFlightFarBeyondAWindowRefutesOneThatWasNeverFilled) {
    for (const bool at_once : {false, true}) {
        CcClassifier afar(true);
        pass_rounds(afar, 400, 2, 0);
        const CcClassifier::Scores scores{
            .cubic = 4, .reno = 0.3, .bbr = 4, .cubic_at_once = at_once ? 0.8 : 0.3};
        ASSERT_EQ(afar.best(scores, min_rtt_us), Control::reno);
        EXPECT_EQ(afar.is_possible(Control::cubic, Control::reno, scores, min_rtt_us), !at_once);
    }
}

TEST(WindowInterval, FromAfarReachesBeyondTwiceTheFlightWhileTheApplicationLimitsSlowStart) {
    SenderState state;
    state.snd_nxt = Serial32(1);
    state.min_rtt_us = min_rtt_us;
    WindowCandidates windows = begin(state, false);
    for (const uint32_t segments : {40u, 80u, 160u}) {  // which refutes CUBIC
        state.packets_out = segments;
        state.snd_una = state.snd_nxt;
        state.snd_nxt += segments * state.mss;
        windows.cubic.on_sent(state, false);
    }
    windows.reno.note_flight_at_most(40);
    CcClassifier classifier(true);
    pass_rounds(classifier, 400, 2, 0);
    for (const bool limited : {false, true}) {
        state.app_limited = limited ? 1 : 0;
        const uint32_t high = estimate_window(windows, state, classifier, Control::reno, true).high;
        EXPECT_EQ(high >= 100, limited) << high;
    }
}

// An application that seldom has more to send: what is in flight shows no end of a window.
TEST(WindowInterval, WhereASenderSeldomStopsWindowsHardlyShow) {
    CcClassifier seldom(true);
    pass_rounds(seldom, 100, 30, 20);
    stop_at_cubic(seldom, 10);
    EXPECT_TRUE(seldom.windows_hardly_show({2, 2, 0.5}));
    CcClassifier often(true);
    pass_rounds(often, 100, 30, 20);
    stop_at_cubic(often, 40);
    EXPECT_FALSE(often.windows_hardly_show({2, 2, 0.5}));
    EXPECT_TRUE(often.windows_hardly_show({40, 50, 0.5})) << "nothing but BBR explains it";
}

// Whether the application limited a sample is not on the wire: what the filter has forgotten by some that it may not have been
// fed with still counts.
TEST(WindowInterval, HoldsTheLargestOfBbrsWindowsWhileTheApplicationMayLimitIt) {
    for (const bool limited : {true, false}) {
        SenderState state;
        WindowCandidates windows = begin(state, false);
        const auto pass = [&](int round_trips, uint32_t segments) {
            for (int round = 0; round < round_trips; ++round) {
                pass_round_trips(windows.bbr, state, 1, segments, 8000);
                state.snd_una = state.snd_nxt;
                state.snd_nxt += segments * state.mss;
                state.app_limited = limited ? 1 : 0;
                BurstEnd end;
                end.estimated = true;
                windows.bbr.on_burst_end(state, end);
            }
        };
        pass(40, 80);
        const uint32_t before = windows.bbr.over_the_cycle(state).high;
        ASSERT_GT(before, 100u);
        pass(40, 8);
        ASSERT_LT(windows.bbr.over_the_cycle(state).high, before / 2);
        EXPECT_EQ(windows.bbr.lately_largest() >= before, limited);
        // One that never stopped with more to send.
        EXPECT_EQ(estimate_window(windows, state, CcClassifier(), Control::reno, false).high >= before,
                  limited);
    }
}

class AtARemoteTap : public testing::Test {
  protected:
    AtARemoteTap() {
        state_.snd_nxt = Serial32(1);
        window_.init(state_);
    }
    void fly(uint32_t segments, uint32_t round_trips) {
        for (uint32_t n = 0; n < round_trips; ++n) {
            state_.packets_out = segments;
            state_.snd_una = state_.snd_nxt;
            state_.snd_nxt += segments * state_.mss;
            window_.on_sent(state_, false);
            BurstEnd end;
            end.estimated = true;
            window_.on_burst_end(state_, end);
        }
    }
    SenderState state_;
    WindowCandidate<Reno> window_;
};

TEST_F(AtARemoteTap, WindowMayBeAsSmallAsBeforeItWasRaisedToWhatSeemedInFlight) {
    window_.init_cwnd_reduction();
    window_.end_cwnd_reduction(state_, false);
    const uint32_t before = window_.cwnd();
    fly(40, 1);
    ASSERT_EQ(window_.cwnd(), 40U);
    EXPECT_LE(window_.least_by_use(), before);
}

TEST_F(AtARemoteTap, WindowMayBeNoLargerThanWhatWasInFlightSinceItWasReduced) {
    fly(60, 4);
    window_.init_cwnd_reduction();
    window_.end_cwnd_reduction(state_, false);
    ASSERT_EQ(window_.cwnd(), 30U);
    fly(12, 4);
    EXPECT_LE(window_.least_by_use(), 12U);
    EXPECT_GE(window_.least_by_use(), 10U);
}

TEST_F(AtARemoteTap, FlightThatMayHaveBeenBoundsAWindowThatMayHaveGrownWithIt) {
    fly(10, 4);
    window_.note_flight_at_most(100);
    EXPECT_GE(window_.most_by_use(), 200U);
    window_.init_cwnd_reduction();
    EXPECT_GE(window_.most_by_use(), 50U);
    EXPECT_LT(window_.most_by_use(), 100U);
}

}  // namespace
}  // namespace sanscope
