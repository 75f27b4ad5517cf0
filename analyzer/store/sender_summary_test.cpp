// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/sender_summary.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;

TEST(SenderSummary, without_rows_nothing_is_known) {
    const SenderSummary summary(3, Side::a);
    EXPECT_EQ(summary.connection(), 3u);
    EXPECT_EQ(summary.side(), Side::a);
    EXPECT_EQ(summary.windows(), 0u);
    EXPECT_EQ(summary.observed_ns(), 0);
    EXPECT_EQ(summary.rtt_min_ns(), no_time);
    EXPECT_EQ(summary.srtt_mean_ns(), no_time);
    EXPECT_EQ(summary.srtt_max_ns(), no_time);
    EXPECT_EQ(summary.cwnd_min(), unknown<uint32_t>);
    EXPECT_EQ(summary.cwnd_max(), unknown<uint32_t>);
    EXPECT_STREQ(summary.congestion_control(), "");
}

TEST(SenderSummary, a_limit_lasts_from_its_row_to_the_next) {
    SenderSummary summary(1, Side::b);
    summary.on_window({.time_ns = 0, .limit = SendLimit::congestion});
    summary.on_window({.time_ns = 3 * ms, .limit = SendLimit::application});
    summary.on_window({.time_ns = 10 * ms, .limit = SendLimit::congestion});
    summary.on_window(
        {.time_ns = 12 * ms, .limit = SendLimit::receiver});  // nothing is known of what follows
    EXPECT_EQ(summary.limited_ns(SendLimit::congestion), 5 * ms);
    EXPECT_EQ(summary.limited_ns(SendLimit::application), 7 * ms);
    EXPECT_EQ(summary.limited_ns(SendLimit::receiver), 0);
    EXPECT_EQ(summary.observed_ns(), 12 * ms);
    EXPECT_EQ(summary.windows(), 4u);
}

