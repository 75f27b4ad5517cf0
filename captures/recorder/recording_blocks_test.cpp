// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recording_blocks.h"

#include <gtest/gtest.h>
#include <vector>

#include "analyzer/ingest/pcapng_parser.h"

namespace sanscope {
namespace {

std::vector<uint8_t> packet_blocks(std::initializer_list<uint32_t> lengths) {
    std::vector<uint8_t> blocks;
    uint64_t time = 1'700'000'000'123'456'789;
    for (const uint32_t length : lengths) {
        const std::vector<uint8_t> bytes(length + 1, static_cast<uint8_t>(length));
        const size_t at = blocks.size();
        // What lies there already must not shine through the padding.
        blocks.resize(at + packet_block_length(length), 0xee);
        put_packet_block(blocks.data() + at, 1, time++, bytes.data(), length, length + 5);
    }
    return blocks;
}

TEST(RecordingBlocks, AreReadBackAsTheyWereMeant) {
    std::string file = section_header();
    file += interface_description({.name = "eth0", .filter = "tcp", .link_type = 1, .snap_length = 128});
    file += interface_description({.name = "any", .filter = "", .link_type = 276, .snap_length = 262144});
    const std::vector<uint8_t> packets = packet_blocks({0, 1, 2, 3, 4, 60, 1514});
    file.append(reinterpret_cast<const char*>(packets.data()), packets.size());
    file += interface_statistics(
        1, {.began_ns = 1, .now_ns = 2, .received = 10, .dropped_by_interface = 3, .dropped_by_kernel = 4});

    PcapngParser parser("file");
    std::vector<RawPacket> found;
    const std::span bytes(reinterpret_cast<const uint8_t*>(file.data()), file.size());
    const auto progress = parser.parse(bytes, found);
    EXPECT_FALSE(parser.fault());
    EXPECT_EQ(progress.consumed, file.size());
    ASSERT_EQ(found.size(), 7u);
    EXPECT_EQ(found[6].captured_length, 1514u);
    EXPECT_EQ(found[6].wire_length, 1519u);
    EXPECT_EQ(found[6].time_ns, 1'700'000'000'123'456'795);
    EXPECT_EQ(found[6].interface, 1);
    EXPECT_EQ(found[3].data[2], 3);
    EXPECT_EQ(found[3].data[3], 0) << "padding";
    ASSERT_EQ(parser.interfaces().size(), 2u);
    EXPECT_EQ(parser.interfaces()[0].name, "eth0");
    EXPECT_EQ(parser.interfaces()[0].snap_length, 128u);
    EXPECT_EQ(parser.interfaces()[1].link_type, LinkType::linux_sll2);
    EXPECT_EQ(parser.interfaces()[1].dropped, 7u);
}

TEST(RecordingBlocks, ASectionSaysWhereUsersDataAreNotKept) {
    for (const bool headers_only : {false, true}) {
        const std::string file =
            section_header(headers_only) + interface_description({.name = "eth0", .filter = ""});
        PcapngParser parser("file");
        std::vector<RawPacket> found;
        parser.parse({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, found);
        EXPECT_FALSE(parser.fault());
        ASSERT_EQ(parser.interfaces().size(), 1u);
        EXPECT_EQ(parser.interfaces()[0].data_not_kept, headers_only);
        EXPECT_EQ(file.find("data segments with users' data are not kept") != std::string::npos,
                  headers_only);
    }
}

TEST(RecordingBlocks, AStatisticsBlockIsAlwaysOfOneLength) {
    EXPECT_EQ(interface_statistics(70'000, {.now_ns = INT64_MAX, .received = UINT64_MAX}).size(),
              interface_statistics_length());
}

TEST(RecordingBlocks, AreCutWhereOneEnds) {
    const std::vector<uint8_t> blocks = packet_blocks({4, 8, 12});  // 36, 40 and 44 bytes
    const auto cut = [&](uint64_t bytes, uint64_t packets) {
        const BlockCut made = cut_blocks(blocks, bytes, packets);
        return std::pair(made.bytes, made.packets);
    };
    EXPECT_EQ(cut(1000, 1000), std::pair(uint64_t{120}, uint64_t{3}));
    EXPECT_EQ(cut(120, 3), std::pair(uint64_t{120}, uint64_t{3}));
    EXPECT_EQ(cut(119, 3), std::pair(uint64_t{76}, uint64_t{2}));
    EXPECT_EQ(cut(1000, 1), std::pair(uint64_t{36}, uint64_t{1}));
    EXPECT_EQ(cut(35, 1), std::pair(uint64_t{0}, uint64_t{0}));
    EXPECT_EQ(cut(1000, 0), std::pair(uint64_t{0}, uint64_t{0}));
}

TEST(RecordingBlocks, OnlyPacketsCountAsSuch) {
    std::string blocks = interface_statistics(0, {});
    const std::vector<uint8_t> packets = packet_blocks({4});
    blocks.append(reinterpret_cast<const char*>(packets.data()), packets.size());
    blocks += interface_statistics(0, {});
    const std::span bytes(reinterpret_cast<const uint8_t*>(blocks.data()), blocks.size());
    const BlockCut none = cut_blocks(bytes, UINT64_MAX, 0);
    EXPECT_EQ(none.bytes, interface_statistics_length());
    const BlockCut all = cut_blocks(bytes, UINT64_MAX, 1);
    EXPECT_EQ(all.bytes, blocks.size());
    EXPECT_EQ(all.packets, 1u);
}

}  // namespace
}  // namespace sanscope
