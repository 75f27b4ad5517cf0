// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/growing_series.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/found_packets.h"
#include "analyzer/ingest/temporary_file.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::TemporaryFile;

std::vector<uint8_t> read_all(ByteSource& source) {
    std::vector<uint8_t> all;
    std::array<uint8_t, 100> some;
    while (const size_t read = source.read(some)) {
        all.insert(all.end(), some.begin(), some.begin() + static_cast<ptrdiff_t>(read));
    }
    return all;
}

TEST(GrowingSeries, GoesFromFileToFileAsTheyEnd) {
    const TemporaryFile first(Bytes(1000, 1));
    const TemporaryFile second(Bytes(500, 2));
    const auto growth_of_first = std::make_shared<FileGrowth>();
    const auto growth_of_second = std::make_shared<FileGrowth>();
    GrowingSeries series;
    ASSERT_TRUE(series.add(first.path(), growth_of_first));
    std::thread writer([&] {
        growth_of_first->grown_to(300);
        growth_of_first->grown_to(1000);
        growth_of_first->end();
        ASSERT_TRUE(series.add(second.path(), growth_of_second));
        series.finish();
        growth_of_second->grown_to(400);
        growth_of_second->end();
    });
    Bytes expected(1000, 1);
    expected.insert(expected.end(), 400, 2);  // nobody announced the rest
    EXPECT_EQ(read_all(series), expected);
    EXPECT_EQ(series.stored_bytes_read(), 1400u);
    EXPECT_TRUE(series.fault().empty());
    writer.join();
}

TEST(GrowingSeries, AFileMayBeRemovedBeforeItIsRead) {
    GrowingSeries series;
    const auto growth = std::make_shared<FileGrowth>();
    {
        const TemporaryFile file(Bytes(64, 7));
        ASSERT_TRUE(series.add(file.path(), growth));
    }
    growth->end();
    series.finish();
    EXPECT_EQ(read_all(series), Bytes(64, 7));
}

TEST(GrowingSeries, WithoutFilesIsEmpty) {
    GrowingSeries series;
    EXPECT_FALSE(series.add("/nowhere/at/all", std::make_shared<FileGrowth>()));
    std::thread writer([&] { series.finish(); });
    EXPECT_TRUE(read_all(series).empty());
    writer.join();
}

TEST(GrowingSeries, OfPcapngFilesIsOneCapture) {
    test::PcapngBuilder one;
    one.section()
        .interface()
        .enhanced_packet(0, 1, test::frame(60, 1))
        .enhanced_packet(0, 2, test::frame(61, 2));
    test::PcapngBuilder two;
    two.section().interface().enhanced_packet(0, 3, test::frame(62, 3));
    const TemporaryFile first(one.bytes());
    const TemporaryFile second(two.bytes());
    auto series = std::make_unique<GrowingSeries>();
    const auto growth = std::make_shared<FileGrowth>();
    growth->end();
    ASSERT_TRUE(series->add(first.path(), growth));
    ASSERT_TRUE(series->add(second.path(), growth));
    series->finish();
    const auto source = open_capture_stream(std::move(series), "live", 0, default_block_length);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(test::read_all(**source).size(), 3u);
    EXPECT_TRUE((*source)->damage().empty());
}

}  // namespace
}  // namespace sanscope
