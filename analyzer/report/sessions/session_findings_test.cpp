// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::Findings;
using test::MadeUpCapture;
using test::ms;
using test::second;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr uint8_t task_management_request = 0x02;
constexpr uint8_t snack_request = 0x10;
constexpr uint8_t async_message = 0x32;
constexpr uint8_t reject = 0x3f;

class SessionPdus : public testing::Test, protected MadeUpCapture {
  protected:
    SessionPdus() { add_connection(); }
    void add(uint8_t opcode, uint16_t code) {
        SessionEvent event{.time_ns = now_ns += second, .opcode = opcode};
        event.code = code;
        add_event(event);
    }
    int64_t now_ns = 0;
};

// The target asks for a logout first, and drops the session when none comes.
TEST_F(SessionPdus, that_drop_a_session_behind_a_request_for_logout_are_a_problem) {
    add(async_message, 1);
    add(async_message, 3);
    const std::vector<Finding> found = find(Kind::async_message);
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].severity, Severity::problem);
    EXPECT_THAT(found[0].title,
                HasSubstr("1 asynchronous message from the target: it drops all connections"));
    EXPECT_EQ(found[1].severity, Severity::notice);
}

// What it lacks, no digest that was verified need show.
TEST_F(SessionPdus, that_ask_for_what_is_lacking_are_told) {
    constexpr uint16_t data_ack = 2;
    add(snack_request, data_ack);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty()) << "nothing is lacking";
    add(snack_request, 1);
    add(snack_request, 0);
    const Finding finding = find_one(Kind::error_recovery);
    EXPECT_EQ(finding.title, "The initiator asked 2 times for what it lacks of the target's PDUs (SNACK)");
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("for a status again")));
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.side, Finding::Side::none);
}

TEST_F(SessionPdus, that_announce_different_things_are_told_apart) {
    add(async_message, 255);
    add(async_message, 4);
    add(async_message, 4);
    const std::vector<Finding> found = find(Kind::async_message);
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_THAT(found[0].title, HasSubstr("1 asynchronous message from the target: an event of its vendor"));
    EXPECT_THAT(found[1].title, HasSubstr("2 asynchronous messages from the target: it asks to negotiate"));
}

TEST_F(SessionPdus, that_are_rejected_for_different_reasons_are_told_apart) {
    add(reject, 6);
    add(reject, 4);
    const std::vector<Finding> found = find(Kind::rejected_pdu);
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_THAT(found[0].title, HasSubstr("1 PDU rejected by the target: immediate command reject"));
    EXPECT_THAT(found[1].title, HasSubstr("1 PDU rejected by the target: protocol error"));
}

TEST_F(SessionPdus, that_are_rejected_tell_what_they_are_and_which_commands_end) {
    const auto rejected = [&](uint64_t command, uint16_t opcode) {
        add_event({.packet = 70 + command,
                   .time_ns = now_ns += second,
                   .command = command,
                   .connection = 1,
                   .code = 9,
                   .opcode = reject,
                   .rejected = opcode});
    };
    add_command(second, 0,
                {.lun = 0, .aborted_packet = 71, .name = "READ(10)", .outcome = Outcome::rejected});
    add_command(second, second, {.lun = 0, .name = "READ(10)", .outcome = Outcome::completed});
    rejected(1, 1);
    rejected(2, 1);
    Finding finding = find_one(Kind::rejected_pdu);
    EXPECT_THAT(finding.title, HasSubstr("2 SCSI Command PDUs rejected by the target: invalid PDU field"));
    EXPECT_THAT(finding.explanation, HasSubstr("1 command ended with that"));
    EXPECT_EQ(finding.command, 1u);
    EXPECT_THAT(find(Kind::unanswered_commands), testing::IsEmpty());
    rejected(0, 0);
    EXPECT_THAT(find_one(Kind::rejected_pdu).title, HasSubstr("3 PDUs rejected"));
}

TEST_F(SessionPdus, that_end_the_tasks_of_a_logical_unit_leave_none_unanswered) {
    add_command(second, 0,
                {.lun = 0, .aborted_packet = 71, .name = "READ(10)", .outcome = Outcome::terminated});
    add(async_message, 5);
    EXPECT_THAT(find_one(Kind::async_message).evidence, Contains("1 command without a status behind it"));
    EXPECT_THAT(find(Kind::unanswered_commands), testing::IsEmpty());
}

