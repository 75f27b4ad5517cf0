// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::MadeUpCapture;
using test::ms;
using test::second;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// A connection that the target closes at 30 s, with a command under way for 20 ms.
class EndOfConnection : public testing::Test, protected MadeUpCapture {
  protected:
    static constexpr int64_t end_ns = 30 * second;
    static constexpr uint64_t own_isid = 0x801234560000;
    static constexpr uint8_t task_management = 0x02;
    static constexpr uint8_t task_management_answer = 0x22;
    static constexpr uint8_t login = 0x03;
    static constexpr uint8_t login_answer = 0x23;
    static constexpr uint8_t logout = 0x06;
    static constexpr uint8_t logout_answer = 0x26;
    static constexpr uint8_t async_message = 0x32;
    static constexpr uint8_t reject = 0x3f;

    EndOfConnection() { begin(20 * ms); }
    // With a command that waits for so long when the connection is closed.
    void begin(int64_t waited_ns) {
        forget_all();
        ConnectionRow& row = add_connection();
        row.end_ns = end_ns + ms;
        row.out.acknowledged_ns = end_ns - ms;
        row.in.fin_ns = end_ns;
        store.session(1).isid = own_isid;
        store.session(1).max_connections = 4;
        for (int64_t i = 0; i < 50; ++i) add_read(i * 100 * ms, 10 * ms);
        add_read(end_ns - waited_ns, 0);
    }
    void end_by_reset_without_commands() {
        forget_all();
        ConnectionRow& row = add_connection();
        row.end_ns = row.in.reset_ns = end_ns;
        row.in.reset = true;
        row.in.reset_packet = packet_at(end_ns);
        store.session(1).isid = own_isid;
        for (int64_t i = 0; i < 50; ++i) add_read(i * 100 * ms, 10 * ms, 1);
    }
    // Of the same names, on its second connection.
    void log_in_anew(int64_t time_ns, uint64_t of_port, uint32_t session = 0, uint16_t status = 0) {
        const ConnectionRow& row = add_connection(time_ns, session);
        store.session(row.session).isid = of_port;
        add_event({.time_ns = time_ns, .connection = 2, .opcode = login});
        add_event({.time_ns = time_ns + ms, .connection = 2, .code = status, .opcode = login_answer});
    }
    void announce(uint16_t event) {
        add_event({.time_ns = end_ns - ms, .connection = 1, .code = event, .opcode = async_message});
    }
    Finding told() { return find_one(Kind::connection_reset); }
};

TEST_F(EndOfConnection, that_nothing_explains_is_the_targets) {
    const Finding finding = told();
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("a crash, a restart"));
}

TEST_F(EndOfConnection, for_which_its_initiator_logged_in_anew_is_a_session_reinstatement) {
    log_in_anew(end_ns - ms, own_isid);
    const Finding finding = told();
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.explanation, HasSubstr("session reinstatement"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("crash")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("on connection 2")));
}

TEST_F(EndOfConnection, for_which_its_initiator_logged_in_at_another_portal_may_be_one) {
    log_in_anew(end_ns - ms, own_isid);
    store.connection(2).target.port = 3261;
    EXPECT_EQ(told().confidence, Finding::Confidence::possible);
}

TEST_F(EndOfConnection, is_no_reinstatement_by_another_isid_nor_by_a_login_that_failed) {
    log_in_anew(end_ns - ms, own_isid + 1);
    EXPECT_THAT(told().explanation, HasSubstr("a crash, a restart"));
    log_in_anew(end_ns - ms, own_isid, 0, 0x0201);
    EXPECT_THAT(told().explanation, HasSubstr("a crash, a restart"));
}

// What the command had waited for is the story.
TEST_F(EndOfConnection, whose_initiator_logs_in_anew_as_it_has_waited_for_long_is_a_consequence) {
    begin(10 * second);
    log_in_anew(end_ns - ms, own_isid);
    EXPECT_THAT(find(Kind::connection_reset), IsEmpty());
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("same InitiatorName and ISID")));
}

