// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/ping_tracker.h"

#include <gtest/gtest.h>
#include <span>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::PduBuilder;

// PDUs of one connection, 10 ms and a packet apart.
class Pings : public testing::Test {
  protected:
    void pdu(const PduBuilder& built, bool from_target, PacketNumber packet = 0) {
        const Bytes bytes = built.bytes();
        Pdu pdu;
        pdu.header = bytes.data();
        pdu.header_captured = captured_;
        pdu.data = std::span(bytes).subspan(bhs_length, pdu.bhs().data_segment_length());
        pdu.header_digest = digest_;
        packet_ = packet == 0 ? packet_ + 1 : packet;
        pdu.first = pdu.last = {packet_, static_cast<int64_t>(packet_) * 10'000'000};
        tracker.on_pdu(pdu, from_target);
    }
    void ask(uint32_t itt) { pdu(PduBuilder(Opcode::nop_out).itt(itt).ttt(reserved_tag), false); }
    void answer(uint32_t itt) { pdu(PduBuilder(Opcode::nop_in).itt(itt).ttt(reserved_tag), true); }
    void other(bool from_target) {
        pdu(PduBuilder(from_target ? Opcode::r2t : Opcode::scsi_command).itt(1), from_target);
    }
    std::vector<UnansweredPing> left() {
        ResultStore store({});
        tracker.finish(1, store);
        return store.unanswered_pings().first_ones();
    }

    PingTracker tracker;
    uint8_t captured_ = bhs_length;
    Digest digest_ = Digest::none;

  private:
    PacketNumber packet_ = 0;
};

TEST_F(Pings, that_are_answered_are_none) {
    for (uint32_t i = 0; i < 100; ++i) {
        ask(i);
        other(true);
        answer(i);
    }
    EXPECT_TRUE(left().empty());
}

TEST_F(Pings, that_are_rejected_are_not_left_without_an_answer) {
    const auto reject = [&](uint32_t itt, Opcode opcode) {
        pdu(PduBuilder(Opcode::reject).itt(reserved_tag).data(PduBuilder(opcode).itt(itt).header()), true);
    };
    ask(5);
    ask(6);
    reject(5, Opcode::nop_out);
    reject(6, Opcode::scsi_command);
    ASSERT_EQ(left().size(), 1u);
    EXPECT_EQ(left()[0].packet, 2u);
    reject(6, Opcode::nop_out);
    EXPECT_TRUE(left().empty());
}

TEST_F(Pings, are_not_known_to_be_without_an_answer_where_a_reject_was_cut) {
    ask(5);
    pdu(PduBuilder(Opcode::reject).itt(reserved_tag), true);
    EXPECT_TRUE(left().empty());
}

TEST_F(Pings, without_an_answer_are_left_with_what_came_meanwhile) {
    ask(5);
    answer(5);
    ask(7);
    other(true);
    other(false);
    other(true);
    const std::vector<UnansweredPing> pings = left();
    ASSERT_EQ(pings.size(), 1u);
    EXPECT_EQ(pings[0].packet, 3u);
    EXPECT_EQ(pings[0].sender, Role::initiator);
    EXPECT_EQ(pings[0].pdus_since, 2u);
    EXPECT_EQ(pings[0].last_pdu_ns, 60'000'000);
    EXPECT_EQ(pings[0].answered, 1u);
    EXPECT_EQ(pings[0].longest_answer_ns, 10'000'000);
}

// The answer may be what has a wrong tag for it.
TEST_F(Pings, behind_which_a_header_has_a_wrong_digest_are_not_known_to_be_unanswered) {
    ask(5);
    digest_ = Digest::bad;
    answer(4);
    digest_ = Digest::ok;
    EXPECT_TRUE(left().empty());
}

// A target drops it unread.
TEST_F(Pings, with_a_wrong_header_digest_ask_for_nothing) {
    digest_ = Digest::bad;
    ask(5);
    digest_ = Digest::ok;
    EXPECT_TRUE(left().empty());
}

TEST_F(Pings, of_the_target_are_answered_by_its_tag) {
    pdu(PduBuilder(Opcode::nop_in).itt(reserved_tag).ttt(9), true);
    ASSERT_EQ(left().size(), 1u);
    EXPECT_EQ(left()[0].sender, Role::target);
    pdu(PduBuilder(Opcode::nop_out).itt(reserved_tag).ttt(9), false);
    EXPECT_TRUE(left().empty());
}

TEST_F(Pings, that_are_answered_late_are_kept_with_when) {
    ask(1);
    answer(1);
    ask(2);
    pdu(PduBuilder(Opcode::nop_in).itt(2).ttt(reserved_tag), true, 300);
    ASSERT_EQ(left().size(), 1u);
    EXPECT_EQ(left()[0].packet, 3u);
    EXPECT_EQ(left()[0].answer_ns, 3'000'000'000);
    EXPECT_EQ(left()[0].answered, 1u);
    EXPECT_EQ(left()[0].longest_answer_ns, 10'000'000);
    ask(3);
    pdu(PduBuilder(Opcode::nop_in).itt(3).ttt(reserved_tag), true, 600);
    EXPECT_EQ(left()[0].packet, 301u);
    EXPECT_EQ(left()[0].answered, 2u);
    EXPECT_EQ(left()[0].longest_answer_ns, 2'970'000'000) << "it is the usual there";
}

TEST_F(Pings, that_ask_for_nothing_are_none) {
    pdu(PduBuilder(Opcode::nop_out).itt(reserved_tag).ttt(reserved_tag), false);
    pdu(PduBuilder(Opcode::nop_in).itt(reserved_tag).ttt(reserved_tag), true);
    EXPECT_TRUE(left().empty());
}

TEST_F(Pings, may_be_answered_before_they_are_seen) {
    answer(4);
    ask(4);
    EXPECT_TRUE(left().empty());
}

TEST_F(Pings, whose_answer_may_have_been_cut_off_are_none) {
    ask(4);
    captured_ = 16;
    pdu(PduBuilder(Opcode::nop_in).itt(4).ttt(reserved_tag), true);
    EXPECT_TRUE(left().empty());
    captured_ = bhs_length;
    ask(5);
    tracker.on_unseen(true);
    EXPECT_TRUE(left().empty());
}

TEST_F(Pings, by_the_thousand_take_no_more_memory) {
    for (uint32_t i = 0; i < 5000; ++i) ask(i);
    for (uint32_t i = 0; i < 5000; ++i) answer(i + 100'000);
    ASSERT_EQ(left().size(), 1u);
    EXPECT_EQ(left()[0].packet, 1u);
}

}  // namespace
}  // namespace sanscope
