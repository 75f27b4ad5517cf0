// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/answer_pairings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

using testing::DoubleNear;

constexpr uint32_t header = 48;
constexpr uint32_t read_answer = header + 4096;

// Open commands, one request a packet from packet 1 on, and what was seen of the target's order.
class Open {
  public:
    Open& read() { return add(TransferKind::in, read_answer, 4096); }
    Open& write() { return add(TransferKind::out, header, 0); }
    // So many commands more were answered in the order of request, and that many pairs of neighbours the other way
    // round.
    Open& seen(uint32_t in_order, uint32_t overtaken, TransferKind kind = TransferKind::in) {
        for (uint32_t i = 0; i < in_order + overtaken; ++i) {
            // Far enough apart for each pair to be compared with no other.
            const Serial32 older(1000 + i * 16);
            order.on_request(older, kind, 1, 1);
            order.on_request(older + 1, kind, 1, 2);
            order.on_answer(i < in_order ? older : older + 1, 1, 3);
            order.on_answer(i < in_order ? older + 1 : older, 1, 4);
        }
        return *this;
    }

    std::vector<OpenCommand> commands;
    AnswerOrder order;

  private:
    Open& add(TransferKind kind, uint32_t bytes, uint32_t data) {
        OpenCommand command;
        command.number = commands.size() + 1;
        command.request_packet = commands.size() + 1;
        command.kind = kind;
        command.answer_bytes = bytes;
        command.first_data = data;
        command.pdu_bytes = bytes;
        commands.push_back(command);
        return *this;
    }
};

// Of those bytes, a packet from number 100 on brings each piece.
UnseenRun run_of(std::vector<uint32_t> pieces, std::optional<uint32_t> statuses) {
    UnseenRun run;
    for (const uint32_t piece : pieces) {
        run.length += piece;
        run.moments.push_back({run.length, {100 + run.moments.size(), 0}, true});
    }
    run.statuses = statuses;
    return run;
}

TEST(AnswerPairings, IsCertainWhereOneCommandIsLeft) {
    Open open;
    open.read();
    const std::vector<UnseenRun> runs = {run_of({2000, read_answer - 2000}, 1)};
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, {}, open.order));
    EXPECT_THAT(pairings.pairings()[0].likeliest, DoubleNear(1, 1e-9));
    EXPECT_EQ(pairings.pairings()[0].arrival.packet, 101u);
}

TEST(AnswerPairings, IsCertainOfTheMomentWhereAllCameWithOnePacketInWhateverOrder) {
    Open open;
    open.read().write().read();
    const std::vector<UnseenRun> runs = {run_of({2 * read_answer + header}, 3)};
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, {}, open.order));
    for (const Pairing& pairing : pairings.pairings()) EXPECT_THAT(pairing.likeliest, DoubleNear(1, 1e-9));
}

TEST(AnswerPairings, TellsReadsFromWritesByTheirLength) {
    Open open;
    open.read().write();
    const std::vector<UnseenRun> runs = {run_of({header}, 1)};
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, {}, open.order));
    EXPECT_THAT(pairings.pairings()[0].answered, DoubleNear(0, 1e-9));
    EXPECT_THAT(pairings.pairings()[1].likeliest, DoubleNear(1, 1e-9));
}

TEST(AnswerPairings, DoesNotChooseAmongAlikeCommandsOfATargetThatKeepsNoOrder) {
    Open open;
    open.read().read().seen(10, 10);
    const std::vector<UnseenRun> runs = {run_of({read_answer, read_answer}, 2)};
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, {}, open.order));
    for (const Pairing& pairing : pairings.pairings()) {
        EXPECT_THAT(pairing.answered, DoubleNear(1, 1e-9));
        EXPECT_LT(pairing.likeliest, 0.6);
    }
}

TEST(AnswerPairings, TrustsTheOrderAsFarAsTheTargetWasSeenToKeepIt) {
    const std::vector<UnseenRun> runs = {run_of({read_answer, read_answer}, 2)};
    for (const uint32_t overtaken : {0u, 5u, 50u}) {
        Open open;
        open.read().read().seen(1000, overtaken);
        AnswerPairings pairings;
        ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, {}, open.order));
        const double odds = (overtaken + 0.5) / 1000.5;
        EXPECT_THAT(pairings.pairings()[0].likeliest, DoubleNear(1 / (1 + odds), 1e-3));
        EXPECT_EQ(pairings.pairings()[0].arrival.packet, 100u);
        EXPECT_EQ(pairings.pairings()[1].arrival.packet, 101u);
    }
}

