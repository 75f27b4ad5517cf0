// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/capture_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

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
using testing::HasSubstr;

struct Outcome {
    std::vector<FoundPacket> packets;
    std::vector<Damage> damage;
};

Outcome read_file(const Bytes& bytes, size_t block_length = default_block_length) {
    const TemporaryFile file(bytes);
    const auto source = open_capture_file(file.path(), block_length);
    EXPECT_TRUE(source) << source.error().message;
    if (!source) return {};
    Outcome outcome{test::read_all(**source), (*source)->damage()};
    EXPECT_EQ((*source)->bytes_total(), bytes.size());
    return outcome;
}

Outcome read_stream(const Bytes& bytes, size_t piece, size_t block_length = default_block_length) {
    const auto source = open_capture_stream(test::make_piece_source(bytes, piece), "stream", 0, block_length);
    EXPECT_TRUE(source) << source.error().message;
    if (!source) return {};
    return {test::read_all(**source), (*source)->damage()};
}

std::string open_error(const Bytes& bytes) {
    const TemporaryFile file(bytes);
    const auto source = open_capture(file.path());
    return source ? "" : source.error().message;
}

// A capture and where each of its records begins, which a cut inside the record must be reported at.
struct Sample {
    Bytes bytes;
    std::vector<size_t> record_starts;
    size_t header_length = 0;  // what open_capture() must see
};

Sample pcap_sample() {
    Sample sample;
    PcapBuilder file;
    sample.header_length = file.bytes().size();
    for (uint8_t i = 0; i < 6; ++i) {
        sample.record_starts.push_back(file.bytes().size());
        file.packet(i, i, frame(10u + 13u * i, i));
    }
    sample.bytes = file.bytes();
    return sample;
}

Sample pcapng_sample() {
    Sample sample;
    PcapngBuilder file;
    const auto starts = [&] { sample.record_starts.push_back(file.bytes().size()); };
    starts(), file.section(false);
    starts(), file.interface({.name = "eth0", .tsresol = uint8_t{9}});
    starts(), file.enhanced_packet(0, 5, frame(33));
    starts(), file.block(0x0bad, frame(12));
    starts(), file.block(4, frame(20));
    starts(), file.simple_packet(21, frame(21));
    starts(), file.section(true);
    starts(), file.interface();
    starts(), file.obsolete_packet(0, 9, frame(17));
    starts(), file.statistics(0, 1, 2);
    sample.header_length = 24;
    sample.bytes = file.bytes();
    return sample;
}

struct Format {
    std::string name;
    std::function<Sample()> sample;
};

class CaptureFiles : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Grid, CaptureFiles,
                         testing::Values(Format{"pcap", pcap_sample}, Format{"pcapng", pcapng_sample}),
                         [](const auto& test_case) { return test_case.param.name; });

TEST_P(CaptureFiles, GiveTheSamePacketsInBlocksOfAnyLength) {
    const Bytes bytes = GetParam().sample().bytes;
    const std::vector<FoundPacket> whole = read_file(bytes).packets;
    ASSERT_GE(whole.size(), 4u);
    for (size_t block = 1; block < bytes.size() + 2; ++block) {
        const Outcome outcome = read_file(bytes, block);
        EXPECT_TRUE(outcome.packets == whole) << block;
        EXPECT_TRUE(outcome.damage.empty()) << block;
    }
}

TEST_P(CaptureFiles, GiveTheSamePacketsAsAStreamInPiecesOfAnyLength) {
    const Bytes bytes = GetParam().sample().bytes;
    const std::vector<FoundPacket> whole = read_file(bytes).packets;
    for (size_t piece = 1; piece < bytes.size() + 2; ++piece) {
        const Outcome outcome = read_stream(bytes, piece);
        EXPECT_TRUE(outcome.packets == whole) << piece;
        EXPECT_TRUE(outcome.damage.empty()) << piece;
    }
}

