// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/merged_source.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
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

Bytes pcap(const std::vector<uint32_t>& seconds, uint8_t seed) {
    PcapBuilder file;
    for (const uint32_t second : seconds) file.packet(second, 0, frame(60, seed));
    return file.bytes();
}

// Which file each packet came from and its second: "a1 b2".
std::string order(const std::vector<FoundPacket>& found) {
    std::string text;
    for (const FoundPacket& packet : found) {
        if (!text.empty()) text += ' ';
        text += static_cast<char>(packet.data.at(0)) + std::to_string(packet.time_ns / 1'000'000'000);
    }
    return text;
}

std::unique_ptr<PacketSource> merge(const std::vector<Bytes>& files,
                                    size_t block_length = default_block_length) {
    std::vector<std::unique_ptr<PacketSource>> sources;
    for (const Bytes& bytes : files) {
        auto source =
            open_capture_stream(test::make_piece_source(bytes, bytes.size()), "file", 0, block_length);
        EXPECT_TRUE(source);
        sources.push_back(std::move(*source));
    }
    return std::make_unique<MergedSource>(std::move(sources), std::vector<Damage>{});
}

// The seconds of packets before which no file has anything.
std::vector<int64_t> behind_gaps(PacketSource& source) {
    std::vector<int64_t> seconds;
    PacketBatch batch;
    while (source.claim(batch)) {
        source.load(batch);
        source.parse(batch);
        if (batch.after_gap) seconds.push_back(batch.packets.front().time_ns / 1'000'000'000);
    }
    return seconds;
}

TEST(MergedSource, TellsWhereOneFileHadEndedAndTheNextHadNotBegun) {
    for (const size_t block : {size_t{16}, size_t{200}, default_block_length}) {
        const auto gaps = [&](const std::vector<Bytes>& files) { return behind_gaps(*merge(files, block)); };
        const Bytes morning = pcap({1, 2, 3}, 'a');
        const Bytes evening = pcap({1000, 1001}, 'b');
        EXPECT_EQ(gaps({morning, evening}), std::vector<int64_t>{1000}) << block;
        EXPECT_EQ(gaps({evening, morning, pcap({9000}, 'c')}), (std::vector<int64_t>{1000, 9000})) << block;
        EXPECT_TRUE(gaps({morning, evening, pcap({2, 1001}, 'c')}).empty()) << "the third has both";
        EXPECT_TRUE(gaps({pcap({1, 1000}, 'a')}).empty()) << "a pause within one file";
    }
}

TEST(MergedSource, OrdersPacketsByTimeWhateverTheBlocks) {
    const std::vector<Bytes> files{pcap({1, 4, 5, 9}, 'a'), pcap({2, 3, 6, 7, 8}, 'b'), pcap({0, 10}, 'c')};
    for (const size_t block : {size_t{16}, size_t{100}, size_t{200}, default_block_length}) {
        const auto merged = merge(files, block);
        const std::vector<FoundPacket> found = test::read_all(*merged);
        EXPECT_EQ(order(found), "c0 a1 b2 b3 a4 a5 b6 b7 b8 a9 c10") << block;
        for (size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].number, i + 1);
            EXPECT_TRUE(std::equal(found[i].data.begin() + 1, found[i].data.end(),
                                   frame(60, found[i].data[0]).begin() + 1));
        }
    }
}

TEST(MergedSource, TakesTheEarlierNamedFileFirstAtEqualTimes) {
    EXPECT_EQ(order(test::read_all(*merge({pcap({1, 2, 2}, 'a'), pcap({1, 2, 3}, 'b'), pcap({2}, 'c')}))),
              "a1 b1 a2 a2 b2 c2 b3");
}

TEST(MergedSource, KeepsTheOrderInsideAFileWhoseTimesRunBackwards) {
    EXPECT_EQ(order(test::read_all(*merge({pcap({5, 1, 6}, 'a'), pcap({2, 7}, 'b')}))), "b2 a5 a1 a6 b7");
}

TEST(MergedSource, AFileWithoutPacketsAddsNone) {
    EXPECT_EQ(order(test::read_all(*merge({pcap({}, 'a'), pcap({1}, 'b'), pcap({}, 'c')}))), "b1");
    EXPECT_EQ(order(test::read_all(*merge({pcap({}, 'a'), pcap({}, 'b')}))), "");
}

