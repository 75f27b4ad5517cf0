// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/kernel_score.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;

WindowRow estimate(int64_t time_ns, uint32_t cwnd, CaState state = CaState::open) {
    return {.time_ns = time_ns, .connection = 1, .cwnd = cwnd, .ca_state = state};
}
CaTransitionRow change(int64_t time_ns, CaState to) {
    return {.time_ns = time_ns, .connection = 1, .to = to};
}
KernelWindowRow kernel_window(int64_t time_ns, uint32_t cwnd, std::optional<CaState> state = CaState::open,
                              int64_t srtt_ns = 20 * ms) {
    return {.time_ns = time_ns,
            .srtt_ns = srtt_ns,
            .connection = 1,
            .cwnd = cwnd,
            .ca_state = state.value_or(CaState::open),
            .ca_state_known = state.has_value()};
}
KernelCaTransitionRow kernel_change(int64_t time_ns, CaState to) {
    return {.time_ns = time_ns, .connection = 1, .to = to, .from_known = true};
}

struct Scored {
    size_t waiting = 0;
    KernelScore score{1, Side::a, waiting};
};

TEST(KernelScore, an_error_is_the_distance_to_what_the_kernel_held_before_and_after_its_ack) {
    Scored s;
    s.score.on_estimate(estimate(10, 1000));
    s.score.on_kernel_window(kernel_window(20, 1000));  // between 1000 and 2000: exact
    s.score.on_kernel_window(kernel_window(30, 2000));  // between 2000 and 4000: 1000 of 4000 away
    s.score.on_kernel_window(kernel_window(40, 4000));  // and in the end 500 of 4000
    s.score.on_estimate(estimate(35, 4500));
    s.score.finish();
    EXPECT_EQ(s.score.moments(), 3u);
    EXPECT_EQ(s.score.within_tenth(), 1u);
    EXPECT_EQ(s.score.errors().min_ns(), 0);
    EXPECT_EQ(s.score.errors().max_ns(), 250'000);
    EXPECT_NEAR(s.score.errors().mean_ns(), (0 + 250'000 + 125'000) / 3.0, 1);
}

TEST(KernelScore, a_moment_before_the_first_estimate_is_only_counted) {
    Scored s;
    s.score.on_kernel_window(kernel_window(5, 1000));
    s.score.on_kernel_window(kernel_window(10, 1000));
    s.score.on_estimate(estimate(10, unknown<uint32_t>));
    s.score.on_estimate(estimate(11, 1000));
    s.score.on_kernel_window(kernel_window(12, 1000));
    s.score.finish();
    EXPECT_EQ(s.score.moments_without_estimate(), 2u);
    EXPECT_EQ(s.score.moments(), 1u);
}

TEST(KernelScore, of_rows_of_one_time_the_last_holds) {
    Scored s;
    s.score.on_estimate(estimate(10, 500));
    s.score.on_kernel_window(kernel_window(10, 1000));
    s.score.on_kernel_window(kernel_window(20, 1000));
    s.score.on_estimate(estimate(10, 1000));
    s.score.finish();
    EXPECT_EQ(s.score.errors().max_ns(), 0);
}

TEST(KernelScore, states_agree_for_the_time_in_which_both_are_in_one) {
    Scored s;
    s.score.on_estimate(estimate(0, 1));
    s.score.on_kernel_window(kernel_window(100, 1));
    s.score.on_estimate(estimate(150, 1, CaState::recovery));
    s.score.on_kernel_transition(kernel_change(170, CaState::recovery));
    s.score.on_kernel_window(kernel_window(200, 1, CaState::recovery));
    s.score.on_estimate(estimate(260, 1));
    s.score.on_kernel_transition(kernel_change(240, CaState::open));
    s.score.on_kernel_window(kernel_window(300, 1));
    s.score.finish();
    EXPECT_EQ(s.score.compared_ns(), 200);
    EXPECT_EQ(s.score.agreed_ns(), 200 - 20 - 20);
}

TEST(KernelScore, a_state_that_nobody_told_is_not_compared) {
    Scored s;
    s.score.on_estimate(estimate(0, 1));
    s.score.on_kernel_window(kernel_window(100, 1, std::nullopt));
    s.score.on_kernel_window(kernel_window(200, 1, std::nullopt));
    s.score.on_kernel_transition(kernel_change(200, CaState::cwr));
    s.score.on_kernel_window(kernel_window(300, 1, std::nullopt));
    s.score.finish();
    EXPECT_EQ(s.score.compared_ns(), 100);
    EXPECT_EQ(s.score.agreed_ns(), 0);
}

TEST(KernelScore, transitions_match_within_the_round_trip_once_each) {
    Scored s;
    s.score.on_kernel_window(kernel_window(0, 1));
    s.score.on_kernel_transition(kernel_change(100 * ms, CaState::recovery));
    s.score.on_kernel_transition(kernel_change(101 * ms, CaState::recovery));
    s.score.on_kernel_transition(kernel_change(200 * ms, CaState::open));
    s.score.on_kernel_window(kernel_window(300 * ms, 1));
    s.score.on_transition(change(119 * ms, CaState::recovery));  // of the first or the second, not of both
    s.score.on_transition(change(221 * ms, CaState::open));      // too far
    s.score.on_transition(change(400 * ms, CaState::open));      // behind all that the kernel reported
    s.score.finish();
    EXPECT_EQ(s.score.kernel_transitions(), 3u);
    EXPECT_EQ(s.score.own_transitions(), 2u);
    EXPECT_EQ(s.score.matched_transitions(), 1u);
}

TEST(KernelScore, within_so_short_a_round_trip_ten_milliseconds_count) {
    Scored s;
    s.score.on_kernel_window(kernel_window(0, 1, CaState::open, 1000));
    s.score.on_kernel_transition(kernel_change(50 * ms, CaState::cwr));
    s.score.on_kernel_window(kernel_window(100 * ms, 1, CaState::cwr, 1000));
    s.score.on_transition(change(41 * ms, CaState::cwr));
    s.score.finish();
    EXPECT_EQ(s.score.matched_transitions(), 1u);
}

TEST(KernelScore, what_a_round_trip_is_longer_for_the_kernel_than_on_the_wire_is_an_unseen_wait) {
    Scored s;
    s.score.on_kernel_window(kernel_window(5 * ms, 1000, CaState::open, 50 * ms));
    WindowRow row = estimate(10 * ms, 1000);
    s.score.on_estimate(row);  // without a round trip
    s.score.on_kernel_window(kernel_window(15 * ms, 1000, CaState::open, 50 * ms));
    row.time_ns = 20 * ms;
    row.srtt_ns = 4 * ms;
    s.score.on_estimate(row);
    s.score.on_kernel_window(kernel_window(25 * ms, 1000, CaState::open, 20 * ms));
    s.score.on_kernel_window(
        kernel_window(35 * ms, 1000, CaState::open, 3 * ms));  // smoothed in another way: none
    s.score.on_kernel_window(kernel_window(45 * ms, 1000, CaState::open, no_time));
    s.score.finish();
    EXPECT_EQ(s.score.round_trips().count(), 2u);
    EXPECT_EQ(s.score.round_trips().max_ns(), 20 * ms);
    EXPECT_EQ(s.score.unseen_waits().max_ns(), 16 * ms);
    EXPECT_EQ(s.score.unseen_waits().min_ns(), 0);
}

TEST(KernelScore, says_nothing_where_the_kernel_said_nothing) {
    Scored s;
    for (int i = 0; i < 10'000; ++i) s.score.on_estimate(estimate(i, 1));
    for (int i = 0; i < 10'000; ++i) s.score.on_transition(change(i, CaState::open));
    EXPECT_LE(s.waiting, 2 * KernelScore::max_waiting_for_first);
    s.score.finish();
    EXPECT_FALSE(s.score.kernel_known());
    EXPECT_EQ(s.score.moments() + s.score.own_transitions(), 0u);
}

TEST(KernelScore, waits_for_no_more_than_the_bound) {
    Scored s;
    s.score.on_estimate(estimate(0, 1000));
    const size_t rounds = KernelScore::max_waiting + 1000;
    for (size_t i = 1; i <= rounds; ++i)
        s.score.on_kernel_window(kernel_window(static_cast<int64_t>(i), 1000));
    EXPECT_LE(s.waiting, KernelScore::max_waiting + 1);
    s.score.finish();
    EXPECT_EQ(s.score.moments(), rounds);
    EXPECT_EQ(s.waiting, 0u);
}

// Everything at once, by its definition.
struct Everything {
    std::vector<WindowRow> estimates;
    std::vector<CaTransitionRow> changes;
    std::vector<KernelWindowRow> kernel_windows;
    std::vector<KernelCaTransitionRow> kernel_changes;

    CaState our_state(int64_t time_ns) const {
        CaState state = CaState::open;
        for (const WindowRow& row : estimates) {
            if (row.time_ns <= time_ns) state = row.ca_state;
        }
        return state;
    }
    std::optional<CaState> their_state(int64_t time_ns) const {
        std::optional<CaState> state;
        int64_t at_ns = no_time;
        for (const KernelWindowRow& row : kernel_windows) {
            if (row.time_ns <= time_ns && row.ca_state_known) {
                state = row.ca_state;
                at_ns = row.time_ns;
            }
        }
        for (const KernelCaTransitionRow& row : kernel_changes) {
            if (row.time_ns <= time_ns && row.time_ns >= at_ns) state = row.to;
        }
        return state;
    }
};

struct Expected {
    uint64_t moments = 0;
    uint64_t without = 0;
    uint64_t within_tenth = 0;
    double errors = 0;
    int64_t compared_ns = 0;
    int64_t agreed_ns = 0;
    uint64_t matched = 0;
    uint64_t own = 0;
};

// All times are whole steps.
Expected by_definition(const Everything& all, int64_t step_ns) {
    Expected expected;
    for (size_t i = 0; i < all.kernel_windows.size(); ++i) {
        const KernelWindowRow& row = all.kernel_windows[i];
        std::optional<uint32_t> in_force;
        for (const WindowRow& own : all.estimates) {
            if (own.time_ns <= row.time_ns) in_force = own.cwnd;
        }
        if (!in_force) {
            ++expected.without;
            continue;
        }
        const double after = i + 1 < all.kernel_windows.size() ? all.kernel_windows[i + 1].cwnd : row.cwnd;
        const double low = std::min<double>(row.cwnd, after);
        const double high = std::max<double>(row.cwnd, after);
        const double error = std::max({low - *in_force, *in_force - high, 0.0}) / after;
        ++expected.moments;
        expected.within_tenth += error <= 0.1 ? 1 : 0;
        expected.errors += error;
    }
    for (int64_t t = all.kernel_windows.front().time_ns; t < all.kernel_windows.back().time_ns;
         t += step_ns) {
        const auto theirs = all.their_state(t);
        if (!theirs) continue;
        expected.compared_ns += step_ns;
        if (*theirs == all.our_state(t)) expected.agreed_ns += step_ns;
    }
    for (size_t state = 0; state < ca_states; ++state) {
        std::vector<int64_t> ours;
        for (const CaTransitionRow& row : all.changes) {
            if (row.to == static_cast<CaState>(state)) ours.push_back(row.time_ns);
        }
        for (const KernelCaTransitionRow& row : all.kernel_changes) {
            if (row.to != static_cast<CaState>(state)) continue;
            int64_t tolerance_ns = KernelScore::least_tolerance_ns;
            for (const KernelWindowRow& window : all.kernel_windows) {
                if (window.time_ns <= row.time_ns)
                    tolerance_ns = std::max(KernelScore::least_tolerance_ns, window.srtt_ns);
            }
            std::erase_if(ours, [&](int64_t t) { return t < row.time_ns - tolerance_ns; });
            if (ours.empty() || ours.front() > row.time_ns + tolerance_ns) continue;
            ours.erase(ours.begin());
            ++expected.matched;
        }
    }
    expected.own = static_cast<uint64_t>(std::ranges::count_if(all.changes, [&](const auto& row) {
        return row.time_ns >= all.kernel_windows.front().time_ns &&
               row.time_ns <= all.kernel_windows.back().time_ns;
    }));
    return expected;
}

Everything made_up(std::mt19937& random) {
    Everything all;
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    const auto state = [&] { return static_cast<CaState>(below(ca_states)); };
    const auto times = [&](size_t count) {
        std::vector<int64_t> result(count);
        for (int64_t& time : result) time = below(300) * ms;
        std::ranges::sort(result);
        return result;
    };
    for (const int64_t t : times(below(40))) all.estimates.push_back(estimate(t, 1000 + below(400), state()));
    for (const int64_t t : times(below(20))) all.changes.push_back(change(t, state()));
    for (const int64_t t : times(1 + below(40))) {
        const std::optional<CaState> known = below(2) == 0 ? std::optional(state()) : std::nullopt;
        all.kernel_windows.push_back(kernel_window(t, 1000 + below(400), known, (5 + below(20)) * ms));
    }
    for (const int64_t t : times(below(20))) all.kernel_changes.push_back(kernel_change(t, state()));
    return all;
}

// Hands both sides' rows over in pieces: what is inferred as it comes about, the kernel's word some time behind it.
void feed(KernelScore& score, const Everything& all, int64_t piece_ns, int64_t late_ns) {
    size_t e = 0, c = 0, w = 0, t = 0;
    const int64_t end_ns = 400 * ms + late_ns;
    for (int64_t now_ns = 0; now_ns <= end_ns; now_ns += piece_ns) {
        while (c < all.changes.size() && all.changes[c].time_ns <= now_ns)
            score.on_transition(all.changes[c++]);
        while (e < all.estimates.size() && all.estimates[e].time_ns <= now_ns)
            score.on_estimate(all.estimates[e++]);
        const auto due = [&](int64_t time_ns) { return time_ns + late_ns <= now_ns; };
        while (true) {
            const bool has_window = w < all.kernel_windows.size() && due(all.kernel_windows[w].time_ns);
            const bool has_change = t < all.kernel_changes.size() && due(all.kernel_changes[t].time_ns);
            if (!has_window && !has_change) break;
            const bool window_first =
                has_window && (!has_change || all.kernel_windows[w].time_ns <= all.kernel_changes[t].time_ns);
            if (window_first) {
                score.on_kernel_window(all.kernel_windows[w++]);
            } else {
                score.on_kernel_transition(all.kernel_changes[t++]);
            }
        }
    }
    score.finish();
}

TEST(KernelScore, is_as_by_definition_however_late_the_kernels_word_comes) {
    std::mt19937 random(3);
    for (int round = 0; round < 1000; ++round) {
        const Everything all = made_up(random);
        Scored s;
        feed(s.score, all, (1 + round % 7) * 5 * ms, (round % 5) * 30 * ms);
        const Expected expected = by_definition(all, ms);
        ASSERT_EQ(s.score.moments(), expected.moments) << round;
        ASSERT_EQ(s.score.moments_without_estimate(), expected.without) << round;
        ASSERT_EQ(s.score.within_tenth(), expected.within_tenth) << round;
        const auto moments = static_cast<double>(expected.moments);
        ASSERT_NEAR(s.score.errors().mean_ns() * moments, expected.errors * 1e6, moments) << round;
        ASSERT_EQ(s.score.compared_ns(), expected.compared_ns) << round;
        ASSERT_EQ(s.score.agreed_ns(), expected.agreed_ns) << round;
        ASSERT_EQ(s.score.matched_transitions(), expected.matched) << round;
        ASSERT_EQ(s.score.own_transitions(), expected.own) << round;
        ASSERT_EQ(s.score.kernel_transitions(), all.kernel_changes.size()) << round;
        ASSERT_EQ(s.waiting, 0u);
    }
}

}  // namespace
}  // namespace sanscope
