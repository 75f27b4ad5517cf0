// SPDX-License-Identifier: GPL-3.0-or-later
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/report/command_facts.h"
#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/report/testing/made_up_capture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using test::Findings;
using test::MadeUpCapture;
using test::ms;
using test::mss;
using test::second;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Kind = Finding::Kind;

// RFC 7143 §7.2.1: which of the two the target got, and when, is not known.
TEST_F(Findings, the_time_of_a_command_that_was_retried_is_not_laid_to_the_target) {
    add_flow(add_target(), 9500);
    for (int64_t i = 0; i < 60; ++i) add_read(10 * i, 3);
    const uint64_t number = add_read(610, 300);
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::target);
    store.command_marks(CommandNumber(number)).retried = true;
    const Finding found = find_one(Kind::slow_commands);
    EXPECT_EQ(found.side, Finding::Side::none);
    EXPECT_EQ(found.confidence, Finding::Confidence::possible);
    EXPECT_THAT(found.explanation, HasSubstr("the capture does not tell what held it up"));
}

// Likewise of a command without data.
TEST_F(Findings, a_command_without_data_may_wait_for_a_longer_path_of_its_session) {
    add_flow(add_target(), 9500);
    add_flow(add_initiator(), 9500);
    const auto add_flush = [&](int64_t begin_ms, int64_t took_ms) {
        add_command({.bytes = 0,
                     .response_packet = 5000,
                     .request_ns = begin_ms * ms,
                     .response_ns = (begin_ms + took_ms) * ms,
                     .name = "SYNCHRONIZE CACHE(10)",
                     .opcode = 0x35,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 60; ++i) add_flush(10 * i, 3);
    add_flush(610, 40);
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::target);
    store.session(1).connections = 2;
    add_connection(1).rtt_min_ns = 50 * ms;
    SenderSummary& other = store.add_sender(2, Side::a);
    add_window(other, 0, {.srtt_ns = 50 * ms});
    add_window(other, 1000, {.srtt_ns = 50 * ms});
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::none);
}

// Thirty reads of 2 ms, and one of 202 ms that begins at 500 ms.
class OneSlowRead : public Findings {
  protected:
    OneSlowRead() : target(add_target()) {
        for (int64_t i = 0; i < 30; ++i) add_read(10 * i, 2);
        slow = add_read(500, 202);
        add_window(target, 0, {.snd_una = 1, .snd_nxt = 9, .limit = SendLimit::application});
        add_window(target, 2, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    }
    Finding find_slow() {
        add_window(target, 1000, {.snd_una = 9, .snd_nxt = 9});
        return find_one(Kind::slow_commands);
    }
    SenderSummary& target;
    uint64_t slow = 0;
};

TEST_F(OneSlowRead, waits_for_the_target_where_tcp_did_nothing) {
    const Finding finding = find_slow();
    EXPECT_THAT(finding.title,
                HasSubstr("1 of 31 commands took over 3 times the median of their kind, 202 ms"));
    EXPECT_THAT(finding.explanation, HasSubstr("the target took 200 ms to send the first data"));
    EXPECT_EQ(finding.command, slow);
    EXPECT_EQ(finding.packet, 2000u);
    EXPECT_EQ(finding.begin_ns, 500 * ms);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
}

// What a capture claims may be more than 292 years together.
TEST_F(OneSlowRead, of_any_length_has_a_cost_that_is_not_negative) {
    constexpr int64_t half_of_all_ms = INT64_MAX / ms / 2;
    for (int64_t i = 0; i < 5; ++i) add_read(600 + i, half_of_all_ms);
    add_window(target, 1000, {.snd_una = 9, .snd_nxt = 9});
    for (const Finding& finding : find()) EXPECT_GE(finding.cost_ns, 0) << finding.title;
}

TEST_F(OneSlowRead, is_in_doubt_where_the_clock_was_set_back) {
    issues.add(Issue::times_set_back, 701);
    const Finding finding = find_slow();
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("clock was set back"));
}

// A host, the path or the capturing machine's clock: all stands still for 300 ms with data on their way, and no timer runs out.
TEST_F(Findings, a_silence_with_data_unacknowledged_is_not_held_against_the_target) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 30; ++i) add_read(10 * i, 2);
    add_read(500, 302);
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 1, .limit = SendLimit::application});
    add_window(target, 500, {.snd_una = 1, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 801, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 1000, {.snd_una = 9, .snd_nxt = 9});
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_THAT(finding.explanation, HasSubstr("waited for the target, or on the path"));
}

