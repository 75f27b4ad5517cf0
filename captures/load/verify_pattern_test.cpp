// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/verify_pattern.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/byte_order.h"
#include "analyzer/base/crc32c.h"

namespace sanscope {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint64_t seed = 7;
constexpr uint64_t offset = 1'048'576;
constexpr uint64_t generation = 3;
// Not VerifyPattern::this_run(): of two fillings drawn anew each time, one byte in 256 is the same.
constexpr uint64_t run = 0x5ca1ab1e;

Bytes filled(size_t length, uint64_t at = offset, uint64_t of_generation = generation,
             uint64_t of_seed = seed, uint64_t of_run = run) {
    Bytes data(length);
    VerifyPattern(of_seed, of_run).fill(data, at, of_generation);
    return data;
}

std::string difference(const Bytes& data, uint64_t& at) {
    const auto mismatch = VerifyPattern(seed, run).check(data, offset, generation);
    at = mismatch ? mismatch->offset : 0;
    return mismatch ? mismatch->happened : "";
}

TEST(VerifyPattern, APieceSaysWhereItBelongs) {
    Bytes data(1024);
    VerifyPattern(seed).fill(data, offset, generation);
    const uint8_t* second = data.data() + 512;
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(second), 8), "sanscope");
    EXPECT_EQ(load_le64(second + 8), offset + 512);
    EXPECT_EQ(load_le64(second + 16), seed);
    EXPECT_EQ(load_le64(second + 24), generation);
    EXPECT_EQ(load_le64(second + 32), VerifyPattern::this_run());
    uint32_t crc = crc32c_update(crc32c_init, {second, 40});
    crc = crc32c_update(crc, {second + 44, 512 - 44});
    EXPECT_EQ(load_le32(second + 40), crc32c_final(crc));
}

TEST(VerifyPattern, NoTwoPiecesHaveTheSameFilling) {
    const Bytes data = filled(size_t{64} * 512);
    for (size_t a = 0; a < 64; ++a) {
        for (size_t b = 0; b < a; ++b)
            EXPECT_FALSE(std::equal(&data[a * 512 + 44], &data[a * 512 + 512], &data[b * 512 + 44]));
    }
    const Bytes other = filled(512, offset, generation + 1);
    EXPECT_FALSE(std::equal(&data[44], &data[512], &other[44]));
    const Bytes of_other_run = filled(512, offset, generation, seed, run + 1);
    EXPECT_FALSE(std::equal(&data[44], &data[512], &of_other_run[44]));
}

TEST(VerifyPattern, WhatWasWrittenIsRightHoweverItIsCut) {
    const Bytes data = filled(size_t{16} * 512);
    const VerifyPattern pattern(seed, run);
    EXPECT_FALSE(pattern.check(data, offset, generation));
    std::minstd_rand random(1);
    for (size_t at = 0; at < data.size();) {
        const size_t count = std::min<size_t>(1 + random() % 1500, data.size() - at);
        EXPECT_FALSE(pattern.check(std::span(data).subspan(at, count), offset + at, generation)) << at;
        at += count;
    }
}

TEST(VerifyPattern, OneFlippedBitIsFoundWhereverItIs) {
    const Bytes data = filled(2048);
    for (size_t at = 0; at < data.size(); ++at) {
        Bytes wrong = data;
        wrong[at] ^= static_cast<uint8_t>(1u << at % 8);
        uint64_t where = 0;
        EXPECT_EQ(difference(wrong, where), "1 of 4096 bits are flipped");
        EXPECT_EQ(where, offset + at);
    }
}

TEST(VerifyPattern, WhatIsThereInsteadIsTold) {
    uint64_t where = 0;
    Bytes data = filled(2048);
    const auto put = [&](const Bytes& piece) { std::copy(piece.begin(), piece.end(), data.begin() + 1024); };
    put(Bytes(512));
    EXPECT_EQ(difference(data, where), "zeros are there");
    EXPECT_EQ(where, offset + 1024);
    put(filled(512, 8192));
    EXPECT_EQ(difference(data, where), "the data of offset 8192 is there");
    EXPECT_EQ(where, offset + 1024 + 9);  // the offsets' least bytes are the same
    put(filled(512, offset + 1024, 2));
    EXPECT_EQ(difference(data, where), "an older write is there, number 2 instead of 3");
    EXPECT_EQ(where, offset + 1024 + 24);
    put(filled(512, offset + 1024, 4));
    EXPECT_EQ(difference(data, where), "a later write is there, number 4 instead of 3");
    put(filled(512, offset + 1024, generation, 99));
    EXPECT_EQ(difference(data, where), "the data of another run is there, with the seed 99");
    put(filled(512, offset + 1024, generation, seed, run ^ 1));
    EXPECT_EQ(difference(data, where), "the data of another run with the same seed is there");
    EXPECT_EQ(where, offset + 1024 + 32);
    put(Bytes(512, 0x55));
    EXPECT_EQ(difference(data, where), "other data is there, not written by this load");
    Bytes torn = filled(512, offset + 1024);
    const Bytes older = filled(512, offset + 1024, 2);
    std::copy(older.begin() + 256, older.end(), torn.begin() + 256);
    put(torn);
    EXPECT_EQ(difference(data, where), "other data is there, not written by this load");
    EXPECT_EQ(where, offset + 1024 + 256);
}

TEST(VerifyPattern, OfPartOfAPieceLessIsTold) {
    const VerifyPattern pattern(seed, run);
    const auto mismatch = pattern.check(Bytes(100), offset + 10, generation);
    ASSERT_TRUE(mismatch);
    EXPECT_EQ(mismatch->offset, offset + 10);  // of the letter "s" … there is a zero instead
    EXPECT_EQ(mismatch->happened, "zeros are there");
}

}  // namespace
}  // namespace sanscope
