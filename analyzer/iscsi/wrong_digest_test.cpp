// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/wrong_digest.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "analyzer/base/crc32c.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::pattern;
using Cause = DigestError::Cause;

uint32_t crc32c_of(std::span<const uint8_t> bytes) {
    return crc32c_final(crc32c_update(crc32c_init, bytes));
}
uint32_t crc32_of(std::span<const uint8_t> bytes) {
    return crc32_final(crc32_update(crc32_init, bytes));
}

// Bytes as they were received, with the digest that came with them.
DigestError explained(const Bytes& bytes, uint32_t received, uint32_t padding = 0) {
    return explain({.length = static_cast<uint32_t>(bytes.size()),
                    .padding = padding,
                    .computed = crc32c_of(bytes),
                    .received = received,
                    .crc32 = crc32_of(bytes)});
}

TEST(WrongDigest, tells_which_bit_was_flipped) {
    for (const size_t length : {4u, 48u, 512u, 4096u}) {
        const Bytes sent = pattern(length);
        for (size_t byte = 0; byte < length; byte += length / 4) {
            for (unsigned bit = 0; bit < 8; ++bit) {
                Bytes received = sent;
                received[byte] ^= static_cast<uint8_t>(1u << bit);
                const DigestError error = explained(received, crc32c_of(sent));
                EXPECT_EQ(error.cause, Cause::flipped_bit);
                EXPECT_EQ(error.byte, byte);
                EXPECT_EQ(error.flipped, 1u << bit);
                EXPECT_FALSE(error.in_digest);
            }
        }
    }
}

TEST(WrongDigest, tells_a_bit_of_the_digest_itself) {
    const Bytes sent = pattern(512);
    for (unsigned bit = 0; bit < 32; ++bit) {
        const DigestError error = explained(sent, crc32c_of(sent) ^ 1u << bit);
        EXPECT_EQ(error.cause, Cause::flipped_bit);
        EXPECT_EQ(error.byte, 512 + bit / 8);
        EXPECT_EQ(error.flipped, 1u << bit % 8);
        EXPECT_TRUE(error.in_digest);
    }
    EXPECT_EQ(explained(sent, crc32c_of(sent) ^ 0x00a50000).byte, 514u);
}

TEST(WrongDigest, tells_which_bits_of_a_byte_were_flipped) {
    const Bytes sent = pattern(8192);
    for (unsigned bits = 3; bits < 256; bits += 7) {
        Bytes received = sent;
        received[5000] ^= static_cast<uint8_t>(bits);
        const DigestError error = explained(received, crc32c_of(sent));
        EXPECT_EQ(error.is_flip(), true);
        EXPECT_EQ(error.byte, 5000u);
        EXPECT_EQ(error.flipped, bits);
    }
}

TEST(WrongDigest, looks_for_less_in_what_is_long) {
    const Bytes sent = pattern(longest_for_flipped_bit);
    Bytes received = sent;
    received[17] ^= 0x20;
    EXPECT_EQ(explained(received, crc32c_of(sent)).cause, Cause::flipped_bit);
    received[17] ^= 0x40;
    EXPECT_EQ(explained(received, crc32c_of(sent)).cause, Cause::unexplained);
    const Bytes longer = pattern(longest_for_flipped_bit + 4);
    received = longer;
    received[17] ^= 0x20;
    EXPECT_EQ(explained(received, crc32c_of(longer)).cause, Cause::not_examined);
    EXPECT_EQ(explained(longer, 0).cause, Cause::never_computed);
}

