// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/lab/blast_transfer.h"

#include <gmock/gmock.h>
#include <vector>

namespace sanscope::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(BlastTransfer, AnAnnouncementIsReadAsItWasWritten) {
    const BlastAnnouncement announcement{0x0123456789abcdef, 70'000, 1472};
    EXPECT_THAT(decode_announcement(encode(announcement)), Optional(announcement));
}

TEST(BlastTransfer, AnAnnouncementOutOfBoundsIsNone) {
    const auto reads = [](uint32_t datagrams, uint32_t payload) {
        return decode_announcement(encode({1, datagrams, payload})).has_value();
    };
    EXPECT_TRUE(reads(1, blast_header_bytes));
    EXPECT_TRUE(reads(most_blast_datagrams, most_blast_payload));
    EXPECT_FALSE(reads(0, 1472));
    EXPECT_FALSE(reads(most_blast_datagrams + 1, 1472));
    EXPECT_FALSE(reads(1, blast_header_bytes - 1));
    EXPECT_FALSE(reads(1, most_blast_payload + 1));
    EXPECT_FALSE(decode_announcement({}));
}

TEST(BlastTransfer, ADatagramOfAnotherTransferOrLengthDoesNotCount) {
    const BlastAnnouncement announcement{77, 10, 100};
    std::vector<uint8_t> datagram(100);
    write_blast_header(datagram, 77, 9);
    EXPECT_THAT(read_blast_header(datagram, announcement), Optional(9u));
    EXPECT_FALSE(read_blast_header(std::span(datagram).first(99), announcement));
    EXPECT_FALSE(read_blast_header({}, announcement));
    write_blast_header(datagram, 78, 9);
    EXPECT_FALSE(read_blast_header(datagram, announcement));
    write_blast_header(datagram, 77, 10);
    EXPECT_FALSE(read_blast_header(datagram, announcement));
}

TEST(BlastTransfer, WhatDidNotArriveIsToldAndReadAgain) {
    BlastTally tally(19);
    for (uint32_t i = 0; i < 19; ++i) {
        if (i == 0 || i == 8 || i == 18) continue;
        EXPECT_TRUE(tally.take(i)) << i;
    }
    EXPECT_FALSE(tally.take(5)) << "it had come before";
    EXPECT_EQ(tally.missing(), 3u);
    EXPECT_THAT(missing_datagrams(tally.missing_bits(), 19, 3), Optional(ElementsAre(0, 8, 18)));
    for (const uint32_t i : {8u, 18u, 0u}) EXPECT_TRUE(tally.take(i));
    EXPECT_EQ(tally.missing(), 0u);
    EXPECT_THAT(missing_datagrams(tally.missing_bits(), 19, 0), Optional(IsEmpty()));
}

TEST(BlastTransfer, WholeBytesOfDatagramsHaveNoBitsBeyond) {
    EXPECT_THAT(BlastTally(8).missing_bits(), ElementsAre(0xff));
    EXPECT_THAT(BlastTally(9).missing_bits(), ElementsAre(0xff, 0x01));
}

TEST(BlastTransfer, BitsThatContradictTheirCountAreRefused) {
    const std::vector<uint8_t> bits{0x81, 0x04};
    EXPECT_THAT(missing_datagrams(bits, 11, 3), Optional(ElementsAre(0, 7, 10)));
    EXPECT_FALSE(missing_datagrams(bits, 11, 2));
    EXPECT_FALSE(missing_datagrams(bits, 11, 4));
    EXPECT_FALSE(missing_datagrams(bits, 10, 3)) << "one is beyond the last";
    EXPECT_FALSE(missing_datagrams(bits, 8, 3)) << "of another length";
    EXPECT_FALSE(missing_datagrams(bits, 11, 4'000'000'000));
}

TEST(BlastTransfer, TheRateIsThatOfFrames) {
    // 1458 bytes and 42 of headers: a frame of 1500, 12 000 bits, is 120 µs at 100 Mbit/s.
    EXPECT_EQ(blast_due_ns(0, 100, 1458), 0);
    EXPECT_EQ(blast_due_ns(10, 100, 1458), 1'200'000);
    EXPECT_EQ(blast_datagrams(100, 1.2, 1458), 10'000u);
    EXPECT_EQ(blast_datagrams(1, 1e-9, 1458), 1u) << "at least one";
    EXPECT_EQ(blast_datagrams(1e5, 1e9, 12), most_blast_datagrams);
}

}  // namespace
}  // namespace sanscope::lab
