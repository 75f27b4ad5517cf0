// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/crc32c.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace sanscope {
namespace {

uint32_t digest(const std::vector<uint8_t>& bytes) {
    return crc32c_final(crc32c_update(crc32c_init, bytes));
}

// RFC 3720 Appendix B.4 prints each digest as the bytes on the wire, low byte first.
TEST(Crc32c, ThirtyTwoZeros) {
    EXPECT_EQ(digest(std::vector<uint8_t>(32, 0)), 0x8a9136aau);
}
TEST(Crc32c, ThirtyTwoOnes) {
    EXPECT_EQ(digest(std::vector<uint8_t>(32, 0xff)), 0x62a8ab43u);
}
TEST(Crc32c, ThirtyTwoIncrementing) {
    std::vector<uint8_t> bytes(32);
    std::iota(bytes.begin(), bytes.end(), uint8_t{0});
    EXPECT_EQ(digest(bytes), 0x46dd794eu);
}
TEST(Crc32c, Read10CommandPdu) {
    const std::vector<uint8_t> bytes = {0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,
                                        0x14, 0,    0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
                                        0x28, 0,    0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0, 0, 0, 0};
    EXPECT_EQ(digest(bytes), 0xd9963a56u);
}

TEST(Crc32c, TableAndInstructionAgreeAtEveryLengthAndOffset) {
    std::mt19937 random(1);
    std::vector<uint8_t> bytes(600);
    for (auto& b : bytes) b = static_cast<uint8_t>(random());
    for (size_t offset = 0; offset < 9; ++offset) {
        for (size_t length = 0; length + offset <= 300; ++length) {
            const std::span part(bytes.data() + offset, length);
            ASSERT_EQ(crc32c_update_table(crc32c_init, part), crc32c_update_instruction(crc32c_init, part));
        }
    }
}

TEST(Crc32c, StreamedInPiecesIsTheSame) {
    std::vector<uint8_t> bytes(100);
    std::iota(bytes.begin(), bytes.end(), uint8_t{7});
    for (size_t cut = 0; cut <= bytes.size(); ++cut) {
        const std::span all(bytes);
        uint32_t crc = crc32c_update(crc32c_init, all.first(cut));
        crc = crc32c_update(crc, all.subspan(cut));
        ASSERT_EQ(crc32c_final(crc), digest(bytes));
    }
}

TEST(Crc32c, GoesBackwardsOverZeros) {
    const std::vector<uint8_t> zeros(5);
    for (const uint32_t crc : {0u, 1u, 0x80000000u, 0xffffffffu, 0x12345678u}) {
        uint32_t back = crc32c_update(crc, zeros);
        for (size_t i = 0; i < zeros.size(); ++i) back = crc32c_before_zero(back);
        EXPECT_EQ(back, crc);
    }
}

}  // namespace
}  // namespace sanscope
