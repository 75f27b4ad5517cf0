// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/file_series.h"

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "captures/recorder/output_file.h"
#include "captures/recorder/recording_blocks.h"

#include "analyzer/export/testing/temporary_folder.h"
#include "analyzer/ingest/pcapng_parser.h"

namespace sanscope {
namespace {

using State = FileSeries::State;
using std::chrono::seconds;

constexpr uint32_t captured = 100;  // of every packet: a block of 132 bytes
constexpr size_t block_length = packet_block_length(captured);

class FileSeriesTest : public testing::Test {
  protected:
    FileSeriesTest() {
        request_.set_path(folder_.path("out.pcapng"));
        block_.resize(block_length);
    }

    FileSeries series() {
        return FileSeries(request_, {.header = [] { return section_header() + interface_description({}); },
                                     .tail = [] { return interface_statistics(0, {}); },
                                     .report = [this](v1::RecordingEvent event) { events_.push_back(event); },
                                     .as_whom = {}});
    }

    // So many packets, numbered in their time.
    std::vector<uint8_t> blocks(uint64_t count) {
        std::vector<uint8_t> made(count * block_length);
        const std::vector<uint8_t> bytes(captured, 0x55);
        for (uint64_t i = 0; i < count; ++i)
            put_packet_block(made.data() + i * block_length, 0, ++time_, bytes.data(), captured, captured);
        return made;
    }

    struct Content {
        std::vector<int64_t> times;
        bool whole = false;
        uint64_t statistics = 0;
    };
    static Content content(const std::string& path) {
        const std::string text = test::file_text(path);
        const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
        PcapngParser parser("file");
        std::vector<RawPacket> packets;
        const auto progress = parser.parse(bytes, packets);
        Content content;
        content.whole = !parser.fault() && progress.consumed == text.size();
        for (const RawPacket& packet : packets) content.times.push_back(packet.time_ns);
        return content;
    }
    std::vector<size_t> packets_of_files() const {
        std::vector<size_t> counts;
        for (const std::string& name : folder_.names()) {
            const Content found = content(folder_.path(name));
            EXPECT_TRUE(found.whole) << name;
            counts.push_back(found.times.size());
        }
        return counts;
    }

    test::TemporaryFolder folder_;
    v1::RecordingRequest request_;
    std::vector<v1::RecordingEvent> events_;
    std::vector<uint8_t> block_;
    uint64_t time_ = 0;
    FileSeries::Clock::time_point now_ = FileSeries::Clock::now();
};

TEST(OutputFile, IsItsOwnersAlone) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path("recording.pcapng");
    const auto mode = [&] {
        return std::filesystem::status(path).permissions() & std::filesystem::perms::all;
    };
    const auto own = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    ASSERT_TRUE(OutputFile::create(path));
    EXPECT_EQ(mode(), own);
    std::filesystem::permissions(path, std::filesystem::perms::all);
    std::filesystem::resize_file(path, 100);
    ASSERT_TRUE(OutputFile::create(path));
    EXPECT_EQ(mode(), own) << "whoever could read what was there before";
    EXPECT_EQ(std::filesystem::file_size(path), 0u);
}

TEST(OutputFile, IsNotOneThatAnotherUserMade) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path("recording.pcapng");
    ASSERT_TRUE(OutputFile::create(path));
    std::filesystem::resize_file(path, 100);
    if (::chown(path.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root can give a file away";
    const auto made = OutputFile::create(path);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("another user"), std::string::npos);
    EXPECT_EQ(std::filesystem::file_size(path), 100u) << "and it stays as it was";
}

TEST_F(FileSeriesTest, OneFileHoldsEverything) {
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(10), 10, now_), State::goes_on);
    EXPECT_EQ(files.write(blocks(5), 5, now_), State::goes_on);
    files.finish();
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"out.pcapng"});
    EXPECT_EQ(packets_of_files(), std::vector<size_t>{15});
    EXPECT_EQ(files.packets(), 15u);
    EXPECT_EQ(files.bytes(), std::filesystem::file_size(request_.path()));
    ASSERT_EQ(events_.size(), 2u);
    EXPECT_EQ(events_[0].file_begun().path(), request_.path());
    EXPECT_EQ(events_[1].file_ended().packets(), 15u);
    EXPECT_EQ(events_[1].file_ended().bytes(), files.bytes());
}

