// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/scrub_capture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/compress.h"
#include "analyzer/ingest/found_packets.h"
#include "analyzer/ingest/kernel_truth_block.h"
#include "analyzer/ingest/temporary_file.h"
#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/net/testing/frame_builder.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope::test {
namespace {

using frames::ethernet;
using frames::ipv4;
using frames::tcp;

constexpr std::string_view secret = "what users stored here is nobody's business";

// A login, READ, its data and status, and another connection that is none of iSCSI.
std::vector<Bytes> session() {
    const Bytes keys = text_keys({"InitiatorName=iqn.example:a", "HeaderDigest=None", "DataDigest=None"});
    const Bytes stored(secret.begin(), secret.end());
    const Bytes request = login_request(keys).bytes();
    const Bytes response = login_response(keys).bytes();
    const Bytes read = PduBuilder(Opcode::scsi_command)
                           .flags(0xc1)
                           .itt(7)
                           .cmd_sn(2)
                           .exp_stat_sn(1)
                           .expected_length(static_cast<uint32_t>(stored.size()))
                           .cdb({scsi_op::read_10, 0, 0, 0, 0, 0, 0, 0, 1, 0})
                           .bytes();
    const Bytes data = PduBuilder(Opcode::scsi_data_in)
                           .flags(0x80)
                           .itt(7)
                           .ttt(reserved_tag)
                           .exp_cmd_sn(3)
                           .data(stored)
                           .bytes();
    const Bytes status =
        PduBuilder(Opcode::scsi_response).flags(0x80).itt(7).stat_sn(1).exp_cmd_sn(3).bytes();
    const auto to = [](uint32_t seq, uint32_t ack, const Bytes& payload, uint16_t flags = tcp_ack) {
        return ethernet(ipv4({}, tcp({.seq = seq, .ack = ack, .flags = flags}, payload))).bytes;
    };
    const auto from = [](uint32_t seq, uint32_t ack, const Bytes& payload, uint16_t flags = tcp_ack) {
        return ethernet(
                   ipv4({.source = "10.0.0.2", .destination = "10.0.0.1"}, tcp({.source_port = 3260,
                                                                                .destination_port = 50000,
                                                                                .seq = seq,
                                                                                .ack = ack,
                                                                                .flags = flags},
                                                                               payload)))
            .bytes;
    };
    const auto sent = static_cast<uint32_t>(request.size());
    const auto answered = static_cast<uint32_t>(response.size());
    return {to(100, 0, {}, tcp_syn),
            from(500, 101, {}, tcp_syn | tcp_ack),
            to(101, 501, request),
            from(501, 101 + sent, response),
            to(101 + sent, 501 + answered, read),
            from(501 + answered, 149 + sent, data + status),
            ethernet(ipv4({}, tcp({.source_port = 40001, .destination_port = 80, .seq = 1}, secret))).bytes};
}

class Scrub : public testing::Test {
  protected:
    ~Scrub() override { std::filesystem::remove(target_); }

    Result<ScrubbedCapture> scrub(const Bytes& capture) {
        const TemporaryFile file(capture);
        return scrub_capture(file.path(), target_);
    }
    Bytes copy() const {
        std::ifstream file(target_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static bool holds(const Bytes& bytes, std::string_view text) {
        return std::search(bytes.begin(), bytes.end(), text.begin(), text.end()) != bytes.end();
    }
    std::vector<FoundPacket> packets_of_copy() const {
        auto source = open_capture(target_);
        std::vector<FoundPacket> found;
        PacketBatch batch;
        while ((*source)->claim(batch)) {
            (*source)->load(batch);
            (*source)->parse(batch);
            keep_packets(batch, found);
        }
        return found;
    }

    std::string target_ = testing::TempDir() + "scrubbed-" + std::to_string(::getpid()) + ".pcapng";
};

TEST_F(Scrub, APcapBecomesAPcapngWithoutUsersData) {
    PcapBuilder capture;
    uint32_t seconds = 1000;
    for (const Bytes& frame : session()) capture.packet(seconds++, 5, frame);
    const auto outcome = scrub(capture.bytes());
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->packets, 7u);
    EXPECT_EQ(outcome->not_iscsi, 1u);
    EXPECT_EQ(outcome->out_of_step, 0u);
    ASSERT_TRUE(holds(capture.bytes(), secret));
    EXPECT_FALSE(holds(copy(), secret.substr(0, 8)));
    EXPECT_TRUE(holds(copy(), "InitiatorName=iqn.example:a"));
    EXPECT_TRUE(holds(copy(), "data segments with users' data are not kept"));

    const auto found = packets_of_copy();
    ASSERT_EQ(found.size(), 7u);
    EXPECT_EQ(found[4].time_ns, 1'004'000'005'000);
    // Data-In with its data, and behind it a whole header.
    const Bytes whole = session()[5];
    EXPECT_EQ(found[5].wire_length, whole.size());
    ASSERT_EQ(found[5].data.size(), whole.size());
    EXPECT_TRUE(std::equal(whole.begin(), whole.begin() + 54 + 48, found[5].data.begin()));
    EXPECT_TRUE(std::all_of(found[5].data.begin() + 102, found[5].data.end() - 48,
                            [](uint8_t byte) { return byte == 0; }));
    EXPECT_TRUE(std::equal(whole.end() - 48, whole.end(), found[5].data.end() - 48));
    EXPECT_EQ(found[6].data.size(), 54u);
    EXPECT_EQ(found[6].wire_length, 54 + secret.size());
}

TEST_F(Scrub, TheCopySaysSoToTheReader) {
    PcapBuilder capture;
    capture.packet(1, 0, session()[0]);
    ASSERT_TRUE(scrub(capture.bytes()));
    auto source = open_capture(target_);
    PacketBatch batch;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
    }
    ASSERT_EQ((*source)->interfaces().size(), 1u);
    EXPECT_TRUE((*source)->interfaces()[0].data_not_kept);
}

TEST_F(Scrub, OfAPcapngAllElseStandsInEitherByteOrder) {
    for (const bool big_endian : {false, true}) {
        PcapngBuilder capture;
        capture.section(big_endian).interface({.name = "eth7", .tsresol = 9});
        uint64_t ticks = 5;
        for (const Bytes& frame : session()) {
            capture.enhanced_packet_with(
                0, ticks++, frame,
                capture.options({{1, "a comment"}, {3, "hash of it"}, {2988, "1234whatever"}}));
        }
        capture.block(10, Bytes(16, 0x73)).block(0x1234, Bytes(16, 0x73)).statistics(0, 3, 4);
        const auto outcome = scrub(capture.bytes());
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->packets, 7u);
        EXPECT_EQ(outcome->blocks_left_out, 2u);
        const Bytes bytes = copy();
        EXPECT_FALSE(holds(bytes, secret.substr(0, 8)));
        EXPECT_TRUE(holds(bytes, "eth7"));
        EXPECT_TRUE(holds(bytes, "a comment"));
        EXPECT_FALSE(holds(bytes, "hash of it"));
        EXPECT_FALSE(holds(bytes, "whatever"));
        EXPECT_FALSE(holds(bytes, "ssssssss"));
        EXPECT_EQ(packets_of_copy().at(6).time_ns, 11);
    }
}

