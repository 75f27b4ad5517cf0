// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/remote_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing::ElementsAre;

constexpr uint32_t mss = 1000;
using test::ms;
constexpr int64_t round_trip = 10 * ms;

// What stands in line, as "o:SEQ" (original), "r:SEQ" (retransmission), "e:SEQ" (evidence), "m:SEQ+LENGTH" (missing).
class RemoteSegmentsTest : public testing::Test {
  protected:
    SentSegment& sends(uint32_t seq, uint32_t length = mss, int64_t after_ns = ms / 100) {
        SentSegment& segment = segments_.add();
        segment = {};
        segment.seq = Serial32(seq);
        segment.length = length;
        segment.flags = tcp_ack | tcp_psh;
        segment.has_timestamp = true;
        segment.timestamp = timestamp;
        segments_.on_new(now_ns_ += after_ns, round_trip);
        return segment;
    }
    std::vector<std::string> line() {
        std::vector<std::string> all;
        while (!segments_.empty()) {
            const PendingSegment& head = segments_.head();
            const std::string seq = std::to_string(head.segment.seq.value);
            if (head.kind == PendingSegment::Kind::missing) {
                const SentSegment& piece = segments_.take_piece();
                all.push_back("m:" + seq + "+" + std::to_string(piece.length));
                continue;
            }
            const char* const kinds[] = {"o:", "r:", "e:"};
            all.push_back(kinds[static_cast<size_t>(head.kind)] + seq);
            segments_.pop_head();
        }
        return all;
    }

    RemoteSegments segments_{mss};
    int64_t now_ns_ = 0;
    uint32_t timestamp = 100;
};

TEST_F(RemoteSegmentsTest, HoleIsGivenInItsPlaceInSegments) {
    sends(1000);
    sends(4500);
    EXPECT_THAT(line(), ElementsAre("o:1000", "m:2000+1000", "m:3000+1000", "m:4000+500", "o:4500"));
}

TEST_F(RemoteSegmentsTest, LateOriginalFillsItsPartOfTheHole) {
    sends(1000);
    timestamp = 102;
    sends(5000);
    timestamp = 101;
    sends(3000);
    EXPECT_THAT(line(), ElementsAre("o:1000", "m:2000+1000", "o:3000", "m:4000+1000", "o:5000"));
}

TEST_F(RemoteSegmentsTest, RetransmissionProvesTheHoleALoss) {
    sends(1000);
    sends(3000);
    EXPECT_TRUE(segments_.head_ready(now_ns_, round_trip, false));
    segments_.pop_head();
    EXPECT_FALSE(segments_.head_ready(now_ns_, round_trip, false)) << "its original may be late";
    timestamp = 120;
    sends(2000, mss, 2 * ms);
    EXPECT_TRUE(segments_.head_ready(now_ns_, round_trip, false));
    EXPECT_THAT(line(), ElementsAre("m:2000+1000", "o:3000", "r:2000"));
}

TEST_F(RemoteSegmentsTest, OriginalOfAHoleThatWasGivenIsDropped) {
    sends(1000);
    timestamp = 102;
    sends(3000);
    EXPECT_EQ(line().size(), 3U);
    timestamp = 101;
    sends(2000, mss, 30 * ms);
    EXPECT_TRUE(segments_.empty());
}

TEST_F(RemoteSegmentsTest, PureAcknowledgementRevealsWhatWasSentBeforeIt) {
    sends(1000);
    sends(3000, 0);
    EXPECT_THAT(line(), ElementsAre("o:1000", "m:2000+1000", "e:3000"));
}

// A flight lost whole before the tap shows by the IP identification of its first segment, sent again alone.
TEST_F(RemoteSegmentsTest, NewDataThatShowALostFlightAreNoRetransmission) {
    const auto numbered = [&](uint32_t seq, uint16_t ip_id, int64_t after_ns) {
        SentSegment& segment = segments_.add();
        segment = {};
        segment.seq = Serial32(seq);
        segment.length = mss;
        segment.flags = tcp_ack | tcp_psh;
        segment.ip_id = ip_id;
        segments_.on_new(now_ns_ += after_ns, round_trip);
    };
    for (uint16_t i = 1; i <= 20; ++i) numbered(i * mss, i, ms / 100);
    numbered(21 * mss, 26, 300 * ms);
    numbered(26 * mss, 27, 20 * ms);
    const std::vector<std::string> all = line();
    EXPECT_THAT(std::vector(all.begin() + 20, all.end()),
                ElementsAre("m:21000+1000", "m:22000+1000", "m:23000+1000", "m:24000+1000", "m:25000+1000",
                            "r:21000", "o:26000"));
}

TEST_F(RemoteSegmentsTest, FilledHeadIsAnotherHead) {
    sends(1000);
    timestamp = 102;
    sends(3000);
    segments_.pop_head();
    EXPECT_FALSE(segments_.take_head_changed());
    timestamp = 101;
    sends(2000);
    EXPECT_TRUE(segments_.take_head_changed());
    EXPECT_FALSE(segments_.take_head_changed());
}

}  // namespace
}  // namespace sanscope