// The initiator's capture: the request leaves at 500 ms.
class OneSlowReadFromAfar : public OneSlowRead {
  protected:
    OneSlowReadFromAfar() {
        SenderSummary& initiator = add_initiator();
        add_window(initiator, 0, {.snd_una = 1, .snd_nxt = 1, .limit = SendLimit::application});
        add_window(initiator, 500, {.snd_una = 1, .snd_nxt = 49, .limit = SendLimit::application});
        asker = &initiator;
    }
    void acknowledge(int64_t time_ms) { add_window(*asker, time_ms, {.snd_una = 49, .snd_nxt = 49}); }
    SenderSummary* asker = nullptr;
};

TEST_F(OneSlowReadFromAfar, is_the_targets_where_its_tcp_had_acknowledged_the_request) {
    acknowledge(503);
    add_window(target, 702, {.snd_una = 9, .snd_nxt = 99});
    const Finding finding = find_slow();
    EXPECT_THAT(finding.explanation, HasSubstr("the target took 200 ms to send the first data"));
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
}

// Its answer left the target at that moment, by the target's clock, and reached the initiator at 702 ms.
class OneSlowReadAnsweredEarlier : public OneSlowReadFromAfar {
  protected:
    Finding answered_at(int64_t time_ms, SendLimit limit = SendLimit::application) {
        ConnectionRow& row = store.connection(1);
        row.initiator_side = Side::a;
        row.stream_start_known[0] = row.stream_start_known[1] = true;
        CommandMarks& marks = store.command_marks(CommandNumber(slow));
        marks.has_request = marks.has_answer = marks.has_status = true;
        marks.request_begin = 1;
        marks.request_end = 49;
        marks.answer_begin = 9;
        marks.answer_end = 99;
        acknowledge(503);
        add_window(target, time_ms, {.snd_una = 9, .snd_nxt = 99, .limit = limit});
        add_window(target, 702, {.snd_una = 99, .snd_nxt = 99, .limit = SendLimit::application});
        return find_one(Kind::slow_commands);
    }
};

TEST_F(OneSlowReadAnsweredEarlier, was_on_the_path_or_the_targets_where_that_was_long_before) {
    const Finding finding = answered_at(520);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("it waited for the target, or on the path"),
                                           HasSubstr("Nothing shows whose time 181 ms of it were")));
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

TEST_F(OneSlowReadAnsweredEarlier, was_the_targets_for_as_long_as_that_at_least) {
    const Finding finding = answered_at(641);
    EXPECT_THAT(finding.explanation, HasSubstr("the target took 140 ms to 200 ms to send the first data"));
    EXPECT_EQ(finding.side, Finding::Side::target);
}

TEST_F(OneSlowReadAnsweredEarlier, was_the_targets_where_it_came_at_once) {
    EXPECT_THAT(answered_at(701).explanation, HasSubstr("the target took 200 ms to send the first data"));
}

TEST_F(OneSlowReadFromAfar, may_be_the_paths_where_the_answer_is_the_first_that_acknowledges_the_request) {
    for (const bool answer_first : {true, false}) {
        if (answer_first) add_window(target, 702, {.snd_una = 9, .snd_nxt = 99});
        acknowledge(702);
        if (!answer_first) add_window(target, 702, {.snd_una = 9, .snd_nxt = 99});
        const Finding finding = find_slow();
        EXPECT_THAT(finding.explanation, HasSubstr("it waited for the target, or on the path"));
        EXPECT_EQ(finding.side, Finding::Side::none);
        EXPECT_EQ(finding.severity, Finding::Severity::notice);
        EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    }
}

