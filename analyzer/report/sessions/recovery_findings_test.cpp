// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

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
using Side = Finding::Side;

// A NOP-Out at 10 s, 5 s after which the initiator closes the connection, and connects anew.
class PingWithoutAnswer : public testing::Test, protected MadeUpCapture {
  protected:
    PingWithoutAnswer() {
        row = &add_connection();
        row->end_ns = 15 * second;
        row->out.reset = true;
        row->out.reset_ns = 15 * second;
        row->out.reset_packet = packet_at(15 * second);
        for (int64_t i = 0; i < 50; ++i) add_read(i * 100 * ms, ms);
        ping = {.packet = packet_at(10 * second),
                .time_ns = 10 * second,
                .connection = 1,
                .sender = Role::initiator,
                .answered = 12,
                .longest_answer_ns = 2 * ms};
    }
    void acknowledge(int64_t time_ns) {
        row->out.acknowledged_ns = time_ns;
        row->out.unacknowledged = time_ns >= ping.time_ns ? 0 : 48;
    }
    std::vector<Finding> told() {
        store.add_unanswered_ping(ping);
        return find(Kind::ping_timeout);
    }
    Finding told_one() {
        const std::vector<Finding> found = told();
        EXPECT_EQ(found.size(), 1u);
        return found.empty() ? Finding{} : found.front();
    }

    ConnectionRow* row = nullptr;
    UnansweredPing ping;
};

TEST_F(PingWithoutAnswer, that_tcp_acknowledged_is_the_silent_targets) {
    acknowledge(10 * second + ms);
    add_connection(17 * second);
    const Finding finding = told_one();
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Side::target);
    EXPECT_EQ(finding.confidence, Finding::Confidence::firm);
    EXPECT_THAT(finding.title, AllOf(HasSubstr("NOP-Out was not answered by target 10.0.0.2:3260 for 5.00 s"),
                                     HasSubstr("the initiator closed the connection (RST)")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("acknowledged it, and no PDU came")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("12 others before it had one within 2.00 ms")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("connects anew 2.00 s later")));
    EXPECT_EQ(finding.packet, ping.packet);
}

TEST_F(PingWithoutAnswer, while_other_pdus_come_is_a_busy_targets) {
    acknowledge(14 * second);
    ping.pdus_since = 900;
    ping.last_pdu_ns = 14 * second;
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::target);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("900 PDUs of target")));
    EXPECT_THAT(finding.explanation, HasSubstr("busy"));
}

TEST_F(PingWithoutAnswer, is_not_the_busy_targets_for_answers_that_had_been_on_their_way) {
    acknowledge(10 * second + ms);
    ping.pdus_since = 3;
    ping.last_pdu_ns = 10 * second + 2 * ms;
    EXPECT_THAT(told_one().explanation, HasSubstr("its iSCSI side is silent"));
}

TEST_F(PingWithoutAnswer, and_no_packet_at_all_is_the_paths_and_never_firm) {
    acknowledge(9 * second);
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::path);
    EXPECT_NE(finding.confidence, Finding::Confidence::firm) << "the host may be down";
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("not one packet of target")));
}

TEST_F(PingWithoutAnswer, where_it_arrived_and_even_tcp_is_silent_is_the_hosts) {
    acknowledge(9 * second);
    row->vantage = Vantage::target;
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::target);
    EXPECT_NE(finding.confidence, Finding::Confidence::firm) << "where it was captured is inferred";
}

TEST_F(PingWithoutAnswer, while_packets_come_that_acknowledge_nothing_is_the_paths_one_way) {
    acknowledge(9 * second);
    row->out.answers_since = 20;
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::path);
    EXPECT_THAT(finding.explanation, HasSubstr("does not arrive"));
}

TEST_F(PingWithoutAnswer, while_data_of_the_target_never_arrive_is_the_paths) {
    acknowledge(10 * second + ms);
    row->in.unacknowledged = 1448;
    row->out.reset = false;
    row->out.reset_ns = no_time;
    row->out.fin_ns = 15 * second;
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::path);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("1448 bytes that target 10.0.0.2:3260 sent")));
}