TEST(WrongDigest, does_not_explain_what_was_changed_in_several_places) {
    std::mt19937 random(7);
    const Bytes sent = pattern(4096);
    for (int i = 0; i < 500; ++i) {
        Bytes received = sent;
        const size_t changes = 2 + random() % 60;
        for (size_t k = 0; k < changes; ++k)
            received[random() % 2048 + k % 2 * 2048] ^= static_cast<uint8_t>(1 + random() % 255);
        if (received == sent) continue;
        EXPECT_NE(explained(received, crc32c_of(sent)).cause, Cause::flipped_bit);
        EXPECT_FALSE(explained(received, crc32c_of(sent)).is_senders());
    }
    // CRC32C detects any three flipped bits of so few bytes, and no other one explains two of them.
    for (int i = 0; i < 500; ++i) {
        Bytes received(sent.begin(), sent.begin() + 512);
        const uint32_t digest = crc32c_of(received);
        received[random() % 256] ^= static_cast<uint8_t>(1u << random() % 8);
        received[256 + random() % 256] ^= static_cast<uint8_t>(1u << random() % 8);
        EXPECT_NE(explained(received, digest).cause, Cause::flipped_bit);
    }
}

TEST(WrongDigest, of_random_bytes_is_seldom_explained) {
    std::mt19937 random(11);
    const Bytes sent = pattern(8192);
    int explained_ones = 0;
    for (int i = 0; i < 2000; ++i) {
        const DigestError error = explained(sent, static_cast<uint32_t>(random()));
        EXPECT_NE(error.cause, Cause::flipped_bit);
        if (error.cause != Cause::unexplained) ++explained_ones;
    }
    EXPECT_LT(explained_ones, 10) << "one of 2000 is to be expected";
}

TEST(WrongDigest, tells_by_which_other_rule_it_was_made) {
    Bytes padded = pattern(1021);
    const uint32_t without_padding = crc32c_of(padded);
    padded.resize(1024);
    const uint32_t right = crc32c_of(padded);
    EXPECT_EQ(explained(padded, 0, 3).cause, Cause::never_computed);
    EXPECT_EQ(explained(padded, __builtin_bswap32(right), 3).cause, Cause::byte_swapped);
    EXPECT_EQ(explained(padded, crc32_of(padded), 3).cause, Cause::crc32);
    EXPECT_EQ(explained(padded, crc32c_update(crc32c_init, padded), 3).cause, Cause::no_final_xor);
    EXPECT_EQ(explained(padded, without_padding, 3).cause, Cause::no_padding);
    EXPECT_FALSE(explained(padded, without_padding, 0).is_senders()) << "there is no padding";
    for (const uint32_t received : {0u, __builtin_bswap32(right), without_padding})
        EXPECT_TRUE(explained(padded, received, 3).is_senders());
}

TEST(WrongDigest, computes_the_crc32_of_ieee_802_3) {
    const std::string_view check = "123456789";
    const Bytes bytes(check.begin(), check.end());
    EXPECT_EQ(crc32_of(bytes), 0xcbf43926u);
    EXPECT_EQ(crc32c_of(bytes), 0xe3069283u);
}

TEST(WrongDigest, is_examined_for_the_first_ones_of_a_connection_alone) {
    const WrongDigest small{.length = 48, .padding = 0, .computed = 1, .received = 2, .crc32 = {}};
    DigestExaminer many;
    EXPECT_FALSE(many.wants_crc32(48)) << "none was wrong";
    for (uint32_t i = 0; i < DigestExaminer::most_digests; ++i) {
        EXPECT_NE(many.examine(small).cause, Cause::not_examined);
        EXPECT_EQ(many.wants_crc32(48), i + 1 < DigestExaminer::most_digests);
    }
    EXPECT_EQ(many.examine(small).cause, Cause::not_examined);

    DigestExaminer large;
    const WrongDigest long_one{
        .length = longest_for_flipped_bit, .padding = 0, .computed = 1, .received = 2, .crc32 = {}};
    for (uint32_t bytes = 0; bytes < DigestExaminer::most_bytes; bytes += long_one.length)
        EXPECT_NE(large.examine(long_one).cause, Cause::not_examined);
    EXPECT_EQ(large.examine(long_one).cause, Cause::not_examined);
    EXPECT_TRUE(large.wants_crc32(DigestExaminer::most_bytes));
    EXPECT_FALSE(large.wants_crc32(1));
}

}  // namespace
}  // namespace sanscope
