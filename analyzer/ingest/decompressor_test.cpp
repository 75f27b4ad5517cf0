// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/decompressor.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/compress.h"
#include "analyzer/ingest/found_packets.h"

namespace sanscope {
namespace {

using test::Bytes;
using testing::HasSubstr;
using testing::StartsWith;

// Bytes that compress by about half, more than any library takes in or gives out at once.
Bytes sample() {
    Bytes bytes(600'000);
    uint32_t state = 1;
    for (size_t i = 0; i < bytes.size(); ++i) {
        state = state * 1'664'525 + 1'013'904'223;
        bytes[i] = i % 2 == 0 ? static_cast<uint8_t>(state >> 24) : uint8_t{'s'};
    }
    return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

struct Outcome {
    Bytes bytes;
    std::string fault;
};

Outcome decompress(Compression compression, const Bytes& stored, size_t piece = 1'000'000,
                   size_t read = 100'000) {
    const auto source = make_decompressor(compression, test::make_piece_source(stored, piece), {});
    Outcome outcome;
    Bytes buffer(read);
    while (const size_t count = source->read(buffer)) {
        outcome.bytes.insert(outcome.bytes.end(), buffer.begin(),
                             buffer.begin() + static_cast<std::ptrdiff_t>(count));
    }
    outcome.fault = source->fault();
    return outcome;
}

struct Format {
    std::string name;
    Compression compression;
    std::function<Bytes(const Bytes&)> compress;
};

class Decompressors : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(
    Grid, Decompressors,
    testing::Values(Format{"gzip", Compression::gzip, [](const Bytes& b) { return test::gzip(b); }},
                    Format{"zstd", Compression::zstd, [](const Bytes& b) { return test::zstd(b); }},
                    Format{"lz4", Compression::lz4, [](const Bytes& b) { return test::lz4(b); }},
                    Format{"xz", Compression::xz, [](const Bytes& b) { return test::xz(b); }},
                    Format{"bzip2", Compression::bzip2, [](const Bytes& b) { return test::bzip2(b); }}),
    [](const auto& test_case) { return test_case.param.name; });

TEST_P(Decompressors, AreToldByTheFirstBytes) {
    const Bytes stored = GetParam().compress(sample());
    EXPECT_EQ(detect_compression(stored).compression, GetParam().compression);
    EXPECT_EQ(detect_compression(stored).name, GetParam().name);
}

TEST_P(Decompressors, GiveTheBytesBackHoweverTheyAreCut) {
    const Bytes stored = GetParam().compress(sample());
    for (const size_t piece : {1u, 7u, 4096u, 1'000'000u}) {
        for (const size_t read : {100u, 65'536u, 1'000'000u}) {
            const Outcome outcome = decompress(GetParam().compression, stored, piece, read);
            EXPECT_EQ(outcome.fault, "");
            EXPECT_TRUE(outcome.bytes == sample()) << piece << ' ' << read;
        }
    }
}

TEST_P(Decompressors, JoinSeveralMembersOrFrames) {
    const Bytes stored =
        GetParam().compress(sample()) + GetParam().compress({}) + GetParam().compress({1, 2, 3});
    for (const size_t piece : {1u, 4096u, 1'000'000u}) {
        const Outcome outcome = decompress(GetParam().compression, stored, piece);
        EXPECT_EQ(outcome.fault, "");
        EXPECT_TRUE(outcome.bytes == (sample() + Bytes{1, 2, 3})) << piece;
    }
}

TEST_P(Decompressors, GiveAllBeforeACut) {
    const Bytes whole = sample();
    Bytes stored = GetParam().compress(whole);
    stored.resize(stored.size() * 3 / 4);
    const Outcome outcome = decompress(GetParam().compression, stored);
    EXPECT_EQ(outcome.fault, "the " + GetParam().name + " compressed data are cut off");
    // Blocks are at most 128 KiB, so that at least that much less than three quarters is there.
    EXPECT_GT(outcome.bytes.size(), whole.size() * 3 / 4 - 140'000);
    EXPECT_TRUE(std::equal(outcome.bytes.begin(), outcome.bytes.end(), whole.begin()));
}

TEST_P(Decompressors, ACutAnywhereIsAFaultAfterAPrefix) {
    const Bytes whole = test::frame(300);
    const Bytes stored = GetParam().compress(whole);
    for (size_t length = 5; length < stored.size(); ++length) {
        const Outcome outcome =
            decompress(GetParam().compression,
                       Bytes(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(length)));
        EXPECT_EQ(outcome.fault, "the " + GetParam().name + " compressed data are cut off") << length;
        ASSERT_LE(outcome.bytes.size(), whole.size());
        EXPECT_TRUE(std::equal(outcome.bytes.begin(), outcome.bytes.end(), whole.begin()));
    }
}

TEST_P(Decompressors, GiveAllBlocksBeforeACorruptOne) {
    const Bytes whole = sample();
    Bytes stored = GetParam().compress(whole);
    for (size_t i = stored.size() - 2000; i < stored.size() - 1000; ++i) stored[i] ^= 0xff;
    const Outcome outcome = decompress(GetParam().compression, stored, 1'000'000, 1'000'000);
    EXPECT_THAT(outcome.fault, StartsWith("the " + GetParam().name + " compressed data are corrupt ("));
    EXPECT_GT(outcome.bytes.size(), whole.size() - 140'000);
}

TEST_P(Decompressors, AWrongChecksumIsAFaultAfterAllBytes) {
    Bytes stored = GetParam().compress(sample());
    // gzip ends with the checksum and the length, xz with a footer that has one, the others with the checksum.
    stored[stored.size() - (GetParam().compression == Compression::gzip ? 8 : 4)] ^= 1;
    const Outcome outcome = decompress(GetParam().compression, stored);
    EXPECT_THAT(outcome.fault, HasSubstr("corrupt"));
    EXPECT_TRUE(outcome.bytes == sample());
}

TEST_P(Decompressors, SomethingElseBehindIsAFaultAfterAllBytes) {
    const Bytes text{'s', 'o', 'm', 'e', ' ', 't', 'e', 'x', 't',
                     ' ', 'b', 'e', 'h', 'i', 'n', 'd', '.', '\n'};
    const Outcome outcome = decompress(GetParam().compression, GetParam().compress(sample()) + text);
    EXPECT_THAT(outcome.fault, HasSubstr("corrupt"));
    EXPECT_TRUE(outcome.bytes == sample());
}

TEST_P(Decompressors, DoNotWaitForMoreOnceThereIsSomething) {
    const Bytes stored = GetParam().compress(sample());
    size_t reads = 0;
    auto source =
        make_decompressor(GetParam().compression,
                          test::make_piece_source(stored, [&reads] { return ++reads, size_t{200'000}; }), {});
    Bytes buffer(1'000'000);
    EXPECT_GT(source->read(buffer), 0u);
    EXPECT_EQ(reads, 1u);
}

TEST(Decompressor, IgnoresZerosBehindAGzipMember) {
    const Outcome outcome = decompress(Compression::gzip, test::gzip(sample()) + Bytes(100'000));
    EXPECT_EQ(outcome.fault, "");
    EXPECT_TRUE(outcome.bytes == sample());
}

TEST(Decompressor, PassesOverSkippableZstdFrames) {
    const Bytes skippable{0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
    EXPECT_EQ(detect_compression(skippable).compression, Compression::zstd);
    const Outcome outcome = decompress(Compression::zstd, skippable + test::zstd(sample()) + skippable);
    EXPECT_EQ(outcome.fault, "");
    EXPECT_TRUE(outcome.bytes == sample());
}

TEST(Decompressor, RefusesAZstdWindowOfMoreThan128MiB) {
    EXPECT_EQ(decompress(Compression::zstd, test::zstd(sample(), 27)).fault, "");
    const Outcome outcome = decompress(Compression::zstd, test::zstd(sample(), 28));
    EXPECT_THAT(outcome.fault, HasSubstr("window of more than 128 MiB"));
    EXPECT_TRUE(outcome.bytes.empty());
}

TEST(Decompressor, KnowsCompressionsItDoesNotRead) {
    EXPECT_EQ(detect_compression(Bytes{'L', 'Z', 'I', 'P'}).name, "lzip");
    EXPECT_EQ(detect_compression(Bytes{'L', 'Z', 'I', 'P'}).compression, Compression::unsupported);
    EXPECT_EQ(detect_compression(Bytes{0xd4, 0xc3, 0xb2, 0xa1}).compression, Compression::none);
    EXPECT_EQ(detect_compression(Bytes{0x1f, 0x8b}).compression, Compression::none);
}

}  // namespace
}  // namespace sanscope
