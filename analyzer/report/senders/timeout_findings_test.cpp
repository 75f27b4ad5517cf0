// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::write_16;
using test::Findings;
using test::ms;
using test::mss;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

class PathStall : public Findings {
  protected:
    // Captured at the initiator, whose timer sends again in packet 350; nothing passes from 10 to 1000 ms else. The target's
    // packet `first` comes again in packet 400, sent 300 ms later.
    Finding stall(PacketNumber first) {
        SenderSummary& initiator = add_initiator();
        SenderSummary& target = add_target();
        add_window(target, 0, {.snd_una = 1, .snd_nxt = 1});
        const auto passed = [&](PacketNumber packet, int64_t at_ms, uint32_t una,
                                CaState state = CaState::open) {
            WindowRow row{.packet = packet, .time_ns = at_ms * ms, .srtt_ns = 2 * ms};
            row.connection = 1;
            row.sender = Side::a;
            row.snd_una = una;
            row.snd_nxt = 10'000;
            row.ca_state = state;
            store.add_window(initiator, row);
        };
        passed(299, 9, 1);
        passed(301, 10, 1);
        passed(350, 500, 1, CaState::loss);
        passed(389, 1000, 10'000);
        passed(399, 1000, 10'000);
        passed(401, 1001, 10'000);
        add_loss(initiator, LossKind::spurious, 500, 350);
        store.add_loss(target, {.packet = 400,
                                .original_packet = first,
                                .time_ns = 600 * ms,
                                .delay_ns = 300 * ms,
                                .connection = 1,
                                .length = mss,
                                .kind = LossKind::spurious,
                                .sender = Side::b});
        return find_one(Kind::path_stall);
    }
};

TEST_F(PathStall, is_of_the_side_whose_data_came_when_it_was_over) {
    const Finding finding = stall(390);
    EXPECT_EQ(finding.sender, Finding::Sender::target);
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("had not reached the capture until the stall was over")));
}

TEST_F(PathStall, is_of_the_other_side_where_data_had_come_in_time) {
    const Finding finding = stall(300);
    EXPECT_EQ(finding.sender, Finding::Sender::initiator);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("had reached the capture before")));
}

// The capture has an acknowledgement, and 212 ms later what it acknowledges again: no stall of the path.
TEST_F(Findings, an_acknowledgement_that_was_lost_is_told_where_a_command_waited_for_it) {
    add_read(10, 300);
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 1});
    add_window(target, 20, {.snd_una = 1, .snd_nxt = 1449});
    add_window(target, 21, {.snd_una = 1449, .snd_nxt = 1449});
    store.add_loss(target, {.packet = 40,
                            .time_ns = 233 * ms,
                            .connection = 1,
                            .length = 1448,
                            .kind = LossKind::spurious,
                            .sender = Side::b});
    add_window(target, 300, {.snd_una = 2897, .snd_nxt = 2897});
    const Finding finding = find_one(Kind::retransmission_timeout);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_THAT(finding.title, HasSubstr("Acknowledgements to target 10.0.0.2:3260 were lost or delayed: it "
                                         "waited 212 ms for its retransmission timeout"));
    EXPECT_GE(finding.evidence.size(), 2u);
    EXPECT_TRUE(find(Kind::path_stall).empty());
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// Nothing but a clock that is set ahead makes a first timer run for five seconds.
TEST_F(Findings, what_is_sent_again_behind_a_clock_that_was_set_ahead_waited_for_no_timer) {
    add_read(10, 5300);
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 1});
    add_window(target, 20, {.snd_una = 1, .snd_nxt = 1449});
    add_window(target, 21, {.snd_una = 1449, .snd_nxt = 1449});
    store.add_loss(target, {.packet = 5200,
                            .time_ns = 5041 * ms,
                            .connection = 1,
                            .length = 1448,
                            .kind = LossKind::spurious,
                            .sender = Side::b});
    add_window(target, 5300, {.snd_una = 2897, .snd_nxt = 2897});
    EXPECT_TRUE(find(Kind::retransmission_timeout).empty());
}

