// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/pcapng_parser.h"

#include <gtest/gtest.h>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_format.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::ByteWriter;
using test::frame;
using test::PcapngBuilder;

struct Parsed {
    std::vector<RawPacket> packets;
    RecordParser::Progress progress;
    std::optional<FormatFault> fault;
    std::vector<CaptureInterface> interfaces;
};

Parsed parse(const Bytes& bytes) {
    PcapngParser parser("test");
    Parsed parsed;
    parsed.progress = parser.parse(bytes, parsed.packets);
    parsed.fault = parser.fault();
    if (!parsed.fault) parsed.fault = parser.fault_at_end(bytes.size() - parsed.progress.consumed);
    parsed.interfaces = parser.interfaces();
    return parsed;
}

Bytes data_of(const RawPacket& packet) {
    return {packet.data, packet.data + packet.captured_length};
}

constexpr uint64_t moment_us = 1'700'000'000'123'456;
constexpr int64_t moment_ns = 1'700'000'000'123'456'000;

class PcapngOrders : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Grid, PcapngOrders, testing::Bool(), [](const auto& test_case) {
    return test_case.param ? "big_endian" : "little_endian";
});

TEST_P(PcapngOrders, ReadsEnhancedPackets) {
    PcapngBuilder file;
    file.section(GetParam()).interface({.link_type = 113, .snap_length = 96, .name = "eth0"});
    file.enhanced_packet(0, moment_us, frame(61), 1514);
    const Parsed parsed = parse(file.bytes());
    ASSERT_FALSE(parsed.fault) << parsed.fault->message;
    ASSERT_EQ(parsed.packets.size(), 1u);
    EXPECT_EQ(parsed.packets[0].time_ns, moment_ns);
    EXPECT_EQ(data_of(parsed.packets[0]), frame(61));
    EXPECT_EQ(parsed.packets[0].wire_length, 1514u);
    EXPECT_EQ(parsed.packets[0].link_type, LinkType::linux_sll);
    ASSERT_EQ(parsed.interfaces.size(), 1u);
    EXPECT_EQ(parsed.interfaces[0].name, "eth0");
    EXPECT_EQ(parsed.interfaces[0].snap_length, 96u);
    EXPECT_EQ(parsed.interfaces[0].file, "test");
}

TEST_P(PcapngOrders, ReadsObsoletePackets) {
    PcapngBuilder file;
    file.section(GetParam())
        .interface()
        .interface({.link_type = 101})
        .obsolete_packet(1, moment_us, frame(62));
    const Parsed parsed = parse(file.bytes());
    ASSERT_EQ(parsed.packets.size(), 1u);
    EXPECT_EQ(parsed.packets[0].time_ns, moment_ns);
    EXPECT_EQ(parsed.packets[0].interface, 1u);
    EXPECT_EQ(parsed.packets[0].link_type, LinkType::raw);
    EXPECT_EQ(data_of(parsed.packets[0]), frame(62));
}

TEST_P(PcapngOrders, GivesSimplePacketsTheTimeOfThePacketBefore) {
    PcapngBuilder file;
    file.section(GetParam()).interface();
    file.simple_packet(60, frame(60)).enhanced_packet(0, moment_us, frame(60)).simple_packet(63, frame(63));
    const Parsed parsed = parse(file.bytes());
    ASSERT_EQ(parsed.packets.size(), 3u);
    EXPECT_EQ(parsed.packets[0].time_ns, 0);
    EXPECT_EQ(parsed.packets[2].time_ns, moment_ns);
    EXPECT_EQ(data_of(parsed.packets[2]), frame(63));
}

TEST_P(PcapngOrders, CutsSimplePacketsAtTheSnapLength) {
    PcapngBuilder file;
    file.section(GetParam()).interface({.snap_length = 50}).simple_packet(1514, frame(50));
    file.simple_packet(40, frame(40));
    const Parsed parsed = parse(file.bytes());
    ASSERT_EQ(parsed.packets.size(), 2u);
    EXPECT_EQ(data_of(parsed.packets[0]), frame(50));
    EXPECT_EQ(parsed.packets[0].wire_length, 1514u);
    EXPECT_EQ(data_of(parsed.packets[1]), frame(40));
}

