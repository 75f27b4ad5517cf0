// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/pcap_parser.h"

#include <gtest/gtest.h>
#include <string>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_format.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::frame;
using test::PcapBuilder;

struct Parsed {
    std::vector<RawPacket> packets;
    RecordParser::Progress progress;
    std::optional<FormatFault> fault;
    std::vector<CaptureInterface> interfaces;
};

Parsed parse(const Bytes& bytes) {
    auto parser = make_record_parser(bytes, "test");
    EXPECT_TRUE(parser) << parser.error().message;
    Parsed parsed;
    if (!parser) return parsed;
    parsed.progress = (*parser)->parse(bytes, parsed.packets);
    parsed.fault = (*parser)->fault();
    if (!parsed.fault) parsed.fault = (*parser)->fault_at_end(bytes.size() - parsed.progress.consumed);
    parsed.interfaces = (*parser)->interfaces();
    return parsed;
}

Bytes data_of(const RawPacket& packet) {
    return {packet.data, packet.data + packet.captured_length};
}

struct Layout {
    std::string name;
    uint32_t magic;
    bool big_endian;
    int64_t fraction_ns;
};

class PcapLayouts : public testing::TestWithParam<Layout> {};

TEST_P(PcapLayouts, GivesEveryPacketWithTimeLengthsAndBytes) {
    const Layout& layout = GetParam();
    PcapBuilder file({.big_endian = layout.big_endian, .magic = layout.magic});
    file.packet(1'700'000'000, 999'999, frame(60))
        .record(4'294'967'295, 1, 9, 1514, frame(9))
        .packet(0, 0, {});
    const Parsed parsed = parse(file.bytes());
    ASSERT_FALSE(parsed.fault) << parsed.fault->message;
    ASSERT_EQ(parsed.packets.size(), 3u);
    EXPECT_EQ(parsed.packets[0].time_ns, 1'700'000'000'000'000'000 + 999'999 * layout.fraction_ns);
    EXPECT_EQ(data_of(parsed.packets[0]), frame(60));
    EXPECT_EQ(parsed.packets[0].wire_length, 60u);
    EXPECT_EQ(parsed.packets[0].link_type, LinkType::ethernet);
    EXPECT_EQ(parsed.packets[1].time_ns, 4'294'967'295'000'000'000 + layout.fraction_ns);
    EXPECT_EQ(data_of(parsed.packets[1]), frame(9));
    EXPECT_EQ(parsed.packets[1].wire_length, 1514u);
    EXPECT_EQ(parsed.packets[2].captured_length, 0u);
}

INSTANTIATE_TEST_SUITE_P(Grid, PcapLayouts,
                         testing::Values(Layout{"microseconds_le", 0xa1b2c3d4, false, 1000},
                                         Layout{"microseconds_be", 0xa1b2c3d4, true, 1000},
                                         Layout{"nanoseconds_le", 0xa1b23c4d, false, 1},
                                         Layout{"nanoseconds_be", 0xa1b23c4d, true, 1},
                                         Layout{"kuznetzov_le", 0xa1b2cd34, false, 1000},
                                         Layout{"kuznetzov_be", 0xa1b2cd34, true, 1000},
                                         Layout{"ixia_hardware_le", 0x1c0001ac, false, 1},
                                         Layout{"ixia_hardware_be", 0x1c0001ac, true, 1},
                                         Layout{"ixia_software_le", 0x1c0001ab, false, 1000},
                                         Layout{"ixia_software_be", 0x1c0001ab, true, 1000}),
                         [](const auto& test_case) { return test_case.param.name; });

TEST(PcapParser, SwapsTheLengthsOfVersionsBefore2_3) {
    for (const auto& [major, minor] : {std::pair<uint16_t, uint16_t>{2, 0}, {2, 1}, {2, 2}, {543, 0}}) {
        PcapBuilder file({.major = major, .minor = minor});
        file.record(1, 0, 1514, 60, frame(60)).record(2, 0, 70, 70, frame(70));
        const Parsed parsed = parse(file.bytes());
        ASSERT_EQ(parsed.packets.size(), 2u) << major << '.' << minor;
        EXPECT_EQ(parsed.packets[0].captured_length, 60u);
        EXPECT_EQ(parsed.packets[0].wire_length, 1514u);
    }
}

TEST(PcapParser, TakesTheSmallerLengthOfVersion2_3AsTheCaptured) {
    PcapBuilder file({.major = 2, .minor = 3});
    file.record(1, 0, 1514, 60, frame(60)).record(2, 0, 60, 1514, frame(60));
    const Parsed parsed = parse(file.bytes());
    ASSERT_EQ(parsed.packets.size(), 2u);
    EXPECT_EQ(parsed.packets[0].captured_length, 60u);
    EXPECT_EQ(parsed.packets[1].captured_length, 60u);
    EXPECT_EQ(parsed.packets[1].wire_length, 1514u);
}

TEST(PcapParser, ReadsAixInterfaceTypesAndNanoseconds) {
    PcapBuilder file({.big_endian = true, .major = 2, .minor = 2, .network = 6});
    file.packet(1, 999'999'999, frame(60));
    const Parsed parsed = parse(file.bytes());
    ASSERT_EQ(parsed.packets.size(), 1u);
    EXPECT_EQ(parsed.packets[0].link_type, LinkType::ethernet);
    EXPECT_EQ(parsed.packets[0].time_ns, 1'999'999'999);
}

TEST(PcapParser, RefusesVersionsBefore2) {
    PcapBuilder file({.major = 1, .minor = 2});
    const auto parser = make_record_parser(file.bytes(), "test");
    ASSERT_FALSE(parser);
    EXPECT_EQ(parser.error().message, "pcap version 1.2 is not supported");
}

TEST(PcapParser, IgnoresFcsBitsAboveTheLinkType) {
    PcapBuilder file({.network = 0x24000000 | 113});
    file.packet(1, 0, frame(60));
    EXPECT_EQ(parse(file.bytes()).packets.at(0).link_type, LinkType::linux_sll);
}

TEST(PcapParser, RaisesAWireLengthBelowTheCaptured) {
    PcapBuilder file;
    file.record(1, 0, 60, 10, frame(60));
    const Parsed parsed = parse(file.bytes());
    EXPECT_EQ(parsed.packets.at(0).captured_length, 60u);
    EXPECT_EQ(parsed.packets.at(0).wire_length, 60u);
}

TEST(PcapParser, AddsUpAFractionOfMoreThanASecond) {
    PcapBuilder file;
    file.packet(1, 4'294'967'295, frame(60));
    EXPECT_EQ(parse(file.bytes()).packets.at(0).time_ns, 1'000'000'000 + 4'294'967'295'000);
}

TEST(PcapParser, BelievesRecordsUpTo262144BytesWhateverTheSnapLength) {
    for (const uint32_t snap_length : {0u, 96u, 65535u}) {
        PcapBuilder file({.snap_length = snap_length});
        file.packet(1, 0, frame(262144)).packet(2, 0, frame(262145)).packet(3, 0, frame(60));
        const Parsed parsed = parse(file.bytes());
        EXPECT_EQ(parsed.packets.size(), 1u);
        ASSERT_TRUE(parsed.fault);
        EXPECT_EQ(parsed.fault->at_byte, 24u + 16u + 262144u);
        EXPECT_EQ(parsed.fault->message,
                  "a packet record claims 262145 bytes, more than the 262144 there can be");
    }
}

TEST(PcapParser, BelievesALargerSnapLengthUpTo16MiB) {
    PcapBuilder large({.snap_length = 300'000});
    large.packet(1, 0, frame(300'000));
    EXPECT_EQ(parse(large.bytes()).packets.size(), 1u);
    PcapBuilder huge({.snap_length = 0xffffffff});
    huge.record(1, 0, (16u << 20) + 1, (16u << 20) + 1, {});
    const Parsed parsed = parse(huge.bytes());
    ASSERT_TRUE(parsed.fault);
    EXPECT_EQ(parsed.fault->at_byte, 24u);
}

TEST(PcapParser, TellsItsInterface) {
    PcapBuilder file({.snap_length = 128, .network = 276});
    const Parsed parsed = parse(file.bytes());
    ASSERT_EQ(parsed.interfaces.size(), 1u);
    EXPECT_EQ(parsed.interfaces[0].file, "test");
    EXPECT_EQ(parsed.interfaces[0].link_type, LinkType::linux_sll2);
    EXPECT_EQ(parsed.interfaces[0].snap_length, 128u);
    EXPECT_FALSE(parsed.fault);
}

TEST(PcapParser, SaysHowManyBytesItWants) {
    PcapBuilder file;
    file.packet(1, 0, frame(60));
    Bytes bytes = file.bytes();
    bytes.resize(24 + 7);
    EXPECT_EQ(parse(bytes).progress.wanted, 16u);
    bytes = file.bytes();
    bytes.resize(24 + 16 + 59);
    const Parsed parsed = parse(bytes);
    EXPECT_EQ(parsed.progress.consumed, 24u);
    EXPECT_EQ(parsed.progress.wanted, 76u);
    EXPECT_EQ(parsed.fault->message, "the file is cut off inside a packet record");
}

}  // namespace
}  // namespace sanscope
