// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/findings.h"
#include "analyzer/report/testing/frames_capture.h"
#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::FramesCapture;
using test::FramesConnection;
using test::Host;
using test::ms;
using test::text_keys;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr bool initiator = false;
constexpr bool target = true;
constexpr std::string_view initiator_key = "InitiatorName=iqn.2026-01.org.example:i";
constexpr std::string_view target_key = "TargetName=iqn.2026-01.org.example:t";

Host host(uint8_t number) {
    return {.ip = "10.0.0." + std::to_string(number), .mac = number};
}

// A Login Request that asks to stay in, or leave, security negotiation.
Bytes security_request(std::initializer_list<std::string_view> keys, bool leave = false) {
    return test::login_request(text_keys(keys)).flags(leave ? 0x81 : 0x00).bytes();
}

Bytes refusal(uint16_t code, std::initializer_list<std::string_view> keys = {}) {
    Bytes bytes = test::login_response(text_keys(keys), 0x00023d000001, 0).flags(0).bytes();
    bytes[36] = static_cast<uint8_t>(code >> 8);
    bytes[37] = static_cast<uint8_t>(code);
    return bytes;
}

class Logins : public testing::Test {
  protected:
    Finding only(Kind kind) {
        const std::vector<Finding> found = capture.find(kind);
        EXPECT_THAT(found, SizeIs(1));
        return found.empty() ? Finding{} : found.front();
    }
    void reads(int64_t from_ms) {
        for (int64_t i = 0; i < 20; ++i) connection.read((from_ms + 5 * i) * ms);
    }

    FramesCapture capture;
    FramesConnection connection{capture, host(1), host(2)};
};

TEST_F(Logins, that_take_no_time_are_fine) {
    connection.open(0);
    connection.login(2 * ms);
    reads(10);
    for (const Finding& finding : capture.find())
        EXPECT_EQ(finding.severity, Severity::information) << finding.title;
}

TEST_F(Logins, that_the_target_takes_long_for_are_the_targets) {
    connection.open(0);
    connection.login(2 * ms, initiator_key, 1, 6000 * ms);
    reads(7000);
    const Finding finding = only(Kind::slow_login);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(finding.cost_ns, 6002 * ms);
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("6.00 s passed between 1 Login Request and the Login Response")));
}

// A target that hangs: commands wait, the initiator gives up and logs in anew, which waits as well.
TEST_F(Logins, that_wait_for_a_target_that_hangs_follow_from_that) {
    connection.open(0);
    connection.login(2 * ms);
    reads(10);
    connection.request_read(200 * ms);
    connection.acknowledge(target, 201 * ms);
    connection.reset(initiator, 1300 * ms);
    FramesConnection again(capture, host(1), host(2), 50002);
    again.open(1400 * ms);
    again.login(1402 * ms, initiator_key, 0x00023d000001, 2000 * ms);
    for (int64_t i = 0; i < 20; ++i) again.read((4000 + 5 * i) * ms);
    const Finding finding = only(Kind::slow_login);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.explanation, HasSubstr("It follows from"));
}

TEST_F(Logins, that_the_initiator_takes_long_for_are_the_initiators) {
    connection.open(0);
    connection.send(initiator, security_request({initiator_key, target_key, "AuthMethod=CHAP,None"}), 2 * ms);
    connection.send(target, test::login_response(text_keys({"AuthMethod=None"})).flags(0x81).bytes(), 3 * ms);
    connection.login(2500 * ms);
    reads(3000);
    const Finding finding = only(Kind::slow_login);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
}

TEST_F(Logins, whose_request_is_lost_are_the_paths) {
    connection.open(0);
    connection.receives[initiator] = false;
    const uint32_t seq = connection.next_seq(initiator);
    const Bytes request = test::login_request(text_keys({initiator_key, target_key})).bytes();
    connection.send(initiator, request, 2 * ms);
    connection.segment_at(initiator, seq, request, 202 * ms);
    connection.segment_at(initiator, seq, request, 602 * ms);
    connection.segment_at(initiator, seq, request, 1402 * ms);
    connection.receives[initiator] = true;
    connection.set_received(initiator, connection.next_seq(initiator));
    connection.send(target, test::login_response({}).stat_sn(1).bytes(), 1404 * ms);
    reads(1500);
    EXPECT_EQ(only(Kind::slow_login).side, Finding::Side::path);
}