TEST_F(EndOfConnection, into_whose_session_the_initiator_logs_in_anew_is_a_connection_reinstatement) {
    store.session(1).max_connections = 1;
    log_in_anew(end_ns - ms, own_isid, 1);
    EXPECT_THAT(told().explanation, HasSubstr("connection reinstatement"));
    EXPECT_EQ(told().confidence, Finding::Confidence::likely);
    // It may be one more connection.
    store.session(1).max_connections = 4;
    EXPECT_EQ(told().confidence, Finding::Confidence::possible);
}

TEST_F(EndOfConnection, that_another_initiator_reset_the_target_for_is_not_its_targets) {
    add_connection();
    add_event({.time_ns = end_ns - ms, .connection = 2, .code = 7, .opcode = task_management, .itt = 9});
    const Finding finding = told();
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("TARGET COLD RESET by the initiator of session 2")));
    add_event({.packet = packet_at(end_ns),
               .time_ns = end_ns - ms + 1,
               .connection = 2,
               .code = 5,
               .opcode = task_management_answer,
               .itt = 9});
    EXPECT_EQ(told().side, Finding::Side::target) << "it was refused";
}

TEST_F(EndOfConnection, behind_a_warm_reset_is_possible_alone) {
    add_event({.time_ns = end_ns - ms, .connection = 1, .code = 6, .opcode = task_management, .itt = 9});
    const Finding finding = told();
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("TARGET WARM RESET by its own initiator")));
}

TEST_F(EndOfConnection, that_the_target_announces_is_no_crash) {
    announce(3);
    const Finding finding = told();
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("had announced"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("crash")));
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("had announced"));
}

TEST_F(EndOfConnection, that_the_initiator_makes_as_the_target_announces_it_is_no_crash) {
    store.connection(1).in.fin_ns = no_time;
    store.connection(1).out.fin_ns = end_ns;
    announce(2);
    EXPECT_THAT(told().explanation, HasSubstr("had announced"));
    store.session(1).connections = 2;
    EXPECT_EQ(told().confidence, Finding::Confidence::possible) << "it may have named the other one";
}

TEST_F(EndOfConnection, whose_session_is_logged_out_of_elsewhere_is_in_order) {
    add_connection(0, 1);
    add_event({.time_ns = end_ns - ms, .connection = 2, .code = 0, .opcode = logout});
    EXPECT_THAT(find(Kind::connection_reset), IsEmpty());
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.explanation, HasSubstr("logged out"));
}

TEST_F(EndOfConnection, that_a_logout_on_another_connection_may_have_named_is_not_told) {
    add_connection(0, 1);
    add_event({.time_ns = end_ns - ms, .connection = 2, .code = 1, .opcode = logout});
    EXPECT_THAT(find(Kind::connection_reset), IsEmpty());
    // It was its own.
    store.connection(2).out.fin_ns = end_ns - ms / 2;
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
}

TEST_F(EndOfConnection, that_a_logout_on_another_connection_names_is_logged_out_of) {
    store.connection(1).cid = 1;
    add_connection(0, 1).cid = 2;
    add_event({.time_ns = end_ns - ms, .connection = 2, .code = 1, .opcode = logout, .cid = 1});
    EXPECT_THAT(find(Kind::connection_reset), IsEmpty());
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("logged out"));
}

// The target closed nothing for it (RFC 7143 §11.15.1).
TEST_F(EndOfConnection, behind_a_logout_that_was_refused_is_told) {
    add_event({.time_ns = end_ns - 3 * ms, .connection = 1, .code = 1, .opcode = logout});
    EXPECT_THAT(find(Kind::connection_reset), IsEmpty());
    add_event({.time_ns = end_ns - 2 * ms, .connection = 1, .code = 2, .opcode = logout_answer});
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, Not(HasSubstr("logged out")));
    add_event({.time_ns = end_ns - ms, .connection = 1, .code = 1, .opcode = logout});
    EXPECT_THAT(find(Kind::connection_reset), IsEmpty()) << "the next one was not";
    add_event({.time_ns = end_ns - ms + 1, .connection = 1, .code = 0, .opcode = logout_answer});
    EXPECT_THAT(find(Kind::connection_reset), IsEmpty());
}

