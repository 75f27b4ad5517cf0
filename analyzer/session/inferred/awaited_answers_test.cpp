// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/awaited_answers.h"

#include <gtest/gtest.h>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::Moves;
using test::PduBuilder;

// A session of which all requests are seen, each in a packet more, and no answer.
class AwaitedAnswersTest : public testing::Test {
  protected:
    void command(uint32_t cmd_sn, Moves moves, uint32_t length, const Bytes& cdb) {
        const Bytes bytes = test::scsi_command(cmd_sn, cmd_sn, moves, length, cdb).bytes();
        tracker_.on_pdu(parsed(bytes), 1);
    }
    void other(const PduBuilder& built) {
        const Bytes bytes = built.bytes();
        awaited_.on_other_request(parsed(bytes), shape_);
    }
    Pdu parsed(const Bytes& bytes) {
        Pdu pdu;
        pdu.header = bytes.data();
        pdu.header_captured = bhs_length;
        ++packet_;
        pdu.first = pdu.last = {packet_, static_cast<int64_t>(packet_) * 100};
        return pdu;
    }
    const std::vector<OpenCommand>& list(bool status_with_data, PacketNumber until = 1000) {
        awaited_.list(until, status_with_data, shape_, commands_);
        return awaited_.open();
    }

    ResultStore store_{{}};
    CommandTracker tracker_{store_, 1};
    InferredCommands commands_{tracker_, store_};
    AnswerShape shape_;
    AwaitedAnswers awaited_{1};
    PacketNumber packet_ = 0;
};

TEST_F(AwaitedAnswersTest, AreListedInOrderOfRequestWithTheBytesOfTheirAnswers) {
    command(1, Moves::in, 1024, test::read_10(0, 2));
    other(PduBuilder(Opcode::nop_out).itt(50).data(test::pattern(5)));
    command(2, Moves::out, 512, test::write_10(0, 1));
    const std::vector<OpenCommand>& open = list(true);
    ASSERT_EQ(open.size(), 3U);
    EXPECT_EQ(open[0].answer_bytes, 48 + 1024U);
    EXPECT_EQ(open[1].answer_bytes, 48 + 8U) << "a NOP-In echoes the ping's data";
    EXPECT_FALSE(AwaitedAnswers::is_command(open[1].number));
    EXPECT_EQ(open[2].answer_bytes, 48U);
    EXPECT_TRUE(AwaitedAnswers::is_command(open[2].number));
    EXPECT_EQ(list(false)[0].answer_bytes, 48 + 1024U + 48) << "with a SCSI Response of its own";
}

TEST_F(AwaitedAnswersTest, OnlyThoseRequestedBeforeThatPacketAreListed) {
    command(1, Moves::out, 512, test::write_10(0, 1));
    other(PduBuilder(Opcode::text_request).itt(50));
    EXPECT_EQ(list(true, 1).size(), 0U);
    EXPECT_EQ(list(true, 2).size(), 1U);
    EXPECT_EQ(list(true, 3).size(), 2U);
}

TEST_F(AwaitedAnswersTest, AnsweredOtherIsNotAwaitedAndCountsIfItWasImmediate) {
    other(PduBuilder(Opcode::nop_out).immediate().itt(50));
    other(PduBuilder(Opcode::nop_out).itt(51));
    other(PduBuilder(Opcode::nop_out).itt(reserved_tag));
    EXPECT_EQ(list(true).size(), 2U) << "a ping without a tag asks for no answer";
    awaited_.on_answer(50);
    EXPECT_EQ(awaited_.immediate_answered(), 1U);
    awaited_.on_answer(51);
    EXPECT_EQ(awaited_.immediate_answered(), 1U);
    EXPECT_TRUE(list(true).empty());
}

TEST_F(AwaitedAnswersTest, OnlyCommandsAreGivenUp) {
    command(1, Moves::out, 512, test::write_10(0, 1));
    other(PduBuilder(Opcode::nop_out).itt(50));
    list(true);
    EXPECT_EQ(awaited_.give_up_listed(commands_), 1U);
    commands_.end_given_up(1);
    EXPECT_EQ(store_.commands()[0].outcome, Outcome::unknown);
}

}  // namespace
}  // namespace sanscope