// A second was the path's, and what took long was not.
TEST_F(Logins, that_lost_a_syn_and_then_waited_for_the_target_are_the_targets) {
    connection.send_syn(0);
    connection.open(1000 * ms);
    connection.login(1002 * ms, initiator_key, 1, 19'000 * ms);
    reads(21'000);
    const Finding finding = only(Kind::slow_login);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("SYN or its answer was sent 2 times")));
    EXPECT_THAT(finding.evidence, Not(Contains(HasSubstr("nothing of it was retransmitted"))));
}

TEST_F(Logins, whose_syns_are_lost_are_the_paths) {
    connection.send_syn(0);
    connection.send_syn(1000 * ms);
    connection.open(3000 * ms);
    connection.login(3002 * ms);
    reads(3100);
    EXPECT_EQ(only(Kind::slow_login).side, Finding::Side::path);
}

// The initiator waited for 6 s before it sent what is not there: the target answered at once.
TEST_F(Logins, of_which_the_capture_lacks_a_request_are_not_timed) {
    connection.open(0);
    const Bytes request = security_request({initiator_key, target_key, "AuthMethod=CHAP,None"});
    connection.send(initiator, request, 2 * ms);
    connection.send(target, test::login_response(text_keys({"AuthMethod=None"})).flags(0).bytes(), 3 * ms);
    connection.skip(initiator, static_cast<uint32_t>(request.size()));
    connection.set_received(initiator, connection.next_seq(initiator));
    connection.send(target, test::login_response({}).stat_sn(1).bytes(), 6000 * ms);
    connection.acknowledge(initiator, 6001 * ms);
    reads(7000);
    EXPECT_THAT(capture.find(Kind::slow_login), IsEmpty());
}

TEST_F(Logins, of_a_clock_that_was_set_back_are_not_timed) {
    connection.open(0);
    connection.login(2 * ms, initiator_key, 1, 6000 * ms);
    reads(7000);
    FramesConnection other(capture, host(3), host(2), 50009);
    other.open(-60'000 * ms);
    EXPECT_THAT(capture.find(Kind::slow_login), IsEmpty());
}

// Files of two interfaces, whose clocks are apart, each of one direction.
TEST(LoginsOfTwoClocks, are_not_timed_by_what_these_are_apart) {
    test::MadeUpCapture capture;
    ConnectionRow& row = capture.add_connection();
    SessionEvent event{.time_ns = 2 * ms, .opcode = static_cast<uint8_t>(Opcode::login_request)};
    event.code = test::login_operational_to_full_feature;
    capture.add_event(event);
    event.opcode = static_cast<uint8_t>(Opcode::login_response);
    event.time_ns = 7000 * ms;
    event.code = 0;
    capture.add_event(event);
    EXPECT_THAT(capture.find(Kind::slow_login), SizeIs(1));
    row.in.new_segments = row.in.late_segments = 100;
    row.in.late_ns = 6999 * ms;
    EXPECT_THAT(capture.find(Kind::slow_login), IsEmpty());
}

TEST_F(Logins, that_the_capture_came_late_for_are_not_timed) {
    connection.login(2 * ms);
    reads(4000);
    EXPECT_THAT(capture.find(Kind::slow_login), IsEmpty());
}

TEST_F(Logins, that_nobody_answers_are_told) {
    connection.open(0);
    connection.send(initiator, test::login_request(text_keys({initiator_key, target_key})).bytes(), 2 * ms);
    connection.acknowledge(target, 3 * ms);
    connection.close(initiator, 15'002 * ms);
    const Finding finding = only(Kind::login_unanswered);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.title, HasSubstr("did not answer the login for 15.0 s"));
    EXPECT_THAT(finding.evidence, SizeIs(2));
}

TEST_F(Logins, that_the_target_hangs_up_on_are_told) {
    connection.open(0);
    connection.send(initiator, test::login_request(text_keys({initiator_key, target_key})).bytes(), 2 * ms);
    connection.acknowledge(target, 3 * ms);
    connection.close(target, 4 * ms);
    connection.acknowledge(initiator, 4 * ms);
    EXPECT_THAT(only(Kind::login_unanswered).title, HasSubstr("closed the connection without an answer"));
}

// Up to the target's challenge, 5 ms; the initiator's response to it would be next.
class ChapLogins : public Logins {
  protected:
    ChapLogins() {
        connection.open(0);
        connection.send(initiator, security_request({initiator_key, target_key, "AuthMethod=CHAP,None"}),
                        2 * ms);
        connection.send(target, answer({"AuthMethod=CHAP"}), 3 * ms);
        connection.send(initiator, security_request({"CHAP_A=5"}), 4 * ms);
        connection.send(target, answer({"CHAP_A=5", "CHAP_I=7", "CHAP_C=0x1234"}), 5 * ms);
    }
    static Bytes answer(std::initializer_list<std::string_view> keys) {
        return test::login_response(text_keys(keys), 0x00023d000001, 0).flags(0).bytes();
    }
    void respond() {
        connection.send(initiator, security_request({"CHAP_N=me", "CHAP_R=0xabcd"}, true), 6 * ms);
        connection.acknowledge(target, 7 * ms);
    }
};

TEST_F(ChapLogins, that_hang_behind_the_response_are_the_targets) {
    respond();
    connection.close(initiator, 15'006 * ms);
    const Finding finding = only(Kind::login_unanswered);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.title, HasSubstr("for 15.0 s, behind the initiator's CHAP response"));
    EXPECT_THAT(finding.explanation, HasSubstr("RADIUS"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("had answered 2 Login Requests")));
}

TEST_F(ChapLogins, that_the_target_hangs_up_on_behind_the_response_are_told) {
    respond();
    connection.close(target, 8 * ms);
    connection.acknowledge(initiator, 8 * ms);
    EXPECT_THAT(only(Kind::login_unanswered).explanation, HasSubstr("may hang up without a status"));
}

// As with mutual CHAP, where the target's own response does not verify.
TEST_F(ChapLogins, that_the_initiator_breaks_off_behind_the_answer_are_told) {
    respond();
    connection.send(target, answer({"CHAP_N=it", "CHAP_R=0x1234"}), 8 * ms);
    connection.close(initiator, 9 * ms);
    const Finding finding = only(Kind::login_unanswered);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.title, HasSubstr("The initiator broke off its login"));
    EXPECT_THAT(finding.explanation, HasSubstr("mutual CHAP"));
}

