// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/packet_export.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

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

using Note = CaptureNotes::Note;

class ExportPackets : public testing::Test {
  protected:
    std::unique_ptr<PacketReader> open(const Bytes& bytes) {
        write_file(input_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        auto reader = PacketReader::open(input_, {});
        EXPECT_TRUE(reader) << reader.error().message;
        return reader ? std::move(*reader) : nullptr;
    }

    std::vector<FoundPacket> read(const std::string& path) {
        const auto source = open_capture(path);
        EXPECT_TRUE(source) << source.error().message;
        if (!source) return {};
        (*source)->keep_notes();
        auto packets = test::read_all(**source);
        EXPECT_THAT((*source)->damage(), IsEmpty());
        interfaces_ = (*source)->interfaces();
        notes_.clear();
        if ((*source)->notes() != nullptr) notes_ = (*source)->notes()->of_packets();
        return packets;
    }

    TemporaryFolder folder_;
    std::string input_ = folder_.path("input");
    std::string target_ = folder_.path("export");
    std::vector<CaptureInterface> interfaces_;
    std::vector<Note> notes_;
};

PcapngBuilder mixed() {
    PcapngBuilder builder;
    builder.section(true)
        .interface({.name = "eth0", .tsresol = uint8_t{9}})
        .interface({.link_type = 101, .name = "tun0"});
    builder.enhanced_packet(0, 1'700'000'000'123'456'789, frame(61), 1514);                             // 1
    builder.enhanced_packet_with(1, 7, frame(62), builder.options({{2, "flag"}, {1, "a"}, {1, "b"}}));  // 2
    builder.block(0x0bad, frame(44)).simple_packet(63, frame(63));  // 3, 4
    builder.section(false)
        .interface({.link_type = 113, .name = "any"})
        .enhanced_packet(0, 9, frame(64));                                        // 5
    builder.enhanced_packet_with(0, 10, frame(65), builder.options({{1, "c"}}));  // 6
    return builder;
}

TEST_F(ExportPackets, WritesTheChosenOnesAsTheyAre) {
    for (const Bytes& bytes : {mixed().bytes(), test::gzip(mixed().bytes())}) {
        const auto reader = open(bytes);
        ASSERT_NE(reader, nullptr);
        const std::vector<FoundPacket> all = read(input_);
        const std::vector<CaptureInterface> described = interfaces_;
        const std::vector<PacketNumber> chosen = {1, 2, 3, 4, 6, 7};
        const auto outcome = export_packets(*reader, chosen, {}, target_);
        ASSERT_TRUE(outcome) << outcome.error().message;
        EXPECT_EQ(outcome->written, 4u);
        EXPECT_EQ(outcome->left_out, 2u);  // the custom block and a packet there is not
        std::vector<FoundPacket> written = read(target_);
        ASSERT_THAT(written, SizeIs(4));
        const std::vector<size_t> from = {1, 2, 4, 6};
        for (size_t i = 0; i < written.size(); i++) {
            written[i].number = from[i];
            EXPECT_EQ(written[i], all[from[i] - 1]) << i;
        }
        ASSERT_THAT(interfaces_, SizeIs(3));
        for (size_t i = 0; i < 3; i++) EXPECT_EQ(interfaces_[i].name, described[i].name);
        EXPECT_THAT(notes_, ElementsAre(Note{2, "a"}, Note{2, "b"}, Note{4, "c"}));
    }
}

TEST_F(ExportPackets, WritesOtherNotesInstead) {
    const auto reader = open(mixed().bytes());
    const std::vector<PacketNumber> chosen = {1, 2, 6};
    const PacketNotes notes = {{1, {"new"}}, {2, {}}, {5, {"not chosen"}}};
    ASSERT_TRUE(export_packets(*reader, chosen, notes, target_));
    EXPECT_THAT(read(target_), SizeIs(3));
    EXPECT_THAT(notes_, ElementsAre(Note{1, "new"}, Note{3, "c"}));
}

TEST_F(ExportPackets, OfAPcapToo) {
    PcapBuilder pcap({.magic = 0xa1b23c4d, .network = 113});
    for (uint32_t i = 1; i <= 3000; i++) pcap.packet(i, 999'999'999, frame(i % 1500));
    for (const Bytes& bytes : {pcap.bytes(), test::zstd(pcap.bytes())}) {
        const auto reader = open(bytes);
        std::vector<PacketNumber> chosen(3000);
        std::iota(chosen.begin(), chosen.end(), 1);
        std::vector<uint64_t> done;
        ExportControl control;
        control.progress = [&](uint64_t now, uint64_t total) {
            EXPECT_EQ(total, 3000u);
            done.push_back(now);
        };
        const auto outcome = export_packets(*reader, chosen, {}, target_, control);
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->written, 3000u);
        EXPECT_EQ(read(target_), read(input_));
        EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
        EXPECT_GT(done.size(), 2u);
        EXPECT_EQ(done.back(), 3000u);
    }
}

TEST_F(ExportPackets, NoPacketsAreACaptureToo) {
    const auto reader = open(mixed().bytes());
    const auto outcome = export_packets(*reader, {}, {}, target_);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->written, 0u);
    EXPECT_THAT(read(target_), IsEmpty());
}

TEST_F(ExportPackets, StopsWithoutATrace) {
    PcapBuilder pcap;
    for (uint32_t i = 1; i <= 5000; i++) pcap.packet(i, 0, frame(60));
    const auto reader = open(pcap.bytes());
    std::vector<PacketNumber> chosen(5000);
    std::iota(chosen.begin(), chosen.end(), 1);
    write_file(target_, "what was there");
    std::atomic<bool> stop = false;
    ExportControl control;
    control.stop = &stop;
    control.progress = [&](uint64_t done, uint64_t) { stop = done > 0; };
    const auto outcome = export_packets(*reader, chosen, {}, target_, control);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->stopped);
    EXPECT_EQ(file_text(target_), "what was there");
    EXPECT_THAT(folder_.names(), ElementsAre("export", "input"));
}

TEST_F(ExportPackets, RefusesToOverwriteWhatItReads) {
    for (const Bytes& bytes : {mixed().bytes(), test::gzip(mixed().bytes())}) {
        const auto reader = open(bytes);
        const std::string before = file_text(input_);
        std::filesystem::remove(folder_.path("hard"));
        std::filesystem::create_hard_link(input_, folder_.path("hard"));
        const std::vector<PacketNumber> chosen = {1};
        for (const char* name : {"input", "hard"}) {
            const auto outcome = export_packets(*reader, chosen, {}, folder_.path(name));
            ASSERT_FALSE(outcome);
            EXPECT_THAT(outcome.error().message, HasSubstr("would be overwritten"));
        }
        EXPECT_EQ(file_text(input_), before);
    }
}

TEST_F(ExportPackets, SaysWhichFileIsAtFault) {
    const auto reader = open(mixed().bytes());
    const std::vector<PacketNumber> chosen = {1, 6};
    EXPECT_THAT(export_packets(*reader, chosen, {}, folder_.path("no/where")).error().message,
                StartsWith(folder_.path("no/where") + ": "));
    std::filesystem::resize_file(input_, 250);
    EXPECT_THAT(export_packets(*reader, chosen, {}, target_).error().message, StartsWith(input_ + ": "));
    EXPECT_FALSE(std::filesystem::exists(target_));
}

}  // namespace
}  // namespace sanscope
