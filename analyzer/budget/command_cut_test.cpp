// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/command_cut.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "analyzer/base/testing/durations.h"
#include "analyzer/budget/time_budgets.h"

namespace sanscope {
namespace {

using test::ms;
constexpr uint32_t target_seq = 0xffff'f000;  // so that answers wrap
constexpr uint32_t initiator_seq = 1000;

// One connection whose two streams and senders are written step by step; times in milliseconds.
class TurnaroundParts : public testing::Test {
  protected:
    explicit TurnaroundParts(Vantage vantage = Vantage::initiator) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        row.initiator_side = Side::a;
        row.vantage = vantage;
        row.rtt_min_ns = 2 * ms;
        row.stream_start_seq[0] = initiator_seq;
        row.stream_start_seq[1] = target_seq;
        row.stream_start_known[0] = row.stream_start_known[1] = true;
        row.mss = 1460;
        senders.emplace(Side::a, &store.add_sender(1, Side::a));
        senders.emplace(Side::b, &store.add_sender(1, Side::b));
        for (const Side side : {Side::a, Side::b}) step(side, -100, 0, 0);
    }

    // A sender has sent so many bytes of its stream, and so many are not acknowledged.
    void step(Side side, double at_ms, uint32_t sent, uint32_t outstanding,
              SendLimit limit = SendLimit::application, CaState state = CaState::open) {
        WindowRow row;
        row.connection = 1;
        row.sender = side;
        row.time_ns = static_cast<int64_t>(at_ms * ms);
        row.snd_nxt = (side == Side::a ? initiator_seq : target_seq) + sent;
        row.snd_una = row.snd_nxt - outstanding;
        row.limit = limit;
        row.ca_state = state;
        store.add_window(*senders.at(side), row);
    }

    // Another connection of the two hosts, whose initiator sends a segment each tenth of a millisecond, that is how fast the path is,
    // and has 100 on the way, from the one moment to the other: 10 ms of them, the round trip included.
    void another_fills_the_path(int begin_ms, int end_ms) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        row = connection();
        SenderSummary& sender = store.add_sender(number, Side::a);
        constexpr uint32_t segment = 1460;
        for (int i = 0; i < 10 * (end_ms - begin_ms); ++i) {
            WindowRow window;
            window.connection = number;
            window.sender = Side::a;
            window.time_ns = (begin_ms * ms) + (i * ms / 10);
            window.snd_nxt = 1000 + (segment * static_cast<uint32_t>(i + 100));
            window.snd_una = window.snd_nxt - (100 * segment);
            window.limit = SendLimit::congestion;
            store.add_window(sender, window);
        }
    }

    void lose(Side side, double repaired_ms, uint32_t offset, uint32_t length, LossKind kind,
              Reordering reordering = Reordering::unknown) {
        LossRow row;
        row.connection = 1;
        row.sender = side;
        row.time_ns = static_cast<int64_t>(repaired_ms * ms);
        row.seq = (side == Side::a ? initiator_seq : target_seq) + offset;
        row.length = length;
        row.kind = kind;
        row.reordering = reordering;
        store.add_loss(*senders.at(side), row);
    }