TEST_F(ChapLogins, that_the_capture_ends_upon_are_under_way) {
    respond();
    EXPECT_THAT(capture.find(Kind::login_unanswered), IsEmpty());
}

TEST_F(ChapLogins, that_the_capture_ends_upon_behind_an_answer_are_under_way) {
    respond();
    connection.send(target, answer({"CHAP_N=it", "CHAP_R=0x1234"}), 8 * ms);
    EXPECT_THAT(capture.find(Kind::login_unanswered), IsEmpty());
}

TEST_F(ChapLogins, whose_answer_the_capture_lacks_are_not_unanswered) {
    respond();
    connection.skip(target, 48);
    connection.set_received(target, connection.next_seq(target));
    connection.acknowledge(initiator, 9 * ms);
    connection.close(initiator, 15'006 * ms);
    EXPECT_THAT(capture.find(Kind::login_unanswered), IsEmpty());
}

TEST_F(Logins, that_are_refused_before_any_chap_do_not_speak_of_its_secret) {
    connection.open(0);
    connection.send(initiator, security_request({initiator_key, target_key, "AuthMethod=CHAP,None"}, true),
                    2 * ms);
    connection.send(target, refusal(0x0201), 3 * ms);
    const Finding finding = only(Kind::login_refused);
    EXPECT_THAT(finding.explanation, HasSubstr("before any CHAP took place"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("Correct the CHAP user name")));
    EXPECT_THAT(finding.evidence, Contains("no CHAP took place before it"));
}

TEST_F(Logins, whose_answer_the_capture_lacks_are_not_unanswered) {
    connection.open(0);
    connection.send(initiator, test::login_request(text_keys({initiator_key, target_key})).bytes(), 2 * ms);
    connection.skip(target, 48);
    connection.set_received(target, connection.next_seq(target));
    connection.acknowledge(initiator, 4 * ms);
    connection.request_read(5 * ms);
    connection.acknowledge(target, 6 * ms);
    connection.close(initiator, 15'000 * ms);
    EXPECT_THAT(capture.find(Kind::login_unanswered), IsEmpty());
}

// The FIN stands behind the answer, and so does what the initiator acknowledged.
TEST_F(Logins, whose_answer_the_capture_lacks_before_a_fin_are_not_unanswered) {
    connection.open(0);
    connection.send(initiator, test::login_request(text_keys({initiator_key, target_key})).bytes(), 2 * ms);
    connection.acknowledge(target, 3 * ms);
    connection.skip(target, 48);
    connection.close(target, 4 * ms);
    connection.acknowledge(initiator, 5 * ms);
    EXPECT_THAT(capture.find(Kind::login_unanswered), IsEmpty());
}

TEST_F(Logins, at_the_end_of_a_capture_are_under_way) {
    connection.open(0);
    connection.send(initiator, test::login_request(text_keys({initiator_key, target_key})).bytes(), 2 * ms);
    connection.acknowledge(target, 3 * ms);
    EXPECT_THAT(capture.find(Kind::login_unanswered), IsEmpty());
}

TEST_F(Logins, whose_request_never_arrived_are_not_the_targets) {
    connection.open(0);
    connection.receives[initiator] = false;
    const uint32_t seq = connection.next_seq(initiator);
    const Bytes request = test::login_request(text_keys({initiator_key, target_key})).bytes();
    connection.send(initiator, request, 2 * ms);
    for (int64_t at_ms = 202, wait_ms = 200; at_ms < 10'000; at_ms += wait_ms, wait_ms *= 2)
        connection.segment_at(initiator, seq, request, at_ms * ms);
    EXPECT_THAT(capture.find(Kind::login_unanswered), IsEmpty());
}

TEST_F(Logins, that_are_refused_for_a_chap_answer_say_so) {
    connection.open(0);
    connection.send(initiator, security_request({initiator_key, target_key, "AuthMethod=CHAP,None"}), 2 * ms);
    connection.send(target, test::login_response(text_keys({"AuthMethod=CHAP"})).flags(0).bytes(), 3 * ms);
    connection.send(initiator, security_request({"CHAP_A=5"}), 4 * ms);
    connection.send(
        target, test::login_response(text_keys({"CHAP_A=5", "CHAP_I=7", "CHAP_C=0x1234"})).flags(0).bytes(),
        5 * ms);
    connection.send(initiator, security_request({"CHAP_N=me", "CHAP_R=0xabcd"}, true), 6 * ms);
    connection.send(target, refusal(0x0201), 7 * ms);
    const Finding finding = only(Kind::login_refused);
    EXPECT_THAT(finding.title, HasSubstr("authentication failure (0201)"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("answered the target's CHAP challenge")));
}

class BrokenOffInChap : public ChapLogins {
  protected:
    Finding broken_off(std::initializer_list<std::string_view> response,
                       std::initializer_list<std::string_view> to_it) {
        connection.send(initiator, security_request(response, true), 6 * ms);
        connection.send(target, answer(to_it), 7 * ms);
        connection.close(initiator, 8 * ms);
        return only(Kind::login_unanswered);
    }
};

TEST_F(BrokenOffInChap, behind_the_targets_own_response_tells_of_its_secret) {
    const Finding finding = broken_off({"CHAP_N=me", "CHAP_R=0xabcd", "CHAP_I=3", "CHAP_C=0x99"},
                                       {"CHAP_N=target", "CHAP_R=0x77"});
    EXPECT_THAT(finding.explanation, HasSubstr("the user name and secret of the target at both"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("the target's own CHAP response (CHAP_R) came")));
}

TEST_F(BrokenOffInChap, without_the_response_it_asked_for_tells_that_the_target_gave_none) {
    const Finding finding = broken_off({"CHAP_N=me", "CHAP_R=0xabcd", "CHAP_I=3", "CHAP_C=0x99"}, {});
    EXPECT_THAT(finding.explanation, HasSubstr("did not answer the initiator's own challenge"));
}

TEST_F(BrokenOffInChap, without_a_challenge_to_the_target_does_not_speak_of_its_secret) {
    const Finding finding = broken_off({"CHAP_N=me", "CHAP_R=0xabcd"}, {});
    EXPECT_THAT(finding.explanation, HasSubstr("had not asked it to authenticate itself"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("secret")));
}

TEST_F(Logins, that_do_not_offer_chap_where_it_is_asked_for_say_so) {
    connection.open(0);
    connection.send(initiator, security_request({initiator_key, target_key, "AuthMethod=None"}, true),
                    2 * ms);
    connection.send(target, refusal(0x0201), 3 * ms);
    const Finding finding = only(Kind::login_refused);
    EXPECT_THAT(finding.evidence, Contains("the initiator offered AuthMethod=None, and no CHAP"));
    EXPECT_THAT(finding.evidence, Not(Contains(HasSubstr("challenge"))));
    EXPECT_THAT(finding.explanation, HasSubstr("does not offer"));
}

TEST_F(Logins, that_are_tried_again_and_again_are_counted) {
    for (uint16_t i = 0; i < 4; ++i) {
        FramesConnection one(capture, host(1), host(2), static_cast<uint16_t>(50010 + i));
        const int64_t at_ns = i * 3000 * ms;
        one.open(at_ns);
        one.send(initiator, test::login_request(text_keys({initiator_key, target_key})).bytes(),
                 at_ns + 2 * ms);
        one.send(target, refusal(0x0301), at_ns + 3 * ms);
        one.close(target, at_ns + 4 * ms);
    }
    connection.open(12'000 * ms);
    connection.login(12'002 * ms);
    reads(12'010);
    const Finding finding = only(Kind::login_refused);
    EXPECT_THAT(finding.title, HasSubstr("4 logins: service unavailable"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("4 logins had that answer within 9.00 s")));
    EXPECT_THAT(finding.explanation, HasSubstr("succeeded 12.0 s later"));
}

TEST_F(Logins, of_several_hosts_that_are_refused_once_each_are_not_tried_again) {
    for (uint8_t i = 0; i < 4; ++i) {
        FramesConnection one(capture, host(static_cast<uint8_t>(10 + i)), host(2));
        const std::string name = "InitiatorName=iqn.2026-01.org.example:i" + std::to_string(i);
        const int64_t at_ns = i * 3000 * ms;
        one.open(at_ns);
        one.send(initiator, test::login_request(text_keys({name, target_key})).bytes(), at_ns + 2 * ms);
        one.send(target, refusal(0x0202), at_ns + 3 * ms);
        one.close(target, at_ns + 4 * ms);
    }
    EXPECT_THAT(only(Kind::login_refused).evidence, Not(Contains(HasSubstr("again and again"))));
}

TEST_F(Logins, of_several_hosts_that_are_refused_are_told_by_initiator) {
    const auto refuse = [&](uint8_t number, uint16_t code, int64_t at_ms, uint16_t port) {
        FramesConnection one(capture, host(number), host(2), port);
        const std::string name = "InitiatorName=iqn.2026-01.org.example:i" + std::to_string(number);
        one.open(at_ms * ms);
        one.send(initiator, test::login_request(text_keys({name, target_key})).bytes(), (at_ms + 2) * ms);
        one.send(target, refusal(code), (at_ms + 3) * ms);
        one.close(target, (at_ms + 4) * ms);
    };
    refuse(10, 0x0201, 0, 50001);
    refuse(11, 0x0201, 1000, 50002);
    refuse(11, 0x0201, 2000, 50003);
    refuse(12, 0x0202, 3000, 50004);
    const std::vector<Finding> found = capture.find(Kind::login_refused);
    ASSERT_THAT(found, SizeIs(3));
    for (const auto& [title, name] : {std::pair("the login: authentication failure (0201)", "example:i10."),
                                      std::pair("2 logins: authentication failure (0201)", "example:i11."),
                                      std::pair("the login: authorization failure (0202)", "example:i12.")}) {
        const auto of_it =
            std::ranges::find_if(found, [&, title = title, name = name](const Finding& finding) {
                return finding.title.ends_with(title) && finding.explanation.find(name) != std::string::npos;
            });
        EXPECT_NE(of_it, found.end()) << title << " of " << name;
    }
}

TEST_F(Logins, of_many_hosts_that_are_refused_alike_are_counted_by_initiator) {
    for (uint8_t i = 0; i < 9; ++i) {
        const uint8_t number = i < 3 ? 10 : static_cast<uint8_t>(10 + i);  // the first one three times
        FramesConnection one(capture, host(number), host(2), static_cast<uint16_t>(50001 + i));
        const std::string name = "InitiatorName=iqn.2026-01.org.example:i" + std::to_string(number);
        const int64_t at_ns = i * 1000 * ms;
        one.open(at_ns);
        one.send(initiator, security_request({name, target_key, "AuthMethod=None"}, true), at_ns + 2 * ms);
        one.send(target, refusal(0x0201), at_ns + 3 * ms);
        one.close(target, at_ns + 4 * ms);
    }
    const Finding finding = only(Kind::login_refused);
    EXPECT_THAT(finding.title, HasSubstr("9 logins of 7 initiators: authentication failure (0201)"));
    EXPECT_THAT(finding.evidence, Contains("3 logins of iqn.2026-01.org.example:i10"));
    EXPECT_THAT(finding.evidence, Contains("and of 2 other initiators"));
    EXPECT_THAT(finding.evidence, Not(Contains(HasSubstr("AuthMethod")))) << "said by one of them";
    EXPECT_THAT(finding.explanation, Not(HasSubstr("Correct the CHAP user name")));
}

class Redirection : public Logins {
  protected:
    void redirect(uint16_t port, int64_t at_ms, std::string_view to, uint8_t at_portal = 2,
                  std::string_view name = initiator_key) {
        FramesConnection one(capture, host(1), host(at_portal), port);
        one.open(at_ms * ms);
        one.send(initiator, test::login_request(text_keys({name, target_key})).bytes(), (at_ms + 2) * ms);
        one.send(target, refusal(0x0101, {to}), (at_ms + 3) * ms);
        one.close(target, (at_ms + 4) * ms);
    }
};

TEST_F(Redirection, to_a_portal_that_takes_the_login_is_as_meant) {
    redirect(50010, 0, "TargetAddress=10.0.0.3:3260,1");
    connection.host(target) = host(3);
    connection.open(10 * ms);
    connection.login(12 * ms);
    reads(20);
    const Finding finding = only(Kind::login_redirected);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.title, HasSubstr("10.0.0.3:3260,1 (moved temporarily)"));
    EXPECT_THAT(finding.explanation, HasSubstr("It logged in there"));
}

// As behind NAT, or where the address is a host's name.
TEST_F(Redirection, to_an_address_that_is_not_seen_is_not_said_to_be_where_it_logged_in) {
    redirect(50010, 0, "TargetAddress=10.0.0.3:3260,1");
    connection.open(10 * ms);
    connection.login(12 * ms);
    reads(20);
    const Finding finding = only(Kind::login_redirected);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.explanation, HasSubstr("Later it logged in at 10.0.0.2:3260"));
}

TEST_F(Redirection, of_several_initiators_once_each_is_no_circle) {
    for (const uint16_t i : {uint16_t{0}, uint16_t{1}, uint16_t{2}}) {
        redirect(static_cast<uint16_t>(50010 + i), 100 * i, "TargetAddress=10.0.0.3:3260,1", 2,
                 "InitiatorName=iqn.2026-01.org.example:i" + std::to_string(i));
    }
    const std::vector<Finding> found = capture.find(Kind::login_redirected);
    EXPECT_THAT(found, SizeIs(3));
    for (const Finding& finding : found) EXPECT_EQ(finding.severity, Severity::information);
}

// What came of those logins the capture of the first portal does not have.
TEST_F(Redirection, again_and_again_to_a_portal_that_was_not_captured_is_no_circle) {
    for (uint16_t i = 0; i < 4; ++i)
        redirect(static_cast<uint16_t>(50010 + i), 100 * i, "TargetAddress=10.0.0.3:3260,1");
    const Finding finding = only(Kind::login_redirected);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.explanation, HasSubstr("not in the capture"));
}

TEST_F(Redirection, from_portal_to_portal_and_back_is_a_circle) {
    redirect(50010, 0, "TargetAddress=10.0.0.3:3260,1");
    redirect(50011, 100, "TargetAddress=10.0.0.2:3260,1", 3);
    redirect(50012, 200, "TargetAddress=10.0.0.3:3260,1");
    const Finding finding = only(Kind::login_redirected);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_THAT(finding.title, HasSubstr("10.0.0.3:3260,1 and 1 more (moved"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("had sent this initiator on as well")));
}

TEST_F(Redirection, in_circles_is_a_problem) {
    for (uint16_t i = 0; i < 3; ++i)
        redirect(static_cast<uint16_t>(50010 + i), 100 * i, "TargetAddress=10.0.0.2:3260,1");
    const Finding finding = only(Kind::login_redirected);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("the portal it had asked")));
}

}  // namespace
}  // namespace sanscope
