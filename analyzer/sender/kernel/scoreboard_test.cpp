// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/kernel/scoreboard.h"

#include <gtest/gtest.h>
#include <initializer_list>

#include "analyzer/sender/kernel/delivery_rate.h"
#include "analyzer/sender/kernel/testing/recording_observer.h"

namespace sanscope {
namespace {

constexpr uint32_t mss = 1000;

// Ten segments of 1000 bytes are outstanding, sent a millisecond apart.
class ScoreboardTest : public testing::Test {
  protected:
    ScoreboardTest() {
        tp_.mss = mss;
        tp_.max_window = 100 * mss;
        for (uint32_t n = 0; n < 10; ++n) {
            EXPECT_TRUE(queue_.has_room());
            SendQueue::Segment& segment = queue_.push_back();
            segment.begin = Serial32(n * mss);
            segment.end = Serial32((n + 1) * mss);
            segment.first_sent_us = segment.last_sent_us = (n + 1) * 1000;
            segment.unseen = false;
            segment.late = 0;
            rate_skb_sent(tp_, segment);
            ++tp_.packets_out;
        }
        tp_.snd_nxt = Serial32(10 * mss);
        tp_.now_us = 20'000;
    }
    struct Block {
        uint32_t begin;  // in segments
        uint32_t end;
    };
    AckWork sack(uint32_t ack, std::initializer_list<Block> blocks) {
        ack_ = {};
        ack_.ack = Serial32(ack * mss);
        for (const Block& block : blocks)
            ack_.sack[ack_.sack_blocks++] = {Serial32(block.begin * mss), Serial32(block.end * mss)};
        AckWork work;
        work.ack = &ack_;
        work.prior_una = tp_.snd_una;
        tp_.snd_una = ack_.ack;
        scoreboard_.sacktag_write_queue(work);
        return work;
    }
    SendQueue::Segment& segment(uint32_t n) { return queue_[queue_.find(Serial32(n * mss))]; }

    SenderState tp_;
    SendBudget budget_;
    SendQueue queue_{budget_};
    Rack rack_{tp_, queue_};
    Undo undo_{tp_};
    TailLossProbe probe_{tp_};
    RecordingObserver observer_;
    Scoreboard scoreboard_{tp_, queue_, rack_, undo_, probe_, observer_};
    ReceivedAck ack_;
};

TEST_F(ScoreboardTest, TagsWhatABlockHoldsWhole) {
    const AckWork work = sack(0, {{4, 6}});
    EXPECT_TRUE(work.flags.data_sacked);
    EXPECT_EQ(work.sack_delivered, 2U);
    EXPECT_EQ(tp_.sacked_out, 2U);
    EXPECT_FALSE(segment(3).sacked);
    EXPECT_TRUE(segment(4).sacked && segment(5).sacked);
    EXPECT_FALSE(segment(6).sacked);
    EXPECT_EQ(scoreboard_.highest_sack_seq().value, 6 * mss);
}

TEST_F(ScoreboardTest, CountsASegmentOnceHoweverOftenItIsSacked) {
    sack(0, {{4, 6}});
    const AckWork again = sack(0, {{4, 7}});
    EXPECT_EQ(again.sack_delivered, 1U);
    EXPECT_EQ(tp_.sacked_out, 3U);
}

TEST_F(ScoreboardTest, BlocksMayComeInAnyOrder) {
    sack(0, {{8, 9}, {2, 3}, {5, 6}});
    EXPECT_TRUE(segment(2).sacked && segment(5).sacked && segment(8).sacked);
    EXPECT_EQ(tp_.sacked_out, 3U);
}

TEST_F(ScoreboardTest, BlockBeyondWhatWasSentIsNoBlock) {
    const AckWork work = sack(0, {{9, 11}});
    EXPECT_FALSE(work.flags.data_sacked);
    EXPECT_EQ(tp_.sacked_out, 0U);
}

TEST_F(ScoreboardTest, LowerSegmentThatArrivesAfterHigherOnesIsReordering) {
    sack(0, {{8, 9}});
    ASSERT_FALSE(tp_.reord_seen);
    sack(0, {{3, 4}, {8, 9}});
    EXPECT_TRUE(tp_.reord_seen);
    EXPECT_EQ(tp_.reordering, 6U) << "from segment 3 to the end of segment 8";
    EXPECT_EQ(observer_.reordered, 1);
}

TEST_F(ScoreboardTest, FirstBlockBelowTheAcknowledgementIsADsack) {
    tp_.total_retrans = 1;
    const AckWork work = sack(3, {{1, 2}});
    EXPECT_TRUE(work.flags.dsacking);
    EXPECT_EQ(observer_.dsacks, 1);
    EXPECT_EQ(tp_.sacked_out, 0U);
}

TEST_F(ScoreboardTest, MoreDsacksThanRetransmissionsAreTheNetworksDuplicates) {
    const AckWork work = sack(3, {{1, 2}});
    EXPECT_FALSE(work.flags.dsacking);
    EXPECT_EQ(observer_.dsacks, 0);
}

TEST_F(ScoreboardTest, DuplicatesThatAreFewOnThePathTellOfRetransmissions) {
    tp_.delivered = 100;
    const AckWork work = sack(3, {{1, 2}});
    EXPECT_FALSE(work.flags.dsacking) << "for Linux they do not";
    EXPECT_EQ(observer_.dsacks, 1);
}

TEST_F(ScoreboardTest, SackedRetransmissionIsLostNoMore) {
    mark_skb_lost(tp_, queue_, queue_.first());
    segment(0).retransmitted = segment(0).ever_retransmitted = true;
    ++tp_.retrans_out;
    tp_.min_rtt_us = 1;
    sack(0, {{0, 1}});
    EXPECT_FALSE(segment(0).sacked) << "it begins at SND.UNA: only a D-SACK would say so";
    mark_skb_lost(tp_, queue_, queue_.first() + 2);
    segment(2).retransmitted = segment(2).ever_retransmitted = true;
    ++tp_.retrans_out;
    sack(0, {{2, 3}});
    EXPECT_EQ(tp_.lost_out, 1U);
    EXPECT_EQ(tp_.retrans_out, 1U);
    EXPECT_FALSE(segment(2).lost);
}

}  // namespace
}  // namespace sanscope
