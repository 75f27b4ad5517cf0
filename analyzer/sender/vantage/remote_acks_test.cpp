// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/remote_acks.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr uint32_t mss = 1000;

class RemoteAcksTest : public testing::Test {
  protected:
    void ack(uint32_t number, uint32_t sacked_to = 0, uint32_t window = 10000) {
        ReceivedAck& ack = acks_.add();
        ack = {};
        ack.ack = Serial32(number);
        ack.window = window;
        if (sacked_to != 0) {
            ack.sack_blocks = 1;
            ack.sack[0] = {Serial32(sacked_to - mss), Serial32(sacked_to)};
        }
        acks_.on_new(++now_ns_);
    }
    static SentSegment segment(uint32_t seq) {
        SentSegment segment;
        segment.seq = Serial32(seq);
        segment.length = mss;
        return segment;
    }

    RemoteAcks acks_;
    int64_t now_ns_ = 0;
};

TEST_F(RemoteAcksTest, FlightIsCountedFromTheGreatestAcknowledgementProcessed) {
    ack(1000);
    ack(3000);
    ack(2000);
    acks_.give();
    EXPECT_EQ(acks_.flight(acks_.first(), Serial32(5000)), 4000);
    EXPECT_EQ(acks_.flight(acks_.first() + 1, Serial32(5000)), 2000);
    EXPECT_EQ(acks_.flight(acks_.end(), Serial32(5000)), 2000) << "reordered";
}

TEST_F(RemoteAcksTest, LossIsShownByThreeSegmentsSackedBeyondOrByTheThirdDuplicate) {
    ack(1000);
    ack(1000, 3000);
    ack(1000, 4000);
    ack(1000, 5000);
    ack(5000);
    EXPECT_EQ(acks_.asked_by_sack(Serial32(2000), mss), 3U);
    EXPECT_EQ(acks_.asked_by_duplicates(Serial32(1000)), 3U);
    EXPECT_EQ(acks_.asked_by_duplicates(Serial32(2000)), acks_.end()) << "nobody asked for that";
}

TEST_F(RemoteAcksTest, WindowTooSmallForASegmentWasOpenedByTheAcknowledgementThatMadeRoom) {
    ack(1000, 0, 1000);
    ack(2000, 0, 0);
    ack(2000, 0, 5000);
    EXPECT_EQ(acks_.opened_window(segment(4000)), acks_.end()) << "what the sender knew is not known";
    acks_.give();
    EXPECT_EQ(acks_.opened_window(segment(4000)), 2U);
    EXPECT_EQ(acks_.opened_window(segment(1000)), acks_.end()) << "there was room";
    SentSegment probe = segment(4000);
    probe.length = 1;
    EXPECT_EQ(acks_.opened_window(probe), acks_.end()) << "a zero-window probe waits for no room";
}

TEST_F(RemoteAcksTest, OneThatLeftAtThatTimeIsNotAfterIt) {
    for (uint32_t i = 1; i <= 5; ++i) ack(i * 1000);
    EXPECT_EQ(acks_.first_after(0), 0U);
    EXPECT_EQ(acks_.first_after(3), 3U);
    EXPECT_EQ(acks_.first_after(9), acks_.end());
}

}  // namespace
}  // namespace sanscope