// A clock that was set ahead while losses were repaired, or a gap in the capture.
TEST(SenderSummary, a_silence_beyond_any_timer_is_in_no_limit_and_no_state) {
    SenderSummary summary(1, Side::b);
    WindowRow row{.time_ns = 0,
                  .srtt_ns = 10 * ms,
                  .in_flight = 9000,
                  .ca_state = CaState::recovery,
                  .limit = SendLimit::recovery};
    summary.on_window(row);
    row.time_ns = 20 * ms;
    summary.on_window(row);
    row.time_ns += 4000 * ms;
    summary.on_window(row);
    EXPECT_EQ(summary.limited_ns(SendLimit::recovery), 20 * ms);
    EXPECT_EQ(summary.in_state_ns(CaState::recovery), 20 * ms);
    EXPECT_EQ(summary.observed_ns(), 4020 * ms);
    row.time_ns += 3000 * ms;  // as long as a first timer may be
    summary.on_window(row);
    row.limit = SendLimit::receiver;  // a window that is shut is probed ever more seldom
    summary.on_window(row);
    row.time_ns += 60'000 * ms;
    summary.on_window(row);
    EXPECT_EQ(summary.limited_ns(SendLimit::recovery), 3020 * ms);
    EXPECT_EQ(summary.limited_ns(SendLimit::receiver), 60'000 * ms);
}

TEST(SenderSummary, time_of_unknown_limit_is_observed_but_in_no_limit) {
    SenderSummary summary(1, Side::b);
    summary.on_window({.time_ns = 0, .limit = SendLimit::unknown});
    summary.on_window({.time_ns = 4 * ms, .limit = SendLimit::pacing});
    summary.on_window({.time_ns = 5 * ms});
    EXPECT_EQ(summary.observed_ns(), 5 * ms);
    for (size_t i = 0; i < send_limits; i++) {
        const auto limit = static_cast<SendLimit>(i);
        EXPECT_EQ(summary.limited_ns(limit), limit == SendLimit::pacing ? 1 * ms : 0) << i;
    }
}

TEST(SenderSummary, a_state_lasts_from_its_row_to_the_next) {
    SenderSummary summary(1, Side::b);
    summary.on_window({.time_ns = 0, .ca_state = CaState::open});
    summary.on_window({.time_ns = 1 * ms, .ca_state = CaState::disorder});
    summary.on_window({.time_ns = 3 * ms, .ca_state = CaState::recovery});
    summary.on_window({.time_ns = 7 * ms, .ca_state = CaState::loss});
    summary.on_window({.time_ns = 15 * ms, .ca_state = CaState::cwr});
    summary.on_window({.time_ns = 31 * ms, .ca_state = CaState::open});
    EXPECT_EQ(summary.in_state_ns(CaState::open), 1 * ms);
    EXPECT_EQ(summary.in_state_ns(CaState::disorder), 2 * ms);
    EXPECT_EQ(summary.in_state_ns(CaState::recovery), 4 * ms);
    EXPECT_EQ(summary.in_state_ns(CaState::loss), 8 * ms);
    EXPECT_EQ(summary.in_state_ns(CaState::cwr), 16 * ms);
}

TEST(SenderSummary, a_clock_set_back_counts_no_time_twice) {
    SenderSummary summary(1, Side::b);
    summary.on_window({.time_ns = 10 * ms, .limit = SendLimit::congestion});
    summary.on_window({.time_ns = 4 * ms, .limit = SendLimit::receiver});
    summary.on_window({.time_ns = 12 * ms, .limit = SendLimit::receiver});
    EXPECT_EQ(summary.observed_ns(), 2 * ms);
    EXPECT_EQ(summary.limited_ns(SendLimit::congestion), 0);
    EXPECT_EQ(summary.limited_ns(SendLimit::receiver), 2 * ms);
}

TEST(SenderSummary, times_as_far_apart_as_a_capture_may_claim_are_added_up) {
    constexpr int64_t farthest = (int64_t{1} << 62) - 1;
    SenderSummary summary(1, Side::b);
    summary.on_window({.time_ns = -farthest, .srtt_ns = farthest, .limit = SendLimit::application});
    summary.on_window({.time_ns = 0, .srtt_ns = farthest, .limit = SendLimit::application});
    summary.on_window({.time_ns = farthest});
    EXPECT_EQ(summary.observed_ns(), 2 * farthest);
    EXPECT_EQ(summary.limited_ns(SendLimit::application), 2 * farthest);
    EXPECT_NEAR(static_cast<double>(summary.srtt_mean_ns()), static_cast<double>(farthest), 1e6);
}

TEST(SenderSummary, the_mean_round_trip_is_weighted_with_time) {
    SenderSummary summary(1, Side::b);
    summary.on_window({.time_ns = 0});  // not yet measured: no part of the mean
    summary.on_window({.time_ns = 5 * ms, .srtt_ns = 20 * ms});
    summary.on_window({.time_ns = 8 * ms, .srtt_ns = 60 * ms});
    summary.on_window({.time_ns = 9 * ms, .srtt_ns = 50 * ms});
    EXPECT_EQ(summary.srtt_mean_ns(), 30 * ms);
    EXPECT_EQ(summary.srtt_max_ns(), 60 * ms);
}

TEST(SenderSummary, windows_are_told_from_least_to_greatest) {
    SenderSummary summary(1, Side::b);
    summary.on_window({.time_ns = 0, .in_flight = 7});
    summary.on_window({.time_ns = 1, .in_flight = 9, .cwnd = 5000});
    summary.on_window({.time_ns = 2, .in_flight = 3, .cwnd = 2000});
    summary.on_window({.time_ns = 3, .in_flight = 0, .cwnd = 4000});
    EXPECT_EQ(summary.cwnd_min(), 2000u);
    EXPECT_EQ(summary.cwnd_max(), 5000u);
    EXPECT_EQ(summary.in_flight_max(), 9u);
}

TEST(SenderSummary, losses_are_counted_by_kind_and_move_when_found_out_to_be_another) {
    SenderSummary summary(1, Side::b);
    summary.on_loss(LossKind::rto);
    summary.on_loss(LossKind::rto);
    summary.on_loss(LossKind::fast_retransmit);
    summary.on_reclassified(LossKind::rto, LossKind::spurious);
    EXPECT_EQ(summary.losses(LossKind::rto), 1u);
    EXPECT_EQ(summary.losses(LossKind::spurious), 1u);
    EXPECT_EQ(summary.losses(LossKind::fast_retransmit), 1u);
    EXPECT_EQ(summary.losses(LossKind::tlp), 0u);
}

}  // namespace
}  // namespace sanscope