TEST_F(EndOfConnection, behind_a_logout_that_was_rejected_is_told) {
    add_event({.time_ns = end_ns - 3 * ms, .connection = 1, .code = 1, .opcode = logout});
    add_event({.time_ns = end_ns - 2 * ms, .connection = 1, .code = 4, .opcode = reject, .rejected = 0x01});
    EXPECT_THAT(find(Kind::connection_reset), IsEmpty()) << "that was a command";
    add_event({.time_ns = end_ns - ms, .connection = 1, .code = 4, .opcode = reject, .rejected = logout});
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
}

TEST_F(EndOfConnection, on_which_a_logout_names_another_is_told) {
    store.connection(1).cid = 1;
    add_connection(0, 1).cid = 2;
    add_event({.time_ns = end_ns - ms, .connection = 1, .code = 1, .opcode = logout, .cid = 2});
    add_event({.time_ns = end_ns - ms + 1, .connection = 1, .code = 0, .opcode = 0x26});
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, Not(HasSubstr("logged out")));
}

TEST_F(EndOfConnection, behind_a_logout_elsewhere_that_names_that_one_is_told) {
    store.connection(1).cid = 1;
    add_connection(0, 1).cid = 2;
    add_event({.time_ns = end_ns - ms, .connection = 2, .code = 1, .opcode = logout, .cid = 2});
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
}

TEST_F(EndOfConnection, whose_cid_a_later_connection_has_is_not_what_a_logout_names) {
    store.connection(1).cid = 1;
    add_connection(end_ns - 10 * ms, 1).cid = 1;
    add_event({.time_ns = end_ns - ms, .connection = 2, .code = 1, .opcode = logout, .cid = 1});
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
}

TEST_F(EndOfConnection, by_a_login_into_its_session_is_told_by_the_cids) {
    store.connection(1).cid = 1;
    add_connection(end_ns - 2 * second, 1).cid = 1;
    add_event({.time_ns = end_ns - 2 * second, .connection = 2, .opcode = login, .cid = 1});
    add_event({.time_ns = end_ns - 2 * second + ms, .connection = 2, .code = 0, .opcode = login_answer});
    const Finding finding = told();
    EXPECT_THAT(finding.explanation, HasSubstr("connection reinstatement"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("with the same CID 1, on connection 2")));
}

// The target may close the old connection long after that.
TEST_F(EndOfConnection, that_comes_long_after_its_reinstatement_is_not_what_its_commands_waited_for) {
    begin(2 * second);
    store.connection(1).cid = 1;
    add_connection(end_ns - 2 * second + 5 * ms, 1).cid = 1;
    add_event({.time_ns = end_ns - 2 * second + 5 * ms, .connection = 2, .opcode = login, .cid = 1});
    add_event({.time_ns = end_ns - 2 * second + 6 * ms, .connection = 2, .code = 0, .opcode = login_answer});
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_THAT(finding.explanation,
                HasSubstr("waited 5.00 ms for its answer, until the initiator logged in"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("did its process hang")));
    EXPECT_EQ(finding.side, Finding::Side::initiator);
}

TEST_F(EndOfConnection, behind_a_login_with_another_cid_is_none) {
    store.connection(1).cid = 1;
    add_connection(end_ns - ms, 1).cid = 2;
    add_event({.time_ns = end_ns - ms, .connection = 2, .opcode = login, .cid = 2});
    EXPECT_THAT(told().explanation, Not(HasSubstr("reinstatement")));
}

TEST_F(EndOfConnection, that_the_target_announces_by_its_cid_is_this_ones) {
    store.session(1).connections = 2;
    store.connection(1).cid = 1;
    add_connection(0, 1).cid = 2;
    const auto drop = [&](uint32_t cid) {
        add_event({.time_ns = end_ns - ms, .connection = 2, .code = 2, .opcode = async_message, .cid = cid});
    };
    drop(2);
    EXPECT_THAT(told().explanation, HasSubstr("a crash, a restart")) << "it drops the other one";
    drop(1);
    EXPECT_THAT(told().explanation, HasSubstr("had announced"));
    EXPECT_EQ(told().confidence, Finding::Confidence::likely);
}

