// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/memory_backing.h"

#include <gtest/gtest.h>
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

TEST(MemoryBacking, TooMuchIsAnError) {
    EXPECT_FALSE(MemoryBacking::make(Backing::ram, 256, uint64_t{1} << 62));
    EXPECT_FALSE(MemoryBacking::make(Backing::ram, 1, uint64_t{1} << 60));
}

}  // namespace
}  // namespace sanscope