// The target's window was full meanwhile; whether of what this one waited for, its time budget does not tell.
TEST_F(OneSlowReadAnsweredEarlier, may_have_waited_for_a_window_that_was_full_meanwhile) {
    const Finding finding = answered_at(520, SendLimit::congestion);
    EXPECT_THAT(finding.explanation, HasSubstr("the sender of its data was limited by TCP windows"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

// What is asked without data is answered over the same path.
TEST_F(Findings, a_question_without_data_may_wait_on_the_path_as_well) {
    const auto ask = [&](int64_t begin_ms, int64_t took_ms) {
        add_command({.bytes = 0,
                     .response_packet = 5000,
                     .request_ns = begin_ms * ms,
                     .response_ns = (begin_ms + took_ms) * ms,
                     .name = "TEST UNIT READY",
                     .opcode = 0x00,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 30; ++i) ask(10 * i, 2);
    ask(500, 202);
    SenderSummary& target = add_target();
    SenderSummary& initiator = add_initiator();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 2, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(initiator, 0, {.snd_una = 1, .snd_nxt = 1, .limit = SendLimit::application});
    add_window(initiator, 500, {.snd_una = 1, .snd_nxt = 49, .limit = SendLimit::application});
    add_window(target, 702, {.snd_una = 9, .snd_nxt = 99});
    add_window(initiator, 702, {.snd_una = 49, .snd_nxt = 49});
    add_window(target, 1000, {.snd_una = 9, .snd_nxt = 9});
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_THAT(finding.explanation, HasSubstr("it waited for the target, or on the path"));
    EXPECT_EQ(finding.side, Finding::Side::none);
}

// The last segment of an answer, lost before the tap, comes when the target's timer has run out.
TEST_F(OneSlowRead, may_be_a_lost_answer_where_the_path_before_the_tap_loses) {
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    EXPECT_THAT(find_slow().explanation, HasSubstr("it waited for the target, or on the path"));
    store.connection(1).vantage = Vantage::target;
    EXPECT_THAT(find_slow().explanation, HasSubstr("the target took"));
}

// Of two lost segments each may have held up two commands for a tail loss probe's few milliseconds, and left nothing to see.
TEST_F(Findings, waits_that_are_no_more_than_what_was_lost_are_not_held_against_the_target) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 30; ++i) add_read(10 * i, 2);
    for (int64_t i = 0; i < 6; ++i) add_read(500 + (100 * i), 42);
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 2, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 1300, {.snd_una = 9, .snd_nxt = 9});
    EXPECT_THAT(find_one(Kind::slow_commands).explanation, HasSubstr("the target took"));
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("waited for the target, or on the path"),
                                           HasSubstr("The path loses segments, and no more")));
    add_read(1100, 42);
    EXPECT_THAT(find_one(Kind::slow_commands).explanation, HasSubstr("the target took"));
}

