// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/row_list.h"

#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace sanscope {
namespace {

using testing::ElementsAreArray;

struct Numbers {
    const char* name;
    uint32_t (*row)(std::mt19937_64&, uint32_t i);
};

const Numbers shapes_of_numbers[] = {
    {"one behind the other", [](std::mt19937_64&, uint32_t i) { return i; }},
    {"alike", [](std::mt19937_64&, uint32_t) { return uint32_t{7}; }},
    {"greatest", [](std::mt19937_64&, uint32_t) { return UINT32_MAX; }},
    {"least or greatest",
     [](std::mt19937_64& random, uint32_t) { return random() % 2 == 0 ? 0 : UINT32_MAX; }},
    {"of many",
     [](std::mt19937_64& random, uint32_t i) { return i * 16 + static_cast<uint32_t>(random() % 16); }},
    {"one far away", [](std::mt19937_64&, uint32_t i) { return i % 200 == 100 ? UINT32_MAX - i : i; }},
    {"any", [](std::mt19937_64& random, uint32_t) { return static_cast<uint32_t>(random()); }},
    {"of any width",
     [](std::mt19937_64& random, uint32_t) { return static_cast<uint32_t>(random()) >> random() % 32; }},
};

void expect_same(const RowList& list, const std::vector<uint32_t>& rows, const char* name) {
    ASSERT_EQ(list.size(), rows.size()) << name;
    ASSERT_EQ(list.empty(), rows.empty()) << name;
    ASSERT_THAT(std::vector<uint32_t>(list.begin(), list.end()), ElementsAreArray(rows)) << name;
    if (rows.empty()) return;
    for (size_t i = 0; i < rows.size(); ++i) ASSERT_TRUE(list.may_be_beside(i, rows[i])) << name;
    EXPECT_EQ(list.front(), rows.front()) << name;
    EXPECT_EQ(list.back(), rows.back()) << name;
}

TEST(RowList, GivesBackWhatWasAppended) {
    std::mt19937_64 random(1);
    for (const Numbers& shape : shapes_of_numbers) {
        for (const uint32_t size : {0u, 1u, 127u, 128u, 129u, 255u, 256u, 257u, 3000u}) {
            WordPool words;
            RowList list(words);
            std::vector<uint32_t> rows;
            for (uint32_t i = 0; i < size; ++i) {
                rows.push_back(shape.row(random, i));
                list.push_back(rows.back());
                ASSERT_EQ(list.back(), rows.back());
            }
            expect_same(list, rows, shape.name);
        }
    }
}

TEST(RowList, ForgetsItsEndAndGrowsAgain) {
    std::mt19937_64 random(2);
    for (const Numbers& shape : shapes_of_numbers) {
        WordPool words;
        RowList list(words);
        RowList beside(words);
        std::vector<uint32_t> rows;
        std::vector<uint32_t> rows_beside;
        for (int round = 0; round < 60; ++round) {
            for (auto more = random() % 500; more > 0; --more) {
                rows.push_back(shape.row(random, static_cast<uint32_t>(rows.size())));
                list.push_back(rows.back());
                rows_beside.push_back(static_cast<uint32_t>(random()));
                beside.push_back(rows_beside.back());
            }
            const size_t size = random() % 10 == 0 ? 0 : random() % (rows.size() + 1);
            rows.resize(size);
            list.truncate(size);
            expect_same(list, rows, shape.name);
            expect_same(beside, rows_beside, shape.name);
        }
    }
}

TEST(RowList, TruncatedToNothingLessStaysAsItIs) {
    WordPool words;
    RowList list(words);
    for (uint32_t i = 0; i < 256; ++i) list.push_back(i);
    list.truncate(256);
    list.truncate(1000);
    EXPECT_EQ(list.size(), 256u);
    EXPECT_EQ(list.back(), 255u);
}

TEST(RowList, ChangesARow) {
    std::mt19937_64 random(3);
    for (const Numbers& shape : shapes_of_numbers) {
        WordPool words;
        RowList list(words);
        std::vector<uint32_t> rows;
        for (uint32_t i = 0; i < 1000; ++i) {
            rows.push_back(shape.row(random, i));
            list.push_back(rows.back());
        }
        for (int change = 0; change < 300; ++change) {
            const size_t at = random() % rows.size();
            rows[at] = shape.row(random, static_cast<uint32_t>(random() % 1000));
            list.set(at, rows[at]);
        }
        expect_same(list, rows, shape.name);
    }
}

TEST(RowList, TellsWhatIsInNoneOfABlock) {
    WordPool words;
    RowList list(words);
    for (uint32_t i = 0; i < 3 * RowList::block_rows; ++i) list.push_back(1000 + i);
    EXPECT_TRUE(list.may_be_beside(0, 1127));
    EXPECT_FALSE(list.may_be_beside(0, 999));
    EXPECT_FALSE(list.may_be_beside(127, 1128));
    EXPECT_FALSE(list.may_be_beside(128, 1127));
    EXPECT_TRUE(list.may_be_beside(128, 1128));
    EXPECT_FALSE(list.may_be_beside(0, UINT32_MAX));
    EXPECT_TRUE(list.may_be_beside(3 * RowList::block_rows - 1, 7)) << "it waits as it is";
}

TEST(RowList, TakesFewBitsOfRowsNearEachOther) {
    WordPool words;
    RowList list(words);
    constexpr uint32_t rows = 1'000'000;
    for (uint32_t i = 0; i < rows; ++i) list.push_back(16 * i);
    EXPECT_LE(words.memory_bytes(), size_t{rows} * 8 / 5);  // 11 bits each, in whole pieces
}

}  // namespace
}  // namespace sanscope
