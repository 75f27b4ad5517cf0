// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/memory_backing.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::pattern;

Bytes bytes_of(std::span<const uint8_t> span) {
    return {span.begin(), span.end()};
}

TEST(MemoryBacking, RamGivesBackWhatEachUnitWasGiven) {
    auto backing = MemoryBacking::make(Backing::ram, 2, 1 << 20);
    ASSERT_TRUE(backing);
    backing->write(0, (1 << 20) - 100, pattern(100, 1));
    backing->write(1, 0, pattern(100, 2));
    EXPECT_EQ(bytes_of(backing->read(0, (1 << 20) - 100, 100)), pattern(100, 1));
    EXPECT_EQ(bytes_of(backing->read(1, 0, 100)), pattern(100, 2));
    EXPECT_EQ(bytes_of(backing->read(1, 100, 50)), Bytes(50));
    EXPECT_TRUE(backing->equals(1, 0, pattern(100, 2)));
    EXPECT_FALSE(backing->equals(1, 0, pattern(100, 3)));
}

TEST(MemoryBacking, NullForgets) {
    auto backing = MemoryBacking::make(Backing::null, 1, uint64_t{1} << 50);
    ASSERT_TRUE(backing);
    backing->write(0, uint64_t{1} << 49, pattern(100));
    EXPECT_EQ(bytes_of(backing->read(0, uint64_t{1} << 49, 100)), Bytes(100));
    EXPECT_EQ(backing->read(0, 0, MemoryBacking::most_zeros).back(), 0);
    EXPECT_TRUE(backing->equals(0, 0, Bytes(512)));
    EXPECT_FALSE(backing->equals(0, 0, pattern(512)));
}

TEST(MemoryBacking, DiscardLeavesZerosAndNoMore) {
    constexpr uint64_t size = 1 << 16;
    auto backing = MemoryBacking::make(Backing::ram, 2, size);
    ASSERT_TRUE(backing);
    const std::vector<std::pair<uint64_t, uint64_t>> pieces = {
        {512, 512}, {4096, 4096}, {3584, 20000}, {0, size}, {100, 0}};
    for (const auto& [offset, count] : pieces) {
        backing->write(1, 0, pattern(size, 5));
        Bytes wanted = pattern(size, 5);
        std::fill_n(wanted.begin() + static_cast<ptrdiff_t>(offset), count, uint8_t{0});
        backing->discard(1, offset, count);
        EXPECT_EQ(bytes_of(backing->read(1, 0, size)), wanted) << offset << " " << count;
    }
}

TEST(MemoryBacking, ComparesAndWritesOnlyWhatIsAsExpected) {
    auto backing = MemoryBacking::make(Backing::ram, 1, 4096);
    ASSERT_TRUE(backing);
    EXPECT_FALSE(backing->compare_and_write(0, 512, Bytes(512), pattern(512)));
    EXPECT_EQ(bytes_of(backing->read(0, 512, 512)), pattern(512));
    Bytes wrong = pattern(512);
    wrong[40] ^= 1;
    const auto differs = backing->compare_and_write(0, 512, wrong, Bytes(512));
    ASSERT_TRUE(differs);
    EXPECT_EQ(*differs, 40u);
    EXPECT_EQ(bytes_of(backing->read(0, 512, 512)), pattern(512));
}

TEST(MemoryBacking, TooMuchIsAnError) {
    EXPECT_FALSE(MemoryBacking::make(Backing::ram, 256, uint64_t{1} << 62));
    EXPECT_FALSE(MemoryBacking::make(Backing::ram, 1, uint64_t{1} << 60));
}

}  // namespace
}  // namespace sanscope
