// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"

namespace sanscope {
namespace {

using test::Findings;
using test::ms;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

TEST_F(Findings, a_round_trip_that_grows_without_a_steady_rate_is_no_bottleneck) {
    SenderSummary& target = add_target();
    uint32_t una = 0;
    for (int64_t i = 0; i <= 100; ++i) {
        una += i / 3 % 2 == 0 ? 180'000 : 20'000;
        WindowRow row{.srtt_ns = 10 * ms, .snd_una = una, .in_flight = 90'000};
        row.limit = SendLimit::application;
        add_window(target, 10 * i, row);
    }
    EXPECT_TRUE(find(Kind::path_queue).empty());
}

TEST_F(Findings, a_congestion_window_that_holds_back_is_told_where_it_does) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 400, {.limit = SendLimit::congestion});
    add_window(target, 800, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_THAT(finding.title, HasSubstr("was limited by its congestion window 40 % of its time"));
    EXPECT_NEAR(static_cast<double>(finding.begin_ns), 400e6, 5e6);
    EXPECT_NEAR(static_cast<double>(finding.end_ns), 800e6, 5e6);
    EXPECT_TRUE(find(Kind::path_queue).empty());
}

// Where its congestion control has no name it may be one that paces, as BBR.
TEST_F(Findings, a_congestion_window_seen_from_afar_is_firm_only_of_a_known_congestion_control) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 100, {.limit = SendLimit::congestion});
    add_window(target, 155, {.limit = SendLimit::application});
    add_window(target, 200, {});
    store.connection(1).vantage = Vantage::initiator;
    EXPECT_EQ(find_one(Kind::congestion_window).confidence, Finding::Confidence::likely);
    target.set_congestion_control("cubic");
    EXPECT_EQ(find_one(Kind::congestion_window).confidence, Finding::Confidence::firm);
    target.set_congestion_control("");
    store.connection(1).vantage = Vantage::target;
    EXPECT_EQ(find_one(Kind::congestion_window).confidence, Finding::Confidence::firm);
}

class FullWindow : public Findings {
  protected:
    // Full for a second, between 60 and 140 kB; the round trip, 2 ms at least, is what it is told to be at each.
    template <class RoundTrip>
    void fill(SenderSummary& target, RoundTrip srtt_ns) {
        for (int64_t i = 0; i <= 100; ++i) {
            const auto cwnd = static_cast<uint32_t>(60'000 + 800 * i);
            WindowRow row{.srtt_ns = srtt_ns(i, cwnd), .in_flight = cwnd};
            row.cwnd = cwnd;
            row.limit = SendLimit::congestion;
            add_window(target, 10 * i, row);
        }
    }
    static int64_t of_full_path(int64_t, uint32_t cwnd) { return 2 * ms * cwnd / 60'000; }  // 30 MB/s
    static int64_t of_uneven_path(int64_t i, uint32_t) { return 2 * ms + i * 37 % 10 * ms / 4; }
};

TEST_F(FullWindow, a_round_trip_that_grows_with_it_shows_that_the_path_is_full) {
    fill(add_target(), of_full_path);
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_THAT(finding.explanation, HasSubstr("The path does not carry more"));
    EXPECT_EQ(finding.severity, Finding::Severity::information);
}

TEST_F(FullWindow, one_that_is_long_now_and_then_does_not) {
    fill(add_target(), of_uneven_path);
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("does not carry more")));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

TEST_F(FullWindow, of_losses_on_an_uneven_path_it_is_not_said_that_the_path_is_full) {
    SenderSummary& target = add_target();
    add_loss(target, LossKind::fast_retransmit, 300);
    fill(target, of_uneven_path);
    EXPECT_THAT(find_one(Kind::lost_segments).explanation, Not(HasSubstr("little more to give")));
}

TEST_F(FullWindow, of_losses_behind_which_the_round_trip_grows_it_is) {
    SenderSummary& target = add_target();
    add_loss(target, LossKind::fast_retransmit, 300);
    fill(target, of_full_path);
    EXPECT_THAT(find_one(Kind::lost_segments).explanation, HasSubstr("little more to give"));
}

TEST_F(Findings, a_window_that_a_loss_made_small_is_told_as_the_loss) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_loss(target, LossKind::fast_retransmit, 300);
    add_window(target, 400, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_THAT(finding.title,
                HasSubstr("1 segment of target 10.0.0.2:3260 lost on the path kept its congestion"));
    EXPECT_THAT(finding.explanation, HasSubstr("Reno's by half and CUBIC's by 30 %"));
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_TRUE(find(Kind::congestion_window).empty());
}

TEST_F(Findings, a_window_that_marks_keep_small_is_told_however_short_the_path_is) {
    store.connection(1).rtt_min_ns = ms / 2;
    SenderSummary& target = add_target();
    add_window(target, 0, {.srtt_ns = ms / 2, .limit = SendLimit::congestion});
    add_window(target, 1000, {.srtt_ns = ms / 2});
    EXPECT_TRUE(find(Kind::congestion_window).empty());
    for (int i = 0; i < 3; ++i) {
        CaTransitionRow row{.connection = 1, .to = CaState::cwr, .sender = target.side()};
        row.cause = "ECN echo";
        store.add_ca_transition(target, row);
    }
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_THAT(finding.explanation,
                HasSubstr("marked packets (ECN), and the congestion window was reduced 3 times"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("echoed marks (ECE)")));
}

TEST_F(Findings, a_window_that_has_yet_to_grow_is_no_trouble) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    EXPECT_EQ(find_one(Kind::congestion_window).severity, Finding::Severity::information);
}