TEST_F(FileSeriesTest, ExactlySoManyPacketsAreKept) {
    request_.mutable_stop_after()->set_packets(7);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(5), 5, now_), State::goes_on);
    EXPECT_EQ(files.write(blocks(5), 5, now_), State::limit_reached);
    EXPECT_EQ(files.write(blocks(5), 5, now_), State::limit_reached);
    files.finish();
    EXPECT_EQ(packets_of_files(), std::vector<size_t>{7});
}

TEST_F(FileSeriesTest, TheLimitIsReachedWithItsLastPacket) {
    request_.mutable_stop_after()->set_packets(5);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(5), 5, now_), State::limit_reached);
}

TEST_F(FileSeriesTest, NoMoreBytesThanAllowed) {
    request_.mutable_stop_after()->set_bytes(1000);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(50), 50, now_), State::limit_reached);
    files.finish();
    EXPECT_LE(std::filesystem::file_size(request_.path()), 1000u);
    EXPECT_GT(std::filesystem::file_size(request_.path()), 1000u - block_length);
}

TEST_F(FileSeriesTest, PacketsRotateExactlyAndNoneIsLost) {
    request_.mutable_rotation()->set_packets(4);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(10), 10, now_), State::goes_on);
    EXPECT_EQ(files.write(blocks(2), 2, now_), State::goes_on);
    files.finish();
    EXPECT_EQ(packets_of_files(), (std::vector<size_t>{4, 4, 4})) << "and no empty one";
    int64_t next = 1;
    for (const std::string& name : folder_.names()) {
        for (const int64_t time : content(folder_.path(name)).times) EXPECT_EQ(time, next++);
    }
}

TEST_F(FileSeriesTest, NoFileIsLongerThanItMayBe) {
    request_.mutable_rotation()->set_bytes(1000);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(40), 40, now_), State::goes_on);
    files.finish();
    size_t packets = 0;
    for (const std::string& name : folder_.names()) {
        EXPECT_LE(std::filesystem::file_size(folder_.path(name)), 1000u);
        packets += content(folder_.path(name)).times.size();
    }
    EXPECT_EQ(packets, 40u);
    EXPECT_GT(files.files(), 5u);
}

TEST_F(FileSeriesTest, APacketLongerThanAFileGetsOneOfItsOwn) {
    request_.mutable_rotation()->set_bytes(300);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(3), 3, now_), State::goes_on);
    files.finish();
    EXPECT_EQ(packets_of_files(), (std::vector<size_t>{1, 1, 1}));
}

TEST_F(FileSeriesTest, ARingKeepsTheLatest) {
    request_.mutable_rotation()->set_packets(2);
    request_.mutable_rotation()->set_ring_files(3);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(13), 13, now_), State::goes_on);
    files.finish();
    ASSERT_EQ(packets_of_files(), (std::vector<size_t>{2, 2, 1}));
    const std::vector<std::string> names = folder_.names();
    EXPECT_TRUE(names[0].starts_with("out_00005_"));
    EXPECT_EQ(content(folder_.path(names[2])).times, std::vector<int64_t>{13});
    EXPECT_EQ(files.files(), 7u);
    int removed = 0;
    for (const v1::RecordingEvent& event : events_) removed += event.file_begun().removed().empty() ? 0 : 1;
    EXPECT_EQ(removed, 4);
}

TEST_F(FileSeriesTest, SoManyFilesAreEnough) {
    request_.mutable_rotation()->set_packets(2);
    request_.mutable_stop_after()->set_files(2);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(9), 9, now_), State::limit_reached);
    files.finish();
    EXPECT_EQ(packets_of_files(), (std::vector<size_t>{2, 2}));
}

TEST_F(FileSeriesTest, TimeRotatesAndStops) {
    request_.mutable_rotation()->set_seconds(2);
    request_.mutable_stop_after()->set_seconds(5);
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(1), 1, now_), State::goes_on);
    EXPECT_EQ(files.tick(now_ + seconds(1)), State::goes_on);
    EXPECT_EQ(files.files(), 1u);
    EXPECT_EQ(files.tick(now_ + seconds(2)), State::goes_on);
    EXPECT_EQ(files.files(), 2u);
    EXPECT_EQ(files.write(blocks(3), 3, now_ + seconds(3)), State::goes_on);
    EXPECT_EQ(files.tick(now_ + seconds(4)), State::goes_on);
    EXPECT_EQ(files.tick(now_ + seconds(5)), State::limit_reached);
    files.finish();
    EXPECT_EQ(packets_of_files(), (std::vector<size_t>{1, 3, 0}));
}