TEST_P(CaptureFiles, CutAnywhereGiveThePacketsBeforeTheCutAndSayWhere) {
    const Sample sample = GetParam().sample();
    const std::vector<FoundPacket> whole = read_file(sample.bytes).packets;
    for (size_t length = sample.header_length; length <= sample.bytes.size(); ++length) {
        const Bytes cut(sample.bytes.begin(), sample.bytes.begin() + static_cast<std::ptrdiff_t>(length));
        for (const size_t block : {size_t{16}, default_block_length}) {
            const Outcome outcome = read_file(cut, block);
            ASSERT_LE(outcome.packets.size(), whole.size());
            EXPECT_TRUE(std::equal(outcome.packets.begin(), outcome.packets.end(), whole.begin())) << length;
            // The last record that begins before the cut.
            size_t start = length;
            for (const size_t record : sample.record_starts) {
                if (record < length) start = record;
            }
            const bool between_records = length == sample.bytes.size() || start == length ||
                                         std::find(sample.record_starts.begin(), sample.record_starts.end(),
                                                   length) != sample.record_starts.end();
            if (between_records) {
                EXPECT_TRUE(outcome.damage.empty()) << length;
            } else {
                ASSERT_EQ(outcome.damage.size(), 1u) << length;
                EXPECT_EQ(outcome.damage[0].at_byte, start) << length;
                EXPECT_THAT(outcome.damage[0].message, HasSubstr("cut off")) << length;
            }
        }
    }
}

TEST_P(CaptureFiles, CutInsideTheHeaderAreNoCapture) {
    const Sample sample = GetParam().sample();
    for (size_t length = 1; length < sample.header_length; ++length) {
        const Bytes cut(sample.bytes.begin(), sample.bytes.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_THAT(open_error(cut),
                    length < 4 ? HasSubstr("not a capture file") : HasSubstr("cut off inside its"));
    }
}

TEST_P(CaptureFiles, GiveTheSamePacketsCompressed) {
    const Bytes bytes = GetParam().sample().bytes;
    const std::vector<FoundPacket> whole = read_file(bytes).packets;
    for (const Bytes& stored : {test::gzip(bytes), test::zstd(bytes), test::lz4(bytes)}) {
        for (const size_t block : {size_t{16}, default_block_length}) {
            const Outcome outcome = read_file(stored, block);
            EXPECT_TRUE(outcome.packets == whole);
            EXPECT_TRUE(outcome.damage.empty());
        }
        EXPECT_TRUE(read_stream(stored, 3).packets == whole);
    }
}

TEST_P(CaptureFiles, LoadedOnSeveralThreadsGiveTheSamePackets) {
    const Bytes bytes = GetParam().sample().bytes;
    const std::vector<FoundPacket> whole = read_file(bytes).packets;
    const TemporaryFile file(bytes);
    const auto source = open_capture_file(file.path(), 37);
    ASSERT_TRUE(source);
    std::vector<FoundPacket> found;
    for (bool more = true; more;) {
        std::array<PacketBatch, 3> batches;
        size_t claimed = 0;
        while (claimed < batches.size() && (more = (*source)->claim(batches[claimed]))) ++claimed;
        std::vector<std::thread> threads;
        for (size_t i = 0; i < claimed; ++i) threads.emplace_back([&, i] { (*source)->load(batches[i]); });
        for (std::thread& thread : threads) thread.join();
        for (size_t i = 0; i < claimed; ++i) {
            (*source)->parse(batches[i]);
            test::keep_packets(batches[i], found);
        }
    }
    EXPECT_TRUE(found == whole);
    EXPECT_EQ((*source)->bytes_read(), bytes.size());
}

TEST(CaptureFile, AHeaderWithoutPacketsIsACaptureWithoutPackets) {
    PcapBuilder pcap;
    PcapngBuilder pcapng;
    pcapng.section();
    for (const Bytes& bytes : {pcap.bytes(), pcapng.bytes()}) {
        const Outcome outcome = read_file(bytes);
        EXPECT_TRUE(outcome.packets.empty());
        EXPECT_TRUE(outcome.damage.empty());
    }
}

TEST(CaptureFile, JoinsRecordsFarLargerThanABlock) {
    PcapBuilder file({.snap_length = 4u << 20});
    file.packet(1, 0, frame(3'000'000))
        .packet(2, 0, frame(60))
        .packet(3, 0, frame(2'000'000))
        .packet(4, 0, frame(9));
    const std::vector<FoundPacket> whole = read_file(file.bytes(), 8u << 20).packets;
    ASSERT_EQ(whole.size(), 4u);
    EXPECT_TRUE(whole[2].data == frame(2'000'000));
    EXPECT_TRUE(read_file(file.bytes(), 4096).packets == whole);
    EXPECT_TRUE(read_file(file.bytes()).packets == whole);
    EXPECT_TRUE(read_stream(test::zstd(file.bytes()), 999).packets == whole);
}

TEST(CaptureFile, ABufferThatGrewForAHugeRecordShrinksAgain) {
    PcapBuilder file({.snap_length = 16u << 20});
    file.packet(1, 0, frame(10'000'000));
    for (int i = 0; i < 1000; ++i) file.packet(2, 0, frame(1500));
    const TemporaryFile stored(file.bytes());
    const auto source = open_capture(stored.path());
    ASSERT_TRUE(source);
    PacketBatch batch;
    size_t largest = 0;
    size_t last = 0;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        last = batch.buffer.size();
        largest = std::max(largest, last);
    }
    EXPECT_GT(largest, 10'000'000u);
    EXPECT_LT(last, 1'000'000u);
}

