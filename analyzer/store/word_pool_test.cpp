// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/word_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace sanscope {
namespace {

TEST(WordPool, GivesEachItsOwn) {
    std::mt19937_64 random(1);
    WordPool pool;
    struct Taken {
        uint64_t* words;
        size_t size;
    };
    std::vector<Taken> taken;
    for (size_t i = 0; i < 5'000; ++i) {
        const size_t size = 1 + random() % WordPool::most_words;
        taken.push_back({pool.take(size), size});
        std::fill_n(taken.back().words, size, i);
    }
    for (size_t i = 0; i < taken.size(); ++i) {
        EXPECT_EQ(std::count(taken[i].words, taken[i].words + taken[i].size, i),
                  static_cast<ptrdiff_t>(taken[i].size));
    }
}

TEST(WordPool, GivesAgainWhatWasGivenBack) {
    WordPool pool;
    uint64_t* const five = pool.take(5);
    uint64_t* const six = pool.take(6);
    pool.give_back(five, 5);
    pool.give_back(six, 6);
    EXPECT_NE(pool.take(4), five);
    EXPECT_EQ(pool.take(6), six);
    EXPECT_EQ(pool.take(5), five);
    EXPECT_NE(pool.take(5), five);
}

TEST(BitWriter, WritesWhatIsRead) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        struct Number {
            uint64_t value;
            unsigned width;
        };
        std::vector<Number> numbers;
        size_t bits = 0;
        for (int i = 0; i < 300; ++i) {
            const auto width =
                round < 65 ? static_cast<unsigned>(round) : static_cast<unsigned>(random() % 65);
            const uint64_t greatest = width == 0 ? 0 : UINT64_MAX >> (64 - width);
            numbers.push_back({i % 7 == 0 ? greatest : random() & greatest, width});
            bits += width;
        }
        std::vector<uint64_t> words((bits + 63) / 64 + 1, 0);
        words.back() = random();
        const uint64_t behind = words.back();
        BitWriter writer(words.data());
        for (const Number& number : numbers) writer.add(number.value, number.width);
        writer.finish();
        EXPECT_EQ(words.back(), behind);
        size_t bit = 0;
        for (const Number& number : numbers) {
            ASSERT_EQ(bits_at(words.data(), bit, number.width), number.value);
            bit += number.width;
        }
    }
}

}  // namespace
}  // namespace sanscope