// A control that goes by delay, or that shares its window, keeps it where it is: that is no slow start.
TEST_F(Findings, a_window_that_does_not_grow_over_many_round_trips_is_in_no_slow_start) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 55, {.limit = SendLimit::application});
    add_window(target, 100, {});
    EXPECT_THAT(find_one(Kind::congestion_window).explanation, HasSubstr("slow start), as on every"));
    add_window(target, 101, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("does not show what keeps it there"),
                                           Not(HasSubstr("as on every connection"))));
}

TEST_F(Findings, what_made_a_window_smaller_is_counted) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    EXPECT_THAT(find_one(Kind::congestion_window).explanation,
                HasSubstr("3 losses made the congestion window smaller"));
}

// Two connections of one session, each with a TCP of its own.
TEST_F(Findings, what_one_connection_loses_does_not_make_the_window_of_another_small) {
    store.session(1).connections = 2;
    add_connection(1);
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 400, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    SenderSummary& other = store.add_sender(2, Side::b);
    add_window(other, 0, {.limit = SendLimit::application});
    add_window(other, 400, {.limit = SendLimit::congestion});
    add_window(other, 800, {.limit = SendLimit::application});
    add_window(other, 1000, {});
    EXPECT_EQ(find(Kind::lost_segments).size(), 1u);
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_EQ(finding.connection, 2u);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("follows from")));
}

TEST_F(Findings, shares_are_of_the_time_in_which_commands_were_under_way) {
    SenderSummary& target = add_target();
    // Ten bursts of 10 ms, each held back by a window that is small after 90 ms of silence: a tenth of all time, all of theirs.
    for (int64_t i = 0; i < 25; ++i) {
        add_read(40 * i, 10);
        const auto seq = static_cast<uint32_t>(i);
        add_window(target, 40 * i, {.snd_una = seq, .snd_nxt = seq + 1, .limit = SendLimit::congestion});
        add_window(target, 40 * i + 10,
                   {.snd_una = seq + 1, .snd_nxt = seq + 1, .limit = SendLimit::application});
    }
    EXPECT_THAT(find_one(Kind::congestion_window).title, HasSubstr("9"));
    EXPECT_THAT(find_one(Kind::congestion_window).title, HasSubstr("of its busy time"));
}

TEST_F(Findings, a_window_that_begins_anew_after_silence_is_told_with_what_to_set) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 3; ++i) {
        const auto seq = static_cast<uint32_t>(10 * i);
        add_read(300 * i, 30);
        add_window(target, 300 * i,
                   {.snd_una = seq, .snd_nxt = seq + 5, .cwnd = 10'000, .limit = SendLimit::congestion});
        add_window(
            target, 300 * i + 30,
            {.snd_una = seq + 10, .snd_nxt = seq + 10, .cwnd = 90'000, .limit = SendLimit::application});
    }
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_THAT(finding.explanation, HasSubstr("tcp_slow_start_after_idle=0"));
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("2 times the congestion window fell from up to 90.0 kB to 10.0 kB")));
    EXPECT_EQ(finding.side, Finding::Side::target);
}

}  // namespace
}  // namespace sanscope
