// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/block_compression.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <zstd.h>

#include "captures/recorder/recording_blocks.h"

namespace sanscope {
namespace {

std::span<const uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
std::string packet(uint32_t length, uint8_t filling) {
    const std::string bytes(length, static_cast<char>(filling));
    std::string block(packet_block_length(length), '\0');
    put_packet_block(reinterpret_cast<uint8_t*>(block.data()), 0, 0, bytes_of(bytes).data(), length, length);
    return block;
}
std::string packets(size_t count, uint32_t length) {
    std::string blocks;
    for (size_t i = 0; i < count; ++i) blocks += packet(length, static_cast<uint8_t>(i));
    return blocks;
}

TEST(BlockCompression, PiecesComeBackOneByOneAndSayHowManyPacketsTheyHold) {
    BlockCompressor compressor;
    BlockDecompressor decompressor;
    for (const std::string& blocks :
         {section_header() + interface_description({}), packets(1, 60), std::string(),
          packets(5000, 128) + interface_statistics(0, {}), packets(3, 9000)}) {
        const auto back = decompressor.decompress(bytes_of(compressor.compress(bytes_of(blocks))));
        ASSERT_TRUE(back);
        EXPECT_TRUE(std::ranges::equal(back->bytes, bytes_of(blocks)));
    }
    EXPECT_EQ(decompressor.decompress(bytes_of(compressor.compress(bytes_of(packets(7, 60)))))->packets, 7u);
}

TEST(BlockCompression, APieceIsToldByWhatCameBefore) {
    BlockCompressor compressor;
    std::string first;
    for (int i = 0; i < 200; ++i) first += static_cast<char>(i * i * 31 + i / 7);
    std::string block(packet_block_length(200), '\0');
    put_packet_block(reinterpret_cast<uint8_t*>(block.data()), 0, 0, bytes_of(first).data(), 200, 200);
    const size_t alone = compressor.compress(bytes_of(block)).size();
    EXPECT_LT(compressor.compress(bytes_of(block)).size(), alone / 4);
}

TEST(BlockCompression, WhatIsNoStreamOrNoWholeBlocksIsNothing) {
    EXPECT_FALSE(BlockDecompressor().decompress(bytes_of("Welcome to this host")));
    BlockCompressor compressor;
    EXPECT_FALSE(
        BlockDecompressor().decompress(bytes_of(compressor.compress(bytes_of(packet(60, 1) + "more")))));
}

TEST(BlockCompression, AFewBytesDoNotBecomeAllOfMemory) {
    const std::string zeros(BlockDecompressor::most_bytes + 1, '\0');
    const std::string bomb = BlockCompressor().compress(bytes_of(zeros));
    EXPECT_LT(bomb.size(), 10'000u);
    EXPECT_FALSE(BlockDecompressor().decompress(bytes_of(bomb)));
}

TEST(WholeBlocks, LengthsMustBeTrueAndAgree) {
    const std::string good = packet(60, 1);
    EXPECT_EQ(packets_in_whole_blocks(bytes_of(good + good)), 2u);
    EXPECT_EQ(packets_in_whole_blocks(bytes_of(section_header())), 0u);
    EXPECT_EQ(packets_in_whole_blocks({}), 0u);
    for (const size_t at : {size_t{4}, good.size() - 4}) {
        for (const int change : {-4, -1, 1, 4}) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] + change);
            EXPECT_FALSE(packets_in_whole_blocks(bytes_of(bad))) << at << ' ' << change;
        }
    }
    EXPECT_FALSE(packets_in_whole_blocks(bytes_of(good.substr(0, 11))));
    EXPECT_FALSE(packets_in_whole_blocks(bytes_of(std::string(12, '\0'))));
}

}  // namespace
}  // namespace sanscope