    // A read whose answer lies at [begin, end) of the target's stream and has so many bytes of its own.
    CommandNumber read(double request_ms, double response_ms, uint32_t begin, uint32_t end, uint32_t own = 0,
                       int64_t last_data_ns = no_time) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        row.connection = 1;
        row.request_ns = static_cast<int64_t>(request_ms * ms);
        row.response_ns = static_cast<int64_t>(response_ms * ms);
        row.last_data_ns = last_data_ns;
        row.request_packet = 1;
        row.response_packet = 2;
        CommandMarks& marks = store.command_marks(number);
        marks.request_begin = 0;
        marks.request_end = 48;
        marks.has_request = marks.has_answer = marks.has_status = true;
        marks.answer_begin = begin;
        marks.answer_end = end;
        marks.bytes_in = own == 0 ? end - begin : own;
        return number;
    }

    // The command becomes a write of 4 KiB, whose R2T comes so many milliseconds behind the first moment.
    void asks_for_data(CommandNumber command, int64_t r2t_ms) {
        CommandMarks& marks = store.command_marks(command);
        store.add_permission_wait(marks, {0, r2t_ms * ms, 0});
        marks.has_data_out = true;
        marks.data_out_end = 48 + 4096;
        marks.bytes_out = 4096;
    }

    // What a read takes to whose answer the initiator listens so long; the target acknowledges it with that answer.
    std::string parts_of_answered_read(int after_ms) {
        step(Side::a, 0, 48, 48);
        step(Side::b, after_ms - 1, 600, 600);
        step(Side::a, after_ms, 48, 0);
        return parts(read(0, after_ms, 0, 600));
    }

    // So many reads that the kind has a median.
    void usual_reads(double took_ms) {
        for (int i = 0; i < 20; ++i) read(-90, -90 + took_ms, 0, 600);
    }

    // "request_path 1, target 5": milliseconds, what is not 0.
    std::string parts(CommandNumber command) {
        if (!store.finished()) store.finish();
        const CommandBudget budget = TimeBudgets(store).of(command);
        EXPECT_EQ(sum(budget), store.command(command).turnaround_ns());
        std::string text;
        for (size_t i = 0; i < budget_parts; ++i) {
            if (budget.parts()[i] == 0) continue;
            EXPECT_GT(budget.parts()[i], 0);
            char number[32];
            snprintf(number, sizeof number, " %g", static_cast<double>(budget.parts()[i]) / ms);
            text += (text.empty() ? "" : ", ") + std::string(budget_part_name(static_cast<BudgetPart>(i))) +
                    number;
        }
        return text;
    }
    static int64_t sum(const CommandBudget& budget) {
        return std::accumulate(budget.parts().begin(), budget.parts().end(), int64_t{0});
    }

    ConnectionRow& connection() { return store.connection(1); }

    ResultStore store{ResultStore::Keep{}};
    std::map<Side, SenderSummary*> senders;
};

class TurnaroundPartsAtTarget : public TurnaroundParts {
  protected:
    TurnaroundPartsAtTarget() : TurnaroundParts(Vantage::target) {}
};

TEST_F(TurnaroundParts, AtTheInitiatorTheTargetHasWhatTheShortestWayLeaves) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 6, 600, 600);
    step(Side::b, 8, 600, 0);
    EXPECT_EQ(parts(read(0, 7, 0, 600)), "request_path 1, target 5, return_path 1");
}

TEST_F(TurnaroundPartsAtTarget, AtTheTargetThePathIsNotInTheTurnaround) {
    step(Side::a, -1, 48, 48);
    step(Side::b, 5, 600, 600);
    step(Side::b, 7, 600, 0);
    EXPECT_EQ(parts(read(0, 5, 0, 600)), "target 5");
}

TEST_F(TurnaroundParts, WhereTheCaptureWasTakenIsNotKnown) {
    connection().vantage = Vantage::unknown;
    step(Side::a, 0, 48, 48);
    step(Side::b, 6, 600, 600);
    EXPECT_EQ(parts(read(0, 7, 0, 600)), "unknown 7");
}

TEST_F(TurnaroundParts, AHeaderThatWasNotCapturedSaysNothing) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 6, 600, 600);
    const CommandNumber command = read(0, 7, 0, 600);
    store.command_marks(command).doubtful = true;
    EXPECT_EQ(parts(command), "unknown 7");
}

TEST_F(TurnaroundParts, ARequestThatWasLostWaitsForTheTimer) {
    step(Side::a, 0, 48, 48);
    lose(Side::a, 200, 0, 48, LossKind::rto);
    step(Side::b, 206, 600, 600);
    EXPECT_EQ(parts(read(0, 207, 0, 600)), "request_path 1, timeout 200, target 5, return_path 1");
}

TEST_F(TurnaroundParts, WhatWasLostBeforeTheRequestHoldsItUpToo) {
    step(Side::a, -1, 1448, 1448);
    step(Side::a, 0, 1496, 1496);
    lose(Side::a, 3, 0, 1448, LossKind::fast_retransmit);
    step(Side::b, 9, 600, 600);
    EXPECT_EQ(parts(read(0, 10, 0, 600)), "request_path 1, recovery 3, target 5, return_path 1");
}

TEST_F(TurnaroundParts, WhatWasLostBehindTheRequestDoesNotHoldItUp) {
    step(Side::a, 0, 1496, 1496);
    lose(Side::a, 3, 48, 1448, LossKind::fast_retransmit);
    step(Side::b, 6, 600, 600);
    EXPECT_EQ(parts(read(0, 7, 0, 600)), "request_path 1, target 5, return_path 1");
}

TEST_F(TurnaroundParts, AnAnswerWaitsForWhatIsSentAgain) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 3, 1448, 1448, SendLimit::application);
    step(Side::b, 3, 2896, 2896);
    step(Side::b, 9, 2896, 2896, SendLimit::application, CaState::recovery);
    lose(Side::b, 9, 0, 1448, LossKind::fast_retransmit);
    EXPECT_EQ(parts(read(0, 10, 0, 2896)), "request_path 1, recovery 6, target 2, return_path 1");
}

