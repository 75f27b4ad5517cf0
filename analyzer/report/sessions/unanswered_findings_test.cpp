// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/report/testing/made_up_capture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::read_16;
using test::Findings;
using test::MadeUpCapture;
using test::ms;
using test::second;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Kind = Finding::Kind;
using Severity = Finding::Severity;
using Confidence = Finding::Confidence;

TEST_F(Findings, commands_whose_connection_ended_were_never_answered) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    const uint64_t first = add_command({.request_ns = 900 * ms, .name = "READ(16)", .opcode = read_16});
    add_command({.request_ns = 950 * ms, .name = "READ(16)", .opcode = read_16});
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_THAT(finding.title, HasSubstr("2 commands not answered before the capture ends"));
    EXPECT_THAT(finding.explanation, HasSubstr("waited 1.10 s for its answer, until the capture ends"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("goes on for 1.00 s without another packet")));
    EXPECT_EQ(finding.command, first);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
}

TEST_F(Findings, commands_under_way_when_the_capture_ends_are_no_trouble) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.request_ns = totals.last_ns - 4 * ms, .name = "READ(16)", .opcode = read_16});
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_EQ(find_one(Kind::under_way_at_end).severity, Finding::Severity::information);
}

TEST_F(Findings, answers_that_a_leaking_capture_missed_are_not_held_against_the_target) {
    SenderSummary& target = add_target();
    add_command({.request_ns = 10 * ms, .name = "READ(16)", .opcode = read_16});
    for (int64_t i = 0; i < 10; ++i) add_read(20 + 10 * i, 5);
    EXPECT_EQ(find(Kind::unanswered_commands).size(), 1u);
    add_loss(target, LossKind::not_captured, 12);
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_EQ(find(Kind::unseen_answers).size(), 1u);
}

TEST_F(Findings, answers_beyond_the_cut_are_not_held_against_the_target) {
    add_command({.request_ns = 10 * ms, .name = "READ(16)", .opcode = read_16});
    for (int64_t i = 0; i < 10; ++i) add_read(20 + 10 * i, 5);
    totals.cut_packets = 10;
    totals.cut_at = 128;
    EXPECT_EQ(find(Kind::unanswered_commands).size(), 1u);
    issues.add(Issue::resynchronisations, 7);
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_THAT(find_one(Kind::unseen_answers).explanation, HasSubstr("beyond the cut"));
    EXPECT_EQ(find_one(Kind::unseen_answers).severity, Finding::Severity::information)
        << "that packets were cut is no fault";
}

TEST_F(Findings, aborted_commands_are_told) {
    add_command({.request_ns = 10 * ms, .name = "WRITE(10)", .outcome = Outcome::aborted});
    EXPECT_THAT(find_one(Kind::aborted_commands).title, HasSubstr("1 command aborted"));
}

// One packet with a time of its own, or a clock that was set back: the latest time is not the capture's end.
TEST_F(Findings, a_command_at_the_end_is_not_unanswered_because_a_clock_was_elsewhere) {
    add_read(10, 12);
    add_command({.bytes = 4096,
                 .request_packet = 900,
                 .request_ns = 999 * ms,
                 .name = "READ(16)",
                 .opcode = read_16});
    store.connection(1).last_packet = 950;
    totals.last_ns = int64_t{31'536'000'000} * ms;
    EXPECT_FALSE(find(Kind::unanswered_commands).empty()) << "as long as that clock is believed";
    issues.add(Issue::times_set_back, 701);
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_EQ(find(Kind::under_way_at_end).size(), 1u);
}

// Answers were on their way when the initiator reset: they are in the capture, and in its commands.
TEST_F(Findings, a_reset_leaves_unanswered_what_was_not_answered_after_it_either) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    for (int64_t i = 0; i < 4; ++i) add_read(980 + i, 17 - i);
    for (int64_t i = 0; i < 12; ++i)
        add_command({.request_ns = (986 + i / 4) * ms, .name = "READ(16)", .opcode = read_16});
    ConnectionRow& row = store.connection(1);
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_THAT(finding.title, HasSubstr("Initiator 10.0.0.1:50001 reset the connection (RST) with 12 "
                                         "commands left unanswered"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("12 commands without an answer")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("4 more answered after the initiator had closed")));
    const Finding unanswered = find_one(Kind::unanswered_commands);
    EXPECT_THAT(unanswered.title, HasSubstr("12 commands never answered"));
    EXPECT_EQ(unanswered.begin_ns, 986 * ms);
}

// A read is not answered for long, though the target's TCP acknowledged it, and the initiator resets the connection.
class WaitedLong : public Findings {
  protected:
    WaitedLong() {
        for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
        add_command({.request_ns = 110 * ms, .name = "READ(16)", .opcode = read_16});
        ConnectionRow& row = store.connection(1);
        row.out.reset = true;
        row.out.reset_ns = 990 * ms;
        row.out.acknowledged_ns = 111 * ms;
    }
};

TEST_F(WaitedLong, an_initiator_that_resets_then_is_not_the_cause) {
    EXPECT_TRUE(find(Kind::connection_reset).empty());
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("Look at the target, not at the network"));
}