TEST_F(OneSlowRead, is_explained_by_a_timeout_within_its_time) {
    add_window(target, 510, {.snd_una = 5, .snd_nxt = 9});
    add_window(target, 650, {.snd_una = 5, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(target, 690, {.snd_una = 9, .snd_nxt = 9});
    EXPECT_THAT(find_slow().explanation, HasSubstr("waited for a retransmission timeout"));
}

TEST_F(OneSlowRead, whose_connection_lost_nothing_did_not_wait_for_a_repair) {
    add_window(target, 520, {.snd_una = 5, .snd_nxt = 9, .limit = SendLimit::recovery});
    add_window(target, 690, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    add_loss(target, LossKind::spurious, 520);
    const Finding finding = find_slow();
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("only late"), Not(HasSubstr("were lost"))));
}

TEST_F(OneSlowRead, is_explained_by_the_repair_of_a_loss) {
    add_window(target, 520, {.snd_una = 5, .snd_nxt = 9, .limit = SendLimit::recovery});
    add_window(target, 690, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    EXPECT_THAT(find_slow().explanation, HasSubstr("were lost and had to be retransmitted"));
}

TEST_F(OneSlowRead, is_not_explained_by_a_loss_that_took_but_a_moment_of_it) {
    add_loss(target, LossKind::fast_retransmit, 600);
    EXPECT_THAT(find_slow().explanation, HasSubstr("the target took"));
}

TEST_F(OneSlowRead, is_explained_by_a_shut_window) {
    add_window(target, 520, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 690, {.limit = SendLimit::application});
    EXPECT_THAT(find_slow().explanation, HasSubstr("a receive window of its connection was closed"));
}

TEST_F(OneSlowRead, is_not_told_among_too_few_of_its_kind) {
    Findings::add_command({.bytes = 4096,
                           .response_packet = 9000,
                           .request_ns = 0,
                           .response_ns = 900 * ms,
                           .name = "READ(10)",
                           .opcode = 0x28,
                           .status = 0,
                           .outcome = Outcome::completed});
    EXPECT_THAT(find_slow().title, HasSubstr("1 of 31"));
}

// What a new connection with many large commands at once always shows.
TEST_F(Findings, the_first_commands_of_a_connection_may_take_long) {
    SenderSummary& target = add_target();
    add_flow(target, 9900, 10 * mss);
    for (int64_t i = 0; i < 8; ++i) add_read(i, 150 + 5 * i);
    for (int64_t i = 0; i < 60; ++i) add_read(200 + 10 * i, 12);
    // The connection may have begun long before.
    const std::string growing = "whose congestion window was still growing";
    EXPECT_THAT(find_one(Kind::slow_commands).explanation, Not(HasSubstr(growing)));
    store.connection(1).out.syns = 1;
    const Finding slow = find_one(Kind::slow_commands);
    EXPECT_EQ(slow.severity, Finding::Severity::information);
    EXPECT_THAT(slow.explanation, HasSubstr(growing));
    // Later ones are worth a look.
    add_read(850, 140);
    EXPECT_EQ(find_one(Kind::slow_command).severity, Finding::Severity::notice);
}

class SlowCommands : public testing::Test, protected MadeUpCapture {
  protected:
    SlowCommands() { add_connection(); }

    // A read each 10 ms that takes 1 ms, on LUN 0.
    void add_usual(int64_t count = 1000) {
        for (int64_t i = 0; i < count; ++i) add_read(i * 10 * ms, ms);
    }
};

// A disk beside flash: what its reads usually take, each of them takes.
TEST_F(SlowCommands, are_not_those_of_a_logical_unit_that_is_slower_than_another) {
    add_usual();
    for (int64_t i = 0; i < 100; ++i) add_read(10 * second + i * 50 * ms, 40 * ms, 1);
    EXPECT_THAT(find(Kind::slow_commands), IsEmpty());
}

TEST_F(SlowCommands, of_a_slower_logical_unit_are_held_against_its_own) {
    add_usual();
    for (int64_t i = 0; i < 100; ++i) add_read(10 * second + i * 50 * ms, 40 * ms, 1);
    const uint64_t slow = add_read(20 * second, 400 * ms, 1);
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_EQ(finding.command, slow);
    EXPECT_THAT(finding.title, HasSubstr("1 of 1101 commands"));
    EXPECT_THAT(finding.explanation, HasSubstr("usually takes 40"));
}

TEST_F(SlowCommands, of_few_on_a_unit_that_all_take_as_long_are_none) {
    add_usual();
    for (int64_t i = 0; i < 10; ++i) add_read(10 * second + i * 50 * ms, 40 * ms, 1);
    EXPECT_THAT(find(Kind::slow_commands), IsEmpty());
}

TEST_F(SlowCommands, on_several_logical_units_name_none) {
    for (const uint64_t lun : {uint64_t{0}, uint64_t{1}}) {
        for (int64_t i = 0; i < 100; ++i) add_read(i * 10 * ms, ms, lun);
        add_read(2 * second, lun == 0 ? 100 * ms : 50 * ms, lun);
    }
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_THAT(finding.title, AllOf(HasSubstr("2 of 202 commands took"), Not(HasSubstr("LUN"))));
}

TEST_F(SlowCommands, one_at_a_time_wait_behind_no_other) {
    add_usual();
    add_read(20 * second, 50 * ms);
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("the capture does not tell"), Not(HasSubstr("behind other"))));
}

// Beyond the cut of its packets a command may have been answered at once: the connection was not busy for the rest of its life.
TEST_F(SlowCommands, of_which_nobody_knows_the_end_keep_no_connection_busy) {
    add_usual(10);
    CommandRow cut{.bytes = 4096, .name = "READ(16)", .opcode = scsi_op::read_16};
    cut.outcome = Outcome::unknown;
    add_command(second, 0, cut);
    store.finish();
    const std::function<void()> between;
    const CommandFacts facts = find_command_facts(store, true, Stop(nullptr, between));
    ASSERT_EQ(facts.busy.size(), 1u);
    EXPECT_EQ(facts.busy[0].total_ns(), 10 * ms);
}

}  // namespace
}  // namespace sanscope