TEST_F(TurnaroundParts, NeedlessRetransmissionsHoldNothingUp) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 6, 600, 600);
    lose(Side::b, 6.5, 0, 600, LossKind::spurious);
    EXPECT_EQ(parts(read(0, 7, 0, 600)), "request_path 1, target 5, return_path 1");
}

TEST_F(TurnaroundParts, BetweenTheFirstByteAndTheLastTheSenderIsHeldBackByItsLimits) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 10'000, 10'000, SendLimit::congestion);
    step(Side::b, 5, 20'000, 20'000, SendLimit::receiver);
    step(Side::b, 305, 30'000, 30'000, SendLimit::pacing);
    step(Side::b, 306, 40'000, 40'000, SendLimit::application);
    step(Side::b, 310, 50'000, 50'000, SendLimit::congestion, CaState::recovery);
    step(Side::b, 312, 60'000, 60'000);
    EXPECT_EQ(parts(read(0, 313, 0, 60'000)),
              "request_path 1, cwnd 3, recovery 2, receiver_window 300, pacing 1, target 5, return_path 1");
}

TEST_F(TurnaroundParts, TheTimerIsWaitedForBeforeTheStateSaysSo) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 10'000, 10'000, SendLimit::congestion);
    step(Side::b, 202, 20'000, 10'000, SendLimit::recovery, CaState::loss);
    step(Side::b, 205, 30'000, 10'000);
    EXPECT_EQ(parts(read(0, 206, 0, 30'000)), "request_path 1, timeout 203, target 1, return_path 1");
}

TEST_F(TurnaroundParts, WhatWasSentAgainAfterALongSilenceWaitedForATimerEvenIfItHadArrived) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 1448, 1448);
    step(Side::b, 4, 1448, 0);
    lose(Side::b, 304, 0, 1448, LossKind::spurious);
    step(Side::b, 304, 30'000, 28'552);
    EXPECT_EQ(parts(read(0, 305, 0, 30'000)), "request_path 1, timeout 300, target 3, return_path 1");
}

TEST_F(TurnaroundParts, ACongestionWindowFilledByOthersIsStandingBehindThem) {
    step(Side::a, 0, 48, 48);
    step(Side::b, -1, 5'000, 5'000, SendLimit::congestion);
    step(Side::b, 3, 10'000, 10'000, SendLimit::congestion);
    step(Side::b, 7, 20'000, 10'000, SendLimit::application);
    EXPECT_EQ(parts(read(0, 8, 10'000, 20'000)), "request_path 1, behind_others 6, return_path 1");
}

TEST_F(TurnaroundParts, ButTheirTimeoutIsOne) {
    step(Side::a, 0, 48, 48);
    step(Side::b, -1, 5'000, 5'000, SendLimit::congestion);
    step(Side::b, 2, 10'000, 10'000, SendLimit::recovery, CaState::loss);
    step(Side::b, 202, 20'000, 10'000);
    EXPECT_EQ(parts(read(0, 203, 10'000, 20'000)), "request_path 1, timeout 201, return_path 1");
}

TEST_F(TurnaroundParts, ASenderThatHadNothingToSendDidNotHaveThisAnswer) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 5'000, 5'000, SendLimit::application);  // another's, and then nothing
    step(Side::b, 6, 20'000, 15'000, SendLimit::application);
    EXPECT_EQ(parts(read(0, 7, 5'000, 20'000)), "request_path 1, target 5, return_path 1");
}

// A burst of others stands in a queue of the path, a segment a millisecond.
TEST_F(TurnaroundParts, AnAnswerStandsBehindOthersInTheQueueOfThePathAsWell) {
    constexpr uint32_t segment = 1460;
    constexpr uint32_t burst = 80 * segment;
    const auto acknowledge = [&](uint32_t from, uint32_t to, uint32_t sent) {
        for (uint32_t i = from; i <= to; ++i) step(Side::b, i - 68.0, sent, sent - i * segment);
    };
    step(Side::b, -70, burst, burst);
    acknowledge(1, 73, burst);
    step(Side::a, 0, 48, 48);
    step(Side::b, 5.5, burst + 600, 7 * segment + 600);
    acknowledge(74, 80, burst + 600);
    EXPECT_EQ(parts(read(0, 12, burst, burst + 600)), "request_path 1, behind_others 10, return_path 1");
}

// A flight at once, which takes a tenth of a millisecond a segment, and the answer behind it: sent as soon as it was asked for.
TEST_F(TurnaroundParts, AnAnswerSentAtOnceStandsBehindWhatWasSentBeforeIt) {
    constexpr uint32_t segment = 1460;
    constexpr uint32_t earlier = 80 * segment;
    for (uint32_t i = 1; i <= 80; ++i) step(Side::b, -60 + i / 10.0, i * segment, segment);
    step(Side::a, 0, 48, 48);
    step(Side::b, 0.99, earlier, 0);
    step(Side::b, 0.995, earlier + 50 * segment, 50 * segment);
    step(Side::b, 1, earlier + 50 * segment + 600, 50 * segment + 600);
    step(Side::b, 8, earlier + 50 * segment + 600, 0);
    const CommandNumber command = read(0, 7, earlier + 50 * segment, earlier + 50 * segment + 600);
    EXPECT_EQ(parts(command), "request_path 1, target 0.005, behind_others 4.995, return_path 1");
}

TEST_F(TurnaroundParts, AnAnswerThatIsLateOnAnEmptyPathMayHaveBeenSentLater) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 1.5, 600, 600);
    step(Side::b, 9, 600, 0);
    EXPECT_EQ(parts(read(0, 7, 0, 600)), "request_path 1, target 0.5, return_path 1, unknown 4.5");
}