// They may be acknowledged a moment later.
TEST_F(PingWithoutAnswer, while_data_are_under_way_at_the_end_of_the_capture_tells_nothing_of_the_path) {
    row->out = {};
    acknowledge(10 * second + ms);
    row->in.unacknowledged = 1448;
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::none);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

TEST_F(PingWithoutAnswer, while_the_initiator_takes_no_data_is_the_initiators) {
    acknowledge(10 * second + ms);
    SenderSummary& target = store.add_sender(1, sanscope::Side::b);
    const auto add_window = [&](int64_t time_ns, uint32_t window, SendLimit limit) {
        store.add_window(target, {.packet = packet_at(time_ns),
                                  .time_ns = time_ns,
                                  .srtt_ns = ms,
                                  .connection = 1,
                                  .cwnd = 100'000,
                                  .advertised_window = window,
                                  .limit = limit,
                                  .sender = sanscope::Side::b});
    };
    add_window(9 * second, 60'000, SendLimit::application);
    add_window(10 * second - 100 * ms, 0, SendLimit::receiver);
    add_window(14 * second + 900 * ms, 60'000, SendLimit::application);
    add_window(15 * second, 60'000, SendLimit::application);
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::initiator);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("that the initiator offered was shut for 4.90 s")));
}

TEST_F(PingWithoutAnswer, of_a_session_that_is_logged_out_elsewhere_is_none) {
    add_connection(0, 1);
    add_event({.time_ns = 14 * second, .connection = 2, .session = 1, .code = 0, .opcode = 0x06});
    EXPECT_THAT(told(), IsEmpty()) << "all connections of the session are closed";
}

TEST_F(PingWithoutAnswer, of_a_session_of_which_another_connection_is_logged_out_is_told) {
    acknowledge(10 * second + ms);
    add_connection(0, 1);
    add_event({.time_ns = 14 * second, .connection = 2, .session = 1, .code = 1, .opcode = 0x06});
    EXPECT_EQ(told().size(), 1u);
}

TEST_F(PingWithoutAnswer, with_more_logouts_than_are_kept_is_none) {
    acknowledge(10 * second + ms);
    for (size_t i = 0; i < SessionEvents::most_kept; ++i)
        add_event({.time_ns = 9 * second, .connection = 1, .opcode = 0x3f});
    add_event({.time_ns = 14 * second, .connection = 1, .opcode = 0x06});
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(PingWithoutAnswer, of_a_connection_that_the_target_says_it_drops_is_none) {
    add_event({.time_ns = 9 * second, .connection = 1, .code = 2, .opcode = 0x32});
    EXPECT_THAT(told(), IsEmpty()) << "async_message tells it";
}

TEST_F(PingWithoutAnswer, behind_a_message_that_ends_nothing_is_told) {
    acknowledge(10 * second + ms);
    add_event({.time_ns = 9 * second, .connection = 1, .code = 4, .opcode = 0x32});
    EXPECT_EQ(told().size(), 1u) << "parameters are to be negotiated, and nothing ends";
}

TEST_F(PingWithoutAnswer, where_late_data_are_refused_tells_nothing_of_the_path) {
    acknowledge(10 * second + ms);
    row->in.unacknowledged = 1448;
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::none);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

TEST_F(PingWithoutAnswer, until_it_was_given_up_is_told_though_the_answer_came_then) {
    acknowledge(10 * second + ms);
    row->in.unacknowledged = 48;
    ping.answer_ns = 16 * second;
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::target);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("came 1.00 s after the connection had been closed")));
}

// The FIN of an initiator that had given up did not come through either.
TEST_F(PingWithoutAnswer, whose_late_answer_is_refused_was_given_up_before) {
    acknowledge(15 * second);
    ping.answer_ns = 15 * second;
    row->out.reset_ns = 15 * second + 40'000;
    EXPECT_THAT(told_one().evidence, Contains(HasSubstr("after 5.00 s, was refused with RST")));
}