TEST(CaptureFile, ACutCompressedStreamIsDamageAfterThePacketsBefore) {
    PcapBuilder file;
    for (uint32_t i = 0; i < 2000; ++i)
        file.packet(i, 0, frame(100 + i % 400, static_cast<uint8_t>(i * i >> 3)));
    const std::vector<FoundPacket> whole = read_file(file.bytes()).packets;
    for (Bytes stored : {test::gzip(file.bytes()), test::zstd(file.bytes()), test::lz4(file.bytes())}) {
        stored.resize(stored.size() - 9);
        const Outcome outcome = read_file(stored);
        EXPECT_GT(outcome.packets.size(), 500u);
        EXPECT_TRUE(std::equal(outcome.packets.begin(), outcome.packets.end(), whole.begin()));
        ASSERT_EQ(outcome.damage.size(), 1u);
        EXPECT_THAT(outcome.damage[0].message, HasSubstr("compressed data are cut off"));
        EXPECT_GT(outcome.damage[0].at_byte, 100'000u);
        EXPECT_LE(outcome.damage[0].at_byte, file.bytes().size());
    }
}

TEST(CaptureFile, NothingIsReadAfterDamage) {
    PcapBuilder file;
    file.packet(1, 0, frame(60)).record(2, 0, 0x7fffffff, 60, {});
    for (int i = 0; i < 100; ++i) file.packet(3, 0, frame(1000));
    const Outcome outcome = read_file(file.bytes(), 1024);
    EXPECT_EQ(outcome.packets.size(), 1u);
    ASSERT_EQ(outcome.damage.size(), 1u);
    EXPECT_EQ(outcome.damage[0].at_byte, 24u + 16u + 60u);
}

TEST(CaptureFile, AFileThatShrinksWhileReadIsDamage) {
    PcapBuilder bytes;
    for (int i = 0; i < 100; ++i) bytes.packet(1, 0, frame(984));
    const TemporaryFile file(bytes.bytes());
    const auto source = open_capture_file(file.path(), 10'000);
    ASSERT_TRUE(source);
    PacketBatch batch;
    ASSERT_TRUE((*source)->claim(batch));
    ASSERT_EQ(::truncate(file.path().c_str(), 24 + 5 * 1000), 0);
    (*source)->load(batch);
    (*source)->parse(batch);
    EXPECT_EQ(batch.packets.size(), 5u);
    EXPECT_FALSE((*source)->claim(batch));
    ASSERT_EQ((*source)->damage().size(), 1u);
    EXPECT_EQ((*source)->damage()[0].message, "the file was cut off while it was read");
    EXPECT_EQ((*source)->damage()[0].at_byte, 24u + 5 * 1000);
}

TEST(CaptureFile, AFileThatGrowsIsReadToTheEndItHad) {
    PcapBuilder bytes;
    bytes.packet(1, 0, frame(60));
    const TemporaryFile file(bytes.bytes());
    const auto source = open_capture(file.path());
    ASSERT_TRUE(source);
    std::ofstream(file.path(), std::ios::binary | std::ios::app) << "half a record";
    EXPECT_EQ(test::read_all(**source).size(), 1u);
    EXPECT_TRUE((*source)->damage().empty());
}

// A named pipe, which open_capture() reads as it would read standard input.
class NamedPipe {
  public:
    NamedPipe() : path_(testing::TempDir() + "sanscope-pipe-" + std::to_string(::getpid())) {
        EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    }
    NamedPipe(const NamedPipe&) = delete;
    NamedPipe& operator=(const NamedPipe&) = delete;
    ~NamedPipe() { ::unlink(path_.c_str()); }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

TEST(CaptureFile, APacketOnAPipeIsThereBeforeTheNextIsWritten) {
    const NamedPipe pipe;
    PcapBuilder capture;
    std::vector<size_t> record_ends{capture.bytes().size()};
    for (uint32_t i = 0; i < 3; ++i) {
        capture.packet(i, 0, frame(60));
        record_ends.push_back(capture.bytes().size());
    }
    const Bytes& bytes = capture.bytes();
    std::array<int, 2> go{};  // a byte for each record that may be written
    ASSERT_EQ(::pipe(go.data()), 0);
    std::thread writer([&] {
        std::ofstream out(pipe.path(), std::ios::binary);
        size_t written = 0;
        for (const size_t end : record_ends) {
            for (; written < end; ++written) out.put(static_cast<char>(bytes[written])).flush();
            char byte = 0;
            if (::read(go[0], &byte, 1) != 1) return;
        }
    });
    // Opening waits for the header alone, each claim for no more than the packet that was written.
    const auto source = open_capture(pipe.path());
    EXPECT_TRUE(source);
    std::vector<FoundPacket> found;
    PacketBatch batch;
    for (size_t packets = 1; packets <= 3; ++packets) {
        EXPECT_EQ(::write(go[1], "g", 1), 1);
        while (found.size() < packets && (*source)->claim(batch)) {
            (*source)->load(batch);
            (*source)->parse(batch);
            test::keep_packets(batch, found);
        }
        EXPECT_EQ(found.size(), packets);
    }
    EXPECT_EQ(::write(go[1], "g", 1), 1);
    while ((*source)->claim(batch)) (*source)->parse(batch);
    EXPECT_TRUE((*source)->damage().empty());
    EXPECT_EQ((*source)->bytes_total(), 0u);
    EXPECT_EQ((*source)->bytes_read(), bytes.size());
    writer.join();
    ::close(go[0]);
    ::close(go[1]);
}

TEST(OpenCapture, SaysWhyAFileCannotBeRead) {
    const auto missing = open_capture(testing::TempDir() + "sanscope-no-such-file");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "cannot open: No such file or directory");
    const auto directory = open_capture(testing::TempDir());
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().message, "is a directory, not a capture file");
    EXPECT_EQ(open_error({}), "is empty");
}

TEST(OpenCapture, SaysThatAFileMayNotBeRead) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
    const TemporaryFile file(frame(100));
    ASSERT_EQ(::chmod(file.path().c_str(), 0), 0);
    const auto source = open_capture(file.path());
    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().message, "cannot open: Permission denied");
}

