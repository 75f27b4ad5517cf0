// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/packets/packet_reader.h"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/compress.h"
#include "analyzer/ingest/found_packets.h"
#include "analyzer/ingest/temporary_file.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::FoundPacket;
using test::frame;
using test::PcapBuilder;
using test::PcapngBuilder;
using test::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;

// So long that packets lie across the stretches in which a file is read.
Bytes long_pcap() {
    PcapBuilder builder;
    for (uint32_t i = 0; i < 700; ++i)
        builder.packet(1000 + i, i, frame(60 + 37 * i % 3000, static_cast<uint8_t>(i)));
    return builder.bytes();
}

Bytes pcapng_of_two_interfaces() {
    PcapngBuilder builder;
    builder.section().interface({.name = "eth0"}).interface({.link_type = 101, .name = "tun0"});
    builder.enhanced_packet(0, 5, frame(100)).enhanced_packet(1, 6, frame(41, 9), 4000);
    return builder.bytes();
}

void expect_as_in_order(const Bytes& bytes) {
    const TemporaryFile file(bytes);
    const auto source = open_capture(file.path());
    ASSERT_TRUE(source);
    const std::vector<FoundPacket> expected = test::read_all(**source);
    const auto reader = PacketReader::open(file.path(), {});
    ASSERT_TRUE(reader) << reader.error().message;
    const PacketIndex& index = (*reader)->index();
    ASSERT_EQ(index.packets(), expected.size());
    for (PacketNumber number = index.packets(); number > 0; --number) {
        const FoundPacket& packet = expected[number - 1];
        const auto data = (*reader)->read(number);
        ASSERT_TRUE(data) << data.error().message;
        ASSERT_EQ(*data, packet.data) << number;
        ASSERT_EQ(index.time_ns(number), packet.time_ns);
        ASSERT_EQ(index.place<&PacketPlace::wire_length>(number), packet.wire_length);
        ASSERT_EQ(index.interface(number), packet.interface);
    }
}

TEST(PacketReader, ReadsEveryPacketOfAPlainFile) {
    expect_as_in_order(long_pcap());
    expect_as_in_order(pcapng_of_two_interfaces());
}

TEST(PacketReader, ReadsEveryPacketOfACompressedFile) {
    expect_as_in_order(test::gzip(long_pcap()));
    expect_as_in_order(test::zstd(pcapng_of_two_interfaces()));
}

struct Blocks {
    PcapngBuilder builder;
    std::vector<Bytes> packets;  // the whole block of each

    void packet(const std::function<void()>& add) {
        const auto begin = static_cast<std::ptrdiff_t>(builder.bytes().size());
        add();
        packets.emplace_back(builder.bytes().begin() + begin, builder.bytes().end());
    }
};

// Every kind of block that is a packet or numbered like one, in two sections of different byte order.
Blocks every_kind_of_block() {
    Blocks blocks;
    PcapngBuilder& builder = blocks.builder;
    for (const bool big_endian : {false, true}) {
        builder.section(big_endian).interface();
        blocks.packet([&] { builder.enhanced_packet(0, 5, frame(101)); });
        blocks.packet([&] { builder.simple_packet(45, frame(45)); });
        blocks.packet([&] { builder.obsolete_packet(0, 6, frame(3)); });
        blocks.packet([&] { builder.block(0x0bad, frame(44)); });
        blocks.packet([&] { builder.block(9, frame(48)); });
        blocks.packet([&] {
            // A comment far longer than the packet.
            test::ByteWriter body(big_endian);
            body.u32(0)
                .u32(0)
                .u32(7)
                .u32(4)
                .u32(4)
                .u32(0xdeadbeef)
                .u16(1)
                .u16(4000)
                .bytes(frame(4000))
                .u32(0);
            builder.block(6, body.result());
        });
    }
    return blocks;
}

TEST(PacketReader, ReadsWholeBlocks) {
    const Blocks blocks = every_kind_of_block();
    for (const Bytes& bytes : {blocks.builder.bytes(), test::gzip(blocks.builder.bytes())}) {
        const TemporaryFile file(bytes);
        const auto reader = PacketReader::open(file.path(), {});
        ASSERT_TRUE(reader);
        ASSERT_NE((*reader)->sections(), nullptr);
        ASSERT_EQ((*reader)->index().packets(), blocks.packets.size());
        for (PacketNumber number = 1; number <= blocks.packets.size(); ++number) {
            const auto block = (*reader)->read_block(number);
            ASSERT_TRUE(block) << block.error().message;
            EXPECT_EQ(*block, blocks.packets[number - 1]) << number;
        }
    }
    expect_as_in_order(blocks.builder.bytes());
    expect_as_in_order(test::gzip(blocks.builder.bytes()));
}