TEST_F(PingWithoutAnswer, whose_late_answer_the_session_outlived_is_none) {
    acknowledge(15 * second);
    ping.answer_ns = 15 * second;
    row->out.reset_ns = 17 * second;
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(PingWithoutAnswer, that_was_answered_late_but_waited_for_is_none) {
    acknowledge(10 * second + ms);
    ping.answer_ns = 14 * second;
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(PingWithoutAnswer, which_makes_the_initiator_connect_anew_explains_that) {
    acknowledge(10 * second + ms);
    add_connection(17 * second);
    store.add_unanswered_ping(ping);
    EXPECT_EQ(find_one(Kind::session_reconnect).severity, Severity::information);
}

TEST_F(PingWithoutAnswer, of_the_target_is_told_with_the_initiators_side) {
    ping.sender = Role::target;
    row->in.acknowledged_ns = 10 * second + ms;
    row->in.reset = true;
    row->in.reset_ns = 14 * second;
    row->in.reset_packet = packet_at(14 * second);
    const Finding finding = told_one();
    EXPECT_EQ(finding.side, Side::initiator);
    EXPECT_THAT(finding.title, AllOf(HasSubstr("NOP-In was not answered by initiator 10.0.0.1:50001"),
                                     HasSubstr("the target closed the connection (RST)")));
}

TEST_F(PingWithoutAnswer, makes_what_follows_of_it_information) {
    acknowledge(10 * second + ms);
    add_read(9 * second, 0);
    store.add_unanswered_ping(ping);
    for (const Finding& finding : find()) {
        if (finding.kind == Kind::unanswered_commands) {
            EXPECT_EQ(finding.severity, Severity::information) << finding.title;
        }
    }
    EXPECT_EQ(find().front().kind, Kind::ping_timeout);
}

TEST_F(PingWithoutAnswer, a_moment_before_the_end_is_none) {
    acknowledge(10 * second);
    row->out.reset_ns = 10 * second + 300 * ms;
    EXPECT_THAT(told(), IsEmpty()) << "killed while a ping was under way";
}

TEST_F(PingWithoutAnswer, where_answers_take_that_long_is_none) {
    ping.longest_answer_ns = 4 * second;
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(PingWithoutAnswer, before_a_logout_is_none) {
    add_event({.time_ns = 14 * second, .connection = 1, .opcode = 0x06});
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(PingWithoutAnswer, where_the_capture_lacks_packets_is_none) {
    SenderSummary& target = store.add_sender(1, sanscope::Side::b);
    store.add_loss(target, {.packet = 5, .time_ns = second, .connection = 1, .kind = LossKind::not_captured});
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(PingWithoutAnswer, at_the_end_of_the_capture_waits_long_before_it_is_told) {
    row->out = {};
    acknowledge(10 * second + ms);
    totals.last_ns = 13 * second;
    EXPECT_THAT(told(), IsEmpty());
    totals.last_ns = 16 * second;
    const std::vector<Finding> found = find(Kind::ping_timeout);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().severity, Severity::notice);
    EXPECT_THAT(found.front().title, HasSubstr("until the capture ends"));
}

// A read of 5 s that is aborted at 35 s, and 11 others on its LUN and one on another.
class ErrorLadder : public testing::Test, protected MadeUpCapture {
  protected:
    static constexpr uint8_t request = 0x02;
    static constexpr uint8_t response = 0x22;

    ErrorLadder() {
        row = &add_connection();
        row->out.acknowledged_ns = 40 * second;
        for (int64_t i = 0; i < 40; ++i) add_read(i * 100 * ms, ms, 1);
        oldest = add_read(5 * second, 0, 1);
    }
    void add_others() {
        for (int64_t i = 0; i < 11; ++i) add_read((6 + i) * second, 0, 1);
        add_read(20 * second, 0, 2);
    }
    void ask(int64_t time_ns, uint16_t function, uint32_t itt, uint32_t referenced = unknown<uint32_t>) {
        add_event({.time_ns = time_ns,
                   .lun = 1,
                   .code = function,
                   .opcode = request,
                   .itt = itt,
                   .referenced_itt = referenced});
    }
    void answer(int64_t time_ns, uint16_t code, uint32_t itt) {
        add_event({.time_ns = time_ns, .code = code, .opcode = response, .itt = itt});
    }
    void drop(int64_t time_ns) {
        row->out.fin = true;
        row->out.fin_ns = time_ns;
        row->end_ns = time_ns;
    }

    ConnectionRow* row = nullptr;
    uint64_t oldest = 0;
};

TEST_F(ErrorLadder, is_one_story_of_all_its_steps) {
    add_others();
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    ask(45 * second, 5, 901);
    answer(46 * second, 255, 901);
    drop(50 * second);
    add_connection(52 * second);
    const Finding finding = find_one(Kind::error_recovery);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Side::target);
    EXPECT_EQ(finding.command, oldest);
    EXPECT_EQ(finding.lun, 1u);
    EXPECT_THAT(finding.title,
                HasSubstr("Error recovery on LUN 1: READ(16) waited 30.0 s, ABORT TASK, LOGICAL UNIT RESET, "
                          "then the session was dropped"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("12 commands outstanding at the first step")));
    EXPECT_THAT(finding.evidence,
                Contains(AllOf(HasSubstr("ABORT TASK in packet"), HasSubstr("not answered"))));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("response 255: function rejected")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("12 commands outstanding when the reset was sent")));
    EXPECT_THAT(finding.evidence,
                Contains(AllOf(HasSubstr("the initiator closed the connection (FIN) 5.00 s"),
                               HasSubstr("connects anew 2.00 s later"))));
    for (const Finding& other : find()) {
        const bool same_story = other.kind == Kind::unanswered_commands ||
                                other.kind == Kind::task_management || other.kind == Kind::session_reconnect;
        if (same_story && other.session == 1) {
            EXPECT_EQ(other.severity, Severity::information) << other.title;
        }
    }
}

TEST_F(ErrorLadder, does_not_blame_a_target_that_was_not_reached) {
    row->out.unacknowledged = 4096;
    row->out.acknowledged_ns = 4 * second;
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    drop(50 * second);
    EXPECT_EQ(find_one(Kind::error_recovery).side, Side::none);
}

TEST_F(ErrorLadder, does_not_blame_a_target_whose_data_do_not_arrive) {
    row->in.unacknowledged = 1448;
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    drop(50 * second);
    EXPECT_EQ(find_one(Kind::error_recovery).side, Side::path);
}

// A target that stood still answers all at once when the initiator has gone, and is reset for it.
TEST_F(ErrorLadder, of_a_session_that_goes_on_does_not_blame_the_path_for_what_is_under_way_at_the_end) {
    row->in.unacknowledged = 1448;
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    ask(36 * second, 5, 901);
    answer(36 * second + ms, 0, 901);
    EXPECT_EQ(find_one(Kind::error_recovery).side, Side::target);
}

TEST_F(ErrorLadder, does_not_blame_a_target_while_tcp_stood_still) {
    SenderSummary& initiator = store.add_sender(1, sanscope::Side::a);
    const auto add_window = [&](int64_t time_ns, uint32_t una, CaState state) {
        store.add_window(initiator, {.packet = packet_at(time_ns),
                                     .time_ns = time_ns,
                                     .srtt_ns = ms,
                                     .connection = 1,
                                     .snd_una = una,
                                     .snd_nxt = 9000,
                                     .cwnd = 100'000,
                                     .advertised_window = 1'000'000,
                                     .ca_state = state,
                                     .sender = sanscope::Side::a});
    };
    add_window(4 * second, 1, CaState::open);
    add_window(5 * second, 5000, CaState::open);
    add_window(20 * second, 5000, CaState::loss);
    add_window(34 * second, 9000, CaState::open);
    store.add_loss(initiator, {.packet = packet_at(20 * second),
                               .time_ns = 20 * second,
                               .delay_ns = 15 * second,
                               .connection = 1,
                               .length = 4000,
                               .kind = LossKind::rto,
                               .sender = sanscope::Side::a});
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    ask(36 * second, 5, 901);
    answer(36 * second + ms, 0, 901);
    const Finding finding = find_one(Kind::error_recovery);
    EXPECT_EQ(finding.side, Side::path);
    EXPECT_NE(finding.confidence, Finding::Confidence::firm);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("retransmission timer")));
}