TEST(AnswerPairings, AnswersNothingBeforeItsRequest) {
    Open open;
    open.read().read();
    open.commands[1].request_packet = 100;
    const std::vector<UnseenRun> runs = {run_of({read_answer}, 1), run_of({read_answer}, 2)};
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, std::span(runs).first(1), 1, {}, open.order));
    EXPECT_THAT(pairings.pairings()[0].likeliest, DoubleNear(1, 1e-9));
    EXPECT_THAT(pairings.pairings()[1].answered, DoubleNear(0, 1e-9));
}

TEST(AnswerPairings, KeepsToTheNumberOfStatuses) {
    Open open;
    open.read().write().write();
    const std::vector<UnseenRun> two = {run_of({read_answer + header}, 2)};
    AnswerPairings pairings;
    EXPECT_TRUE(pairings.weigh(open.commands, two, 1, {}, open.order));
    const std::vector<UnseenRun> three = {run_of({read_answer + header}, 3)};
    EXPECT_FALSE(pairings.weigh(open.commands, three, 1, {}, open.order));
    EXPECT_EQ(pairings.failed_run(), 0u);
}

TEST(AnswerPairings, KnowsOnlyTheCountOfWhatCannotBeExplained) {
    Open open;
    open.read().read().seen(1000, 0);
    std::vector<UnseenRun> runs = {run_of({123}, 1)};
    runs[0].explicable = false;
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, {}, open.order));
    EXPECT_GT(pairings.pairings()[0].answered, 0.99);
    EXPECT_EQ(pairings.pairings()[0].arrival.packet, 0u);
    EXPECT_EQ(pairings.pairings()[0].likeliest, 0);
}

TEST(AnswerPairings, AMomentThatWasNotCapturedIsNone) {
    Open open;
    open.read();
    std::vector<UnseenRun> runs = {run_of({read_answer}, 1)};
    runs[0].moments[0].captured = false;
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, {}, open.order));
    EXPECT_THAT(pairings.pairings()[0].answered, DoubleNear(1, 1e-9));
    EXPECT_EQ(pairings.pairings()[0].likeliest, 0);
}

TEST(AnswerPairings, HeadersBeginWhereTheyWereSeenToBegin) {
    Open open;
    open.read().write();
    std::vector<UnseenRun> runs = {run_of({header, read_answer}, 2)};
    runs[0].boundaries = {{header, Opcode::scsi_data_in, 4096}};
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, {}, open.order));
    EXPECT_EQ(pairings.pairings()[1].arrival.packet, 100u);
    EXPECT_THAT(pairings.pairings()[1].likeliest, DoubleNear(1, 1e-9));
}

TEST(AnswerPairings, GoesOnFromWhereTheRunsBeforeMayHaveEnded) {
    Open open;
    open.read().read();
    const std::vector<PairingStart> starts = {{1, {1}}};
    const std::vector<UnseenRun> runs = {run_of({read_answer}, 1)};
    AnswerPairings pairings;
    ASSERT_TRUE(pairings.weigh(open.commands, runs, 1, starts, open.order));
    EXPECT_THAT(pairings.pairings()[1].likeliest, DoubleNear(1, 1e-9));
    ASSERT_EQ(pairings.ends().size(), 1u);
    EXPECT_THAT(pairings.ends()[0].answered, testing::ElementsAre(1u, 2u));
}

TEST(AnswerPairings, WorkIsBoundedInWhateverOrder) {
    Open open;
    for (int i = 0; i < 400; ++i) open.read();
    std::vector<uint32_t> pieces(300, read_answer);
    const std::vector<UnseenRun> runs = {run_of(pieces, 300)};
    AnswerPairings pairings;
    EXPECT_FALSE(pairings.weigh(open.commands, runs, 1, {}, open.order));
    EXPECT_TRUE(pairings.gave_up());
}

}  // namespace
}  // namespace sanscope
