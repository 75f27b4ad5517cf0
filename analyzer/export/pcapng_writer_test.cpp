// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/pcapng_writer.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "analyzer/export/testing/grid_table.h"
#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/found_packets.h"
#include "analyzer/ingest/record_parser.h"
#include "analyzer/ingest/temporary_file.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::FoundPacket;
using test::frame;
using test::PcapBuilder;
using test::PcapngBuilder;

struct Capture {
    std::vector<FoundPacket> packets;
    std::vector<CaptureInterface> interfaces;
    std::vector<Damage> damage;
};

std::unique_ptr<PacketSource> open(std::span<const uint8_t> bytes) {
    auto source =
        open_capture_stream(test::make_piece_source(bytes, size_t{1000}), "test", 0, default_block_length);
    EXPECT_TRUE(source) << source.error().message;
    return source ? std::move(*source) : nullptr;
}

Capture read(std::span<const uint8_t> bytes) {
    const auto source = open(bytes);
    if (source == nullptr) return {};
    Capture capture;
    capture.packets = test::read_all(*source);
    capture.interfaces = source->interfaces();
    capture.damage = source->damage();
    return capture;
}

Capture read(const std::string& text) {
    return read(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

// The capture through the writer, batch by batch as it comes.
std::string rewritten(std::span<const uint8_t> bytes) {
    StringSink sink;
    PcapngWriter writer(sink);
    const auto source = open(bytes);
    if (source == nullptr) return {};
    PacketBatch batch;
    uint64_t packets = 0;
    while (source->claim(batch)) {
        source->load(batch);
        source->parse(batch);
        EXPECT_TRUE(writer.add_interfaces(source->interfaces()));
        for (const RawPacket& packet : batch.packets) EXPECT_TRUE(writer.write(packet));
        packets += batch.packets.size();
    }
    EXPECT_TRUE(writer.finish());
    EXPECT_EQ(writer.written(), packets);
    EXPECT_EQ(writer.left_out(), 0u);
    return sink.text;
}

void expect_same(std::span<const uint8_t> bytes) {
    const Capture before = read(bytes);
    const Capture after = read(rewritten(bytes));
    EXPECT_TRUE(after.damage.empty()) << after.damage.front().message;
    EXPECT_EQ(after.packets, before.packets);
    ASSERT_EQ(after.interfaces.size(), before.interfaces.size());
    for (size_t i = 0; i < after.interfaces.size(); i++) {
        EXPECT_EQ(after.interfaces[i].name, before.interfaces[i].name);
        EXPECT_EQ(after.interfaces[i].link_type, before.interfaces[i].link_type);
        EXPECT_EQ(after.interfaces[i].snap_length, before.interfaces[i].snap_length);
    }
}

RawPacket packet_of(const Bytes& bytes, int64_t time_ns = 0) {
    const auto length = static_cast<uint32_t>(bytes.size());
    return {.data = bytes.data(), .time_ns = time_ns, .captured_length = length, .wire_length = length};
}

const CaptureInterface ethernet = {.file = "f", .name = "eth0"};

TEST(PcapngWriter, packets_come_back_as_they_were) {
    PcapngBuilder file;
    file.section().interface({.name = "eth0", .tsresol = uint8_t{9}});
    for (uint32_t length = 0; length < 70; length++) {
        file.enhanced_packet(0, 1'795'259'301'696'904'123 + length,
                             frame(length, static_cast<uint8_t>(length)));
    }
    expect_same(file.bytes());
}

TEST(PcapngWriter, interfaces_keep_their_order_names_link_types_and_snap_lengths) {
    PcapngBuilder file;
    file.section()
        .interface({.name = "eth0"})
        .interface({.link_type = 113, .snap_length = 96, .name = "any"});
    file.enhanced_packet(1, 5, frame(96), 1514).enhanced_packet(0, 6, frame(60));
    file.interface({.link_type = 276, .name = "late, ä"})
        .enhanced_packet(2, 7, frame(61))
        .enhanced_packet(0, 8, {});
    file.section(true).interface({.link_type = 101, .snap_length = 1}).enhanced_packet(0, 9, frame(1), 40);
    expect_same(file.bytes());
}

TEST(PcapngWriter, truncated_packets_keep_their_length_on_the_wire) {
    PcapngBuilder file;
    file.section()
        .interface({.snap_length = 128})
        .enhanced_packet(0, 1, frame(128), 65535)
        .simple_packet(1500, frame(128));
    expect_same(file.bytes());
    EXPECT_EQ(read(rewritten(file.bytes())).packets.at(0).wire_length, 65535u);
}

TEST(PcapngWriter, a_capture_without_packets_is_one) {
    PcapngBuilder file;
    file.section().interface();
    expect_same(file.bytes());

    StringSink sink;
    PcapngWriter writer(sink);
    EXPECT_TRUE(writer.finish());
    EXPECT_TRUE(read(sink.text).packets.empty());
    EXPECT_TRUE(read(sink.text).damage.empty());
}

TEST(PcapngWriter, pcap_files_too) {
    PcapBuilder file({.magic = 0xa1b23c4d, .network = 113});
    file.packet(1'700'000'000, 999'999'999, frame(77)).record(1'700'000'001, 0, 40, 1500, frame(40));
    expect_same(file.bytes());
}

TEST(PcapngWriter, the_section_header_names_the_program) {
    StringSink sink;
    PcapngWriter writer(sink);
    EXPECT_TRUE(writer.finish());
    EXPECT_NE(sink.text.find("sanscope " SANSCOPE_VERSION), std::string::npos);
}

TEST(PcapngWriter, times_to_the_nanosecond_before_the_epoch_too) {
    StringSink sink;
    PcapngWriter writer(sink);
    writer.add_interfaces({&ethernet, 1});
    const Bytes bytes = frame(60);
    constexpr int64_t latest = std::numeric_limits<int64_t>::max();
    constexpr int64_t earliest_second = -9'223'372'036'000'000'000;
    for (const int64_t time : {latest, int64_t{1}, int64_t{0}, int64_t{-1}, int64_t{-1'500'000'000},
                               int64_t{2}, earliest_second, std::numeric_limits<int64_t>::min()}) {
        EXPECT_TRUE(writer.write(packet_of(bytes, time)));
    }
    EXPECT_TRUE(writer.finish());
    EXPECT_EQ(writer.too_early(), 1u);
    std::vector<int64_t> times;
    const Capture capture = read(sink.text);
    for (const FoundPacket& packet : capture.packets) times.push_back(packet.time_ns);
    EXPECT_EQ(times,
              (std::vector<int64_t>{latest, 1, 0, -1, -1'500'000'000, 2, earliest_second, earliest_second}));
    // One for the packets since the epoch, one for those before, called alike.
    ASSERT_EQ(capture.interfaces.size(), 2u);
    EXPECT_EQ(capture.interfaces[0].name, capture.interfaces[1].name);
    EXPECT_NE(capture.packets[0].interface, capture.packets[3].interface);
    EXPECT_EQ(capture.packets[3].interface, capture.packets[4].interface);
}

TEST(PcapngWriter, names_of_hosts_come_back_however_many) {
    ResolvedNames names;
    Bytes body;
    for (unsigned host = 0; host < 3000; host++) {
        const std::string name = "host-" + std::to_string(host) + ".example";
        const bool is_v4 = host % 2 == 0;
        const auto length = static_cast<uint8_t>((is_v4 ? 4 : 16) + name.size() + 1);
        Bytes record{static_cast<uint8_t>(is_v4 ? 1 : 2), 0, length, 0};
        if (!is_v4) record.insert(record.end(), {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0});
        record.insert(record.end(),
                      {192, 0, static_cast<uint8_t>(host >> 8), static_cast<uint8_t>(host & 0xff)});
        record.insert(record.end(), name.begin(), name.end());
        record.push_back(0);
        record.resize((record.size() + 3) / 4 * 4);
        body.insert(body.end(), record.begin(), record.end());
    }
    names.add_block(body, {});
    ASSERT_EQ(names.all().size(), 3000u);
    StringSink sink;
    PcapngWriter writer(sink);
    EXPECT_TRUE(writer.add_names({}));
    EXPECT_TRUE(writer.write(packet_of(frame(60))));
    EXPECT_TRUE(writer.add_names(names));
    EXPECT_TRUE(writer.finish());
    const auto source = open(std::span(reinterpret_cast<const uint8_t*>(sink.text.data()), sink.text.size()));
    ASSERT_TRUE(source);
    source->keep_names();
    EXPECT_EQ(test::read_all(*source).size(), 1u);
    EXPECT_TRUE(source->damage().empty());
    ASSERT_NE(source->names(), nullptr);
    EXPECT_EQ(source->names()->all(), names.all());
}

TEST(PcapngWriter, what_is_no_packet_or_too_long_is_left_out_and_counted) {
    StringSink sink;
    PcapngWriter writer(sink);
    writer.add_interfaces({&ethernet, 1});
    RawPacket packet = packet_of(frame(0));
    packet.link_type = LinkType::not_a_packet;
    EXPECT_TRUE(writer.write(packet));
    const Bytes longest = frame(max_record_length - 32);
    EXPECT_TRUE(writer.write(packet_of(longest)));
    EXPECT_TRUE(writer.write(packet_of(frame(max_record_length - 31))));
    EXPECT_TRUE(writer.finish());
    EXPECT_EQ(writer.left_out(), 2u);
    EXPECT_EQ(writer.written(), 1u);
    const Capture capture = read(sink.text);
    EXPECT_TRUE(capture.damage.empty());
    ASSERT_EQ(capture.packets.size(), 1u);
    EXPECT_EQ(capture.packets[0].data, longest);
}

TEST(PcapngWriter, a_packet_without_a_fitting_interface_gets_one_of_its_link_type) {
    StringSink sink;
    PcapngWriter writer(sink);
    const Bytes bytes = frame(60);
    RawPacket packet = packet_of(bytes);
    EXPECT_TRUE(writer.write(packet));
    writer.add_interfaces({&ethernet, 1});
    EXPECT_TRUE(writer.write(packet));
    packet.link_type = LinkType::raw;
    EXPECT_TRUE(writer.write(packet));
    packet.interface = 7;
    EXPECT_TRUE(writer.write(packet));
    EXPECT_TRUE(writer.finish());
    const Capture capture = read(sink.text);
    std::vector<std::pair<uint16_t, LinkType>> found;
    for (const FoundPacket& p : capture.packets) found.emplace_back(p.interface, p.link_type);
    EXPECT_EQ(found,
              (std::vector<std::pair<uint16_t, LinkType>>{
                  {0, LinkType::ethernet}, {1, LinkType::ethernet}, {2, LinkType::raw}, {2, LinkType::raw}}));
    EXPECT_EQ(capture.interfaces.at(1).name, "eth0");
}

TEST(PcapngWriter, a_sink_that_refuses_is_told_of) {
    const Bytes bytes = frame(1000);
    for (const size_t limit : {size_t{0}, size_t{100}, size_t{100'000}}) {
        StringSink sink(limit);
        PcapngWriter writer(sink);
        bool taken = writer.add_interfaces({&ethernet, 1});
        for (int i = 0; i < 300; i++) taken = writer.write(packet_of(bytes)) && taken;
        EXPECT_FALSE(taken);
        EXPECT_FALSE(writer.finish());
    }
    StringSink sink(10);
    PcapngWriter writer(sink);
    EXPECT_TRUE(writer.write(packet_of(bytes)));  // still held back
    EXPECT_FALSE(writer.finish());
}

TEST(PcapngWriter, wireshark_reads_it) {
    if (std::system("command -v tshark >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no tshark";
    PcapngBuilder file;
    file.section()
        .interface({.name = "eth0", .tsresol = uint8_t{9}})
        .interface({.link_type = 101, .name = "tun0"});
    file.enhanced_packet(0, 1'795'259'301'696'904'123, frame(61), 1514)
        .enhanced_packet(1, 1'795'259'302'000'001, frame(62));
    const std::string text = rewritten(file.bytes());
    const test::TemporaryFile stored(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
    const std::string command = "tshark -r '" + stored.path() +
                                "' -Tfields -E separator=, -e frame.time_epoch -e frame.cap_len -e frame.len "
                                "-e frame.interface_name -e frame.encap_type 2>/dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string answer;
    for (int c; (c = std::fgetc(pipe)) != EOF;) answer += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(answer,
              "1795259301.696904123,61,1514,eth0,1\n"
              "1795259302.000001000,62,62,tun0,7\n");
}

}  // namespace
}  // namespace sanscope