TEST_F(FileSeriesTest, WhatCannotBeMadeIsNamed) {
    request_.set_path(folder_.path("nowhere/out.pcapng"));
    FileSeries files = series();
    const auto begun = files.begin(now_);
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().message, request_.path() + ": cannot create: No such file or directory");
}

TEST_F(FileSeriesTest, ALinkOfOnesOwnIsFollowedAnywhere) {
    std::filesystem::permissions(folder_.path(""), std::filesystem::perms(01777));
    std::filesystem::create_symlink(folder_.path("elsewhere.pcapng"), request_.path());
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(1), 1, now_), State::goes_on);
    files.finish();
    EXPECT_EQ(content(folder_.path("elsewhere.pcapng")).times.size(), 1u);
}

TEST_F(FileSeriesTest, ALinkOfSomeoneElseIsNotFollowedWhereEverybodyMayMakeFiles) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make a link that belongs to someone else";
    std::filesystem::create_symlink(folder_.path("elsewhere.pcapng"), request_.path());
    ASSERT_EQ(::lchown(request_.path().c_str(), 12345, 12345), 0);
    // Were it sticky as well, many a kernel would refuse by itself.
    std::filesystem::permissions(folder_.path(""), std::filesystem::perms(0777));
    FileSeries files = series();
    const auto begun = files.begin(now_);
    ASSERT_FALSE(begun);
    EXPECT_NE(begun.error().message.find("symbolic link"), std::string::npos) << begun.error().message;
    EXPECT_FALSE(std::filesystem::exists(folder_.path("elsewhere.pcapng")));
}

// Files of a process can be held to a length, as a disk would.
class FullDiskTest : public FileSeriesTest {
  protected:
    FullDiskTest() {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, SIG_IGN);
    }
    ~FullDiskTest() override { ::setrlimit(RLIMIT_FSIZE, &before_); }
    void room_for(rlim_t bytes) const {
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }

  private:
    rlimit before_{};
};

TEST_F(FullDiskTest, TheFileEndsWithItsLastWholeBlockWhereverTheDiskIsFull) {
    for (rlim_t room = 1500; room < 1500 + 2 * block_length; room += 7) {
        events_.clear();
        time_ = 0;
        FileSeries files = series();
        ASSERT_TRUE(files.begin(now_));
        EXPECT_EQ(files.write(blocks(3), 3, now_), State::goes_on);
        room_for(room);
        EXPECT_EQ(files.write(blocks(20), 20, now_), State::failed);
        EXPECT_EQ(files.write(blocks(1), 1, now_), State::failed);
        files.finish();
        room_for(RLIM_INFINITY);
        const Content found = content(request_.path());
        EXPECT_TRUE(found.whole) << room;
        EXPECT_EQ(found.times.size(), files.packets()) << room;
        EXPECT_EQ(std::filesystem::file_size(request_.path()), files.bytes()) << room;
        EXPECT_LE(files.bytes(), room);
        EXPECT_GT(files.bytes() + block_length, room) << "not more was given up than had to be";
        // The statistics stand at the end.
        const std::string text = test::file_text(request_.path());
        EXPECT_EQ(text.substr(text.size() - interface_statistics_length()), interface_statistics(0, {}));
        int told = 0;
        for (const v1::RecordingEvent& event : events_) {
            if (!event.has_trouble()) continue;
            ++told;
            EXPECT_EQ(event.trouble().message(),
                      fmt::format("{}: File too large; it holds the {} packets recorded until then",
                                  request_.path(), files.packets()));
        }
        EXPECT_EQ(told, 1);
    }
}

TEST_F(FullDiskTest, WithoutRoomForTheStatisticsTheFileIsWholeAsItWas) {
    FileSeries files = series();
    ASSERT_TRUE(files.begin(now_));
    EXPECT_EQ(files.write(blocks(3), 3, now_), State::goes_on);
    room_for(files.bytes() + 10);
    EXPECT_EQ(files.write(blocks(20), 20, now_), State::failed);
    files.finish();
    EXPECT_TRUE(content(request_.path()).whole);
    EXPECT_EQ(content(request_.path()).times.size(), 3u);
}

}  // namespace
}  // namespace sanscope