TEST_F(Findings, an_acknowledgement_that_was_lost_while_nobody_waited_is_not_told) {
    add_read(10, 12);
    SenderSummary& target = add_target();
    add_window(target, 20, {.snd_una = 1, .snd_nxt = 1449});
    add_window(target, 21, {.snd_una = 1449, .snd_nxt = 1449});
    store.add_loss(target, {.packet = 40,
                            .time_ns = 233 * ms,
                            .connection = 1,
                            .length = 1448,
                            .kind = LossKind::spurious,
                            .sender = Side::b});
    add_window(target, 300, {.snd_una = 2897, .snd_nxt = 2897});
    EXPECT_TRUE(find(Kind::retransmission_timeout).empty());
}

class TimeoutOfAWrite : public Findings {
  protected:
    // Writes that take 500 ms each, one of them with a retransmission timeout meanwhile; that one may take longer.
    void write(int64_t held_ms, uint32_t others = 5) {
        totals.last_ns = 10'000 * ms;
        store.connection(1).end_ns = 10'000 * ms;
        SenderSummary& initiator = add_initiator();
        for (int64_t i = 0; i <= others; ++i) {
            const int64_t begin_ms = 1000 * i + 1;
            const auto una = static_cast<uint32_t>(i);
            const int64_t took_ms = i == 1 ? held_ms : 500;
            add_command({.lun = 0,
                         .bytes = 1024,
                         .response_packet = 5000,
                         .request_ns = begin_ms * ms,
                         .response_ns = (begin_ms + took_ms) * ms,
                         .name = "WRITE(16)",
                         .opcode = write_16,
                         .status = 0,
                         .outcome = Outcome::completed});
            add_window(initiator, begin_ms,
                       {.snd_una = una, .snd_nxt = una + 1, .limit = SendLimit::application});
            if (i == 1) {
                add_window(initiator, begin_ms + 210,
                           {.snd_una = una, .snd_nxt = una + 1, .ca_state = CaState::loss});
                add_loss(initiator, LossKind::rto, begin_ms + 210);
            }
            add_window(initiator, begin_ms + (i == 1 ? 213 : 2), {.snd_una = una + 1, .snd_nxt = una + 1});
        }
    }
};

TEST_F(TimeoutOfAWrite, that_took_no_longer_than_others_delayed_nothing_and_the_target_is_slow) {
    write(500);
    const Finding timeout = find_one(Kind::retransmission_timeout);
    EXPECT_EQ(timeout.severity, Finding::Severity::information);
    EXPECT_THAT(timeout.evidence, Contains(HasSubstr("took no longer than others of their kind")));
    const Finding finding = find().front();
    EXPECT_EQ(finding.kind, Kind::target_wait);
    EXPECT_EQ(finding.side, Finding::Side::target);
}

TEST_F(TimeoutOfAWrite, that_took_longer_than_others_is_a_problem) {
    write(720);
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::problem);
}

TEST_F(TimeoutOfAWrite, that_nothing_can_be_held_against_is_a_problem) {
    write(500, 2);
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::problem);
}