TEST_F(SessionPdus, that_ask_to_abort_and_are_rejected_are_answered) {
    add_event({.time_ns = second, .code = 1, .opcode = task_management_request, .itt = 7});
    add_event({.time_ns = 2 * second, .code = 5, .opcode = reject, .itt = 7, .rejected = 2});
    const Finding finding = find_one(Kind::task_management);
    EXPECT_THAT(finding.evidence, Contains("answers: 1 rejected with a Reject PDU"));
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("did nothing of it, as its answers say"),
                                           Not(HasSubstr("aborted commands"))));
}

// RFC 7144 §6: it ends nothing.
TEST_F(SessionPdus, that_ask_about_tasks_abort_none) {
    add(task_management_request, 9);
    const Finding finding = find_one(Kind::task_management);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.title, HasSubstr("first QUERY TASK"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("aborted commands")));
}

TEST_F(SessionPdus, that_abort_behind_a_question_are_told_with_what_aborts) {
    add(task_management_request, 9);
    add(task_management_request, 1);
    const Finding finding = find_one(Kind::task_management);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_THAT(finding.title, HasSubstr("2 task management requests, first ABORT TASK"));
}

// RFC 7143 §11.6.1: "task does not exist" is the answer of a target that had answered the task before.
TEST_F(SessionPdus, that_ask_to_abort_what_is_not_there_abort_nothing) {
    const auto exchange = [&](uint32_t itt, uint16_t response) {
        add_event({.time_ns = now_ns += second, .code = 1, .opcode = task_management_request, .itt = itt});
        add_event({.time_ns = now_ns += second, .code = response, .opcode = 0x22, .itt = itt});
    };
    exchange(7, 1);
    exchange(8, 1);
    Finding finding = find_one(Kind::task_management);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("did nothing of it"), Not(HasSubstr("aborted commands"))));
    EXPECT_THAT(finding.evidence, Contains("answers: 2 task does not exist"));
    exchange(9, 0);
    finding = find_one(Kind::task_management);
    EXPECT_THAT(finding.explanation, HasSubstr("aborted commands"));
    EXPECT_THAT(finding.evidence, Contains("answers: 1 function complete, 2 task does not exist"));
}

TEST_F(SessionPdus, that_ask_to_abort_and_have_no_answer_are_not_told_as_done) {
    add_event({.time_ns = second, .code = 5, .opcode = task_management_request, .itt = 7});
    const Finding finding = find_one(Kind::task_management);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("is not in the capture"), Not(HasSubstr("aborted commands"))));
    EXPECT_THAT(finding.evidence, Contains("answers: 1 without an answer in the capture"));
}

// RFC 7143 §11.17.1: neither a disagreement nor damage.
TEST_F(SessionPdus, that_are_rejected_for_want_of_room_are_no_disagreement) {
    add(reject, 0x0a);
    const Finding finding = find_one(Kind::rejected_pdu);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("no room"), Not(HasSubstr("disagree"))));
}

// What is beyond the events that are listed is known by its number alone.
TEST_F(SessionPdus, that_are_not_listed_are_counted_and_nothing_else_is_told_of_them) {
    constexpr uint8_t login_request = 0x03;
    for (size_t i = 0; i < SessionEvents::most_kept; ++i) add(login_request, 0);
    add(reject, 0x0a);
    add(async_message, 3);
    add(task_management_request, 9);
    for (const Kind kind : {Kind::rejected_pdu, Kind::async_message, Kind::task_management}) {
        const Finding finding = find_one(kind);
        EXPECT_EQ(finding.severity, Severity::notice);
        EXPECT_EQ(finding.title.substr(0, 2), "1 ");
        EXPECT_THAT(finding.explanation, HasSubstr("no more than their number is known"));
        EXPECT_THAT(finding.title, Not(AnyOf(HasSubstr("reason"), HasSubstr("first"), HasSubstr(": "))));
        EXPECT_THAT(finding.evidence, Not(Contains(HasSubstr("packet 0"))));
    }
}

TEST_F(SessionPdus, that_ask_about_tasks_say_nothing_of_those_that_are_not_listed) {
    constexpr uint8_t login_request = 0x03;
    add(task_management_request, 9);
    for (size_t i = 0; i < SessionEvents::most_kept; ++i) add(login_request, 0);
    add(task_management_request, 1);
    const Finding finding = find_one(Kind::task_management);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_THAT(finding.explanation, HasSubstr("what the others did is not known"));
}

