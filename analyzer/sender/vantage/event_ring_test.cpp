// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/event_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

std::vector<int> contents(const EventRing<int>& ring) {
    std::vector<int> all;
    for (auto i = ring.first(); i != ring.end(); ++i) all.push_back(ring[i]);
    return all;
}

TEST(EventRing, EntryKeepsItsIndexWhileTheRingGrowsAndTurns) {
    EventRing<int> ring;
    for (int i = 0; i < 10; ++i) ring.push_back(i);
    for (int i = 0; i < 7; ++i) ring.pop_front();
    for (int i = 10; i < 60; ++i) ring.push_back(i);
    EXPECT_EQ(ring.first(), 7u);
    EXPECT_EQ(ring[9], 9);
    EXPECT_EQ(ring[40], 40);
    EXPECT_EQ(ring.size(), 53u);
}

TEST(EventRing, InsertMovesThoseBehind) {
    EventRing<int> ring;
    for (int i = 0; i < 5; ++i) ring.push_back(i);
    ring.insert(2, 99);
    ring.insert(ring.first(), 98);
    ring.insert(ring.end(), 97);
    EXPECT_THAT(contents(ring), testing::ElementsAre(98, 0, 1, 99, 2, 3, 4, 97));
}

TEST(EventRing, FindFirstIsTheBorder) {
    EventRing<int> ring;
    for (int i = 0; i < 20; ++i) ring.push_back(i * 10);
    ring.pop_front();
    EXPECT_EQ(ring.find_first([](int v) { return v > 55; }), 6u);
    EXPECT_EQ(ring.find_first([](int) { return true; }), ring.first());
    EXPECT_EQ(ring.find_first([](int) { return false; }), ring.end());
}

}  // namespace
}  // namespace sanscope