TEST_F(TurnaroundParts, ButNotWhereItIsTheCaptureThatHasPacketsOutOfOrder) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 1.5, 600, 600);
    step(Side::b, 9, 600, 0);
    lose(Side::b, 2, 0, 600, LossKind::out_of_order, Reordering::tap);
    EXPECT_EQ(parts(read(0, 7, 0, 600)), "request_path 1, target 5, return_path 1");
}

TEST_F(TurnaroundParts, WithinATickOfTimestampsItIsTheTargets) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 5.2, 600, 600);
    step(Side::b, 9, 600, 0);
    EXPECT_EQ(parts(read(0, 7, 0, 600)), "request_path 1, target 5, return_path 1");
}

// Of thirty answers each came two milliseconds late; how late the requests were nobody saw.
TEST_F(TurnaroundParts, WhereAnswersComeLateRequestsMayHaveComeLateAsWell) {
    constexpr uint32_t answer = 600;
    CommandNumber last = 0;
    for (uint32_t i = 0; i < 30; ++i) {
        const double asked = 20.0 * i;
        step(Side::a, asked, 48 + 48 * i, 48);
        step(Side::b, asked + 6, answer * (i + 1), answer);
        last = read(asked, asked + 9, answer * i, answer * (i + 1));
        store.command_marks(last).request_begin = 48 * i;
        store.command_marks(last).request_end = 48 * (i + 1);
        step(Side::a, asked + 9, 48 + 48 * i, 0);
        step(Side::b, asked + 10, answer * (i + 1), 0);
    }
    EXPECT_EQ(parts(last), "request_path 1, target 3, return_path 1, unknown 4");
}

TEST_F(TurnaroundParts, ButNotWhereTheQueueIsEmptyMeanwhile) {
    constexpr uint32_t segment = 1460;
    constexpr uint32_t burst = 70 * segment;
    step(Side::b, -80, burst, burst);
    for (uint32_t i = 1; i <= 70; ++i) step(Side::b, i - 78.0, burst, burst - i * segment);
    step(Side::a, 0, 48, 48);
    step(Side::b, 11, burst + 600, 600);
    EXPECT_EQ(parts(read(0, 12, burst, burst + 600)), "request_path 1, target 10, return_path 1");
}

TEST_F(TurnaroundParts, BytesOfOthersAmongItsOwnHadTheirShareOfTheWindow) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 10'000, 10'000, SendLimit::congestion);
    step(Side::b, 6, 40'000, 40'000);
    EXPECT_EQ(parts(read(0, 7, 0, 40'000, 30'000)),
              "request_path 1, cwnd 3, target 1, behind_others 1, return_path 1");
}

TEST_F(TurnaroundParts, AHostThatAcknowledgesNothingForLongIsNotKnownToServe) {
    step(Side::a, 0, 48, 48);
    step(Side::a, 602, 48, 0);
    step(Side::b, 603, 600, 600);
    EXPECT_EQ(parts(read(0, 604, 0, 600)), "request_path 1, target 2, return_path 1, unknown 600");
}

TEST_F(TurnaroundParts, OneThatAcknowledgesAndAnswersLateDoes) {
    step(Side::a, 0, 48, 48);
    step(Side::a, 42, 48, 0);
    step(Side::b, 603, 600, 600);
    EXPECT_EQ(parts(read(0, 604, 0, 600)), "request_path 1, target 602, return_path 1");
}