// RFC 7143 §11.9.1: it is sent on the connection that is to be logged out.
TEST_F(EndOfConnection, behind_a_request_to_log_out_another_is_told) {
    add_connection(0, 1);
    add_event({.time_ns = end_ns - ms, .connection = 2, .code = 1, .opcode = async_message});
    EXPECT_THAT(told().explanation, HasSubstr("a crash, a restart"));
}

// It was the one that closed first.
TEST_F(EndOfConnection, behind_a_logout_that_named_a_third_connection_is_told) {
    add_connection(0, 1);
    add_connection(0, 1).out.fin_ns = end_ns - ms / 2;
    add_event({.time_ns = end_ns - ms, .connection = 2, .code = 1, .opcode = logout});
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
}

TEST_F(EndOfConnection, long_after_a_logout_elsewhere_is_told) {
    add_connection(0, 1);
    add_event({.packet = 1, .time_ns = end_ns - 200 * second, .connection = 2, .code = 1, .opcode = logout});
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
}

// RFC 7143 §7.1.4.4: the initiator closes what is left of a session of which the target reset a connection.
TEST_F(EndOfConnection, that_the_initiator_makes_behind_the_reset_of_another_of_its_session_is_the_targets) {
    store.connection(1).in.fin_ns = no_time;
    store.connection(1).out.fin_ns = end_ns;
    EXPECT_EQ(told().side, Finding::Side::initiator);
    ConnectionRow& other = add_connection(0, 1);
    store.session(1).connections = 2;
    other.in.reset = true;
    other.in.reset_packet = 77;
    other.in.reset_ns = end_ns - ms;
    const Finding finding = told();
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("it died, was killed")));
    EXPECT_THAT(finding.evidence,
                Contains("connection 2 of its session was reset by the target in packet 77, 1.00 ms before"));
    const Finding commands = find_one(Kind::unanswered_commands);
    EXPECT_EQ(commands.side, Finding::Side::target);
    EXPECT_THAT(commands.explanation, HasSubstr("session recovery"));
    store.connection(2).in.reset_ns = end_ns - 10 * second;
    EXPECT_EQ(told().side, Finding::Side::initiator) << "long before";
    store.connection(2).in.reset_ns = no_time;
    store.connection(2).out.fin_ns = end_ns - ms;
    EXPECT_EQ(told().side, Finding::Side::initiator) << "the initiator closed both";
}

TEST_F(EndOfConnection, by_reset_after_an_abort_does_not_say_that_all_was_answered) {
    end_by_reset_without_commands();
    EXPECT_THAT(told().explanation, HasSubstr("All that the initiator had asked for was answered"));
    add_command(20 * second, 0,
                {.lun = 0,
                 .aborted_packet = packet_at(21 * second),
                 .name = "READ(16)",
                 .outcome = Outcome::aborted});
    EXPECT_THAT(told().explanation, HasSubstr("1 command was aborted before; the rest was answered"));
}

TEST_F(EndOfConnection, by_reset_of_a_command_that_is_answered_elsewhere_is_not_idle) {
    end_by_reset_without_commands();
    EXPECT_THAT(told().title, HasSubstr("with no command under way"));
    add_read(end_ns - ms, second, 1);
    EXPECT_THAT(told().title, Not(HasSubstr("under way")));
}

// With several paths each has a session of its own.
TEST_F(EndOfConnection,
       under_commands_that_the_initiator_reset_over_another_path_accuses_no_other_initiator) {
    add_connection();
    add_event(
        {.time_ns = end_ns - ms, .lun = 0, .connection = 2, .code = 5, .opcode = task_management, .itt = 9});
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("over another of its sessions"));
    EXPECT_EQ(find_one(Kind::unanswered_commands).side, Finding::Side::none);
    store.session(2).initiator_name = "iqn.another";
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("Another initiator reset"));
    store.session(2).initiator_name.clear();
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("reset over another session"));
    store.add_unit_name(1, 0, "3:6001");
    store.add_unit_name(2, 0, "3:6002");
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, Not(HasSubstr("reset"))) << "another unit";
}

}  // namespace
}  // namespace sanscope
