// SPDX-License-Identifier: GPL-3.0-or-later
// What a recording keeps of the samples is what `sanscope scrub` keeps of them, packet by packet: for that it is shown that the
// analysis loses nothing but data digests, and users' data are nowhere (captures/scrub/tests/scrub_test.py).
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "captures/recorder/header_keeper.h"
#include "captures/recorder/recording_blocks.h"
#include "captures/scrub/scrub_capture.h"

#include "analyzer/export/testing/temporary_folder.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {
namespace {

struct Packet {
    std::vector<uint8_t> bytes;
    uint32_t wire_length = 0;
    int64_t time_ns = 0;
    uint16_t link_type = 0;
};

std::vector<Packet> packets_of(const std::string& path) {
    std::vector<Packet> packets;
    auto source = open_capture(path);
    EXPECT_TRUE(source) << path;
    PacketBatch batch;
    while (source && (*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        for (const RawPacket& each : batch.packets) {
            if (each.link_type == LinkType::not_a_packet) continue;
            packets.push_back({{each.data, each.data + each.captured_length},
                               each.wire_length,
                               each.time_ns,
                               static_cast<uint16_t>(each.link_type)});
        }
    }
    return packets;
}

// As if they were recorded, at their own times.
std::vector<Packet> kept_of(const std::vector<Packet>& packets) {
    std::vector<uint16_t> link_types;
    for (const Packet& each : packets) {
        if (std::ranges::find(link_types, each.link_type) == link_types.end())
            link_types.push_back(each.link_type);
    }
    std::vector<uint8_t> written;
    WrittenOutput output(size_t{1} << 19, [&](std::span<const uint8_t> blocks, uint64_t) {
        written.insert(written.end(), blocks.begin(), blocks.end());
    });
    HeaderKeeper keeper(link_types, output);
    HeaderKeeper::Clock::time_point now;
    for (const Packet& each : packets) {
        const auto interface = std::ranges::find(link_types, each.link_type) - link_types.begin();
        now = HeaderKeeper::Clock::time_point(std::chrono::nanoseconds(each.time_ns));
        keeper.tick(now);
        keeper.take({.interface = static_cast<uint32_t>(interface),
                     .time_ns = each.time_ns,
                     .bytes = each.bytes,
                     .wire_length = each.wire_length},
                    now);
    }
    keeper.finish();
    std::vector<Packet> kept;
    const auto word = [&](size_t at) {
        uint32_t value;
        std::memcpy(&value, written.data() + at, sizeof value);
        return value;
    };
    for (size_t at = 0; at + 32 <= written.size(); at += word(at + 4)) {
        const auto begin = written.begin() + static_cast<std::ptrdiff_t>(at) + 28;
        kept.push_back({{begin, begin + word(at + 20)},
                        word(at + 24),
                        static_cast<int64_t>(uint64_t{word(at + 12)} << 32 | word(at + 16)),
                        link_types.at(word(at + 8))});
    }
    return kept;
}

TEST(KeptAsScrubbed, EverySample) {
    const test::TemporaryFolder folder;
    size_t looked = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(SANSCOPE_SAMPLES)) {
        const std::string path = entry.path();
        if (!entry.is_regular_file() || path.find(".pcap") == std::string::npos) continue;
        const std::string copy = folder.path("copy.pcapng");
        std::filesystem::remove(copy);
        ASSERT_TRUE(scrub_capture(path, copy)) << path;
        const auto whole = packets_of(path);
        const auto scrubbed = packets_of(copy);
        const auto kept = kept_of(whole);
        ASSERT_EQ(kept.size(), whole.size()) << path;
        ASSERT_EQ(kept.size(), scrubbed.size()) << path;
        size_t others = 0;
        for (size_t i = 0; i < kept.size(); ++i) {
            EXPECT_EQ(kept[i].time_ns, whole[i].time_ns);
            EXPECT_EQ(kept[i].wire_length, whole[i].wire_length);
            if (kept[i].bytes != scrubbed[i].bytes && others++ == 0)
                ADD_FAILURE() << path << ": packet " << i + 1 << " has " << kept[i].bytes.size()
                              << " bytes instead of " << scrubbed[i].bytes.size();
        }
        EXPECT_EQ(others, 0u) << path << ": so many packets";
        ++looked;
    }
    EXPECT_GT(looked, 40u);
}

}  // namespace
}  // namespace sanscope