TEST_F(TurnaroundParts, WhatHeldUpOneAloneAndWasAcknowledgedWithTheAnswerMayBeThePaths) {
    usual_reads(3);
    EXPECT_EQ(parts_of_answered_read(27), "request_path 1, return_path 1, unknown 25");
}

TEST_F(TurnaroundParts, OneThatWasAcknowledgedAtOnceIsTheTargets) {
    usual_reads(3);
    step(Side::a, 0, 48, 48);
    step(Side::a, 2.5, 48, 0);
    step(Side::b, 26, 600, 600);
    EXPECT_EQ(parts(read(0, 27, 0, 600)), "request_path 1, target 25, return_path 1");
}

// Each read takes as long as others do, and what all of them wait for is a queue.
TEST_F(TurnaroundParts, BehindAnotherConnectionsQueueTheTargetIsNotKnownToHaveBeenAsked) {
    usual_reads(9);
    another_fills_the_path(-20, 40);
    EXPECT_EQ(parts_of_answered_read(10), "request_path 1, return_path 1, unknown 8");
}

TEST_F(TurnaroundParts, BehindAnotherConnectionsQueueItWasAskedWhereItAcknowledged) {
    usual_reads(9);
    another_fills_the_path(-20, 40);
    step(Side::a, 0, 48, 48);
    step(Side::a, 4, 48, 0);
    step(Side::b, 9, 600, 600);
    EXPECT_EQ(parts(read(0, 10, 0, 600)), "request_path 1, target 6, return_path 1, unknown 2");
}

TEST_F(TurnaroundParts, NoQueueHoldsACommandMuchLongerThanItIs) {
    usual_reads(60);
    another_fills_the_path(-20, 80);
    EXPECT_EQ(parts_of_answered_read(61), "request_path 1, target 43, return_path 1, unknown 16");
}

TEST_F(TurnaroundParts, AnotherConnectionsQueueOfAnotherTimeIsNoMatter) {
    usual_reads(9);
    another_fills_the_path(20, 80);
    EXPECT_EQ(parts_of_answered_read(10), "request_path 1, target 8, return_path 1");
}

TEST_F(TurnaroundPartsAtTarget, AnotherConnectionsQueueWasPassedByWhatIsCaptured) {
    usual_reads(9);
    another_fills_the_path(-20, 40);
    step(Side::a, -1, 48, 48);
    step(Side::b, 9, 600, 600);
    EXPECT_EQ(parts(read(0, 9, 0, 600)), "target 9");
}

TEST_F(TurnaroundParts, WhatAllTakeIsTheTargetsThoughAcknowledgedWithTheAnswer) {
    usual_reads(20);
    EXPECT_EQ(parts_of_answered_read(27), "request_path 1, target 25, return_path 1");
}

TEST_F(TurnaroundParts, AnAnswerWhoseFirstWasLostBeforeTheCaptureDoesNotTellWhoWasSlow) {
    usual_reads(3);
    step(Side::a, 0, 48, 48);
    step(Side::a, 2.5, 48, 0);
    step(Side::b, 26, 600, 600);
    lose(Side::b, 26, 0, 600, LossKind::tlp);
    EXPECT_EQ(parts(read(0, 27, 0, 600)), "request_path 1, return_path 1, unknown 25");
}

TEST_F(TurnaroundParts, APauseWithinAnAnswerOfOneAloneMayBeThePaths) {
    usual_reads(3);
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 2896, 2896);
    step(Side::b, 4, 2896, 0);
    step(Side::b, 44, 5792, 2896);
    EXPECT_EQ(parts(read(0, 45, 0, 5792)), "request_path 1, target 1, return_path 1, unknown 42");
}

TEST_F(TurnaroundPartsAtTarget, WhereDataAreOutstandingForLongWithoutATimerNobodyKnowsWhatStoodStill) {
    step(Side::b, -1, 600, 600);
    step(Side::a, -1, 48, 48);
    step(Side::b, 400, 600, 0);
    step(Side::b, 401, 1200, 600);
    EXPECT_EQ(parts(read(0, 401, 600, 1200)), "target 1, unknown 400");
}

TEST_F(TurnaroundParts, AcrossAJumpOfTheClockNothingIsKnown) {
    store.add_clock_jump({1, 10 * ms, 20 * ms, 1});
    step(Side::a, 0, 48, 48);
    step(Side::b, 26, 600, 600);
    step(Side::a, 27, 48, 0);
    const CommandNumber before = read(-5, 10, 0, 600);
    EXPECT_EQ(parts(read(0, 27, 0, 600)), "unknown 27");
    EXPECT_NE(parts(before), "unknown 15");
}

