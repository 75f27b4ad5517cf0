// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/medium_commands.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <utility>

#include "captures/iscsi_peer/target/block_limits.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::operator+;
using test::pattern;

constexpr uint32_t block = 512;
constexpr uint32_t blocks = 1000;

TargetSettings settings() {
    TargetSettings settings;
    settings.luns = 2;
    settings.size = uint64_t{blocks} * block;
    return settings;
}

void append_range(Bytes& list, uint64_t lba, uint32_t count) {
    Bytes descriptor(16);
    store_be32(descriptor.data(), static_cast<uint32_t>(lba >> 32));
    store_be32(descriptor.data() + 4, static_cast<uint32_t>(lba));
    store_be32(descriptor.data() + 8, count);
    list.insert(list.end(), descriptor.begin(), descriptor.end());
}

// An UNMAP parameter list.
Bytes ranges(std::initializer_list<std::pair<uint64_t, uint32_t>> all) {
    Bytes list(8);
    for (const auto& [lba, count] : all) append_range(list, lba, count);
    list[1] = static_cast<uint8_t>(list.size() - 2);
    list[3] = static_cast<uint8_t>(list.size() - 8);
    return list;
}

struct Medium : testing::Test {
    Medium() { backing.write(1, 0, pattern(blocks * block, 1)); }

    Sense perform(Bytes cdb, const Bytes& data) {
        cdb.resize(16);
        Bytes given;
        const ScsiPlan plan = device.plan(uint64_t{1} << 48, cdb.data(), given);
        if (!plan.collects_data()) return plan.sense;
        return carry_out(plan, data, device, backing);
    }
    Sense unmap(const Bytes& list) {
        return perform({0x42, 0, 0, 0, 0, 0, 0, 0, static_cast<uint8_t>(list.size())}, list);
    }
    Bytes at(uint32_t lba, uint32_t count) const {
        const auto there = backing.read(1, uint64_t{lba} * block, size_t{count} * block);
        return {there.begin(), there.end()};
    }
    static Bytes original(uint32_t lba, uint32_t count) {
        const Bytes all = pattern(blocks * block, 1);
        const auto begin = all.begin() + static_cast<ptrdiff_t>(lba * block);
        return {begin, begin + static_cast<ptrdiff_t>(count * block)};
    }
    static void expect_sense(const Sense& sense, uint8_t key, uint8_t asc) {
        EXPECT_EQ(sense.key, key);
        EXPECT_EQ(sense.asc, asc);
    }

    TargetSettings given_settings = settings();
    ScsiDevice device{given_settings};
    MemoryBacking backing{
        std::move(*MemoryBacking::make(Backing::ram, given_settings.luns, given_settings.size))};
};

TEST_F(Medium, WhatIsUnmappedReadsAsZerosAndNothingElseChanges) {
    EXPECT_EQ(unmap(ranges({{3, 2}, {100, 33}})).key, 0);
    EXPECT_EQ(at(3, 2), Bytes(2 * block));
    EXPECT_EQ(at(100, 33), Bytes(33 * block));
    EXPECT_EQ(at(0, 3), original(0, 3));
    EXPECT_EQ(at(5, 95), original(5, 95));
    EXPECT_EQ(at(133, blocks - 133), original(133, blocks - 133));
}

TEST_F(Medium, AnUnmapBeyondTheEndChangesNothing) {
    expect_sense(unmap(ranges({{0, 8}, {blocks - 1, 2}})), 5, 0x21);
    expect_sense(unmap(ranges({{UINT64_MAX, 1}})), 5, 0x21);
    expect_sense(unmap(ranges({{UINT64_MAX - 1, UINT32_MAX}})), 5, 0x21);
    EXPECT_EQ(at(0, blocks), original(0, blocks));
    EXPECT_EQ(unmap(ranges({{blocks - 1, 1}, {blocks, 0}})).key, 0);
    EXPECT_EQ(at(blocks - 1, 1), Bytes(block));
}

TEST_F(Medium, AnUnmapListIsAsLongAsItSays) {
    EXPECT_EQ(unmap(ranges({})).key, 0);
    EXPECT_EQ(unmap({}).key, 0);
    expect_sense(unmap(Bytes(7)), 5, 0x1a);
    Bytes longer = ranges({{0, 1}});
    longer[3] = 32;
    expect_sense(unmap(longer), 5, 0x1a);
    Bytes with_part_of_another = ranges({{0, 1}, {1, 1}});
    with_part_of_another[3] = 31;
    EXPECT_EQ(unmap(with_part_of_another).key, 0);
    EXPECT_EQ(at(0, 2), Bytes(block) + original(1, 1));
}

TEST_F(Medium, AListThatDidNotComeWholeIsNotDone) {
    expect_sense(perform({0x42, 0, 0, 0, 0, 0, 0, 0, 24}, Bytes(23)), 5, 0x1a);
    expect_sense(perform({0x41, 0, 0, 0, 0, 0, 0, 0, 1}, Bytes(block - 1)), 5, 0x1a);
    expect_sense(perform({0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, original(0, 1)), 5, 0x1a);
    EXPECT_EQ(at(0, 2), original(0, 2));
}

TEST_F(Medium, WriteSameRepeatsItsBlock) {
    const Bytes same = pattern(block, 77);
    EXPECT_EQ(perform({0x41, 0, 0, 0, 0, 10, 0, 0, 3}, same).key, 0);
    EXPECT_EQ(at(9, 5), original(9, 1) + same + same + same + original(13, 1));
    EXPECT_EQ(perform({0x93, 8, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 2}, Bytes(block)).key, 0);
    EXPECT_EQ(at(20, 3), Bytes(2 * block) + original(22, 1));
    EXPECT_EQ(perform({0x93, 1, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 2}, {}).key, 0) << "NDOB: no block is sent";
    EXPECT_EQ(at(30, 3), Bytes(2 * block) + original(32, 1));
}

TEST_F(Medium, CompareAndWriteWritesWhereNothingDiffers) {
    const Bytes cdb = {0x89, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 2};
    const Bytes other = pattern(2 * block, 99);
    EXPECT_EQ(perform(cdb, original(7, 2) + other).key, 0);
    EXPECT_EQ(at(6, 4), original(6, 1) + other + original(9, 1));

    Bytes wrong = other;
    wrong[block + 5] ^= 1;
    const Sense sense = perform(cdb, wrong + original(7, 2));
    expect_sense(sense, 0xe, 0x1d);
    EXPECT_EQ(sense.information, block + 5);
    EXPECT_EQ(at(7, 2), other) << "it stays as it was";
}

TEST(Limits, HoldForBothBlockSizes) {
    for (const uint32_t size : {512u, 4096u}) {
        const BlockLimits limits = block_limits(size);
        EXPECT_GE(limits.compare_and_write_blocks, 1u);
        EXPECT_LE(uint64_t{limits.write_same_blocks} * size, uint64_t{1} << 26);
        EXPECT_LE(longest_unmap_list(limits), 0xffffu);
    }
}

}  // namespace
}  // namespace sanscope
