// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/simulated_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace sanscope::simulated {
namespace {

using testing::ElementsAre;
using testing::Pair;

WireSegment data(uint32_t seq, uint32_t length = 1000) {
    WireSegment segment;
    segment.seq = Serial32(seq);
    segment.length = length;
    return segment;
}

class LinkTest : public testing::Test {
  protected:
    void open(const SimulatedLink::Options& options) {
        link.emplace(time, options);
        link->deliver_to(
            [this](const WireSegment& s) { arrived.emplace_back(time.now() / microsecond, s.seq.value); });
    }
    void run() { time.run_until(time.now() + 10 * second); }

    VirtualTime time;
    std::optional<SimulatedLink> link;
    std::vector<std::pair<int64_t, uint32_t>> arrived;  // microseconds, sequence number
};

TEST_F(LinkTest, DeliversAfterItsDelay) {
    open({.delay_ns = 7 * millisecond, .bits_per_second = 0});
    link->send(data(1));
    run();
    EXPECT_THAT(arrived, ElementsAre(Pair(7000, 1u)));
}

TEST_F(LinkTest, SpacesSegmentsByItsRate) {
    // 1000 bytes and 66 of headers at 8.528 Mbit/s take a millisecond.
    open({.delay_ns = 5 * millisecond, .bits_per_second = 8'528'000});
    for (uint32_t i = 0; i < 3; ++i) link->send(data(i * 1000));
    run();
    EXPECT_THAT(arrived, ElementsAre(Pair(6000, 0u), Pair(7000, 1000u), Pair(8000, 2000u)));
}

TEST_F(LinkTest, DropsWhatFindsTheQueueFull) {
    open({.delay_ns = 0, .bits_per_second = 8'528'000, .queue_segments = 2});
    for (uint32_t i = 0; i < 5; ++i) link->send(data(i * 1000));
    run();
    EXPECT_THAT(arrived, ElementsAre(Pair(1000, 0u), Pair(2000, 1000u), Pair(3000, 2000u)));
    EXPECT_EQ(link->dropped(), 2u);
}

TEST_F(LinkTest, DropsOnlyTheTransmissionNamed) {
    open({.delay_ns = millisecond, .bits_per_second = 0});
    link->drop(Serial32(1000), 2);
    for (int i = 0; i < 3; ++i) link->send(data(1000));
    run();
    EXPECT_EQ(arrived.size(), 2u);
}

TEST_F(LinkTest, LetsOthersPassASegmentItHolds) {
    open({.delay_ns = millisecond, .bits_per_second = 0});
    link->hold(Serial32(0), 3 * millisecond);
    link->send(data(0));
    link->send(data(1000));
    run();
    EXPECT_THAT(arrived, ElementsAre(Pair(1000, 1000u), Pair(4000, 0u)));
}

TEST_F(LinkTest, MarksOnlyWhatIsEcnCapable) {
    open({.delay_ns = 0, .bits_per_second = 0, .mark_from = 0});
    uint32_t marked = 0;
    link->deliver_to([&](const WireSegment& s) { marked += s.congestion_experienced; });
    link->send(data(0));
    WireSegment capable = data(1000);
    capable.ecn_capable = true;
    link->send(capable);
    run();
    EXPECT_EQ(marked, 1u);
}

TEST_F(LinkTest, ConservesSegments) {
    open({.delay_ns = millisecond, .bits_per_second = 10'000'000, .queue_segments = 7});
    for (uint32_t i = 0; i < 100; ++i) {
        link->send(data(i * 1000));
        if (i % 5 == 0) time.run_until(time.now() + millisecond);
    }
    run();
    EXPECT_EQ(link->sent(), 100u);
    EXPECT_EQ(link->delivered() + link->dropped(), 100u);
    EXPECT_GT(link->dropped(), 0u);
}

}  // namespace
}  // namespace sanscope::simulated
