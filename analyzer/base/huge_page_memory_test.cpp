// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/huge_page_memory.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace sanscope {
namespace {

constexpr size_t piece = 250'000;

TEST(HugePageMemory, PiecesDoNotOverlapAndKeepWhatIsWritten) {
    HugePageMemory memory;
    std::vector<unsigned char*> pieces;
    for (unsigned i = 0; i < 300; ++i) {
        pieces.push_back(static_cast<unsigned char*>(memory.take(piece)));
        ASSERT_NE(pieces.back(), nullptr);
        std::memset(pieces.back(), static_cast<int>(i % 251), piece);
    }
    for (unsigned i = 0; i < pieces.size(); ++i) {
        EXPECT_EQ(pieces[i][0], i % 251);
        EXPECT_EQ(pieces[i][piece - 1], i % 251);
    }
}

TEST(HugePageMemory, WhatIsGivenBackIsGivenOutAgain) {
    HugePageMemory memory;
    std::set<void*> first;
    for (int i = 0; i < 20; ++i) first.insert(memory.take(piece));
    for (void* const each : first) EXPECT_TRUE(memory.give_back(each, piece));
    std::set<void*> second;
    for (int i = 0; i < 20; ++i) second.insert(memory.take(piece - 1000));
    EXPECT_EQ(first, second);
}

TEST(HugePageMemory, WhatIsNotItsOwnIsLeftAlone) {
    HugePageMemory memory;
    std::vector<unsigned char> other(piece);
    EXPECT_FALSE(memory.give_back(other.data(), piece));
    EXPECT_NE(memory.take(piece), other.data());
}

}  // namespace
}  // namespace sanscope
