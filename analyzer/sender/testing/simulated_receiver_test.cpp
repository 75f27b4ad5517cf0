// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/simulated_receiver.h"

#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace sanscope::simulated {
namespace {

constexpr uint32_t mss = 1000;

class ReceiverTest : public testing::Test {
  protected:
    void open(SimulatedReceiver::Options options = {}) {
        options.first_byte = Serial32(0);
        options.mss = mss;
        receiver.emplace(time, options, [this](const WireSegment& ack) { acks.push_back(ack); });
    }
    void arrives(uint32_t nth, uint32_t timestamp = 0, bool marked = false, uint16_t flags = tcp_ack) {
        WireSegment segment;
        segment.seq = Serial32(nth * mss);
        segment.length = mss;
        segment.has_timestamp = true;
        segment.timestamp = timestamp;
        segment.congestion_experienced = marked;
        segment.flags = flags;
        receiver->on_segment(segment);
    }
    void wait(int64_t ns) { time.run_until(time.now() + ns); }

    VirtualTime time;
    std::optional<SimulatedReceiver> receiver;
    std::vector<WireSegment> acks;
};

TEST_F(ReceiverTest, AcknowledgesEverySecondSegmentAtOnce) {
    open();
    for (uint32_t i = 0; i < 4; ++i) arrives(i);
    ASSERT_EQ(acks.size(), 2u);
    EXPECT_EQ(acks[0].ack, Serial32(2 * mss));
    EXPECT_EQ(acks[1].ack, Serial32(4 * mss));
}

TEST_F(ReceiverTest, AcknowledgesALoneSegmentAfterFortyMilliseconds) {
    open();
    arrives(0);
    wait(39 * millisecond);
    EXPECT_TRUE(acks.empty());
    wait(2 * millisecond);
    ASSERT_EQ(acks.size(), 1u);
    EXPECT_EQ(acks[0].ack, Serial32(mss));
}

TEST_F(ReceiverTest, SacksAtOnceWithTheMostRecentBlockFirst) {
    open();
    arrives(0);
    arrives(2);
    arrives(4);
    ASSERT_EQ(acks.size(), 2u);
    EXPECT_EQ(acks[1].ack, Serial32(mss));
    ASSERT_EQ(acks[1].sack_blocks, 2);
    EXPECT_EQ(acks[1].sack[0].begin, Serial32(4 * mss));
    EXPECT_EQ(acks[1].sack[1].begin, Serial32(2 * mss));
    EXPECT_EQ(acks[1].sack[1].end, Serial32(3 * mss));
}

TEST_F(ReceiverTest, AcknowledgesAllThatAFilledGapFrees) {
    open();
    arrives(1);
    arrives(2);
    arrives(0);
    ASSERT_EQ(acks.size(), 3u);
    EXPECT_EQ(acks[1].sack_blocks, 1);
    EXPECT_EQ(acks[1].sack[0].begin, Serial32(mss));
    EXPECT_EQ(acks[1].sack[0].end, Serial32(3 * mss));
    EXPECT_EQ(acks[2].ack, Serial32(3 * mss));
    EXPECT_EQ(acks[2].sack_blocks, 0);
    EXPECT_EQ(receiver->bytes_received(), 3 * mss);
}

TEST_F(ReceiverTest, TellsOfADuplicateBelowTheAcknowledgement) {
    open();
    arrives(0);
    arrives(1);
    arrives(0);
    ASSERT_EQ(acks.size(), 2u);
    ASSERT_EQ(acks[1].sack_blocks, 1);
    EXPECT_EQ(acks[1].ack, Serial32(2 * mss));
    EXPECT_EQ(acks[1].sack[0].begin, Serial32(0));
    EXPECT_EQ(acks[1].sack[0].end, Serial32(mss));
}

TEST_F(ReceiverTest, TellsOfADuplicateAboveTheGapBeforeTheBlockThatHoldsIt) {
    open();
    arrives(1);
    arrives(2);
    arrives(2);
    ASSERT_EQ(acks.size(), 3u);
    ASSERT_EQ(acks[2].sack_blocks, 2);
    EXPECT_EQ(acks[2].sack[0].begin, Serial32(2 * mss));
    EXPECT_EQ(acks[2].sack[1].begin, Serial32(mss));
    EXPECT_EQ(acks[2].sack[1].end, Serial32(3 * mss));
}

TEST_F(ReceiverTest, EchoesTheTimestampOfTheFirstSegmentAnswered) {
    open();
    arrives(0, 70);
    arrives(1, 71);
    arrives(2, 80);
    wait(50 * millisecond);
    ASSERT_EQ(acks.size(), 2u);
    EXPECT_EQ(acks[0].timestamp_echo, 70u);
    EXPECT_EQ(acks[1].timestamp_echo, 80u);
}

TEST_F(ReceiverTest, EchoesTheTimestampBeforeTheGapWhileThereIsOne) {
    open({.delayed_acks = false});
    arrives(0, 70);
    arrives(2, 90);
    arrives(1, 100);
    ASSERT_EQ(acks.size(), 3u);
    EXPECT_EQ(acks[1].timestamp_echo, 70u);
    EXPECT_EQ(acks[2].timestamp_echo, 100u);
}

TEST_F(ReceiverTest, ClosesTheWindowWhileNothingIsReadAndTellsWhenItOpens) {
    open({.delayed_acks = false, .buffer_bytes = 3 * mss});
    receiver->pause_reading();
    for (uint32_t i = 0; i < 3; ++i) arrives(i);
    EXPECT_EQ(acks.back().window, 0u);
    arrives(3);  // beyond the window
    EXPECT_EQ(acks.back().ack, Serial32(3 * mss));
    receiver->resume_reading();
    EXPECT_EQ(acks.back().window, 3 * mss);
    EXPECT_EQ(receiver->bytes_received(), 3 * mss);
}

TEST_F(ReceiverTest, EchoesCongestionUntilTheSenderSaysItHasReduced) {
    open({.delayed_acks = false});
    arrives(0);
    arrives(1, 0, true);
    arrives(2);
    arrives(3, 0, false, tcp_ack | tcp_cwr);
    ASSERT_EQ(acks.size(), 4u);
    EXPECT_FALSE(acks[0].has(tcp_ece));
    EXPECT_TRUE(acks[1].has(tcp_ece));
    EXPECT_TRUE(acks[2].has(tcp_ece));
    EXPECT_FALSE(acks[3].has(tcp_ece));
}

TEST_F(ReceiverTest, AnswersAnEmptySegmentOfOldBytes) {
    open();
    arrives(0);
    arrives(1);
    WireSegment keep_alive;
    keep_alive.seq = Serial32(2 * mss - 1);
    receiver->on_segment(keep_alive);
    EXPECT_EQ(acks.size(), 2u);
}

}  // namespace
}  // namespace sanscope::simulated