TEST_F(Scrub, SimpleAndObsoletePacketsBecomeEnhancedOnes) {
    PcapngBuilder capture;
    capture.section().interface();
    const auto frames = session();
    capture.obsolete_packet(0, 7, frames[0])
        .simple_packet(static_cast<uint32_t>(frames[6].size()), frames[6]);
    ASSERT_TRUE(scrub(capture.bytes()));
    const auto found = packets_of_copy();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].time_ns, 7000);
    EXPECT_EQ(found[1].time_ns, 7000);
    EXPECT_EQ(found[1].data.size(), 54u);
    EXPECT_EQ(found[1].wire_length, frames[6].size());
}

TEST_F(Scrub, CustomBlocksOfOthersAreEmptyAndKeepTheirNumbers) {
    PcapngBuilder capture;
    capture.section().interface();
    const std::vector<uint8_t> ours = make_kernel_truth_block(std::string("what a kernel said"));
    capture.block(0xbad, Bytes(ours.begin() + 8, ours.end() - 4)).block(0xbad, Bytes(64, 0x73));
    capture.enhanced_packet(0, 1, session()[0]);
    const auto outcome = scrub(capture.bytes());
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->blocks_emptied, 1u);
    const auto found = packets_of_copy();
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[2].link_type, LinkType::ethernet);
    EXPECT_TRUE(holds(copy(), "what a kernel said"));
    EXPECT_FALSE(holds(copy(), "ssssssss"));
}

TEST_F(Scrub, WhatIsBeforeDamageIsInTheCopy) {
    PcapBuilder capture;
    for (const Bytes& frame : session()) capture.packet(1, 0, frame);
    Bytes cut = capture.bytes();
    cut.resize(cut.size() - 10);
    const auto outcome = scrub(cut);
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(outcome->damage);
    EXPECT_EQ(outcome->packets, 6u);
    EXPECT_EQ(packets_of_copy().size(), 6u);
}

TEST_F(Scrub, ReadsAndWritesCompressed) {
    PcapBuilder capture;
    for (const Bytes& frame : session()) capture.packet(1, 0, frame);
    ASSERT_TRUE(scrub(gzip(capture.bytes())));
    const Bytes plain = copy();
    std::filesystem::remove(target_);
    target_ += ".zst";
    ASSERT_TRUE(scrub(capture.bytes()));
    EXPECT_EQ(packets_of_copy().size(), 7u);
    EXPECT_LT(copy().size(), plain.size());
    target_ += ".gz";
    EXPECT_FALSE(scrub(capture.bytes()));
    std::filesystem::remove(target_.substr(0, target_.size() - 3));
}

TEST_F(Scrub, NeverWritesOverTheCapture) {
    PcapBuilder capture;
    capture.packet(1, 0, session()[0]);
    const TemporaryFile file(capture.bytes());
    EXPECT_FALSE(scrub_capture(file.path(), file.path()));
    EXPECT_EQ(std::filesystem::file_size(file.path()), capture.bytes().size());
}

TEST_F(Scrub, StoppedLeavesNothing) {
    PcapBuilder capture;
    capture.packet(1, 0, session()[0]);
    const TemporaryFile file(capture.bytes());
    const std::atomic<bool> stop = true;
    ExportControl control;
    control.stop = &stop;
    const auto outcome = scrub_capture(file.path(), target_, control);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->stopped);
    EXPECT_FALSE(std::filesystem::exists(target_));
}

}  // namespace
}  // namespace sanscope::test