TEST(OpenCapture, SaysWhatAFileIsThatIsNoCapture) {
    ::setenv("SANSCOPE_CAPTURE_READER", "/nonexistent", 1);
    const std::string text = "this is not a capture\n";
    EXPECT_EQ(open_error({text.begin(), text.end()}), "not a capture file (neither pcap nor pcapng)");
    EXPECT_EQ(open_error(test::gzip(Bytes(text.begin(), text.end()))),
              "not a capture file (neither pcap nor pcapng), once decompressed from gzip");
    EXPECT_EQ(open_error(test::zstd(test::gzip(Bytes(text.begin(), text.end())))),
              "compressed twice, with gzip inside zstd: decompress it first");
    EXPECT_EQ(open_error({'L', 'Z', 'I', 'P', 1, 12, 0, 0}),
              "compressed with lzip, which is not supported: decompress it first");
    EXPECT_EQ(open_error({'G', 'M', 'B', 'U', 0, 2, 0, 0}),
              "a Microsoft Network Monitor capture, which Wireshark's reader would have to read; "
              "sanscope-capture-reader, of the Debian package sanscope, cannot");
}

TEST(OpenCapture, SaysThatACompressedFileEndsBeforeItsFirstPacket) {
    PcapBuilder file;
    Bytes stored = test::gzip(file.bytes());
    stored.resize(12);
    EXPECT_EQ(open_error(stored), "the gzip compressed data are cut off");
}

