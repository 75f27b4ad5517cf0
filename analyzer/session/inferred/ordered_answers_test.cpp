// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/ordered_answers.h"

#include <gtest/gtest.h>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::Moves;
using test::PduBuilder;

// A target that answers writes one by one, in order of CmdSN; the commands it has to answer, and runs of unseen answers.
class OrderedAnswersTest : public testing::Test {
  protected:
    uint64_t request(uint32_t cmd_sn) {
        return pdu(test::scsi_command(cmd_sn, cmd_sn, Moves::out, 512, test::write_10(0, 1)));
    }
    // Its status is seen.
    bool answer(uint32_t cmd_sn) {
        const PduBuilder status = test::scsi_response(cmd_sn, 0, cmd_sn, cmd_sn + 1);
        const Bytes bytes = status.bytes();
        ordered_.before_seen(parsed(bytes), tracker_);
        pdu(status);
        return ordered_.after_status(++statuses_, commands_);
    }
    // So many statuses come unseen, one a packet, before the next one is seen.
    void unseen(uint32_t count) {
        UnseenStretch stretch;
        stretch.begin = offset_;
        StreamPiece piece;
        for (uint32_t i = 0; i < count; ++i) {
            piece.delivered = next();
            stretch.mark(offset_ += bhs_length, piece);
        }
        stretch.end = offset_;
        runs_.add_stretch(stretch, true);
        ASSERT_TRUE(runs_.close(nullptr));
        runs_.place(statuses_);
        statuses_ += count;
        runs_.end_group(count, Serial32(0), statuses_ + 1);
    }
    uint64_t pdu(const PduBuilder& built) {
        const Bytes bytes = built.bytes();
        return tracker_.on_pdu(parsed(bytes), 1);
    }
    Pdu parsed(const Bytes& bytes) {
        Pdu pdu;
        pdu.header = bytes.data();
        pdu.header_captured = bhs_length;
        pdu.first = pdu.last = next();
        return pdu;
    }
    Arrival next() {
        ++packet_;
        return {packet_, static_cast<int64_t>(packet_) * 100};
    }
    bool lay_out() { return ordered_.lay_out(runs_, runs_.size(), shape_, commands_); }
    const CommandRow& row(size_t index) const { return store_.commands()[index]; }

    ResultStore store_{{}};
    Issues issues_;
    CommandTracker tracker_{store_, 1};
    InferredCommands commands_{tracker_, store_};
    AnsweredConnection of_{1, &store_, &issues_, 1};
    AnswerShape shape_;
    AwaitedAnswers awaited_{1};
    OrderedAnswers ordered_{of_, awaited_};
    UnseenRuns runs_;
    uint64_t statuses_ = 0;
    uint64_t offset_ = 0;
    PacketNumber packet_ = 0;
};

TEST_F(OrderedAnswersTest, WithoutAStatusInItsPlaceNothingIsLaidOut) {
    request(1);
    unseen(1);
    EXPECT_TRUE(lay_out());
    EXPECT_FALSE(ordered_.any_laid_out());
    EXPECT_FALSE(ordered_.decides());
}

TEST_F(OrderedAnswersTest, LaidOutAnswersAreHeldUntilTheOrderIsBelieved) {
    for (uint32_t i = 1; i <= 4; ++i) request(i);
    EXPECT_TRUE(answer(1));
    unseen(2);
    EXPECT_TRUE(lay_out());
    ASSERT_TRUE(ordered_.any_laid_out());
    ordered_.hold_all(runs_, runs_.size(), commands_);
    EXPECT_TRUE(ordered_.settle(commands_));
    EXPECT_EQ(row(1).response_packet, 0U) << "nobody knows yet whether the order is kept";
    EXPECT_TRUE(answer(4));
    for (uint32_t i = 5; i < 5 + StrictOrder::enough; ++i) {
        request(i);
        EXPECT_TRUE(answer(i));
    }
    EXPECT_EQ(row(1).response_packet, 7U);
    EXPECT_EQ(row(2).response_packet, 8U);
}

TEST_F(OrderedAnswersTest, OneStatusOutOfItsTurnAndNothingHeldIsSettled) {
    for (uint32_t i = 1; i <= 5; ++i) request(i);
    EXPECT_TRUE(answer(1));
    unseen(2);
    EXPECT_TRUE(lay_out());
    ordered_.hold_all(runs_, runs_.size(), commands_);
    EXPECT_TRUE(ordered_.trusted());
    EXPECT_FALSE(answer(5)) << "it was command 4's turn: who is left is not known";
    EXPECT_FALSE(ordered_.trusted());
    EXPECT_FALSE(ordered_.decides());
    EXPECT_EQ(row(1).response_packet, 0U);
    EXPECT_EQ(row(2).response_packet, 0U);
}

TEST_F(OrderedAnswersTest, BytesThatTheNextCommandsDoNotFillContradictTheOrder) {
    for (uint32_t i = 1; i <= 2; ++i) request(i);
    EXPECT_TRUE(answer(1));
    unseen(2);
    EXPECT_TRUE(lay_out()) << "it was not trusted before";
    EXPECT_FALSE(ordered_.any_laid_out()) << "one command is left for two statuses";
    EXPECT_FALSE(ordered_.decides());
}

TEST_F(OrderedAnswersTest, WhatIsNotSettledIsLaidOutAgainInFrontOfTheNext) {
    for (uint32_t i = 1; i <= 4; ++i) request(i);
    EXPECT_TRUE(answer(1));
    unseen(1);
    EXPECT_TRUE(lay_out());
    ordered_.keep_pending([](uint64_t) { return false; });
    runs_.drop(1);
    unseen(1);
    EXPECT_TRUE(lay_out());
    EXPECT_TRUE(ordered_.any_laid_out());
    ordered_.hold_all(runs_, runs_.size(), commands_);
    EXPECT_TRUE(row(1).inferred);
    EXPECT_TRUE(row(2).inferred);
    EXPECT_FALSE(row(3).inferred);
}

}  // namespace
}  // namespace sanscope
