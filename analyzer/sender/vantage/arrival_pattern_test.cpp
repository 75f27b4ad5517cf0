// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/arrival_pattern.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

constexpr uint32_t mss = 1000;
using test::us;

// Full segments one behind the other, each so long after the one before.
class ArrivalPatternTest : public testing::Test {
  protected:
    const PendingSegment& arrives(int64_t after_ns, uint16_t flags = 0, uint16_t ip_id_step = 1) {
        pending_ = {};
        pending_.arrival_ns = now_ns_ += after_ns;
        pending_.segment.seq = next_;
        pending_.segment.length = mss;
        pending_.segment.flags = flags;
        pending_.segment.timestamp = timestamp_;
        pending_.segment.ip_id = ip_id_ = static_cast<uint16_t>(ip_id_ + ip_id_step);
        next_ += mss;
        pattern_.on_segment(pending_);
        return pending_;
    }

    ArrivalPattern pattern_{mss};
    PendingSegment pending_;
    int64_t now_ns_ = 0;
    Serial32 next_{0xfffff000};
    uint32_t timestamp_ = 7;
    uint16_t ip_id_ = 0xfff0;
};

TEST_F(ArrivalPatternTest, WriteGoesOnUntilPushATickOrAPause) {
    EXPECT_FALSE(arrives(0).continues_write);
    EXPECT_TRUE(arrives(8 * us).continues_write);
    EXPECT_TRUE(arrives(8 * us, tcp_psh).continues_write);
    EXPECT_FALSE(arrives(8 * us).continues_write) << "PSH ended it";
    EXPECT_TRUE(arrives(8 * us).continues_write);
    ++timestamp_;
    EXPECT_FALSE(arrives(8 * us).continues_write) << "of another tick";
    for (int i = 0; i < 20; ++i) arrives(8 * us);
    EXPECT_FALSE(pending_.spaced);
    EXPECT_TRUE(arrives(100 * us).spaced);
    EXPECT_FALSE(pending_.continues_write);
}

TEST_F(ArrivalPatternTest, WriteIsNoLongerThanSegmentationOffloadMakesOne) {
    arrives(0);
    for (int i = 1; i < 65; ++i) EXPECT_TRUE(arrives(8 * us).continues_write) << i;
    EXPECT_FALSE(arrives(8 * us).continues_write);
}

TEST_F(ArrivalPatternTest, ByteTimeIsThatOfTheSegmentsOfOneWrite) {
    for (int i = 0; i < 4; ++i) arrives(8 * us);
    EXPECT_EQ(pattern_.byte_time_ns(), 0) << "too few";
    for (int i = 0; i < 60; ++i) arrives(8 * us);
    EXPECT_NEAR(pattern_.byte_time_ns(), 8, 0.5);
    for (int i = 0; i < 3; ++i) arrives(8000 * us);
    EXPECT_NEAR(pattern_.byte_time_ns(), 8, 1) << "a few pauses hardly move a median";
}

TEST_F(ArrivalPatternTest, IpIdentificationIsSureAfterManyAndDoubtedAfterFew) {
    for (int i = 0; i < 24; ++i) arrives(8 * us);
    EXPECT_FALSE(pattern_.ip_id_is_sure()) << "what came before the first is not known";
    arrives(8 * us);
    EXPECT_TRUE(pattern_.ip_id_is_sure()) << "across the wrap";
    arrives(8 * us, 0, 0x8123);
    EXPECT_FALSE(pattern_.ip_id_is_sure());
    EXPECT_TRUE(pattern_.ip_id_counts());
    arrives(8 * us, 0, 0x8123);
    EXPECT_FALSE(pattern_.ip_id_counts());
}

}  // namespace
}  // namespace sanscope