TEST(MergedSource, NumbersInterfacesOverAllFiles) {
    PcapngBuilder first;
    first.section().interface({.name = "a0"}).interface({.name = "a1"});
    first.enhanced_packet(1, 1'000'000, frame(60, 'a')).statistics(1, 4, 0);
    PcapngBuilder second;
    second.section().block(0x0bad, frame(8)).interface({.link_type = 113, .name = "b0"});
    second.enhanced_packet(0, 2'000'000, frame(60, 'b'));
    const auto merged = merge({first.bytes(), second.bytes()});
    const std::vector<FoundPacket> found = test::read_all(*merged);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].link_type, LinkType::not_a_packet);
    for (size_t i = 1; i < 3; ++i) {
        const auto& interface = merged->interfaces().at(found[i].interface);
        EXPECT_EQ(interface.name, found[i].data[0] == 'a' ? "a1" : "b0");
        EXPECT_EQ(interface.link_type, found[i].link_type);
        EXPECT_EQ(interface.dropped, found[i].data[0] == 'a' ? 4u : 0u);
    }
    EXPECT_EQ(merged->interfaces().size(), 3u);
}

// A packet, and a name resolution block that calls 192.0.2.`host` by that name.
Bytes naming(uint8_t host, const std::string& name, uint64_t seconds) {
    constexpr uint32_t name_resolution_block = 4;
    PcapngBuilder file;
    file.section().interface().enhanced_packet(0, seconds * 1'000'000, frame(60, host));
    const std::string value =
        std::string("\xc0\x00\x02", 3) + static_cast<char>(host) + name + std::string(1, '\0');
    file.block(name_resolution_block, file.options({{1, value}}));
    return file.bytes();
}

TEST(MergedSource, NamesOfHostsAreThoseOfAllFilesTheFirstFilesFirst) {
    // The second file's packet comes first.
    const auto merged =
        merge({naming(1, "first", 5), naming(1, "second", 1), naming(2, "other", 2), pcap({3}, 'd')});
    EXPECT_EQ(merged->names(), nullptr);
    merged->keep_names();
    EXPECT_EQ(test::read_all(*merged).size(), 4u);
    ASSERT_NE(merged->names(), nullptr);
    std::vector<std::string> names;
    for (const auto& [address, name] : merged->names()->all()) names.push_back(name);
    EXPECT_EQ(names, (std::vector<std::string>{"first", "other"}));
}

TEST(MergedSource, ADamagedFileDoesNotStopTheOthers) {
    Bytes cut = pcap({1, 2, 3}, 'a');
    cut.resize(cut.size() - 70);
    const auto merged = merge({cut, pcap({1, 4, 5}, 'b')});
    EXPECT_EQ(order(test::read_all(*merged)), "a1 b1 a2 b4 b5");
    ASSERT_EQ(merged->damage().size(), 1u);
    EXPECT_EQ(merged->damage()[0].at_byte, 24u + 2 * 76);
}

TEST(MergedSource, HoldsAFewBatchesHoweverLongTheFiles) {
    std::vector<uint32_t> odd;
    std::vector<uint32_t> even;
    for (uint32_t i = 0; i < 4000; ++i) (i % 2 == 0 ? even : odd).push_back(i);
    const auto merged = merge({pcap(odd, 'a'), pcap(even, 'b')}, 4096);
    PacketBatch batch;
    std::vector<const PacketBatch*> held;
    uint64_t packets = 0;
    while (merged->claim(batch)) {
        merged->load(batch);
        merged->parse(batch);
        packets += batch.packets.size();
        EXPECT_LE(batch.borrowed.size(), 2u);
        for (const auto& borrowed : batch.borrowed) {
            if (std::find(held.begin(), held.end(), borrowed.get()) == held.end())
                held.push_back(borrowed.get());
        }
    }
    EXPECT_EQ(packets, 4000u);
    EXPECT_LE(held.size(), 4u);
}

TEST(OpenCaptures, MergesFilesAndGoesOnWithoutThoseItCannotOpen) {
    const TemporaryFile a(pcap({1, 3}, 'a'));
    const TemporaryFile b(pcap({2}, 'b'));
    const std::string missing = testing::TempDir() + "sanscope-no-such-file";
    const auto source = open_captures({a.path(), missing, b.path()});
    ASSERT_TRUE(source);
    EXPECT_EQ(order(test::read_all(**source)), "a1 b2 a3");
    ASSERT_EQ((*source)->damage().size(), 1u);
    EXPECT_EQ((*source)->damage()[0].file, missing);
    EXPECT_EQ((*source)->damage()[0].at_byte, 0u);
    EXPECT_EQ((*source)->bytes_read(), (*source)->bytes_total());
}

TEST(OpenCaptures, NamesTheFileWhereNoneCanBeOpened) {
    const std::string missing = testing::TempDir() + "sanscope-no-such-file";
    const auto source = open_captures({missing, missing});
    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().message, missing + ": cannot open: No such file or directory");
}

}  // namespace
}  // namespace sanscope
