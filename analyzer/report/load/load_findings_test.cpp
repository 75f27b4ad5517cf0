// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"

namespace sanscope {
namespace {

using test::Findings;
using test::ms;
using test::mss;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using Kind = Finding::Kind;

TEST_F(Findings, one_command_at_a_time_over_a_long_path_is_told_with_what_it_can_do_at_most) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    const Finding finding = find_one(Kind::shallow_queue);
    EXPECT_THAT(
        finding.title,
        HasSubstr("Reads of 64 KiB at queue depth 1 over a round trip of 20.0 ms: at most 3.28 MB/s"));
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("Session 1 moved 2.98 MB/s"), HasSubstr("39 of this size fill 1 Gbit/s")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("91 %")));
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_EQ(finding.session, 1u);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

// An application that asks so many times a second goes on while the target stalls: its queue is as deep as it wants it.
TEST_F(Findings, requests_that_come_while_others_wait_are_not_held_back_by_a_shallow_queue) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 90; ++i) add_read(22 * i, 21, 1);
    EXPECT_EQ(find(Kind::shallow_queue).size(), 1u);
    for (int64_t i = 0; i < 10; ++i) add_read(22 * 90 + i, 60, 1);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
}

// Most of the commands are hidden: what is known of the rest is neither the depth nor the rate.
TEST_F(Findings, the_load_is_not_judged_where_much_of_it_is_hidden) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    EXPECT_EQ(find(Kind::shallow_queue).size(), 1u);
    for (int64_t i = 0; i < 50; ++i) {
        add_command({.response_packet = 5000,
                     .request_ns = 22 * i * ms,
                     .response_ns = (22 * i + 1) * ms,
                     .outcome = Outcome::completed});
    }
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
}

TEST_F(Findings, on_a_short_path_one_command_at_a_time_waits_for_the_target) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.title, HasSubstr("Half of the reads wait 19."));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("round-trip time is 2.00 ms")));
    EXPECT_EQ(finding.side, Finding::Side::target);
}