// Sessions of one initiator to one target, one behind the other, 5 s each.
class Reconnects : public testing::Test, protected MadeUpCapture {
  protected:
    ConnectionRow& add_session_at(int64_t start_ns) {
        ConnectionRow& row = add_connection(start_ns);
        row.end_ns = start_ns + 5 * second;
        row.last_packet = row.first_packet + 1000;
        return row;
    }
    static void close(ConnectionRow& row) {
        row.out.fin = true;
        row.out.fin_ns = row.end_ns;
    }
    static void reset(ConnectionRow& row) {
        row.out.reset = true;
        row.out.reset_ns = row.end_ns;
    }
};

// A tool that looks each quarter of a minute and closes; and one session that was reset.
TEST_F(Reconnects, of_which_one_was_torn_are_a_notice_that_costs_what_that_one_did) {
    close(add_session_at(0));
    reset(add_session_at(15 * second));
    close(add_session_at(22 * second));
    add_session_at(40 * second);
    const Finding finding = find_one(Kind::session_reconnect);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.cost_ns, 2 * second);
    EXPECT_EQ(finding.session, 3u);
    EXPECT_THAT(finding.title, HasSubstr("3 times: 2.00 s"));
}

TEST_F(Reconnects, of_sessions_that_had_done_their_work_cost_nothing) {
    close(add_session_at(0));
    add_session_at(40 * second);
    EXPECT_EQ(find_one(Kind::session_reconnect).cost_ns, 0);
}

// Refused, sent elsewhere, or without an end: no session began.
TEST_F(Reconnects, behind_a_login_that_failed_are_none) {
    int64_t begin_ns = 0;
    for (const uint16_t status : {uint16_t{0x0301}, uint16_t{0x0101}, uint16_t{0}}) {
        close(add_session_at(begin_ns));
        add_event({.time_ns = begin_ns, .opcode = 0x03});
        add_event({.time_ns = begin_ns + ms, .code = status, .opcode = 0x23});
        begin_ns += 10 * second;
    }
    add_session_at(begin_ns);
    EXPECT_THAT(find(Kind::session_reconnect), SizeIs(0));
}

// Between two files that were merged nobody saw how the first session ended.
TEST_F(Reconnects, behind_a_session_whose_end_is_not_in_the_capture_do_not_say_that_it_ended_without_logout) {
    add_session_at(0);
    add_session_at(40 * second);
    const Finding finding = find_one(Kind::session_reconnect);
    EXPECT_THAT(finding.title, AllOf(HasSubstr("whose end is not in the capture"),
                                     Not(HasSubstr("ended without a logout"))));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("neither FIN nor RST")));
}

TEST_F(Reconnects, where_the_tap_dropped_packets_may_have_logged_out) {
    close(add_session_at(0));
    add_session_at(40 * second);
    EXPECT_EQ(find_one(Kind::session_reconnect).confidence, Finding::Confidence::firm);
    store.add_loss(store.add_sender(1, Side::a), {.packet = 9,
                                                  .time_ns = second,
                                                  .connection = 1,
                                                  .length = 48,
                                                  .kind = LossKind::not_captured,
                                                  .sender = Side::a});
    EXPECT_EQ(find_one(Kind::session_reconnect).confidence, Finding::Confidence::possible);
}

TEST_F(Findings, rejects_messages_and_task_management_are_told) {
    for (const uint8_t opcode : {uint8_t{0x3f}, uint8_t{0x32}, uint8_t{0x02}}) {
        store.add_session_event({.packet = opcode, .connection = 1, .opcode = opcode});
    }
    EXPECT_EQ(find_one(Kind::rejected_pdu).packet, 0x3fu);
    EXPECT_EQ(find_one(Kind::async_message).packet, 0x32u);
    EXPECT_EQ(find_one(Kind::task_management).packet, 0x02u);
}

// RFC 7143 §11.9.1: 2 drops the connection, 3 all of the session, 5 ends the tasks of a logical unit.
class MessageOfTheTarget : public Findings, public testing::WithParamInterface<uint16_t> {};

TEST_P(MessageOfTheTarget, is_a_problem_where_it_ends_something) {
    SessionEvent event{.packet = 3, .connection = 1, .opcode = 0x32};
    event.code = GetParam();
    store.add_session_event(event);
    const bool ends = event.code == 2 || event.code == 3 || event.code == 5;
    EXPECT_EQ(find_one(Kind::async_message).severity,
              ends ? Finding::Severity::problem : Finding::Severity::notice);
}

INSTANTIATE_TEST_SUITE_P(Events, MessageOfTheTarget, testing::Values(0, 1, 2, 3, 4, 5, 255));

}  // namespace
}  // namespace sanscope