// It asked about the command, and the target does not know it: nothing of it serves that any more.
TEST_F(WaitedLong, a_target_that_does_not_have_the_command_is_not_at_work_on_it) {
    const CommandRow& row = store.commands()[10];
    SessionEvent event{.packet = 9000,
                       .time_ns = 610 * ms,
                       .connection = 1,
                       .session = 1,
                       .opcode = static_cast<uint8_t>(Opcode::task_management_request)};
    event.code = task_management::abort_task;
    event.itt = 500;
    event.referenced_itt = row.itt;
    store.add_session_event(event);
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("did its process hang or die?"));
    event.opcode = static_cast<uint8_t>(Opcode::task_management_response);
    event.sender = Role::target;
    event.code = task_management::task_does_not_exist;
    event.packet = 9001;
    store.add_session_event(event);
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("waited 500 ms for its answer, until the initiator aborted"),
                      HasSubstr("does not have it"), Not(HasSubstr("hang or die"))));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("ABORT TASK in packet 9000")));
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(finding.confidence, Confidence::likely);
}

// By clocks that are apart the answer stands before what it answers.
TEST_F(WaitedLong, a_target_that_does_not_have_the_command_may_say_so_before_it_is_asked) {
    SessionEvent event{.packet = 8999,
                       .time_ns = 590 * ms,
                       .connection = 1,
                       .session = 1,
                       .opcode = static_cast<uint8_t>(Opcode::task_management_response)};
    event.code = task_management::task_does_not_exist;
    event.itt = 500;
    event.sender = Role::target;
    store.add_session_event(event);
    event.opcode = static_cast<uint8_t>(Opcode::task_management_request);
    event.sender = Role::initiator;
    event.code = task_management::abort_task;
    event.referenced_itt = store.commands()[10].itt;
    event.packet = 9000;
    event.time_ns = 610 * ms;
    store.add_session_event(event);
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("does not have it"));
    event.referenced_itt = unknown<uint32_t>;
    event.packet = 9100;
    store.add_session_event(event);
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, Not(HasSubstr("does not have it")))
        << "the tag is used again: which of the two was answered is not known";
}

// Its answers may be among what it sends in vain.
TEST_F(WaitedLong, where_none_of_the_targets_data_are_acknowledged_it_is_not_silent) {
    ConnectionRow& row = store.connection(1);
    row.in.acknowledged_ns = 110 * ms;
    row.in.unacknowledged = 14480;
    EXPECT_EQ(find_one(Kind::unanswered_commands).side, Finding::Side::target)
        << "sent just before the end, perhaps";
    row.retransmissions_in = 3;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("Look at the target")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("not acknowledged, nor was anything of it for 880 ms")));
    row.in.acknowledged_ns = 800 * ms;
    EXPECT_EQ(find_one(Kind::unanswered_commands).side, Finding::Side::target) << "others were, for long";
}

TEST_F(Findings, answers_that_came_when_the_initiator_had_given_up_are_none) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_read(110, 800);
    ConnectionRow& row = store.connection(1);
    row.out.fin = true;
    row.out.fin_ns = 700 * ms;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_THAT(finding.title, HasSubstr("1 command not answered until the initiator gave up"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("210 ms after the initiator had closed")));
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_TRUE(find(Kind::slow_commands).empty());
}

TEST_F(Findings, what_came_before_a_close_is_not_known_where_the_clock_was_set_back) {
    add_command({.bytes = 4096,
                 .response_packet = 1200,
                 .request_ns = 10 * ms,
                 .response_ns = 900 * ms,
                 .name = "READ(16)",
                 .opcode = read_16,
                 .status = 0,
                 .outcome = Outcome::completed});
    store.connection(1).out.fin = true;
    store.connection(1).out.fin_ns = 500 * ms;
    EXPECT_EQ(find(Kind::unanswered_commands).size(), 1u);
    issues.add(Issue::times_set_back, 1100);
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
}

TEST_F(Findings, a_request_that_is_the_last_packet_is_under_way) {
    totals.last_ns = 1000 * ms;
    add_command({.request_ns = 1000 * ms, .name = "READ(16)", .opcode = read_16});
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_EQ(find(Kind::under_way_at_end).size(), 1u);
}

class Unanswered : public testing::Test, protected MadeUpCapture {
  protected:
    Unanswered() : row(add_connection()) {
        for (int64_t i = 0; i < 10; ++i) add_read(i * 10 * ms, 5 * ms);
    }
    CommandRow read() const { return {.bytes = 4096, .name = "READ(16)", .opcode = scsi_op::read_16}; }
    // All that was sent until then is acknowledged.
    void acknowledge(int64_t time_ns) { row.out.acknowledged_ns = time_ns; }
    void lose_answer_at(int64_t time_ns) {
        store.add_loss(store.add_sender(1, sanscope::Side::b), {.packet = packet_at(time_ns),
                                                                .time_ns = time_ns,
                                                                .connection = 1,
                                                                .length = 48,
                                                                .kind = LossKind::not_captured,
                                                                .sender = sanscope::Side::b});
    }

    ConnectionRow& row;
};