TEST_F(Findings, what_is_always_under_way_in_the_same_amount_looks_like_a_send_buffer) {
    SenderSummary& target = add_target();
    add_flow(target, 9500, 30'000);
    for (int64_t i = 0; i < 200; ++i) add_read(i / 5, 900);
    const Finding finding = find_one(Kind::send_buffer);
    EXPECT_THAT(
        finding.title,
        HasSubstr("never has much more than 28.7 kB in flight, with 100 reads of 64 KiB outstanding"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely) << "a program may send at that pace";
    EXPECT_THAT(
        finding.explanation,
        AllOf(HasSubstr("no more than 28.7 kB, which allows 14.3 MB/s with a round-trip time of 2.00 ms"),
              HasSubstr("; 14.0 MB/s were moved")));
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, what_is_under_way_on_each_of_two_connections_is_held_against_what_waits_on_each) {
    add_flow(add_target(), 9500, 50'000);
    for (int64_t i = 0; i < 300; ++i) add_read(9 * (i / 3), 9);
    EXPECT_EQ(find(Kind::send_buffer).size(), 1u);
    add_connection(1);
    add_flow(store.add_sender(2, Side::b), 9500, 50'000);
    EXPECT_TRUE(find(Kind::send_buffer).empty()) << "one read of 64 KiB waits on each";
}

TEST_F(Findings, what_waits_for_requests_on_their_way_is_held_back_by_no_send_buffer) {
    add_flow(add_target(), 9500, 59'000);
    for (int64_t i = 0; i < 300; ++i) add_read(5 * i / 2, 5);
    EXPECT_TRUE(find(Kind::send_buffer).empty()) << "a fifth of the time";
}

TEST_F(Findings, what_fills_the_receivers_window_is_no_send_buffer) {
    add_flow(add_target(), 9500, 30'000, 34'000);
    for (int64_t i = 0; i < 200; ++i) add_read(i / 5, 900);
    EXPECT_TRUE(find(Kind::send_buffer).empty());
}

TEST_F(Findings, what_is_under_way_where_the_receivers_window_is_not_known_is_no_send_buffer) {
    add_flow(add_target(), 9500, 30'000, unknown<uint32_t>);
    for (int64_t i = 0; i < 200; ++i) add_read(i / 5, 900);
    EXPECT_TRUE(find(Kind::send_buffer).empty());
}

TEST_F(Findings, connections_that_share_unequally_are_told) {
    store.session(1).connections = 2;
    add_connection(1);
    for (int64_t i = 0; i < 90; ++i) add_read(10 * i, 2);
    for (int64_t i = 0; i < 10; ++i) add_command({.request_ns = i, .name = "READ(16)", .connection = 2});
    EXPECT_THAT(find_one(Kind::connection_imbalance).title,
                HasSubstr("One of 2 connections of session 1 carried 90 %"));
}

TEST_F(Findings, a_connection_that_takes_the_place_of_another_shares_nothing_with_it) {
    store.session(1).connections = 2;
    add_connection(1);
    store.connection(1).end_ns = 900 * ms;
    store.connection(2).start_ns = 890 * ms;
    for (int64_t i = 0; i < 90; ++i) add_read(10 * i, 2);
    for (int64_t i = 0; i < 10; ++i)
        add_command({.request_ns = (900 + i) * ms, .name = "READ(16)", .connection = 2});
    EXPECT_TRUE(find(Kind::connection_imbalance).empty());
}

TEST_F(Findings, a_load_that_waits_by_itself_is_not_told_to_ask_for_more) {
    store.connection(1).rtt_min_ns = 10 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 30; ++i) add_read(32 * i, 11, 1);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
    EXPECT_EQ(find().front().kind, Kind::nothing_wrong);
}

TEST_F(Findings, a_command_window_that_the_target_keeps_small_is_told_with_advice_for_the_target) {
    store.connection(1).rtt_min_ns = 20 * ms;
    store.session(1).command_window = 1;
    store.session(1).command_window_shut_ns = 850 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
    const Finding finding = find_one(Kind::command_window);
    EXPECT_THAT(finding.title, HasSubstr("the target allows 1 command at once (MaxCmdSN)"));
    EXPECT_EQ(finding.side, Finding::Side::target);
}

// At the target commands are answered at once, and the window is hardly ever seen shut.
TEST_F(Findings, a_command_window_that_is_always_in_use_keeps_the_queue_shallow) {
    store.connection(1).rtt_min_ns = 20 * ms;
    store.session(1).command_window = 2;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) {
        add_read(22 * i, 21, 2);
        add_read(22 * i, 21, 2);
    }
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
    EXPECT_EQ(find_one(Kind::command_window).confidence, Finding::Confidence::likely);
    store.session(1).command_window = 8;
    EXPECT_EQ(find(Kind::shallow_queue).size(), 1u);
}

// The target takes 5 ms of each command and allows one at once: both are told. An initiator that had nothing to send meanwhile has no
// such window noted (CommandWindow).
TEST_F(Findings, a_command_window_is_told_beside_what_its_commands_wait_for) {
    store.connection(1).rtt_min_ns = 4 * ms;
    store.session(1).command_window = 1;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(10 * i, 9, 1);
    EXPECT_TRUE(find(Kind::command_window).empty());
    store.session(1).command_window_shut_ns = 360 * ms;
    store.session(1).command_window_shuts = 39;
    const Finding finding = find_one(Kind::command_window);
    EXPECT_THAT(finding.title, HasSubstr("the target allows 1 command at once (MaxCmdSN)"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_GE(finding.evidence.size(), 2u);
    store.session(1).command_window_shut_ns = 60 * ms;
    EXPECT_TRUE(find(Kind::command_window).empty());
}

TEST_F(Findings, many_large_commands_that_wait_for_each_other_are_told_by_littles_law) {
    SenderSummary& target = add_target();
    add_flow(target, 9900, 10 * mss);
    // 16 under way, one every 20 ms: 320 ms each.
    for (int64_t i = 0; i < 34; ++i) add_read(20 * i, 320);
    const Finding finding = find_one(Kind::saturated);
    EXPECT_THAT(finding.evidence.front(), HasSubstr("Little's law"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely) << "the law holds of any steady load";
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// What is under way fills the path and is silent while that stands: neither the target nor nothing made the commands wait.
TEST_F(Findings, commands_that_wait_in_a_queue_of_uneven_rate_are_told_by_littles_law) {
    SenderSummary& target = add_target();
    uint32_t una = 0;
    for (int64_t i = 0; i <= 49; ++i) {
        una += i / 5 % 2 == 0 ? 120'000 : 10'000;
        add_window(target, 20 * i,
                   {.srtt_ns = 200 * ms,
                    .snd_una = una,
                    .snd_nxt = una + 900'000,
                    .in_flight = 900'000,
                    .limit = SendLimit::application});
    }
    for (int64_t i = 0; i < 34; ++i) add_read(20 * i, 320);
    const Finding finding = find_one(Kind::path_queue);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_THAT(finding.evidence,
                ElementsAre(HasSubstr("(SRTT) was 200 ms"), HasSubstr("Little's law: 16 ×")));
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_TRUE(find(Kind::target_wait).empty());
    EXPECT_TRUE(find(Kind::saturated).empty()) << "one cause, one name, however steady its rate";
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

}  // namespace
}  // namespace sanscope
