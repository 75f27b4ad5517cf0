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
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

TEST_F(Findings, losses_are_told_with_their_rate_and_the_worst_burst) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 10; ++i) add_loss(target, LossKind::fast_retransmit, 20 + 10 * i, 50);
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i, 60);
    add_loss(target, LossKind::tlp, 900, 70);
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_THAT(finding.title, HasSubstr("16 segments of target 10.0.0.2:3260 lost on the path (0.32 %); "
                                         "loss recovery took 30 % of its time"));
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("15 were recovered by fast retransmit, 1 by tail loss probe"),
                      HasSubstr("The worst burst: 5 in 4.00 ms")));
    EXPECT_EQ(finding.packet, 60u);
    EXPECT_EQ(finding.begin_ns, 200 * ms);
}

// At the target commands end when their status leaves, which here is lost: a timer expires 40 ms later, and recovery takes 50.
TEST_F(Findings, a_sender_is_busy_until_what_it_lost_is_repaired) {
    store.connection(1).vantage = Vantage::target;
    SenderSummary& target = add_target();
    for (uint32_t i = 0; i < 10; ++i) {
        const int64_t begin_ms = 100 * i;
        add_read(begin_ms, 10);
        add_window(target, begin_ms, {.snd_una = i, .snd_nxt = i, .limit = SendLimit::application});
        const auto add = [&](int64_t at_ms, CaState state, SendLimit limit) {
            add_window(target, begin_ms + at_ms,
                       {.snd_una = i, .snd_nxt = i + 1, .in_flight = 1, .ca_state = state, .limit = limit});
        };
        add(10, CaState::open, SendLimit::application);
        add(50, CaState::loss, SendLimit::recovery);
        add_window(target, begin_ms + 100,
                   {.snd_una = i + 1, .snd_nxt = i + 1, .limit = SendLimit::application});
        add_loss(target, LossKind::rto, begin_ms + 50, 50);
    }
    EXPECT_THAT(find_one(Kind::lost_segments).title, HasSubstr("loss recovery took 50 % of its busy time"));
}

// With SACK blocks among the options of what is sent again, a segment takes two: 1436 bytes, and the 12 that found no room.
TEST_F(Findings, segments_that_were_sent_again_in_parts_are_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 8; ++i) {
        add_loss(target, LossKind::fast_retransmit, 20 + 10 * i, 50);
        add_loss(target, LossKind::fast_retransmit, 20 + 10 * i, 51);
        target.on_rest_sent_again(LossKind::fast_retransmit);
    }
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_THAT(finding.title, HasSubstr("16 segments of target 10.0.0.2:3260 lost"));
    EXPECT_THAT(finding.evidence, testing::Contains(HasSubstr("8 of them are the rest of a segment")));
}

TEST_F(Findings, a_loss_or_two_that_cost_nothing_are_not_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    add_loss(target, LossKind::fast_retransmit, 100);
    EXPECT_TRUE(find(Kind::lost_segments).empty());
}

TEST_F(Findings, where_most_of_what_was_sent_again_had_arrived_nothing_is_called_lost) {
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    EXPECT_EQ(find(Kind::lost_segments).size(), 1u);
    for (int64_t i = 0; i < 12; ++i) add_loss(target, LossKind::spurious, 200 + i);
    EXPECT_TRUE(find(Kind::lost_segments).empty());
}

// What was retransmitted came twice, without a D-SACK to say so.
class MaybeLate : public Findings {
  protected:
    MaybeLate() {
        ConnectionRow& row = store.connection(1);
        row.vantage = Vantage::target;
        row.out.syn = row.in.syn = {.known = true, .sack_permitted = true, .timestamps = true};
        add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
        add_window(target, 300, {.limit = SendLimit::application});
        add_window(target, 1000, {});
        for (int64_t i = 0; i < 16; ++i) {
            add_loss(target, LossKind::fast_retransmit, 20 + 10 * i, 50);
            target.on_sent_again(1);
        }
    }
    SenderSummary& target = add_target();
};

TEST_F(MaybeLate, is_what_the_receiver_answers_as_something_it_has) {
    for (int i = 0; i < 3; ++i) target.on_unasked_ack();
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::firm) << "most were lost";
    for (int i = 0; i < 9; ++i) target.on_unasked_ack();
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.title,
                HasSubstr("16 segments of target 10.0.0.2:3260 lost on the path, or late (0.32 %)"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("answered 12 segments as it does what it has already")));
    store.connection(1).vantage = Vantage::initiator;
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::firm)
        << "there each is seen that arrives";
}

TEST_F(MaybeLate, is_what_is_repaired_without_sack_where_others_are_late) {
    for (int i = 0; i < 8; ++i) target.on_reordered(Reordering::path);
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::firm);
    store.connection(1).in.syn.sack_permitted = false;
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("duplicate ACKs reported 8 gaps that late segments filled")));
}

TEST_F(Findings, a_few_lost_among_many_that_overtook_each_other_are_not_told_as_losses) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    EXPECT_EQ(find(Kind::lost_segments).size(), 1u);
    for (int64_t i = 0; i < 60; ++i) {
        add_loss(target, LossKind::spurious, 200 + i);
        target.on_reordered(Reordering::path);
    }
    EXPECT_TRUE(find(Kind::lost_segments).empty()) << "recovery was for nothing";
    EXPECT_EQ(find(Kind::reordering).size(), 1u);
}

// Of a capture that has every other packet, say: what it lacks may be the first copies, or what acknowledged them.
TEST_F(Findings, where_much_is_missing_neither_a_rate_of_loss_nor_what_recovery_took_is_known) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 500, {});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 891 + 2 * i);
    const Finding whole = find_one(Kind::lost_segments);
    EXPECT_THAT(whole.title, HasSubstr("; loss recovery took"));
    EXPECT_NE(whole.confidence, Finding::Confidence::possible);
    for (int64_t i = 0; i < 300; ++i) add_loss(target, LossKind::not_captured, 100 + i);
    const Finding part = find_one(Kind::lost_segments);
    EXPECT_THAT(part.title, AllOf(HasSubstr("5 segments of target"),
                                  HasSubstr("lost on the path, or late: much"), Not(HasSubstr("%"))));
    EXPECT_THAT(part.evidence, Not(Contains(HasSubstr("Recovery or Loss"))));
    EXPECT_EQ(part.confidence, Finding::Confidence::possible);
    EXPECT_EQ(part.severity, Finding::Severity::notice);
}

// Of the rest some may be copies that came too late to be known as such.
TEST_F(Findings, losses_of_a_direction_that_is_there_twice_are_in_doubt) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 50; ++i) add_loss(target, LossKind::fast_retransmit, i);
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::firm);
    for (int64_t i = 0; i < 420; ++i) add_loss(target, LossKind::duplicate, i);
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

// A mirror port's copies are known, all of them: what is left over was sent again.
TEST_F(Findings, losses_beside_a_mirror_ports_copies_are_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, i);
    for (int64_t i = 0; i < 500; ++i) add_loss(target, LossKind::duplicate, i);
    EXPECT_EQ(find(Kind::lost_segments).size(), 1u);
}

TEST_F(Findings, a_few_losses_beside_many_copies_are_in_doubt) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 4; ++i) add_loss(target, LossKind::fast_retransmit, i);
    for (int64_t i = 0; i < 500; ++i) add_loss(target, LossKind::duplicate, i);
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

}  // namespace
}  // namespace sanscope