// A load whose last answer the tap dropped, and silence behind it: nothing shows that the connection went on.
TEST_F(Unanswered, whose_answer_may_be_what_the_tap_dropped_are_not_held_against_the_target) {
    add_command(second, 0, read());
    acknowledge(second + ms);
    EXPECT_EQ(find_one(Kind::unanswered_commands).severity, Severity::problem);
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("hang or die"));
    lose_answer_at(second + 5 * ms);
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.confidence, Confidence::possible);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("may have been among them"), Not(HasSubstr("hang or die"))));
}

TEST_F(Unanswered, behind_what_the_tap_dropped_are_told_as_ever) {
    lose_answer_at(500 * ms);
    add_command(second, 0, read());
    acknowledge(second + ms);
    EXPECT_EQ(find_one(Kind::unanswered_commands).severity, Severity::problem);
}

// A capture that loses a connection amid its data: TCP would send again, and the initiator what it was asked for.
TEST_F(Unanswered, of_a_connection_that_breaks_off_are_not_held_against_the_target) {
    const uint64_t write =
        add_command(second, 0, {.bytes = 524288, .name = "WRITE(16)", .r2ts = 2, .opcode = 0x8a});
    acknowledge(second + ms);
    row.end_ns = second + 50 * ms;
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("hang or die"));
    store.command_marks(static_cast<uint32_t>(write)).grants = 1;
    const Finding owed = find_one(Kind::unanswered_commands);
    EXPECT_EQ(owed.severity, Severity::notice);
    EXPECT_EQ(owed.confidence, Confidence::possible);
    EXPECT_EQ(owed.side, Finding::Side::none);
    EXPECT_THAT(owed.explanation,
                AllOf(HasSubstr("lost to the capture"), Not(HasSubstr("Look at the target"))));
    EXPECT_THAT(owed.evidence, Contains(HasSubstr("asked for data")));
    store.command_marks(static_cast<uint32_t>(write)).grants = 0;
    row.in.unacknowledged = 1448;
    EXPECT_THAT(find_one(Kind::unanswered_commands).evidence, Contains(HasSubstr("not sent again")));
    row.end_ns = totals.last_ns;
    EXPECT_EQ(find_one(Kind::unanswered_commands).severity, Severity::problem);
}

// A benchmark whose time is over closes its connection under its commands.
TEST_F(Unanswered, of_an_initiator_that_closes_at_once_are_not_the_targets) {
    add_command(second, 0, read());
    acknowledge(second + ms);
    row.out.fin = true;
    row.out.fin_ns = second + 2 * ms;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_NE(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("waited 2.00 ms"), Not(HasSubstr("hang or die"))));
}

// A target that stood still for seconds answered one of two.
TEST_F(Unanswered,
       of_an_initiator_that_waited_for_seconds_are_not_its_own_though_another_answer_took_as_long) {
    add_read(second, 6 * second);
    add_command(second, 0, read());
    row.out.fin = true;
    row.out.fin_ns = 10 * second;
    EXPECT_NE(find_one(Kind::unanswered_commands).side, Finding::Side::initiator);
}

TEST_F(Unanswered, of_a_target_that_resets_at_once_did_not_wait_for_a_process_that_hangs) {
    add_command(second, 0, read());
    acknowledge(second + ms);
    row.in.reset = true;
    row.in.reset_ns = second + 2 * ms;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("ended the connection under its commands"), Not(HasSubstr("hang or die"))));
}

TEST_F(Unanswered, until_the_target_closed_end_there_though_the_initiator_closes_too) {
    add_command(second, 0, read());
    row.in.fin = row.out.fin = true;
    row.in.fin_ns = 3 * second;
    row.out.fin_ns = 4 * second;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_THAT(finding.explanation, HasSubstr("waited 2.00 s for its answer, until the target closed"));
}

// One command of a logical unit that stands, while the target serves others.
TEST_F(Unanswered, beside_others_that_are_answered_do_not_make_the_targets_process_dead) {
    add_command(second, 0, read());
    for (int64_t i = 0; i < 10; ++i) add_read(2 * second + i * 10 * ms, 5 * ms);
    acknowledge(3 * second);
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("it went on"), Not(HasSubstr("hang or die"))));
}

// SBC-3 §5.3: minutes and hours are what it takes.
TEST_F(Unanswered, that_take_minutes_by_nature_may_be_under_way_at_the_end) {
    constexpr uint16_t write_same = 0x93;
    add_command(second, 0, {.name = "WRITE SAME(16)", .opcode = write_same});
    EXPECT_THAT(find(Kind::unanswered_commands), IsEmpty());
    EXPECT_EQ(find(Kind::under_way_at_end).size(), 1u);
}

TEST_F(Unanswered, of_several_logical_units_name_none) {
    for (const uint64_t lun : {uint64_t{1}, uint64_t{2}}) {
        CommandRow on_lun = read();
        on_lun.lun = lun;
        add_command(second, 0, on_lun);
    }
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.title, "2 commands not answered before the capture ends");
    EXPECT_EQ(finding.lun, unknown<uint64_t>);
}

}  // namespace
}  // namespace sanscope
