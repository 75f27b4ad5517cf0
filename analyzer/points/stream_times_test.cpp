// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/stream_times.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <vector>

namespace sanscope {
namespace {

Copy copy(int64_t begin, int64_t end) {
    return {.begin = begin, .end = end};
}

TEST(StreamTimes, TellsTheFirstCopyOfEachByteAndWhenAllBeforeItWereThere) {
    // The second segment comes last, and half of the third once more with it.
    const StreamTimes times({copy(100, 200), copy(300, 400), copy(200, 350)});
    EXPECT_EQ(times.first(99), std::nullopt);
    EXPECT_EQ(times.first(100), 0u);
    EXPECT_EQ(times.first(299), 2u);
    EXPECT_EQ(times.first(300), 1u);
    EXPECT_EQ(times.first(399), 1u);
    EXPECT_EQ(times.first(400), std::nullopt);
    EXPECT_EQ(times.complete(100), std::nullopt);
    EXPECT_EQ(times.complete(200), 0u);
    EXPECT_EQ(times.complete(201), 2u);
    EXPECT_EQ(times.complete(400), 2u);
}

TEST(StreamTimes, KnowsNothingOfAnEmptyStream) {
    const StreamTimes times({});
    EXPECT_EQ(times.first(0), std::nullopt);
    EXPECT_EQ(times.complete(1), std::nullopt);
}

TEST(StreamTimes, LeavesOutWhatWasNeverSeen) {
    const StreamTimes times({copy(0, 10), copy(20, 30)});
    EXPECT_EQ(times.first(15), std::nullopt);
    EXPECT_EQ(times.complete(20), 0u);
    EXPECT_EQ(times.complete(30), 1u);
}

TEST(StreamTimes, AgreesWithByteByByte) {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<Copy> copies;
        std::vector<std::optional<uint32_t>> first(64);
        for (uint32_t i = 0; i < 12; ++i) {
            const auto begin = static_cast<int64_t>(random() % 50);
            const auto end = begin + 1 + static_cast<int64_t>(random() % 13);
            copies.push_back(copy(begin, end));
            for (int64_t at = begin; at < end; ++at) {
                std::optional<uint32_t>& seen = first[static_cast<size_t>(at)];
                if (!seen) seen = i;
            }
        }
        const StreamTimes times(copies);
        std::optional<uint32_t> latest;
        for (size_t at = 0; at < first.size(); ++at) {
            ASSERT_EQ(times.first(static_cast<int64_t>(at)), first[at]) << round << " " << at;
            if (first[at] && (!latest || *first[at] > *latest)) latest = first[at];
            ASSERT_EQ(times.complete(static_cast<int64_t>(at) + 1), latest) << round << " " << at;
        }
    }
}

}  // namespace
}  // namespace sanscope