// InitialR2T over 2 ms: the command travels, the R2T comes back, the data travel, the status comes back.
TEST_F(TurnaroundParts, AWriteWaitsForItsR2T) {
    const CommandNumber command = read(0, 7, 48, 96);
    asks_for_data(command, 3);
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 48, 48);
    step(Side::a, 3, 48 + 4096, 4096);
    step(Side::b, 6, 96, 48);
    EXPECT_EQ(parts(command), "request_path 1, r2t_wait 3, target 2, return_path 1");
}

TEST_F(TurnaroundPartsAtTarget, AWriteWaitsForItsR2TThereAndBack) {
    const CommandNumber command = read(0, 6, 48, 96);
    asks_for_data(command, 1);
    step(Side::a, -1, 48, 48);
    step(Side::b, 1, 48, 48);
    step(Side::a, 2, 48 + 4096, 4096);
    step(Side::b, 6, 96, 48);
    EXPECT_EQ(parts(command), "request_path 1, r2t_wait 2, target 3");
}

TEST_F(TurnaroundParts, AnInitiatorThatMayAndDoesNotSendIsSlowItself) {
    const CommandNumber command = read(0, 25, 48, 96);
    asks_for_data(command, 3);
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 48, 48);
    step(Side::a, 3, 48, 0);
    step(Side::a, 21, 48 + 4096, 4096);
    step(Side::b, 24, 96, 48);
    EXPECT_EQ(parts(command), "request_path 1, application 18, r2t_wait 3, target 2, return_path 1");
}

TEST_F(TurnaroundPartsAtTarget, OrThePathHeldUpWhatAskedItAloneOrItsData) {
    usual_reads(3);
    const CommandNumber command = read(0, 25, 48, 96);
    asks_for_data(command, 1);
    step(Side::a, -1, 48, 48);
    step(Side::b, 1, 48, 48);
    step(Side::a, 2, 48, 0);
    step(Side::a, 22, 48 + 4096, 4096);
    step(Side::b, 25, 96, 48);
    EXPECT_EQ(parts(command), "request_path 1, r2t_wait 2, target 2, unknown 20");
}