TEST_F(ErrorLadder, whose_reset_the_capture_ends_upon_is_not_said_to_have_no_answer) {
    ask(35 * second, 5, 901);
    totals.last_ns = 35 * second + 10 * ms;
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
}

TEST_F(ErrorLadder, whose_last_step_the_capture_ends_upon_says_how_long_it_waited) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    ask(36 * second, 5, 901);
    totals.last_ns = 36 * second + 10 * ms;
    EXPECT_THAT(find_one(Kind::error_recovery).evidence,
                Contains(AllOf(HasSubstr("LOGICAL UNIT RESET"),
                               HasSubstr("no answer until the capture ends, 10.0 ms later"))));
}

// Told while it is recorded, it stays when the answer comes at last.
TEST_F(ErrorLadder, is_made_of_a_reset_that_takes_long) {
    ask(35 * second, 5, 901);
    totals.last_ns = 41 * second;
    EXPECT_EQ(find(Kind::error_recovery).size(), 1u);
    answer(42 * second, 0, 901);
    EXPECT_EQ(find(Kind::error_recovery).size(), 1u);
}

TEST_F(ErrorLadder, of_which_only_the_initiator_was_captured_is_not_told) {
    row->packets_in = 0;
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    ask(45 * second, 5, 901);
    drop(50 * second);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
}