// A file that a writer appends to, in pieces that end anywhere.
class GrowingCapture : public testing::Test {
  protected:
    void append(std::span<const uint8_t> bytes) {
        const int descriptor = open(file.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
        ASSERT_EQ(write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        close(descriptor);
    }
    // All of the sample, `piece` bytes at a time.
    void grow(const Sample& sample, size_t piece, bool tell) {
        for (size_t at = 0; at < sample.bytes.size(); at += piece) {
            const size_t end = std::min(sample.bytes.size(), at + piece);
            append(std::span(sample.bytes).subspan(at, end - at));
            if (tell) growth->grown_to(end);
        }
        growth->end();
    }

    TemporaryFile file{Bytes()};
    std::shared_ptr<FileGrowth> growth = std::make_shared<FileGrowth>();
};

TEST_F(GrowingCapture, IsReadAsTheWholeFileIsAfterwards) {
    const Sample sample = pcapng_sample();
    const Outcome whole = read_file(sample.bytes);
    std::thread writer([&] { grow(sample, 7, true); });
    const auto source = open_growing_capture(file.path(), growth, 64);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(test::read_all(**source), whole.packets);
    EXPECT_TRUE((*source)->damage().empty());
    EXPECT_EQ((*source)->bytes_read(), sample.bytes.size());
    writer.join();
}

TEST_F(GrowingCapture, IsWatchedWhereNobodyTellsOfItsGrowth) {
    const Sample sample = pcap_sample();
    std::thread writer([&] { grow(sample, 100, false); });
    const auto source = open_growing_capture(file.path(), growth);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(test::read_all(**source).size(), sample.record_starts.size());
    writer.join();
}

TEST_F(GrowingCapture, GivesWhatIsThereBeforeThereIsMore) {
    const Sample sample = pcapng_sample();
    const size_t some = sample.record_starts.back();
    const size_t packets_of_some =
        read_file(Bytes(sample.bytes.begin(), sample.bytes.begin() + static_cast<ptrdiff_t>(some)))
            .packets.size();
    ASSERT_GT(packets_of_some, 0u);
    append(std::span(sample.bytes).first(some));
    growth->grown_to(some);
    const auto source = open_growing_capture(file.path(), growth);
    ASSERT_TRUE(source) << source.error().message;
    PacketBatch batch;
    ASSERT_TRUE((*source)->claim(batch));
    (*source)->load(batch);
    (*source)->parse(batch);
    EXPECT_EQ(batch.packets.size(), packets_of_some);
    append(std::span(sample.bytes).subspan(some));
    growth->end();
    // What nobody announced is not there.
    ASSERT_TRUE((*source)->claim(batch));
    EXPECT_TRUE(batch.last);
    (*source)->load(batch);
    (*source)->parse(batch);
    EXPECT_TRUE(batch.packets.empty());
    EXPECT_FALSE((*source)->claim(batch));
    EXPECT_TRUE((*source)->damage().empty());
}

TEST_F(GrowingCapture, CutOffInsideARecordIsDamagedThere) {
    const Sample sample = pcap_sample();
    append(std::span(sample.bytes).first(sample.bytes.size() - 3));
    growth->end();
    const auto source = open_growing_capture(file.path(), growth);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(test::read_all(**source).size(), sample.record_starts.size() - 1);
    ASSERT_EQ((*source)->damage().size(), 1u);
    EXPECT_EQ((*source)->damage().front().at_byte, sample.record_starts.back());
}

TEST_F(GrowingCapture, ThatNeverBeginsIsNone) {
    std::thread writer([&] { growth->end(); });
    const auto source = open_growing_capture(file.path(), growth);
    ASSERT_FALSE(source);
    EXPECT_THAT(source.error().message, HasSubstr("empty"));
    writer.join();
}

}  // namespace
}  // namespace sanscope