// The tail of an answer was lost; a probe repeats the last of it, or the target paused.
TEST_F(TurnaroundParts, ASilenceBeforeDataBehindAHoleIsNotKnownToBeTheTargets) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 14'480, 14'480);
    step(Side::b, 4, 14'480, 0);
    step(Side::b, 12, 18'824, 4344);
    lose(Side::b, 14, 14'480, 2896, LossKind::fast_retransmit);
    EXPECT_EQ(parts(read(0, 15, 0, 18'824)),
              "request_path 1, recovery 2, target 1, return_path 1, unknown 10");
}

TEST_F(TurnaroundParts, NorWhileAHoleIsNotRepaired) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 17'376, 17'376);
    step(Side::b, 4, 17'376, 2896);
    step(Side::b, 12, 18'824, 4344);
    lose(Side::b, 14, 14'480, 2896, LossKind::fast_retransmit);
    EXPECT_EQ(parts(read(0, 15, 0, 18'824)),
              "request_path 1, recovery 2, target 1, return_path 1, unknown 10");
}

TEST_F(TurnaroundPartsAtTarget, ButAtTheTargetItIs) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 14'480, 14'480);
    step(Side::b, 4, 14'480, 0);
    step(Side::b, 12, 18'824, 4344);
    lose(Side::b, 14, 14'480, 2896, LossKind::fast_retransmit);
    EXPECT_EQ(parts(read(0, 12, 0, 18'824)), "target 12");
}

TEST_F(TurnaroundParts, WhatComesLongAfterItWasSentAgainMayHaveBeenLostOnceMore) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 2896, 2896);
    lose(Side::b, 6, 0, 1448, LossKind::fast_retransmit);
    EXPECT_EQ(parts(read(0, 300, 0, 2896)),
              "request_path 1, recovery 4, target 1, return_path 1, unknown 293");
}

// What Recovery leaves of a window is not known so well from afar.
TEST_F(TurnaroundParts, AWindowThatWasFullInRecoveryIsRecovery) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 1448, 1448, SendLimit::application, CaState::recovery);
    step(Side::b, 2, 14'480, 14'480, SendLimit::application, CaState::recovery);
    step(Side::b, 6, 14'480, 10'136, SendLimit::application, CaState::recovery);
    step(Side::b, 6, 18'824, 14'480);
    EXPECT_EQ(parts(read(0, 7, 0, 18'824)), "request_path 1, recovery 4, target 1, return_path 1");
}

// A window of two segments and a half, which is full most of the time.
TEST_F(TurnaroundParts, BehindASmallWindowWhatSeemsToWaitForNothingMayWaitForTheWindow) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 2896, 2896, SendLimit::receiver);
    step(Side::b, 12, 4344, 2896, SendLimit::application);
    step(Side::b, 22, 7240, 2896);
    EXPECT_EQ(parts(read(0, 23, 0, 7240)),
              "request_path 1, receiver_window 10, target 1, return_path 1, unknown 10");
}

TEST_F(TurnaroundParts, AndASilenceForATimerThatALostUpdateOfItLeftToEndIt) {
    step(Side::b, -50, 2896, 2896, SendLimit::receiver);
    step(Side::b, -40, 2896, 0);
    step(Side::a, 0, 48, 48);
    step(Side::a, 2.5, 48, 0);
    step(Side::b, 250, 4344, 1448);
    EXPECT_EQ(parts(read(0, 251, 2896, 4344)), "request_path 1, return_path 1, unknown 249");
}

// Reads of 64 KiB one after another, whose segments come 0.24 ms apart: 50 Mbit/s.
// The header at once, the rest when that is acknowledged, or then by chance not.
TEST_F(TurnaroundParts, WhatFollowsADelayedAcknowledgementMayHaveWaitedForNaglesAlgorithm) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 1, 48, 48);
    step(Side::a, 2, 48, 0);
    step(Side::b, 41, 48, 0);
    step(Side::b, 41.5, 600, 552);
    EXPECT_EQ(parts(read(0, 42.5, 0, 600)), "request_path 1, target 0.5, return_path 1, unknown 40");
}

TEST_F(TurnaroundParts, WhatFollowsLongAfterADelayedAcknowledgementIsTheTargets) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 1, 48, 48);
    step(Side::a, 2, 48, 0);
    step(Side::b, 41, 48, 0);
    step(Side::b, 51, 600, 552);
    EXPECT_EQ(parts(read(0, 52, 0, 600)), "request_path 1, target 50, return_path 1");
}

// Data-In of a bidirectional command (RFC 7143 section 4.2.5.3) at 7 ms, its status at 9 ms.
TEST_F(TurnaroundParts, WhatABidirectionalCommandReadsComesBeforeItsStatus) {
    step(Side::a, 0, 48 + 4096, 48 + 4096);
    step(Side::a, 2, 48 + 4096, 0);
    step(Side::b, 6, 80, 80);
    step(Side::b, 7, 80, 0);
    step(Side::b, 8, 128, 48);
    const CommandNumber command = read(0, 9, 0, 128, 0, 7 * ms);
    CommandMarks& marks = store.command_marks(command);
    marks.has_data_out = true;
    marks.data_out_end = 48 + 4096;
    marks.bytes_out = 4096;
    EXPECT_EQ(parts(command), "request_path 1, target 7, return_path 1");
}

TEST_F(TurnaroundParts, BytesTakeTheirTimeAtThePathsRate) {
    constexpr uint32_t segments = 46;
    CommandNumber last;
    uint32_t sent = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        const double begin = 20.0 * i;
        step(Side::a, begin, 48 * (i + 1), 48);
        const uint32_t first = sent;
        for (uint32_t j = 0; j < segments; ++j)
            step(Side::b, begin + 2 + 0.24 * j, sent += 1448, 1448, SendLimit::congestion);
        step(Side::b, begin + 2 + 0.24 * (segments - 1), sent, 0);
        last = read(begin, begin + 3 + 0.24 * (segments - 1), first, sent);
    }
    store.finish();
    const CommandBudget budget = TimeBudgets(store).of(last);
    EXPECT_NEAR(static_cast<double>(budget[BudgetPart::wire]), 10.8 * ms, 1000);
    EXPECT_NEAR(static_cast<double>(budget[BudgetPart::target]), 1.0 * ms, 1000);
    EXPECT_EQ(sum(budget), store.command(last).turnaround_ns());
}

TEST_F(TurnaroundParts, WhatNobodyCapturedOfItSaysNothing) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 6, 2896, 2896);
    const CommandNumber before = read(0, 7, 0, 1448);
    const CommandNumber of_it = read(0, 7, 1448, 2896);
    lose(Side::b, 6, 2000, 100, LossKind::not_captured);
    EXPECT_EQ(parts(before), "request_path 1, target 5, return_path 1");
    EXPECT_EQ(parts(of_it), "unknown 7");
}

TEST_F(TurnaroundParts, FewAnswersToOthersThatNobodyCapturedDoNotHideAnIdleTarget) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 1448, 1448);
    step(Side::b, 6, 11'448, 10'000);
    const CommandNumber command = read(0, 7, 10'000, 11'448);
    lose(Side::b, 6, 1448, 1448, LossKind::not_captured);
    EXPECT_EQ(parts(command), "request_path 1, target 5, return_path 1") << "few of them";
}

