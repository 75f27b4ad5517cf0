// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/inferred_commands.h"

#include <gtest/gtest.h>
#include <optional>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::pattern;
using test::PduBuilder;

// A session of which some headers are seen, each in a packet more.
class InferredCommandsTest : public testing::Test {
  protected:
    uint64_t pdu(const PduBuilder& built) {
        const Bytes bytes = built.bytes();
        Pdu pdu;
        pdu.header = bytes.data();
        pdu.header_captured = bhs_length;
        pdu.first = pdu.last = next();
        return tracker_.on_pdu(pdu, 1);
    }
    Arrival next() {
        ++packet_;
        return {packet_, static_cast<int64_t>(packet_) * 100};
    }
    uint64_t hidden_request(uint32_t cmd_sn, std::optional<uint32_t> itt = {}) {
        return inferred_.infer_request(itt, Serial32(cmd_sn), next(), 1, true);
    }
    static PduBuilder status(uint32_t itt, uint32_t exp_cmd_sn) {
        return test::scsi_response(itt, 0, 1, exp_cmd_sn);
    }
    const CommandRow& row(size_t index) const { return store_.commands()[index]; }

    ResultStore store_{{}};
    CommandTracker tracker_{store_, 1};
    InferredCommands inferred_{tracker_, store_};
    PacketNumber packet_ = 0;
};

TEST_F(InferredCommandsTest, AnswerWithAnUnknownTagNamesTheRequestThatWasHidden) {
    const uint64_t command = hidden_request(5);
    EXPECT_EQ(pdu(status(77, 6)), command);
    EXPECT_EQ(row(0).itt, 77U);
    EXPECT_TRUE(row(0).inferred);
    EXPECT_EQ(row(0).outcome, Outcome::completed);
}

TEST_F(InferredCommandsTest, AnswerOfATargetThatHadNotReceivedItIsAnothers) {
    const uint64_t command = hidden_request(5);
    EXPECT_NE(pdu(status(77, 5)), command);
    EXPECT_EQ(row(0).itt, reserved_tag);
}

TEST_F(InferredCommandsTest, OfTwoHiddenInTwoPacketsNobodyCanSayWhichIsAnswered) {
    const uint64_t first = hidden_request(5);
    const uint64_t second = hidden_request(6);
    const uint64_t answered = pdu(status(77, 7));
    EXPECT_NE(answered, first);
    EXPECT_NE(answered, second);
}

TEST_F(InferredCommandsTest, TagThatIsKnownLaterFindsTheAnswer) {
    const uint64_t first = hidden_request(5);
    const uint64_t second = hidden_request(6);
    inferred_.set_tag(first, 70);
    inferred_.set_tag(second, 71);
    EXPECT_EQ(pdu(status(71, 7)), second);
    EXPECT_EQ(pdu(status(70, 7)), first);
}

TEST_F(InferredCommandsTest, AnswerOfItsOwnTakesTheInferredOneBack) {
    const uint64_t command = hidden_request(5, 70);
    ASSERT_TRUE(inferred_.answer_unseen(command, next()));
    EXPECT_EQ(row(0).response_packet, 2U);
    EXPECT_EQ(pdu(status(70, 6)), command);
    EXPECT_EQ(row(0).response_packet, 3U);
    EXPECT_EQ(row(0).status, 0U);
}

TEST_F(InferredCommandsTest, NothingIsAnsweredBeforeItWasRequested) {
    const Arrival before = next();
    const uint64_t command = hidden_request(5, 70);
    EXPECT_FALSE(inferred_.answer_unseen(command, before));
}

TEST_F(InferredCommandsTest, GivenUpMeansUnknownUnlessItsAnswerIsSeen) {
    const uint64_t first = hidden_request(5, 70);
    const uint64_t second = hidden_request(6, 71);
    inferred_.give_up(first);
    inferred_.give_up(second);
    pdu(status(71, 7));
    inferred_.end_given_up(1);
    EXPECT_EQ(row(0).outcome, Outcome::unknown);
    EXPECT_EQ(row(1).outcome, Outcome::completed);
}

}  // namespace
}  // namespace sanscope
