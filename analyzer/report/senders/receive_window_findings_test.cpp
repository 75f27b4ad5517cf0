// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"

namespace sanscope {
namespace {

using test::Findings;
using test::ms;
using test::mss;
using testing::Contains;
using testing::HasSubstr;

using Kind = Finding::Kind;

TEST_F(Findings, a_shut_window_is_told_with_its_longest_stall) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 100, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 120, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 500, {.advertised_window = mss - 1, .limit = SendLimit::receiver});
    add_window(target, 510, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 650, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 1000, {});
    const Finding finding = find_one(Kind::zero_window_stall);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_THAT(
        finding.title,
        HasSubstr(
            "window of initiator 10.0.0.1:50001 was closed 2 times: 170 ms in all, 150 ms at the longest"));
    EXPECT_EQ(finding.packet, 501u);
    EXPECT_EQ(finding.begin_ns, 500 * ms);
    EXPECT_EQ(finding.end_ns, 650 * ms);
    EXPECT_EQ(finding.cost_ns, 170 * ms);
    EXPECT_EQ(finding.connection, 1u);
    EXPECT_EQ(finding.sender, Finding::Sender::target);
}

TEST_F(Findings, a_window_shut_for_less_than_the_clock_can_tell_is_in_doubt) {
    const auto found = [this](int64_t clock_step_ns) {
        store.connection(1).rtt_min_ns = 800 * ms;
        store.connection(1).clock_step_ns = clock_step_ns;
        return find_one(Kind::zero_window_stall);
    };
    SenderSummary& target = add_target();
    add_window(target, 100, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 150, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 1000, {});
    EXPECT_NE(found(1 * ms).confidence, Finding::Confidence::possible);
    const Finding doubted = found(15 * ms);
    EXPECT_EQ(doubted.confidence, Finding::Confidence::possible);
    EXPECT_THAT(doubted.explanation, HasSubstr("may be wrong by 15.0 ms"));
}

