// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/merged_capture.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/export/testing/temporary_folder.h"
#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/compress.h"
#include "analyzer/ingest/found_packets.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::file_text;
using test::FoundPacket;
using test::frame;
using test::PcapBuilder;
using test::PcapngBuilder;
using test::TemporaryFolder;
using test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class MergeCaptures : public testing::Test {
  protected:
    void add(const char* name, const Bytes& bytes) {
        paths.push_back(folder.path(name));
        write_file(paths.back(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    static Bytes pcap(std::initializer_list<uint32_t> seconds, uint32_t length) {
        PcapBuilder builder;
        for (const uint32_t second : seconds) builder.packet(second, 0, frame(length));
        return builder.bytes();
    }
    std::vector<FoundPacket> merged_packets() {
        const auto source = open_capture(target);
        EXPECT_TRUE(source) << source.error().message;
        if (!source) return {};
        auto packets = test::read_all(**source);
        EXPECT_THAT((*source)->damage(), IsEmpty());
        for (const CaptureInterface& interface : (*source)->interfaces()) names.push_back(interface.name);
        return packets;
    }

    TemporaryFolder folder;
    std::string target = folder.path("merged.pcapng");
    std::vector<std::string> paths;
    std::vector<std::string> names;  // of the interfaces of the merge
};

TEST_F(MergeCaptures, PacketsAreInOrderOfTimeAndInterfacesApart) {
    add("a.pcap", pcap({1, 4}, 60));
    PcapngBuilder builder;
    builder.section().interface({.name = "eth0"}).enhanced_packet(0, 2'000'000, frame(61));
    builder.enhanced_packet(0, 5'000'000, frame(62), 1514);
    add("b.pcapng.gz", test::gzip(builder.bytes()));
    add("c.pcap", pcap({3}, 63));
    const auto merged = merge_captures(paths, target);
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged->written, 5u);
    EXPECT_THAT(merged->damage, IsEmpty());
    std::vector<std::pair<int64_t, size_t>> found;
    std::vector<FoundPacket> packets = merged_packets();
    for (const FoundPacket& packet : packets)
        found.emplace_back(packet.time_ns / 1'000'000'000, packet.data.size());
    EXPECT_THAT(found, ElementsAre(std::pair(1, 60), std::pair(2, 61), std::pair(3, 63), std::pair(4, 60),
                                   std::pair(5, 62)));
    ASSERT_THAT(names, SizeIs(3));
    EXPECT_EQ(names[packets[0].interface], "a.pcap");
    EXPECT_EQ(names[packets[1].interface], "b.pcapng.gz: eth0");
    EXPECT_EQ(names[packets[2].interface], "c.pcap");
    EXPECT_EQ(packets[4].wire_length, 1514u);
}

TEST_F(MergeCaptures, ClocksBefore1970StandAsTheyAre) {
    PcapngBuilder early;
    early.section().interface({.name = "eth0", .tsoffset = -1'000'000});
    early.enhanced_packet(0, 1'500'000, frame(60)).enhanced_packet(0, 1'000'001'250'000, frame(61));
    add("early.pcapng", early.bytes());
    add("late.pcap", pcap({1}, 62));
    ASSERT_TRUE(merge_captures(paths, target));
    std::vector<std::pair<int64_t, size_t>> found;
    const std::vector<FoundPacket> packets = merged_packets();
    for (const FoundPacket& packet : packets) found.emplace_back(packet.time_ns, packet.data.size());
    EXPECT_THAT(found, ElementsAre(std::pair(-999'998'500'000'000, 60), std::pair(1'000'000'000, 62),
                                   std::pair(1'250'000'000, 61)));
    EXPECT_EQ(names[packets[0].interface], "early.pcapng: eth0");
    EXPECT_EQ(names[packets[2].interface], "early.pcapng: eth0");
}

TEST_F(MergeCaptures, NamesOfHostsAreInIt) {
    constexpr uint32_t name_resolution_block = 4;
    PcapngBuilder builder;
    builder.section().interface().enhanced_packet(0, 1, frame(60));
    builder.block(name_resolution_block,
                  builder.options({{1, std::string_view("\xc0\x00\x02\x01target\0", 11)}}));
    add("named.pcapng", builder.bytes());
    add("a.pcap", pcap({1}, 61));
    ASSERT_TRUE(merge_captures(paths, target));
    const auto source = open_capture(target);
    ASSERT_TRUE(source);
    (*source)->keep_names();
    EXPECT_THAT(test::read_all(**source), SizeIs(2));
    ASSERT_NE((*source)->names(), nullptr);
    ASSERT_THAT((*source)->names()->all(), SizeIs(1));
    EXPECT_EQ((*source)->names()->all().begin()->second, "target");
}

TEST_F(MergeCaptures, WhatCannotBeReadIsNamedAndTheRestMerged) {
    add("a.pcap", pcap({1}, 60));
    paths.push_back(folder.path("missing.pcap"));
    Bytes cut = pcap({2, 3}, 60);
    cut.resize(cut.size() - 10);
    add("cut.pcap", cut);
    const auto merged = merge_captures(paths, target);
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged->written, 2u);
    ASSERT_THAT(merged->damage, SizeIs(2));
    EXPECT_EQ(merged->damage[0].file, paths[1]);
    EXPECT_EQ(merged->damage[1].file, paths[2]);
}

TEST_F(MergeCaptures, NothingIsWrittenWhereItCannotBe) {
    add("a.pcap", pcap({1}, 60));
    EXPECT_FALSE(merge_captures(paths, target));
    add("b.pcap", pcap({2}, 60));
    const std::string before = file_text(paths[0]);
    const auto over_one = merge_captures(paths, paths[0]);
    ASSERT_FALSE(over_one);
    EXPECT_THAT(over_one.error().message, StartsWith(paths[0]));
    EXPECT_EQ(file_text(paths[0]), before);
    const auto too_many = merge_captures(std::vector<std::string>(65, paths[0]), target);
    ASSERT_FALSE(too_many);
    EXPECT_THAT(too_many.error().message, HasSubstr("64"));
    const std::vector<std::string> none{folder.path("x"), folder.path("y")};
    EXPECT_FALSE(merge_captures(none, target));
    EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(MergeCaptures, StoppedItLeavesNothing) {
    add("a.pcap", pcap({1}, 60));
    add("b.pcap", pcap({2}, 60));
    const std::atomic<bool> stop = true;
    const auto merged = merge_captures(paths, target, {.stop = &stop});
    ASSERT_TRUE(merged);
    EXPECT_TRUE(merged->stopped);
    EXPECT_THAT(folder.names(), ElementsAre("a.pcap", "b.pcap"));
}

}  // namespace
}  // namespace sanscope