TEST_F(TurnaroundParts, ATargetMostOfWhoseAnswersToOthersNobodyCapturedIsNotKnownToHaveBeenIdle) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 6, 11'448, 10'000);
    for (uint32_t offset = 2896; offset < 10'000; offset += 1184)
        lose(Side::b, 6, offset, 1184, LossKind::not_captured);
    EXPECT_EQ(parts(read(0, 7, 10'000, 11'448)), "request_path 1, return_path 1, unknown 5");
}

// The tail of an answer was lost, and what the timer sent again as well.
TEST_F(TurnaroundParts, ALongSilenceInTheMidstOfAnAnswerIsNotKnownToBeTheTargets) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 2, 14'480, 14'480);
    step(Side::b, 4, 14'480, 0);
    step(Side::b, 404, 15'000, 520);
    EXPECT_EQ(parts(read(0, 405, 0, 15'000)), "request_path 1, target 3, return_path 1, unknown 400");
}

// The flight was lost, whole: its first segment comes alone, by the timer, and the others behind its acknowledgement.
TEST_F(TurnaroundParts, AWindowOfOneSegmentBehindALongSilenceShowsThatATimerExpired) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 203, 1448, 1448);
    step(Side::b, 205, 1448, 0);
    step(Side::b, 205.05, 4344, 2896);
    step(Side::b, 206, 4344, 0);
    EXPECT_EQ(parts(read(0, 206.05, 0, 4344)),
              "request_path 1, cwnd 2, timeout 202, target 0.05, return_path 1");
}

TEST_F(TurnaroundParts, AFullWindowBehindOneIsAPause) {
    step(Side::a, 0, 48, 48);
    step(Side::b, 203, 1448, 1448);
    step(Side::b, 203, 4344, 4344);
    EXPECT_EQ(parts(read(0, 204, 0, 4344)), "request_path 1, target 202, return_path 1");
}

TEST_F(TurnaroundParts, WhateverTheStepsSayThePartsAddUp) {
    std::mt19937 random(19);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    uint32_t sent[2] = {};
    double now = 0;
    for (int i = 0; i < 3000; ++i) {
        now += below(10) == 0 ? below(300) : below(100) / 50.0;
        const size_t side = below(2);
        sent[side] += below(3) * 1448;
        step(side == 0 ? Side::a : Side::b, now - below(3), sent[side], below(sent[side] + 1),
             static_cast<SendLimit>(below(6)), static_cast<CaState>(below(5)));
        if (below(20) == 0)
            lose(side == 0 ? Side::a : Side::b, now, below(sent[side] + 1), below(3000),
                 static_cast<LossKind>(below(loss_kinds)));
    }
    for (int i = 0; i < 2000; ++i) {
        const double begin = now * below(1000) / 1000;
        const uint32_t answer = below(sent[1] + 5000);
        const CommandNumber command =
            read(begin, begin + below(500) / 3.0, answer, answer + below(100'000), below(90'000));
        CommandMarks& marks = store.command_marks(command);
        marks.request_begin = below(sent[0] + 5000);
        marks.request_end = marks.request_begin + below(9000);
        marks.has_data_out = below(2) == 0;
        marks.data_out_end = marks.request_end + below(100'000);
        marks.bytes_out = below(100'000);
        for (uint32_t wait = below(3); wait > 0; --wait) {
            const auto at = static_cast<int64_t>((begin + below(100)) * ms);
            store.add_permission_wait(marks, {at, at + below(20) * ms, marks.last_wait});
        }
        marks.has_answer = below(10) != 0;
        marks.has_status = below(10) != 0;
    }
    store.finish();
    const TimeBudgets budgets(store);
    for (size_t i = 1; i <= store.commands().size(); ++i) {
        const CommandBudget budget = budgets.of(i);
        EXPECT_EQ(sum(budget), store.command(i).turnaround_ns()) << i;
        for (const int64_t part : budget.parts()) EXPECT_GE(part, 0) << i;
    }
}

}  // namespace
}  // namespace sanscope