TEST_P(PcapngOrders, CountsDropsOfTheLastInterfaceStatistics) {
    PcapngBuilder file;
    file.section(GetParam()).interface().interface();
    file.statistics(1, 5, 2).statistics(1, 7, 3).statistics(9, 100, 100);
    const Parsed parsed = parse(file.bytes());
    ASSERT_FALSE(parsed.fault);
    EXPECT_EQ(parsed.interfaces.at(0).dropped, 0u);
    EXPECT_EQ(parsed.interfaces.at(1).dropped, 10u);
}

TEST_P(PcapngOrders, AppliesEachInterfacesResolutionAndOffset) {
    PcapngBuilder file;
    file.section(GetParam());
    file.interface({.tsresol = uint8_t{9}}).interface({.tsresol = uint8_t{0x80 | 20}});
    file.interface({.tsresol = uint8_t{3}, .tsoffset = -10});
    file.enhanced_packet(0, 1'700'000'000'123'456'789, frame(1));
    file.enhanced_packet(1, 3u << 19, frame(1)).enhanced_packet(2, 12'345, frame(1));
    const Parsed parsed = parse(file.bytes());
    ASSERT_EQ(parsed.packets.size(), 3u);
    EXPECT_EQ(parsed.packets[0].time_ns, 1'700'000'000'123'456'789);
    EXPECT_EQ(parsed.packets[1].time_ns, 1'500'000'000);
    EXPECT_EQ(parsed.packets[2].time_ns, 2'345'000'000);
}

TEST(PcapngParser, NumbersInterfacesOverSectionsOfEitherByteOrder) {
    PcapngBuilder file;
    file.section(false).interface({.name = "a"}).interface({.name = "b"}).enhanced_packet(1, 1, frame(60));
    file.section(true).interface({.link_type = 276, .name = "c"}).enhanced_packet(0, 2, frame(61));
    file.section(false).interface({.name = "d"}).enhanced_packet(0, 3, frame(62));
    const Parsed parsed = parse(file.bytes());
    ASSERT_FALSE(parsed.fault) << parsed.fault->message;
    ASSERT_EQ(parsed.packets.size(), 3u);
    EXPECT_EQ(parsed.packets[0].interface, 1u);
    EXPECT_EQ(parsed.packets[1].interface, 2u);
    EXPECT_EQ(parsed.packets[1].link_type, LinkType::linux_sll2);
    EXPECT_EQ(parsed.packets[2].interface, 3u);
    ASSERT_EQ(parsed.interfaces.size(), 4u);
    EXPECT_EQ(parsed.interfaces[2].name, "c");
}

TEST(PcapngParser, ASectionDoesNotSeeTheInterfacesOfTheOneBefore) {
    PcapngBuilder file;
    file.section().interface().enhanced_packet(0, 1, frame(60)).section();
    const size_t at = file.bytes().size();
    file.enhanced_packet(0, 1, frame(60));
    const Parsed parsed = parse(file.bytes());
    EXPECT_EQ(parsed.packets.size(), 1u);
    ASSERT_TRUE(parsed.fault);
    EXPECT_EQ(parsed.fault->at_byte, at);
    EXPECT_EQ(parsed.fault->message, "a packet is of interface 0, which is not described");
}

TEST(PcapngParser, PassesOverUnknownBlocks) {
    PcapngBuilder file;
    file.section().block(4, frame(40)).interface().block(0x80001234, frame(4096)).block(10, {});
    file.enhanced_packet(0, moment_us, frame(60));
    const Parsed parsed = parse(file.bytes());
    EXPECT_FALSE(parsed.fault);
    EXPECT_EQ(parsed.packets.size(), 1u);
}

TEST(PcapngParser, PassesOverABlockLargerThanIsEverHeld) {
    PcapngBuilder head;
    head.section().interface();
    PcapngBuilder tail;
    tail.enhanced_packet(0, moment_us, frame(60));
    constexpr uint32_t body = (64u << 20) + 4;
    ByteWriter start(false);
    start.u32(0x80001234).u32(body + 12).u32(0);
    ByteWriter end(false);
    end.u32(body + 12);

    PcapngParser parser("test");
    std::vector<RawPacket> packets;
    const auto feed = [&](const Bytes& bytes) {
        EXPECT_EQ(parser.parse(bytes, packets).consumed, bytes.size());
    };
    feed(head.bytes());
    feed(start.result());
    const Bytes piece(1u << 20);
    for (uint32_t given = 4; given < body; given += static_cast<uint32_t>(piece.size())) feed(piece);
    feed(end.result());
    feed(tail.bytes());
    EXPECT_FALSE(parser.fault());
    EXPECT_EQ(packets.size(), 1u);
}

TEST(PcapngParser, NumbersCustomBlocksAsWiresharkDoes) {
    PcapngBuilder file;
    file.section().block(0x0bad, frame(8, 9)).interface().enhanced_packet(0, moment_us, frame(60));
    file.block(0x40000bad, frame(12)).block(9, frame(16));
    const Parsed parsed = parse(file.bytes());
    ASSERT_EQ(parsed.packets.size(), 4u);
    EXPECT_EQ(parsed.packets[0].link_type, LinkType::not_a_packet);
    EXPECT_EQ(data_of(parsed.packets[0]), frame(8, 9));
    EXPECT_EQ(parsed.packets[1].link_type, LinkType::ethernet);
    EXPECT_EQ(parsed.packets[2].link_type, LinkType::not_a_packet);
    EXPECT_EQ(parsed.packets[2].time_ns, moment_ns);
    EXPECT_EQ(parsed.packets[3].link_type, LinkType::not_a_packet);
}

struct BadBlock {
    std::string name;
    uint32_t type;
    uint32_t length;
    Bytes body;
    uint32_t trailing_length;
    std::string message;
};

class PcapngDamage : public testing::TestWithParam<BadBlock> {};

TEST_P(PcapngDamage, EndsTheFileAtTheBadBlockAfterAllBeforeIt) {
    const BadBlock& bad = GetParam();
    PcapngBuilder file;
    file.section().interface().enhanced_packet(0, moment_us, frame(60));
    const size_t at = file.bytes().size();
    file.raw_block(bad.type, bad.length, bad.body, bad.trailing_length);
    file.enhanced_packet(0, moment_us, frame(60));
    const Parsed parsed = parse(file.bytes());
    EXPECT_EQ(parsed.packets.size(), 1u);
    ASSERT_TRUE(parsed.fault);
    EXPECT_EQ(parsed.fault->at_byte, at);
    EXPECT_EQ(parsed.fault->message, bad.message);
}

Bytes enhanced_body(uint32_t interface, uint32_t captured, size_t held) {
    ByteWriter body(false);
    body.u32(interface).u64(0).u32(captured).u32(captured).bytes(frame(held));
    return body.result();
}

INSTANTIATE_TEST_SUITE_P(
    Grid, PcapngDamage,
    testing::Values(
        BadBlock{"length_zero", 4, 0, {}, 0, "a block claims to be 0 bytes long"},
        BadBlock{"length_below_minimum", 4, 8, {}, 8, "a block claims to be 8 bytes long"},
        BadBlock{"length_odd", 6, 71, frame(60), 71, "a block claims to be 71 bytes long"},
        BadBlock{"length_huge",
                 6,
                 0x40000000,
                 {},
                 0x40000000,
                 "a block claims 1073741824 bytes, more than the 16777216 there can be"},
        BadBlock{"lengths_differ", 6, 72, enhanced_body(0, 40, 40), 76, "the two lengths of a block differ"},
        BadBlock{"lengths_of_unknown_block_differ", 4, 32, frame(20), 36,
                 "the two lengths of a block differ"},
        BadBlock{"enhanced_too_short", 6, 28, frame(16), 28, "a packet block is too short"},
        BadBlock{"obsolete_too_short", 2, 28, frame(16), 28, "a packet block is too short"},
        BadBlock{"simple_too_short", 3, 12, {}, 12, "a packet block is too short"},
        BadBlock{"captured_beyond_block", 6, 72, enhanced_body(0, 41, 40), 72,
                 "a packet block claims 41 captured bytes and holds 40"},
        BadBlock{"captured_wraps_around", 6, 72, enhanced_body(0, 0xfffffff0, 40), 72,
                 "a packet block claims 4294967280 captured bytes and holds 40"},
        BadBlock{"interface_unknown", 6, 72, enhanced_body(1, 40, 40), 72,
                 "a packet is of interface 1, which is not described"},
        BadBlock{"simple_beyond_block",
                 3,
                 20,
                 {200, 0, 0, 0, 1, 2, 3, 4},
                 20,
                 "a packet block claims 200 captured bytes and holds 4"},
        BadBlock{"description_too_short", 1, 16, frame(4), 16, "an interface description is too short"},
        BadBlock{"statistics_too_short", 5, 20, frame(8), 20, "an interface statistics block is too short"},
        BadBlock{"section_without_magic", 0x0a0d0d0a, 28, Bytes(16), 28,
                 "the pcapng section header has no byte-order magic"},
        BadBlock{"section_of_other_version",
                 0x0a0d0d0a,
                 28,
                 {0x4d, 0x3c, 0x2b, 0x1a, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                 28,
                 "pcapng version 2.0 is not supported"},
        BadBlock{"section_too_short",
                 0x0a0d0d0a,
                 24,
                 {0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0, 0, 0, 0},
                 24,
                 "the pcapng section header claims to be 24 bytes long"}),
    [](const auto& test_case) { return test_case.param.name; });

TEST(PcapngParser, AnOptionThatRunsOverItsBlockEndsTheListOnly) {
    PcapngBuilder file;
    file.section();
    ByteWriter body(false);
    body.u16(1).u16(0).u32(0).u16(9).u16(1).u8(9).pad().u16(2).u16(400).bytes(frame(8));
    file.block(1, body.result()).enhanced_packet(0, 77, frame(60));
    const Parsed parsed = parse(file.bytes());
    ASSERT_FALSE(parsed.fault);
    EXPECT_EQ(parsed.interfaces.at(0).name, "");
    EXPECT_EQ(parsed.packets.at(0).time_ns, 77);
}

TEST(PcapngParser, KeepsOnlyTheStartOfAVeryLongInterfaceName) {
    const std::string name(60'000, 'n');
    PcapngBuilder file;
    file.section().interface({.name = name}).interface({.name = std::string_view("eth1\0", 5)});
    const Parsed parsed = parse(file.bytes());
    EXPECT_EQ(parsed.interfaces.at(0).name.size(), PcapngParser::max_name_length);
    EXPECT_EQ(parsed.interfaces.at(1).name, "eth1");
}

TEST(PcapngParser, GivesTheLastNumberToInterfacesBeyondThe65536th) {
    PcapngBuilder file;
    for (int section = 0; section < 2; ++section) {
        file.section();
        for (int i = 0; i < 40'000; ++i) file.interface();
        file.enhanced_packet(39'999, 1, frame(4));
    }
    const Parsed parsed = parse(file.bytes());
    ASSERT_FALSE(parsed.fault);
    EXPECT_EQ(parsed.interfaces.size(), 65'536u);
    EXPECT_EQ(parsed.packets.at(0).interface, 39'999u);
    EXPECT_EQ(parsed.packets.at(1).interface, 65'535u);
}

TEST(PcapngParser, RefusesASectionWithMoreInterfacesThanAnyHas) {
    PcapngBuilder file;
    file.section();
    for (size_t i = 0; i <= PcapngParser::max_section_interfaces; ++i) file.interface();
    const Parsed parsed = parse(file.bytes());
    ASSERT_TRUE(parsed.fault);
    EXPECT_EQ(parsed.fault->message, "a section describes more than 65536 interfaces");
}

}  // namespace
}  // namespace sanscope
