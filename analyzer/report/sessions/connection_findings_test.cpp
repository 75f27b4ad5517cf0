// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::read_16;
using test::Findings;
using test::ms;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

TEST_F(Findings, who_reset_the_connection_is_told) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.request_ns = 990 * ms, .name = "READ(16)", .opcode = read_16});
    ConnectionRow& row = store.connection(1);
    row.in.reset = true;
    row.in.reset_packet = 77;
    row.in.reset_ns = 995 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_THAT(finding.title, HasSubstr("Target 10.0.0.2:3260 reset the connection (RST) with 1 command"));
    EXPECT_EQ(finding.packet, 77u);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(find_one(Kind::unanswered_commands).severity, Finding::Severity::information);
    // After a logout an RST is how some hosts close.
    store.add_session_event({.packet = 70, .connection = 1, .opcode = 0x06});
    EXPECT_TRUE(find(Kind::connection_reset).empty());
}

// By whose clock? The other's FIN may have come before.
TEST_F(Findings, who_closed_the_connection_first_clocks_that_are_apart_do_not_tell) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.request_ns = 990 * ms, .name = "READ(16)", .opcode = read_16});
    ConnectionRow& row = store.connection(1);
    row.in.fin = row.out.fin = true;
    row.in.fin_ns = 995 * ms;
    row.out.fin_ns = 996 * ms;
    EXPECT_EQ(find_one(Kind::connection_reset).side, Finding::Side::target);
    row.out.new_segments = row.out.late_segments = 100;
    row.out.late_ns = 20 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("which side closed it first is not known"));
    row.in.fin_ns = 700 * ms;
    EXPECT_EQ(find_one(Kind::connection_reset).side, Finding::Side::target) << "long before the other";
}

// The request may be among what the capture lacks; that it was answered shows that it was made.
TEST_F(Findings, a_logout_response_tells_of_a_logout_whose_request_is_not_in_the_capture) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.request_ns = 90 * ms, .name = "READ(16)", .opcode = read_16});
    ConnectionRow& row = store.connection(1);
    row.in.fin = true;
    row.in.fin_ns = 95 * ms;
    add_loss(add_initiator(), LossKind::not_captured, 92);
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
    store.add_session_event({.packet = 70, .time_ns = 94 * ms, .connection = 1, .opcode = 0x26});
    EXPECT_TRUE(find(Kind::connection_reset).empty());
}

TEST_F(Findings, a_reset_behind_which_all_was_answered_leaves_nothing_unanswered) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    for (int64_t i = 0; i < 4; ++i) add_read(980 + i, 17 - i);
    ConnectionRow& row = store.connection(1);
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_THAT(finding.title, HasSubstr("reset the connection (RST) with 4 commands under way"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("4 commands answered only behind it")));
}

TEST_F(Findings, a_session_that_ends_in_a_reset_without_a_logout_is_told_though_all_was_answered) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.out.fin = true;
    row.out.fin_ns = 995 * ms;
    EXPECT_TRUE(find(Kind::connection_reset).empty());
    row.out.fin = false;
    row.out.fin_ns = no_time;
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_EQ(finding.packet, 77u);
    store.add_session_event({.packet = 70, .connection = 1, .opcode = 0x06});
    EXPECT_TRUE(find(Kind::connection_reset).empty());
}

// The Logout may be among what the capture lacks.
TEST_F(Findings, a_reset_without_a_logout_is_possible_alone_where_packets_are_missing) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    EXPECT_EQ(find_one(Kind::connection_reset).confidence, Finding::Confidence::firm);
    add_loss(add_initiator(), LossKind::not_captured, 990);
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("a Logout, commands or answers may have been among them"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("was answered")));
    EXPECT_THAT(finding.title, Not(HasSubstr("no command under way")));
}