TEST_F(TimeoutOfAWrite, is_the_paths_where_other_data_stood_still_at_once) {
    write(720);
    store.connection(1).vantage = Vantage::initiator;
    // It was answered a round trip after the timer, as where one acknowledgement was lost; but so was the other side's.
    SenderSummary& target = add_target();
    add_window(target, 1002, {.snd_una = 1, .snd_nxt = 9});
    add_window(target, 1210, {.snd_una = 1, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(target, 1212, {.snd_una = 9, .snd_nxt = 9});
    const std::vector<Finding> stalls = find(Kind::retransmission_timeout);
    for (const Finding& stall : stalls)
        EXPECT_THAT(stall.evidence, Not(Contains(HasSubstr("first acknowledgement was lost"))));
}

TEST_F(Findings, a_timeout_lasts_from_the_last_progress_to_the_next) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 100, {.snd_una = 5000, .snd_nxt = 9000});
    add_window(target, 300, {.snd_una = 5000, .snd_nxt = 9000, .ca_state = CaState::loss});
    add_window(target, 305, {.snd_una = 5000, .snd_nxt = 9000, .ca_state = CaState::loss});
    add_window(target, 320, {.snd_una = 9000, .snd_nxt = 9000});
    add_window(target, 1000, {.snd_una = 9000, .snd_nxt = 9000});
    add_loss(target, LossKind::rto, 300);
    const Finding finding = find_one(Kind::retransmission_timeout);
    EXPECT_THAT(finding.title, HasSubstr("Target 10.0.0.2:3260 waited for a retransmission timeout (RTO)"));
    EXPECT_THAT(finding.title, HasSubstr("once: 220 ms"));
    EXPECT_EQ(finding.begin_ns, 100 * ms);
    EXPECT_EQ(finding.end_ns, 320 * ms);
    EXPECT_EQ(finding.packet, 301u);
}

TEST_F(Findings, timeouts_of_both_sides_at_once_are_told_once) {
    SenderSummary* senders[] = {&add_target(), &add_initiator()};
    for (SenderSummary* sender : senders) {
        const bool longer = sender == senders[0];
        add_window(*sender, longer ? 100 : 110, {.snd_una = 1, .snd_nxt = 9});
        add_window(*sender, 300, {.snd_una = 1, .snd_nxt = 9, .ca_state = CaState::loss});
        add_window(*sender, 500, {.snd_una = 9, .snd_nxt = 9});
        add_loss(*sender, LossKind::spurious, 300);
    }
    const Finding finding = find_one(Kind::path_stall);
    EXPECT_EQ(finding.cost_ns, 400 * ms);
    EXPECT_THAT(
        finding.title,
        HasSubstr("between target 10.0.0.2:3260 and initiator 10.0.0.1:50001 stood still once: 400 ms"));
    EXPECT_EQ(finding.sender, Finding::Sender::unknown) << "nothing tells which way";
    EXPECT_TRUE(find(Kind::retransmission_timeout).empty());
}

// One sender alone, whose last acknowledgements may be what was lost.
class OneSenderStandsStill : public Findings {
  protected:
    OneSenderStandsStill() : target(add_target()) {
        add_window(target, 100, {.snd_una = 1, .snd_nxt = 9});
        add_window(target, 300, {.snd_una = 1, .snd_nxt = 9, .ca_state = CaState::loss});
        add_window(target, 400, {.snd_una = 9, .snd_nxt = 9});
        add_loss(target, LossKind::spurious, 300);
    }
    SenderSummary& target;
};

TEST_F(OneSenderStandsStill, and_its_path_is_said_to_but_where_that_loses_segments) {
    EXPECT_EQ(find_one(Kind::path_stall).confidence, Finding::Confidence::firm);
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 20 + i);
    const Finding finding = find_one(Kind::path_stall);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("only acknowledgements were lost"));
}