TEST_F(ErrorLadder, on_one_of_several_connections_drops_no_session) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    add_connection(0, 1);
    drop(50 * second);
    EXPECT_THAT(find_one(Kind::error_recovery).title,
                HasSubstr("then one connection of the session was dropped"));
}

TEST_F(ErrorLadder, whose_session_is_logged_out_after_the_drop_stays) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    add_connection(0, 1);
    drop(50 * second);
    add_event({.time_ns = 55 * second, .connection = 2, .session = 1, .code = 0, .opcode = 0x06});
    EXPECT_EQ(find(Kind::error_recovery).size(), 1u);
}

TEST_F(ErrorLadder, before_a_logout_of_the_session_drops_nothing) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    add_connection(0, 1);
    add_event({.time_ns = 49 * second, .connection = 2, .session = 1, .code = 0, .opcode = 0x06});
    drop(50 * second);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
}

// So many events that the answers are not among those kept.
TEST_F(ErrorLadder, whose_answers_are_not_kept_is_not_said_to_have_none) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    ask(36 * second, 5, 901);
    for (size_t i = 0; i < SessionEvents::most_kept; ++i) add_event({.time_ns = 36 * second, .opcode = 0x3f});
    answer(36 * second + ms, 0, 900);
    answer(36 * second + ms, 0, 901);
    drop(50 * second);
    const Finding finding = find_one(Kind::error_recovery);
    EXPECT_THAT(finding.title, Not(HasSubstr("dropped"))) << "there may have been a Logout";
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("no answer within 1.00 s; what came later is not known")));
    EXPECT_THAT(finding.evidence, Not(Contains(HasSubstr("not answered"))));
}

TEST_F(ErrorLadder, that_is_answered_when_all_is_over_is_the_targets) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    answer(52 * second, 0, 900);
    row->in.unacknowledged = 48;
    drop(50 * second);
    row->out.reset = true;
    row->out.reset_ns = 52 * second;
    const Finding finding = find_one(Kind::error_recovery);
    EXPECT_EQ(finding.side, Side::target);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("when the connection had been closed")));
}