TEST_F(Findings, of_one_direction_a_reset_does_not_tell_that_all_was_answered) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.in.reset = true;
    row.in.reset_packet = 77;
    row.in.reset_ns = 995 * ms;
    EXPECT_THAT(find_one(Kind::connection_reset).explanation, HasSubstr("was answered"));
    row.packets_out = 0;
    const Finding of_target = find_one(Kind::connection_reset);
    EXPECT_EQ(of_target.confidence, Finding::Confidence::possible);
    EXPECT_THAT(of_target.explanation, Not(HasSubstr("was answered")));
    EXPECT_THAT(of_target.title, Not(HasSubstr("no command under way")));
    row.packets_out = row.packets_in;
    row.packets_in = 0;
    EXPECT_THAT(find_one(Kind::connection_reset).explanation, Not(HasSubstr("was answered")));
}

// Without their logins, two connections of one initiator may be of one session (MC/S), which a Logout on either closes.
TEST_F(Findings, a_reset_without_a_logout_is_possible_alone_where_another_connection_may_be_of_its_session) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.in.reset = true;
    row.in.reset_packet = 77;
    row.in.reset_ns = 995 * ms;
    uint32_t other = 0;
    store.add_session(other).connections = 1;
    add_connection(other);
    EXPECT_EQ(find_one(Kind::connection_reset).confidence, Finding::Confidence::firm);
    store.add_session_event(
        {.packet = 70, .time_ns = 994 * ms, .connection = 2, .session = other, .opcode = 0x06});
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("may have been of its session (MC/S)"));
}

// Of a capture with a wrong digest in each PDU, only the first events are kept.
TEST_F(Findings, a_reset_is_possible_alone_where_not_every_logout_is_kept) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    for (size_t i = 0; i < SessionEvents::most_kept; ++i)
        store.add_session_event({.packet = 70, .connection = 1, .opcode = 0x25});
    EXPECT_EQ(find_one(Kind::connection_reset).confidence, Finding::Confidence::firm);
    store.add_session_event({.packet = 71, .connection = 1, .opcode = 0x06});
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("not every Logout is known"));
}

TEST_F(Findings, a_refused_login_is_told_with_its_reason_and_side) {
    store.session(1).target_name = "iqn.\033[2Jwrong";
    store.add_session_event(
        {.packet = 8, .time_ns = 3 * ms, .connection = 1, .session = 1, .code = 0x0203, .opcode = 0x23});
    const Finding finding = find_one(Kind::login_refused);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.title, HasSubstr("target not found (0203)"));
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("wrong"), Not(HasSubstr("\033"))));
}

TEST_F(Findings, logins_that_succeed_or_are_sent_elsewhere_are_not_refused) {
    for (const uint16_t code : {uint16_t{0}, uint16_t{0x0101}})
        store.add_session_event({.connection = 1, .session = 1, .code = code, .opcode = 0x23});
    EXPECT_TRUE(find(Kind::login_refused).empty());
}

TEST_F(Findings, a_portal_that_refuses_or_does_not_answer_is_told) {
    ConnectionRow& refused = add_connection(0);
    refused.iscsi = false;
    refused.packets_out = 1;
    refused.packets_in = 1;
    refused.out.syns = 1;
    refused.in.reset = true;
    EXPECT_THAT(find_one(Kind::connection_refused).title, HasSubstr("refuses connections (RST)"));
    refused.in.reset = false;
    refused.packets_in = 0;
    EXPECT_TRUE(find(Kind::connection_refused).empty()) << "one SYN may be answered later";
    refused.packets_out = refused.out.syns = 4;
    refused.end_ns = refused.start_ns + 30 * ms;
    EXPECT_TRUE(find(Kind::connection_refused).empty()) << "copies of one SYN: a timer takes a second";
    refused.end_ns = refused.start_ns + 7000 * ms;
    EXPECT_THAT(find_one(Kind::connection_refused).title, HasSubstr("does not answer: 4 SYNs"));
}

}  // namespace
}  // namespace sanscope
