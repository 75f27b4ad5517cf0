// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/tcp_options.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace sanscope {
namespace {

// From a heap block of exactly that size, so that the sanitizer sees a read beyond it.
TcpOptions parse(const std::vector<uint8_t>& bytes) {
    const auto exact = std::make_unique<uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), exact.get());
    DecodedPacket packet;
    packet.kind = DecodedPacket::Kind::tcp;
    packet.options = exact.get();
    packet.options_length = static_cast<uint8_t>(bytes.size());
    TcpOptions options;
    options.mss = 1;  // must be overwritten
    parse_tcp_options(packet, options);
    return options;
}

TEST(TcpOptions, NoneGivesNothing) {
    const TcpOptions options = parse({});
    EXPECT_FALSE(options.has_mss || options.has_window_scale || options.has_timestamps ||
                 options.sack_permitted);
    EXPECT_EQ(options.mss, 0);
    EXPECT_EQ(options.sack_blocks, 0);
}

TEST(TcpOptions, SynOfLinux) {
    const TcpOptions options = parse({2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0, 1, 3, 3, 7});
    EXPECT_TRUE(options.has_mss);
    EXPECT_EQ(options.mss, 1460);
    EXPECT_TRUE(options.sack_permitted);
    EXPECT_TRUE(options.has_timestamps);
    EXPECT_EQ(options.timestamp, 9u);
    EXPECT_EQ(options.timestamp_echo, 0u);
    EXPECT_TRUE(options.has_window_scale);
    EXPECT_EQ(options.window_scale, 7);
}

TEST(TcpOptions, UsualLayoutOfTimestamps) {
    const TcpOptions options = parse({1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_TRUE(options.has_timestamps);
    EXPECT_EQ(options.timestamp, 0x01020304u);
    EXPECT_EQ(options.timestamp_echo, 0x05060708u);
}

TEST(TcpOptions, TimestampsInOtherPlacesReadTheSame) {
    for (const std::vector<uint8_t>& bytes : {std::vector<uint8_t>{8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1},
                                              {8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0},
                                              {1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 0},
                                              {8, 10, 1, 2, 3, 4, 5, 6, 7, 8}}) {
        EXPECT_TRUE(parse(bytes).has_timestamps);
        EXPECT_EQ(parse(bytes).timestamp_echo, 0x05060708u);
    }
}

TEST(TcpOptions, SackBlocksAfterTimestamps) {
    const TcpOptions options =
        parse({1, 1, 8,    10,   0, 0, 0,    1,    0,    0,    0,    2,    1, 1, 5, 18,
               0, 0, 0x10, 0x00, 0, 0, 0x20, 0x00, 0xff, 0xff, 0xff, 0x00, 0, 0, 0, 0x10});
    EXPECT_TRUE(options.has_timestamps);
    ASSERT_EQ(options.sack_blocks, 2);
    EXPECT_EQ(options.sack[0].begin, Serial32(0x1000));
    EXPECT_EQ(options.sack[0].end, Serial32(0x2000));
    EXPECT_EQ(options.sack[1].begin, Serial32(0xffffff00));
    EXPECT_EQ(options.sack[1].end, Serial32(0x10));
}

TEST(TcpOptions, FourSackBlocksFillTheHeader) {
    std::vector<uint8_t> bytes{1, 1, 5, 34};
    for (uint8_t i = 0; i < 32; ++i) bytes.push_back(i);
    const TcpOptions options = parse(bytes);
    ASSERT_EQ(options.sack_blocks, 4);
    EXPECT_EQ(options.sack[3].end, Serial32(0x1c1d1e1f));
}

TEST(TcpOptions, WindowScaleBeyond14CountsAs14) {
    EXPECT_EQ(parse({3, 3, 15, 0}).window_scale, 14);
}

TEST(TcpOptions, UnknownOptionIsSkipped) {
    EXPECT_TRUE(parse({254, 6, 0xf9, 0x89, 1, 2, 2, 4, 5, 0xb4}).has_mss);
}

TEST(TcpOptions, NothingIsReadBehindTheEndOfList) {
    EXPECT_FALSE(parse({1, 0, 2, 4, 5, 0xb4, 0, 0}).has_mss);
}

TEST(TcpOptions, ImpossibleLengthEndsTheReading) {
    for (const uint8_t length : {uint8_t{0}, uint8_t{1}, uint8_t{200}}) {
        const TcpOptions options = parse({4, 2, 254, length, 2, 4, 5, 0xb4});
        EXPECT_TRUE(options.sack_permitted);
        EXPECT_FALSE(options.has_mss);
    }
}

TEST(TcpOptions, KnownOptionOfWrongLengthIsIgnored) {
    const TcpOptions options = parse({2, 3, 5, 3, 2, 8, 6, 0, 0, 0, 1, 5, 6, 0, 0, 0, 1, 4, 3, 1});
    EXPECT_FALSE(options.has_mss || options.has_window_scale || options.has_timestamps ||
                 options.sack_permitted);
    EXPECT_EQ(options.sack_blocks, 0);
}

TEST(TcpOptions, CutAnywhereGivesWhatStoodBefore) {
    const std::vector<uint8_t> whole{2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0, 1, 3, 3, 7};
    for (size_t length = 0; length <= whole.size(); ++length) {
        const auto options = parse({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length)});
        EXPECT_EQ(options.has_mss, length >= 4) << length;
        EXPECT_EQ(options.sack_permitted, length >= 6) << length;
        EXPECT_EQ(options.has_timestamps, length >= 16) << length;
        EXPECT_EQ(options.has_window_scale, length >= 20) << length;
    }
}

}  // namespace
}  // namespace sanscope