TEST_F(ErrorLadder, whose_initiator_refuses_what_comes_late_tells_nothing_of_the_path) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    row->in.unacknowledged = 48;
    row->out.reset = true;
    row->out.reset_ns = 50 * second;
    EXPECT_EQ(find_one(Kind::error_recovery).side, Side::none);
}

TEST_F(ErrorLadder, is_not_made_of_what_a_program_tries_at_once) {
    ask(5 * second + ms, 1, 900, static_cast<uint32_t>(oldest));
    ask(5 * second + 2 * ms, 5, 901);
    answer(5 * second + 3 * ms, 0, 901);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
}

TEST_F(ErrorLadder, is_not_made_of_one_abort_that_succeeded) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    answer(35 * second + ms, 0, 900);
    drop(50 * second);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
    EXPECT_EQ(find(Kind::task_management).size(), 1u);
}

TEST_F(ErrorLadder, is_not_made_of_an_abort_that_came_behind_the_answer) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    answer(35 * second + ms, 1, 900);
    drop(50 * second);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty()) << "task does not exist";
}

TEST_F(ErrorLadder, is_not_made_of_an_operators_reset) {
    ask(35 * second, 5, 901);
    answer(35 * second + ms, 0, 901);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
}

TEST_F(ErrorLadder, is_not_made_of_a_reset_that_nobody_waited_behind) {
    MadeUpCapture idle;
    idle.add_connection();
    for (int64_t i = 0; i < 40; ++i) idle.add_read(i * 100 * ms, ms, 1);
    for (const int64_t time_ns : {30 * second, 31 * second})
        idle.add_event({.time_ns = time_ns, .lun = 1, .code = 5, .opcode = request, .itt = 7});
    EXPECT_THAT(idle.find(Kind::error_recovery), IsEmpty());
}

// The abort had helped; an operator resets another logical unit, or this one, or ends the program.
TEST_F(ErrorLadder, does_not_join_what_comes_when_the_logical_unit_had_answered_again) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    answer(35 * second + ms, 0, 900);
    for (int64_t i = 0; i < 10; ++i) add_read((36 + i) * second, ms, 1);
    ask(50 * second, 5, 901);
    answer(50 * second + ms, 0, 901);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
    add_read(51 * second, ms, 1);
    drop(55 * second);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
}

TEST_F(ErrorLadder, that_was_refused_ends_when_its_command_is_answered) {
    MadeUpCapture late;
    ConnectionRow& connection = late.add_connection();
    for (int64_t i = 0; i < 40; ++i) late.add_read(i * 100 * ms, ms, 1);
    late.add_read(5 * second, second, 1);
    late.add_event({.time_ns = 5 * second + 900 * ms, .lun = 1, .code = 1, .opcode = request, .itt = 900});
    late.add_event({.time_ns = 5 * second + 901 * ms, .code = 5, .opcode = response, .itt = 900});
    connection.out.fin_ns = connection.end_ns = 50 * second;
    EXPECT_THAT(late.find(Kind::error_recovery), IsEmpty());
}

TEST_F(ErrorLadder, does_not_join_the_reset_of_an_idle_logical_unit) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    add_event({.time_ns = 40 * second, .lun = 7, .code = 5, .opcode = request, .itt = 901});
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
}

// Of several that wait, some may be answered: not the one that all is about.
TEST_F(ErrorLadder, goes_on_while_the_command_waits_though_others_are_answered) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    answer(35 * second + ms, 255, 900);
    add_read(36 * second, ms, 1);
    ask(45 * second, 5, 901);
    EXPECT_THAT(find_one(Kind::error_recovery).title, HasSubstr("ABORT TASK, LOGICAL UNIT RESET"));
}

TEST_F(ErrorLadder, does_not_join_what_lies_minutes_apart) {
    ask(35 * second, 1, 900, static_cast<uint32_t>(oldest));
    answer(35 * second + ms, 0, 900);
    ask(400 * second, 5, 901);
    answer(400 * second + ms, 0, 901);
    EXPECT_THAT(find(Kind::error_recovery), IsEmpty());
}

}  // namespace
}  // namespace sanscope