// Of three connections on a path that loses segments, two wait for a timer at once, which chance does; the third goes on.
TEST_F(OneSenderStandsStill, and_another_one_while_data_of_a_third_connection_move) {
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 20 + i);
    add_connection(1);
    SenderSummary& other = store.add_sender(2, Side::b);
    add_window(other, 90, {.snd_una = 1, .snd_nxt = 9});
    add_window(other, 310, {.snd_una = 1, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(other, 410, {.snd_una = 9, .snd_nxt = 9});
    const auto of_first = [this] {
        for (const Finding& finding : find(Kind::path_stall)) {
            if (finding.connection == 1) return finding;
        }
        return Finding{};
    };
    EXPECT_EQ(of_first().confidence, Finding::Confidence::firm);
    add_connection(1);
    add_flow(store.add_sender(3, Side::b), 9500, 20 * mss);
    EXPECT_EQ(of_first().confidence, Finding::Confidence::possible);
    EXPECT_THAT(of_first().evidence, Contains(HasSubstr("moved meanwhile")));
}

TEST_F(OneSenderStandsStill, until_what_was_lost_before_is_repaired_on_no_path_that_held_it) {
    store.add_loss(target, {.packet = 9,
                            .time_ns = 400 * ms,
                            .delay_ns = 300 * ms,
                            .connection = 1,
                            .length = mss,
                            .kind = LossKind::fast_retransmit,
                            .sender = target.side()});
    EXPECT_TRUE(find(Kind::path_stall).empty());
    EXPECT_THAT(find_one(Kind::retransmission_timeout).evidence,
                Contains(HasSubstr("what had been lost before")));
}

TEST_F(Findings, a_connection_that_stands_still_when_its_work_is_done_keeps_nobody_waiting) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 5, .snd_nxt = 9});
    add_window(target, 650, {.snd_una = 5, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(target, 690, {.snd_una = 9, .snd_nxt = 9});
    add_loss(target, LossKind::rto, 650);
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::problem);
    store.connection(1).in.fin = true;
    store.connection(1).in.fin_ns = 1 * ms;
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::information);
}

TEST_F(Findings, a_timeout_that_is_never_over_is_no_burst_of_losses) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 5, .snd_nxt = 9});
    add_window(target, 250, {.snd_una = 5, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(target, 900, {.snd_una = 5, .snd_nxt = 9, .ca_state = CaState::loss});
    add_loss(target, LossKind::rto, 250);
    add_loss(target, LossKind::rto, 900);
    EXPECT_THAT(find_one(Kind::retransmission_timeout).explanation,
                AllOf(HasSubstr("Nothing that it sent was acknowledged from then on"),
                      Not(HasSubstr("lost at once"))));
    add_window(target, 950, {.snd_una = 9, .snd_nxt = 9});
    EXPECT_THAT(find_one(Kind::retransmission_timeout).explanation, HasSubstr("lost at once"));
}

TEST_F(Findings, timeouts_of_segments_that_were_lost_are_told_with_these) {
    SenderSummary& target = add_target();
    add_window(target, 0,
               {.snd_una = 1, .snd_nxt = 9000, .ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 100, {.snd_una = 5000, .snd_nxt = 9000});
    add_window(target, 300, {.snd_una = 5000, .snd_nxt = 9000, .ca_state = CaState::loss});
    add_window(target, 320, {.snd_una = 9000, .snd_nxt = 9000});
    add_window(target, 1000, {.snd_una = 9000, .snd_nxt = 9000});
    for (int64_t i = 0; i < 9; ++i) add_loss(target, LossKind::fast_retransmit, 10 + i);
    add_loss(target, LossKind::rto, 300);
    const Finding finding = find().front();
    EXPECT_EQ(finding.kind, Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("retransmission timeout (RTO) once: 220 ms")));
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::information);
}

TEST_F(Findings, where_much_is_missing_a_timeout_is_possible_alone) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 600, {.snd_una = 1, .snd_nxt = 9000, .ca_state = CaState::loss});
    add_window(target, 700, {.snd_una = 9000, .snd_nxt = 9000});
    EXPECT_NE(find_one(Kind::retransmission_timeout).confidence, Finding::Confidence::possible);
    for (int64_t i = 0; i < 300; ++i) add_loss(target, LossKind::not_captured, 100 + i);
    const Finding part = find_one(Kind::retransmission_timeout);
    EXPECT_EQ(part.confidence, Finding::Confidence::possible);
    EXPECT_EQ(part.severity, Finding::Severity::notice);
    EXPECT_THAT(part.explanation, HasSubstr("Much of what it sent is missing"));
}

}  // namespace
}  // namespace sanscope