TEST(PacketReader, SaysThatABlockHasChangedSince) {
    const Blocks blocks = every_kind_of_block();
    const TemporaryFile file(blocks.builder.bytes());
    const auto reader = PacketReader::open(file.path(), {});
    ASSERT_TRUE(reader);
    {
        std::ofstream over(file.path(), std::ios::binary);
        over << std::string(blocks.builder.bytes().size(), '\xff');
    }
    EXPECT_THAT((*reader)->read_block(1).error().message, HasSubstr("no longer"));
    ASSERT_EQ(::truncate(file.path().c_str(), 100), 0);
    EXPECT_THAT((*reader)->read_block(1).error().message, HasSubstr("no longer"));
}

TEST(PacketReader, APcapHasNoBlocks) {
    const TemporaryFile file(long_pcap());
    const auto reader = PacketReader::open(file.path(), {});
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->sections(), nullptr);
    EXPECT_FALSE((*reader)->read_block(1));
}

TEST(PacketReader, StopsBehindTheLastPacketAskedFor) {
    const TemporaryFile file(long_pcap());
    const auto reader = PacketReader::open(file.path(), {.last = 3, .stop = nullptr, .progress = {}});
    ASSERT_TRUE(reader);
    EXPECT_GE((*reader)->index().packets(), 3u);
    EXPECT_LT((*reader)->index().packets(), 700u);
}

TEST(PacketReader, SaysThatAFileWasCutSince) {
    const TemporaryFile file(long_pcap());
    const auto reader = PacketReader::open(file.path(), {});
    ASSERT_TRUE(reader);
    ASSERT_EQ(::truncate(file.path().c_str(), 5000), 0);
    EXPECT_TRUE((*reader)->read(1));
    const auto lost = (*reader)->read(600);
    ASSERT_FALSE(lost);
    EXPECT_THAT(lost.error().message, HasSubstr("packet 600"));
}

TEST(PacketReader, SaysThatThereIsNoRoomForTheCopy) {
    const TemporaryFile file(test::gzip(long_pcap()));
    ::setenv("TMPDIR", "/nonexistent", 1);
    const auto reader = PacketReader::open(file.path(), {});
    ::unsetenv("TMPDIR");
    ASSERT_FALSE(reader);
    EXPECT_THAT(reader.error().message, HasSubstr("/nonexistent"));
}

TEST(PacketIndex, GivesThePacketsOfAConversationOrTheLastOfThem) {
    PacketIndex index;
    const Bytes bytes(10);
    RawPacket packet;
    packet.data = bytes.data();
    packet.captured_length = packet.wire_length = 10;
    for (uint64_t i = 0; i < 5; ++i) index.add(packet, i);
    std::vector<PacketNumber> found;
    EXPECT_TRUE(index.packets_of(Conversations::other, 2, 4, 10, found));
    EXPECT_THAT(found, ElementsAre(2, 3, 4));
    found.clear();
    EXPECT_FALSE(index.packets_of(Conversations::other, 1, 5, 2, found));
    EXPECT_THAT(found, ElementsAre(4, 5));
    EXPECT_TRUE(index.packets_of(Conversations::first_tcp, 1, 5, 2, found));
    EXPECT_THAT(found, ElementsAre(4, 5));
}

// In a namespace of its own whose folder for temporary files is small.
int open_where_there_is_no_room(const std::string& path) {
    enum : int { told = 0, no_namespace = 1, opened = 2, reported_otherwise = 3 };
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", "/mnt", "tmpfs", 0, "size=16m") != 0)
        return no_namespace;
    ::setenv("TMPDIR", "/mnt", 1);
    const auto reader = PacketReader::open(path, {});
    if (reader) return opened;
    return reader.error().message.find("no room") != std::string::npos ? told : reported_otherwise;
}

TEST(PacketReader, LeavesRoomOnTheDiskForOthers) {
    const TemporaryFile file(test::gzip(long_pcap()));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(open_where_there_is_no_room(file.path()));
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 1) GTEST_SKIP() << "only root has a namespace of its own";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace sanscope