// Open again in the moment that it closed, or closed by the last packet: nobody waited.
TEST_F(Findings, a_window_that_was_shut_for_no_time_at_all_is_not_counted) {
    SenderSummary& target = add_target();
    add_window(target, 100, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 150, {.advertised_window = 60'000, .limit = SendLimit::application});
    for (const int64_t time_ms : {200, 300, 400}) {
        add_window(target, time_ms, {.advertised_window = 0, .limit = SendLimit::receiver});
        add_window(target, time_ms, {.advertised_window = 60'000, .limit = SendLimit::application});
    }
    add_window(target, 1000, {.advertised_window = 0, .limit = SendLimit::receiver});
    const Finding finding = find_one(Kind::zero_window_stall);
    EXPECT_THAT(finding.title, HasSubstr("was closed once: 50.0 ms in all, 50.0 ms at the longest"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("advertised less than a segment 1 time")));
}

// On a loopback interface a segment may be as long as the window; the sender makes shorter ones then.
TEST_F(Findings, a_window_with_room_for_half_of_its_widest_is_open) {
    constexpr uint32_t loopback_mss = 65'483;
    SenderSummary& target = add_target();
    store.connection(ConnectionNumber(1)).mss = loopback_mss;
    add_window(target, 0, {.advertised_window = 65'536, .limit = SendLimit::application});
    add_window(target, 100, {.advertised_window = 40'000, .limit = SendLimit::receiver});
    add_window(target, 300, {.advertised_window = 65'536, .limit = SendLimit::application});
    add_window(target, 400, {.advertised_window = 20'000, .limit = SendLimit::receiver});
    add_window(target, 450, {.advertised_window = 65'536, .limit = SendLimit::application});
    add_window(target, 1000, {});
    EXPECT_THAT(find_one(Kind::zero_window_stall).title,
                HasSubstr("was closed once: 50.0 ms in all, 50.0 ms at the longest"));
}

// Of a connection that took a millisecond, and yet nobody's time.
TEST_F(Findings, a_window_that_was_shut_for_microseconds_is_not_told) {
    SenderSummary& target = add_target();
    store.connection(ConnectionNumber(1)).end_ns = store.connection(ConnectionNumber(1)).start_ns + ms;
    const auto add = [&](int64_t time_ns, uint32_t window) {
        WindowRow row{.advertised_window = window,
                      .limit = window == 0 ? SendLimit::receiver : SendLimit::application};
        row.connection = 1;
        row.sender = Side::b;
        row.time_ns = time_ns;
        row.packet = 1;
        store.add_window(target, row);
    };
    add(0, 60'000);
    add(500'000, 0);
    add(590'000, 60'000);
    add(ms, 60'000);
    EXPECT_TRUE(find(Kind::zero_window_stall).empty());
}

TEST_F(Findings, a_window_that_was_shut_for_a_noticeable_part_of_a_short_connection_is_told) {
    SenderSummary& target = add_target();
    store.connection(ConnectionNumber(1)).end_ns = store.connection(ConnectionNumber(1)).start_ns + 3 * ms;
    add_window(target, 0, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 1, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 2, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 3, {});
    EXPECT_THAT(find_one(Kind::zero_window_stall).title, HasSubstr("closed once: 1.00 ms in all"));
}

TEST_F(Findings, a_window_that_is_small_but_open_is_no_stall) {
    SenderSummary& target = add_target();
    for (uint32_t i = 0; i < 20; ++i) {
        add_window(target, 50 * int64_t{i},
                   {.snd_una = i * mss,
                    .snd_nxt = (i + 3) * mss,
                    .advertised_window = 4 * mss,
                    .limit = SendLimit::receiver});
    }
    add_window(target, 1000, {});
    EXPECT_TRUE(find(Kind::zero_window_stall).empty());
    const Finding finding = find_one(Kind::receiver_window);
    EXPECT_THAT(finding.title, HasSubstr("100 % of its time"));
    EXPECT_THAT(finding.explanation,
                HasSubstr("with a round trip (SRTT 2.00 ms) that allows 2.00 MB/s at the most"));
}

TEST_F(Findings, a_window_that_was_never_filled_held_nobody_back) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_nxt = 65'584, .advertised_window = 80'512, .limit = SendLimit::receiver});
    add_window(target, 1000, {});
    EXPECT_TRUE(find(Kind::receiver_window).empty());
}

// What most hosts' windows do (tcp_rcv_space_adjust()): full while they grow, and never again.
TEST_F(Findings, a_window_that_grows_as_it_is_used_is_not_too_small) {
    SenderSummary& target = add_target();
    for (uint32_t i = 0; i < 40; ++i) {
        const uint32_t window = 20'000 + 20'000 * std::min(i / 2, 10u);
        add_window(target, 10 * int64_t{i},
                   {.snd_una = i,
                    .snd_nxt = i + window - mss,
                    .advertised_window = window,
                    .limit = i < 20 ? SendLimit::receiver : SendLimit::application});
    }
    add_window(target, 400, {});
    EXPECT_TRUE(find(Kind::receiver_window).empty());
}

TEST_F(Findings, a_window_that_shrinks_because_nobody_reads_is_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_nxt = 10'000, .advertised_window = 200'000, .limit = SendLimit::application});
    for (uint32_t i = 1; i < 40; ++i) {
        add_window(target, 10 * int64_t{i},
                   {.snd_una = i * mss,
                    .snd_nxt = (i + 9) * mss,
                    .advertised_window = 10 * mss,
                    .limit = SendLimit::receiver});
    }
    add_window(target, 400, {});
    const Finding finding = find_one(Kind::receiver_window);
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("up to 8.79 KiB were in flight of 9.77 KiB advertised")));
    EXPECT_THAT(finding.explanation,
                HasSubstr("At most 9.77 KiB were advertised meanwhile, of up to 195 KiB at other times"));
}

// What has arrived takes of a window until it is read, also while it grows.
TEST_F(Findings, a_window_that_shrinks_on_its_way_to_a_wider_one_is_not_too_small) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_nxt = 10'000, .advertised_window = 20'000, .limit = SendLimit::application});
    for (uint32_t i = 1; i < 20; ++i) {
        add_window(target, 10 * int64_t{i},
                   {.snd_una = i * mss,
                    .snd_nxt = (i + 9) * mss,
                    .advertised_window = 10 * mss,
                    .limit = SendLimit::receiver});
    }
    add_window(target, 200,
               {.snd_una = 30'000,
                .snd_nxt = 30'000,
                .advertised_window = 200'000,
                .limit = SendLimit::application});
    add_window(target, 400, {});
    EXPECT_TRUE(find(Kind::receiver_window).empty());
}

// At the sender what is under way is exact: more than a window has room for shows that it knew of a wider one.
TEST_F(Findings, a_window_that_was_exceeded_held_nobody_back) {
    add_connection(1).vantage = Vantage::target;
    SenderSummary& target = store.add_sender(2, Side::b);
    for (uint32_t i = 0; i < 40; ++i) {
        add_window(target, 10 * int64_t{i},
                   {.snd_una = i * mss,
                    .snd_nxt = (i + 20) * mss,
                    .advertised_window = 10 * mss,
                    .limit = SendLimit::receiver});
    }
    add_window(target, 400, {});
    EXPECT_TRUE(find(Kind::receiver_window).empty());
}

}  // namespace
}  // namespace sanscope
