// SPDX-License-Identifier: GPL-3.0-or-later
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/command_facts.h"
#include "analyzer/report/senders/find_sender_facts.h"
#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::read_16;
using test::Findings;
using test::ms;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

// Two interfaces whose clocks differ: no clock that was set.
TEST_F(Findings, times_that_go_back_again_and_again_leave_recovery_in_doubt) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 950, {.snd_una = 9000, .snd_nxt = 9000});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 891 + 2 * i);
    issues.add(Issue::times_set_back, 7, most_set_back);
    EXPECT_THAT(find_one(Kind::lost_segments).explanation, Not(HasSubstr("in doubt")));
    EXPECT_THAT(find_one(Kind::capture_issue).explanation, HasSubstr("as if the clock had gone on"));
    issues.add(Issue::times_set_back, 8);
    EXPECT_THAT(find_one(Kind::lost_segments).explanation, HasSubstr("what began it, is in doubt"));
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::possible);
    EXPECT_THAT(find_one(Kind::capture_issue).explanation, HasSubstr("interfaces whose clocks differ"));
}

// The initiator stood still for six seconds or the clock jumped; the target, as it looks from there, had a timeout.
TEST_F(Findings, a_timeout_across_a_jump_of_the_clock_is_in_doubt) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    add_window(target, 7000, {.snd_una = 9000, .snd_nxt = 9000});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 891 + 2 * i);
    store.connection(1).end_ns = 7000 * ms;
    const Finding losses = find_one(Kind::lost_segments);
    EXPECT_THAT(losses.explanation, HasSubstr("In doubt are 6.00 s of it"));
    EXPECT_NE(losses.confidence, Finding::Confidence::firm);
}

// A TCP with data outstanding sends them again within two minutes: where it does not, the clock moved.
TEST_F(Findings, commands_across_a_jump_of_the_clock_are_not_slow) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    constexpr int64_t hour_ms = 3'600'000;
    add_read(900, hour_ms);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 900 + hour_ms, {.snd_una = 9000, .snd_nxt = 9000});
    EXPECT_THAT(find_one(Kind::capture_issue).title, HasSubstr("The capture's clock jumped ahead by 59 min"));
    EXPECT_TRUE(find(Kind::slow_commands).empty());
    EXPECT_EQ(find_one(Kind::capture_issue).severity, Finding::Severity::notice);
}

// A clock that is set ahead by a few seconds under load.
TEST_F(Findings, a_small_jump_of_the_clock_is_told_where_commands_wait_and_no_timer_ran_out) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    EXPECT_THAT(find_one(Kind::capture_issue).title, HasSubstr("6.00 s"));
    EXPECT_TRUE(find(Kind::slow_commands).empty());
}

// One connection shows that the clock jumped; what the other one's commands waited meanwhile is as little the target's.
TEST_F(Findings, a_jump_of_the_clock_holds_of_all_connections_between_the_hosts) {
    add_connection(1);
    SenderSummary& target = add_target();
    add_read(900, 6000);
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    const auto add_read_of_other = [&](int64_t begin_ms, int64_t wait_ms) {
        add_command({.bytes = 65536,
                     .response_packet = 5000,
                     .request_ns = begin_ms * ms,
                     .first_data_ns = (begin_ms + wait_ms) * ms,
                     .last_data_ns = (begin_ms + wait_ms) * ms,
                     .response_ns = (begin_ms + wait_ms) * ms,
                     .name = "READ(16)",
                     .connection = 2,
                     .opcode = read_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 20; ++i) add_read_of_other(20 * i, 2);
    for (int64_t i = 0; i < 30; ++i) add_read_of_other(880 + i / 2, 6010);
    EXPECT_FALSE(find(Kind::capture_issue).empty());
    EXPECT_TRUE(find(Kind::slow_commands).empty());
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

// Five seconds that were none would outweigh all the others.
TEST_F(Findings, what_was_in_flight_across_a_jump_of_the_clock_was_not_for_so_long) {
    add_read(0, 7000);
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 20; ++i)
        add_window(target, 20 * i, {.snd_una = 1, .snd_nxt = 9000, .in_flight = 50'000});
    add_window(target, 400, {.snd_una = 1, .snd_nxt = 9000, .in_flight = 1000});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    const std::function<void()> nothing;
    const Stop never(nullptr, nothing);
    const CommandFacts commands = find_command_facts(store, true, never);
    const auto senders = find_sender_facts(store, {}, commands.busy, never);
    ASSERT_EQ(senders.size(), 1u);
    EXPECT_EQ(senders[0].clock_jumps.count, 1u);
    EXPECT_NEAR(senders[0].in_flight_p50, 50'000, 5'000);
}

// Its timer would have run out, and made it Loss.
TEST_F(Findings, a_jump_of_the_clock_while_losses_are_repaired_is_no_long_recovery) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    const WindowRow recovering{.snd_una = 1,
                               .snd_nxt = 9000,
                               .in_flight = 9000,
                               .ca_state = CaState::recovery,
                               .limit = SendLimit::recovery};
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 1, .limit = SendLimit::application});
    add_window(target, 890, recovering);
    add_window(target, 901, recovering);
    add_window(target, 6899, recovering);
    add_window(target, 6901, {.snd_una = 9000, .snd_nxt = 9000, .limit = SendLimit::application});
    add_window(target, 7000, {.snd_una = 9000, .snd_nxt = 9000});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 891 + 2 * i);
    EXPECT_THAT(find_one(Kind::capture_issue).title, HasSubstr("jumped ahead by 6.00 s"));
    const Finding losses = find_one(Kind::lost_segments);
    EXPECT_LT(losses.cost_ns, 100 * ms);
    EXPECT_THAT(losses.evidence, Contains(HasSubstr("in state Recovery or Loss for 13.0 ms")));
}

TEST_F(Findings, a_silence_from_which_segments_are_missing_may_be_a_gap_in_the_capture) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 6899, {.snd_una = 20'000, .snd_nxt = 20'000});
    add_loss(target, LossKind::not_captured, 6899);
    const Finding finding = find_one(Kind::capture_issue);
    EXPECT_THAT(finding.title, HasSubstr("Nothing was captured for 6.00 s before packet 6900, or"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("1 segment of its data")));
}

TEST_F(Findings, a_silence_of_seconds_with_nothing_outstanding_is_the_targets) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 9000, .snd_nxt = 9000, .limit = SendLimit::application});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    EXPECT_TRUE(find(Kind::capture_issue).empty());
    EXPECT_EQ(find_one(Kind::slow_commands).severity, Finding::Severity::problem);
}

TEST_F(Findings, a_long_silence_in_which_it_was_sent_again_is_no_jump_of_the_clock) {
    SenderSummary& target = add_target();
    constexpr int64_t hour_ms = 3'600'000;
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 900 + hour_ms, {.snd_una = 1, .snd_nxt = 9000, .ca_state = CaState::loss});
    EXPECT_TRUE(find(Kind::capture_issue).empty());
    add_window(target, 901 + hour_ms, {.snd_una = 9000, .snd_nxt = 9000});
    add_window(target, 901 + 2 * hour_ms, {.snd_una = 9000, .snd_nxt = 9001});
    EXPECT_TRUE(find(Kind::capture_issue).empty()) << "nothing was outstanding";
}

}  // namespace
}  // namespace sanscope
