// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/timeline/lod_pyramid.h"

#include <gtest/gtest.h>
#include <random>

namespace sanscope {
namespace {

constexpr uint32_t skipped = UINT32_MAX;

TEST(LodPyramid, TellsTheLeastAndGreatestOfAnyRunAtEveryLength) {
    std::mt19937 random(1);
    for (const size_t size : {0u, 1u, 15u, 16u, 17u, 255u, 256u, 257u, 4095u, 4096u, 4097u, 70'000u}) {
        LodPyramid<uint32_t> pyramid(skipped);
        std::vector<uint32_t> values;
        for (size_t i = 0; i < size; ++i) {
            values.push_back(random() % 10 == 0 ? skipped : static_cast<uint32_t>(random() % 100'000));
            pyramid.push(values.back());
        }
        for (unsigned round = 0; round < 300; ++round) {
            size_t first = size == 0 ? 0 : random() % (size + 1);
            size_t last = size == 0 ? 0 : random() % (size + 1);
            if (first > last) std::swap(first, last);
            MinMax<uint32_t> expected;
            for (size_t i = first; i < last; ++i) {
                if (values[i] != skipped) expected.add(values[i]);
            }
            const auto found = pyramid.query(first, last, [&](size_t i) { return values[i]; });
            ASSERT_EQ(found.any, expected.any) << size << ' ' << first << ' ' << last;
            ASSERT_EQ(found.min, expected.min) << size << ' ' << first << ' ' << last;
            ASSERT_EQ(found.max, expected.max) << size << ' ' << first << ' ' << last;
        }
    }
}

TEST(LodPyramid, LooksAtFewValuesHoweverManyThereAre) {
    LodPyramid<uint32_t> pyramid(skipped);
    constexpr size_t size = 1'000'000;
    for (uint32_t i = 0; i < size; ++i) pyramid.push(i);
    size_t looked_at = 0;
    const auto found = pyramid.query(1, size - 1, [&](size_t i) {
        ++looked_at;
        return static_cast<uint32_t>(i);
    });
    EXPECT_EQ(found.min, 1u);
    EXPECT_EQ(found.max, size - 2);
    EXPECT_LE(looked_at, 2 * LodPyramid<uint32_t>::fan_out);
    EXPECT_LE(pyramid.memory_bytes(), size * sizeof(uint32_t));
}

TEST(LodPyramid, AndRunningTotalsGoOnFromWhereTheyWereCutOff) {
    std::mt19937 random(3);
    LodPyramid<uint32_t> pyramid(skipped);
    RunningTotals totals;
    std::vector<uint32_t> values;
    const auto value_at = [&](size_t i) { return values[i]; };
    for (unsigned round = 0; round < 400; ++round) {
        const size_t more = random() % 700;
        for (size_t i = 0; i < more; ++i) {
            values.push_back(random() % 10 == 0 ? skipped : static_cast<uint32_t>(random() % 100'000));
            pyramid.push(values.back());
            totals.push(values.back());
        }
        // Mostly a few at the end, sometimes nearly all, sometimes none.
        const size_t most = random() % 8 == 0 ? values.size() : std::min<size_t>(values.size(), 300);
        const size_t kept = values.size() - (most == 0 ? 0 : random() % (most + 1));
        values.resize(kept);
        pyramid.truncate(kept, value_at);
        totals.truncate(kept, value_at);
        ASSERT_EQ(pyramid.size(), kept);
        ASSERT_EQ(totals.size(), kept);
        for (unsigned look = 0; look < 20; ++look) {
            size_t first = random() % (kept + 1);
            size_t last = random() % (kept + 1);
            if (first > last) std::swap(first, last);
            MinMax<uint32_t> expected;
            uint64_t sum = 0;
            for (size_t i = first; i < last; ++i) {
                if (values[i] != skipped) expected.add(values[i]);
                sum += values[i];
            }
            const auto found = pyramid.query(first, last, value_at);
            ASSERT_EQ(found.any, expected.any) << kept << ' ' << first << ' ' << last;
            ASSERT_EQ(found.min, expected.min) << kept << ' ' << first << ' ' << last;
            ASSERT_EQ(found.max, expected.max) << kept << ' ' << first << ' ' << last;
            ASSERT_EQ(totals.query(first, last, value_at), sum) << kept << ' ' << first << ' ' << last;
        }
    }
}

TEST(RunningTotals, SumsAnyRun) {
    std::mt19937 random(2);
    RunningTotals totals;
    std::vector<uint64_t> values;
    for (size_t i = 0; i < 1000; ++i) {
        values.push_back(random());
        totals.push(values.back());
    }
    for (unsigned round = 0; round < 500; ++round) {
        const size_t first = random() % 1001;
        const size_t last = random() % 1001;
        uint64_t expected = 0;
        for (size_t i = first; i < last; ++i) expected += values[i];
        EXPECT_EQ(totals.query(first, last, [&](size_t i) { return values[i]; }), expected);
    }
}

}  // namespace
}  // namespace sanscope
