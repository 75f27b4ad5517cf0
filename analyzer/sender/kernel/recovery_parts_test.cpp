// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of loss recovery that have no state but their own: PRR, Reno SACKs, undo, F-RTO, tail loss probe, RACK.
#include <gtest/gtest.h>

#include "analyzer/sender/kernel/delivery_rate.h"
#include "analyzer/sender/kernel/frto.h"
#include "analyzer/sender/kernel/prr.h"
#include "analyzer/sender/kernel/rack.h"
#include "analyzer/sender/kernel/reno_sack.h"
#include "analyzer/sender/kernel/tail_loss_probe.h"
#include "analyzer/sender/kernel/undo.h"

namespace sanscope {
namespace {

// RFC 6937 §5, its first example: 20 segments outstanding, the first lost, ssthresh half of cwnd.
TEST(Prr, SendsASegmentForEveryTwoDeliveredOnTheWayDownToSsthresh) {
    SenderState tp;
    tp.packets_out = 20;
    tp.sacked_out = 3;
    tp.lost_out = 1;
    tp.prr_delivered = 0;
    uint32_t sent = 0;
    for (uint32_t delivered = 1; tp.sacked_out < 15; ++delivered) {
        ++tp.sacked_out;
        ++tp.prr_delivered;
        const uint32_t cwnd = prr_cwnd(tp, 10, 20, 1, 0, false);
        while (tp.in_flight() < cwnd) {
            ++tp.packets_out;
            ++tp.prr_out;
            ++sent;
        }
        if (tp.in_flight() > 10) {
            ASSERT_LE(sent, delivered / 2 + 1);
        }
    }
    EXPECT_LE(tp.in_flight(), 16U);
    EXPECT_NEAR(sent, 6, 1);
}

TEST(Prr, BelowSsthreshSendsNoMoreThanWasDelivered) {
    SenderState tp;
    tp.packets_out = 20;
    tp.lost_out = 15;
    tp.prr_delivered = 2;
    tp.prr_out = 1;
    EXPECT_EQ(prr_cwnd(tp, 10, 20, 1, 1, false), 5U + 1);
    EXPECT_EQ(prr_cwnd(tp, 10, 20, 1, 0, true), 5U + 2)
        << "one more where SND.UNA advances and nothing is lost";
}

TEST(RenoSack, DuplicatesStandForSegmentsUpToAllButTheHole) {
    SenderState tp;
    tp.sack = false;
    tp.packets_out = 4;
    add_reno_sack(tp, 2);
    EXPECT_EQ(tp.sacked_out, 2U);
    EXPECT_EQ(tp.delivered, 2U);
    EXPECT_FALSE(tp.reord_seen);
    add_reno_sack(tp, 2);
    EXPECT_EQ(tp.sacked_out, 3U);
    EXPECT_TRUE(tp.reord_seen);
}

TEST(RenoSack, CumulativeAcknowledgementTakesTheHoleAndThenTheDuplicates) {
    SenderState tp;
    tp.sack = false;
    tp.packets_out = 10;
    tp.sacked_out = 5;
    tp.packets_out -= 3;
    remove_reno_sacks(tp, 3);
    EXPECT_EQ(tp.sacked_out, 3U);
    EXPECT_EQ(tp.delivered, 1U) << "the hole itself; duplicates have counted the rest";
}

class UndoTest : public testing::Test {
  protected:
    SenderState tp_;
    Undo undo_{tp_};
};

TEST_F(UndoTest, EveryRetransmissionDsackedMeansItWasForNothing) {
    tp_.snd_una = Serial32(1000);
    undo_.init(false);
    undo_.count_retransmission();
    undo_.count_retransmission();
    undo_.stamp(50);
    tp_.saw_tstamp = true;
    tp_.rcv_tsecr = 60;
    undo_.on_dsack(Serial32(2000), Serial32(3000), 1);
    EXPECT_FALSE(undo_.may_undo());
    undo_.on_dsack(Serial32(3000), Serial32(3000), 1);
    EXPECT_TRUE(undo_.may_undo());
    EXPECT_TRUE(undo_.all_dsacked());
}

TEST_F(UndoTest, DsackOfWhatWasSentBeforeTheRecoveryCountsForNothing) {
    tp_.snd_una = Serial32(5000);
    undo_.init(false);
    undo_.count_retransmission();
    undo_.on_dsack(Serial32(5000), Serial32(6000), 1);
    EXPECT_FALSE(undo_.all_dsacked());
}

TEST_F(UndoTest, EchoOlderThanTheFirstRetransmissionIsTheOriginals) {
    undo_.init(false);
    undo_.count_retransmission();
    undo_.stamp(100);
    undo_.stamp(200);
    tp_.saw_tstamp = true;
    tp_.rcv_tsecr = 150;
    EXPECT_FALSE(undo_.packet_delayed()) << "the first retransmission's time counts";
    tp_.rcv_tsecr = 99;
    EXPECT_TRUE(undo_.may_undo());
}

TEST(Frto, NewDataAfterATimeoutAndTheirDuplicatesSayTheLossWasReal) {
    Frto frto;
    SenderState tp;
    frto.enter_loss(true, 0);
    AckFlags flags;
    flags.una_advanced = true;
    tp.snd_nxt = tp.high_seq = Serial32(1000);
    EXPECT_TRUE(frto.process(tp, flags, 0, false)) << "the next segment decides";
    EXPECT_TRUE(frto.active());
    tp.snd_nxt = Serial32(2000);
    frto.on_retransmit(tp);
    EXPECT_TRUE(frto.active()) << "it was new data";
    EXPECT_FALSE(frto.process(tp, AckFlags{}, 1, false));
    EXPECT_FALSE(frto.active());
}

TEST(Frto, RetransmissionInsteadOfNewDataEndsIt) {
    Frto frto;
    SenderState tp;
    frto.enter_loss(true, 0);
    tp.snd_nxt = tp.high_seq = Serial32(1000);
    frto.on_retransmit(tp);
    EXPECT_FALSE(frto.active());
}

class ProbeTest : public testing::Test {
  protected:
    ProbeTest() {
        tp_.snd_nxt = Serial32(1000);
        ack_.ack = Serial32(1000);
        work_.ack = &ack_;
    }
    SenderState tp_;
    using Verdict = TailLossProbe::Verdict;
    TailLossProbe probe_{tp_};
    ReceivedAck ack_;
    AckWork work_;
};

TEST_F(ProbeTest, RepairedALossWhereTheReceiverGotTheSegmentOnce) {
    probe_.send(true);
    work_.flags.una_advanced = true;
    work_.flags.data_acked = true;
    EXPECT_EQ(probe_.process_ack(work_), Verdict::open)
        << "that may be the original's; the next one shows whether the probe is a duplicate";
    EXPECT_TRUE(probe_.out());
    ack_.ack = Serial32(2000);
    EXPECT_EQ(probe_.process_ack(work_), Verdict::repaired);
}

TEST_F(ProbeTest, DsackOfItSaysThatBothArrived) {
    probe_.send(true);
    EXPECT_TRUE(probe_.ends_at(Serial32(1000)));
    work_.flags.dsack_of_probe = true;
    EXPECT_EQ(probe_.process_ack(work_), Verdict::needless);
    EXPECT_FALSE(probe_.out());
}

TEST_F(ProbeTest, OfNewDataRepairsNothing) {
    probe_.send(false);
    EXPECT_FALSE(probe_.resent());
    work_.flags.una_advanced = true;
    EXPECT_EQ(probe_.process_ack(work_), Verdict::needless);
    EXPECT_FALSE(probe_.out());
}

class RackTest : public testing::Test {
  protected:
    RackTest() {
        tp_.srtt_us = tp_.min_rtt_us = 10'000;
        for (uint32_t n = 0; n < 3; ++n) {
            EXPECT_TRUE(queue_.has_room());
            SendQueue::Segment& segment = queue_.push_back();
            segment.begin = Serial32(n * 1000);
            segment.end = Serial32((n + 1) * 1000);
            segment.last_sent_us = (n + 1) * 100;
            ++tp_.packets_out;
        }
    }
    void deliver(uint32_t n, int64_t now_us) {
        tp_.now_us = now_us;
        SendQueue::Segment& segment = queue_[queue_.first() + n];
        rack_.advance(segment);
        segment.sacked = true;
        ++tp_.sacked_out;
        queue_.leave_time_order(queue_.first() + n);
        rack_.mark_lost();
    }
    SenderState tp_;
    SendBudget budget_;
    SendQueue queue_{budget_};
    Rack rack_{tp_, queue_};
};

TEST_F(RackTest, WaitsAQuarterOfTheLeastRoundTripBeforeItCallsALaterSegmentsPredecessorLost) {
    deliver(2, 10'300);
    EXPECT_EQ(tp_.lost_out, 0U) << "2.5 ms of reordering window";
    tp_.now_us = 10'300 + 2'350;
    rack_.detect_loss();
    EXPECT_EQ(tp_.lost_out, 1U) << "the first was sent 200 us before";
    tp_.now_us = 10'300 + 2'400;
    rack_.detect_loss();
    EXPECT_EQ(tp_.lost_out, 2U);
}

TEST_F(RackTest, WaitsForNothingInRecoveryWhereThereIsNoReordering) {
    tp_.ca_state = CaState::recovery;
    deliver(1, 10'200);
    EXPECT_TRUE(queue_[queue_.first()].lost);
    EXPECT_FALSE(queue_[queue_.first() + 2].lost) << "it was sent later than what was delivered";
}

TEST_F(RackTest, DsacksWidenTheReorderingWindow) {
    tp_.reord_seen = true;
    deliver(2, 10'300);
    rack_.note_dsack();
    AckWork work;
    work.prior_delivered = 1;
    rack_.update_reo_wnd(work);
    tp_.now_us = 10'300 + 2'600;
    rack_.detect_loss();
    EXPECT_EQ(tp_.lost_out, 0U) << "5 ms now";
    tp_.now_us = 10'300 + 5'000;
    rack_.detect_loss();
    EXPECT_EQ(tp_.lost_out, 2U);
}

}  // namespace
}  // namespace sanscope
