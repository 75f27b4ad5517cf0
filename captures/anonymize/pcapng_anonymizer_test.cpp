// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/pcapng_anonymizer.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sanscope/v1/kernel_truth.pb.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/ingest/kernel_truth_block.h"
#include "analyzer/ingest/pcapng_blocks.h"

namespace sanscope {
namespace {

using Bytes = std::vector<uint8_t>;
using testing::HasSubstr;
using testing::Not;

void append16(Bytes& bytes, uint16_t value, bool big) {
    bytes.push_back(static_cast<uint8_t>(big ? value >> 8 : value));
    bytes.push_back(static_cast<uint8_t>(big ? value : value >> 8));
}
void append32(Bytes& bytes, uint32_t value, bool big) {
    append16(bytes, static_cast<uint16_t>(big ? value >> 16 : value), big);
    append16(bytes, static_cast<uint16_t>(big ? value : value >> 16), big);
}
void append_option(Bytes& bytes, uint16_t code, std::string_view value, bool big) {
    append16(bytes, code, big);
    append16(bytes, static_cast<uint16_t>(value.size()), big);
    bytes.insert(bytes.end(), value.begin(), value.end());
    bytes.resize((bytes.size() + 3) & ~size_t{3});
}
Bytes make_block(uint32_t type, const Bytes& body, bool big) {
    Bytes block;
    append32(block, type, big);
    append32(block, static_cast<uint32_t>(body.size() + 12), big);
    block.insert(block.end(), body.begin(), body.end());
    append32(block, static_cast<uint32_t>(body.size() + 12), big);
    return block;
}
std::string text_of(const Bytes& bytes) {
    return {bytes.begin(), bytes.end()};
}

class PcapngAnonymizerTest : public testing::TestWithParam<bool> {
  protected:
    std::unique_ptr<Anonymizer> anonymizer_ = std::move(*Anonymizer::create(MappingKey{5}));
    PcapngAnonymizer blocks_ = PcapngAnonymizer(*anonymizer_);
    bool big_ = GetParam();
    FileByteOrder order_{GetParam()};

    Bytes rewrite(const Bytes& block) {
        const Bytes out = blocks_.rewrite_block(block, order_);
        if (out.empty()) return out;
        EXPECT_EQ(out.size() % 4, 0u);
        EXPECT_EQ(order_.load32(out.data() + 4), out.size());
        EXPECT_EQ(order_.load32(out.data() + out.size() - 4), out.size());
        return out;
    }
};

TEST_P(PcapngAnonymizerTest, InterfacesKeepWhatPacketsRestOn) {
    Bytes body;
    append16(body, 1, big_);
    append16(body, 0, big_);
    append32(body, 128, big_);
    append_option(body, pcapng::if_name, "bond-prod-7", big_);
    append_option(body, 3, "the host's description", big_);
    append_option(body, pcapng::if_tsresol, "\x09", big_);
    append_option(body, pcapng::if_filter, std::string("\0host 10.0.0.1", 14), big_);
    append_option(body, 15, "some hardware", big_);
    append_option(body, pcapng::opt_comment, "for mallory", big_);
    append32(body, 0, big_);
    const Bytes out = rewrite(make_block(pcapng::interface_description_block, body, big_));
    for (const char* const gone : {"bond", "host", "10.0", "hardware", "mallory"})
        EXPECT_THAT(text_of(out), Not(HasSubstr(gone)));
    EXPECT_EQ(order_.load16(out.data() + 8), 1);
    EXPECT_EQ(order_.load32(out.data() + 12), 128u);
    EXPECT_EQ(order_.load16(out.data() + 16), pcapng::if_tsresol);
    EXPECT_EQ(out[20], 9);
    EXPECT_EQ(blocks_.dropped().comments, 1u);
    EXPECT_EQ(blocks_.dropped().options, 4u);
}

TEST_P(PcapngAnonymizerTest, SectionHeaderTellsNoHost) {
    Bytes body;
    append32(body, pcapng::byte_order_magic, big_);
    append16(body, 1, big_);
    append16(body, 0, big_);
    body.resize(16, 7);
    append_option(body, pcapng::shb_os, "Linux of mallory", big_);
    append32(body, 0, big_);
    const Bytes out = rewrite(make_block(pcapng::section_header_block, body, big_));
    EXPECT_EQ(out.size(), 28u);
    EXPECT_EQ(Bytes(out.begin() + 16, out.begin() + 24), Bytes(8, 0xff));
}

TEST_P(PcapngAnonymizerTest, NamesOfHostsAreReplacedWithTheirAddresses) {
    Bytes body;
    append_option(body, pcapng::nrb_record_ipv4, std::string("\x0a\0\0\1host.example\0other.example\0", 31),
                  big_);
    append_option(body, 77, "mallory", big_);
    append32(body, 0, big_);
    append_option(body, 2, "dns.example", big_);
    const Bytes out = rewrite(make_block(pcapng::name_resolution_block, body, big_));
    std::array<uint8_t, 4> address = {10, 0, 0, 1};
    anonymizer_->map_v4(address.data());
    EXPECT_TRUE(std::equal(address.begin(), address.end(), out.begin() + 12));
    EXPECT_THAT(text_of(out), HasSubstr(anonymizer_->map_name("host.example")));
    EXPECT_THAT(text_of(out), HasSubstr(anonymizer_->map_name("other.example")));
    for (const char* const gone : {"example", "mallory"}) EXPECT_THAT(text_of(out), Not(HasSubstr(gone)));
}

TEST_P(PcapngAnonymizerTest, WhatAKernelToldHasTheReplacements) {
    v1::KernelTruth truth;
    truth.set_events_lost(3);
    auto* const socket = truth.add_sockets();
    socket->set_socket(1);
    socket->set_local_address(std::string("\x0a\0\0\1", 4));
    socket->set_remote_address(std::string("\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16));
    socket->set_congestion_control("cubic");
    auto* const window = truth.add_windows();
    window->set_socket(1);
    window->set_cwnd(10);
    window->set_ssthresh(0);
    const Bytes out = rewrite(make_kernel_truth_block(truth.SerializeAsString(), big_));
    const auto read = read_kernel_truth_block(std::span(out).subspan(8, out.size() - 12));
    ASSERT_EQ(read.kind, KernelTruthBlock::Kind::kernel_truth);
    v1::KernelTruth told;
    ASSERT_TRUE(told.ParseFromArray(read.payload.data(), static_cast<int>(read.payload.size())));
    std::string local("\x0a\0\0\1", 4);
    anonymizer_->map_v4(reinterpret_cast<uint8_t*>(local.data()));
    EXPECT_EQ(told.sockets(0).local_address(), local);
    EXPECT_NE(told.sockets(0).remote_address(), socket->remote_address());
    truth.mutable_sockets(0)->set_local_address(local);
    truth.mutable_sockets(0)->set_remote_address(told.sockets(0).remote_address());
    EXPECT_EQ(told.SerializeAsString(), truth.SerializeAsString());
}

TEST_P(PcapngAnonymizerTest, BlocksOfOthersAreEmptyOrGone) {
    Bytes body;
    append32(body, 4711, big_);
    for (const char c : std::string_view("mallory!")) body.push_back(static_cast<uint8_t>(c));
    // They have numbers in Wireshark.
    EXPECT_EQ(rewrite(make_block(pcapng::custom_block, body, big_)).size(), 16u);
    EXPECT_EQ(rewrite(make_block(pcapng::systemd_journal_export_block, body, big_)).size(), 12u);
    EXPECT_TRUE(rewrite(make_block(pcapng::decryption_secrets_block, body, big_)).empty());
    EXPECT_TRUE(rewrite(make_block(0x12345678, body, big_)).empty());
    EXPECT_EQ(blocks_.dropped().blocks, 4u);
}

TEST_P(PcapngAnonymizerTest, OptionsOfPacketsKeepFlagsAndCounts) {
    Bytes options;
    append_option(options, pcapng::opt_comment, "mallory", big_);
    append_option(options, 2, "\1\2\3\4", big_);
    append_option(options, 3, "hash", big_);
    append32(options, 0, big_);
    Bytes expected;
    append_option(expected, 2, "\1\2\3\4", big_);
    EXPECT_EQ(blocks_.rewrite_packet_options(options, order_), expected);
}

TEST_P(PcapngAnonymizerTest, CutAnywhereNothingIsReadBehindTheEnd) {
    Bytes body;
    append_option(body, 1, std::string("\x0a\0\0\1host.example\0", 17), big_);
    append_option(body, 2, std::string(20, 'x'), big_);
    for (const uint32_t type : {0x0a0d0d0au, 1u, 4u, 5u, 9u, 10u, 0xbadu, 77u}) {
        for (size_t length = 0; length <= body.size(); ++length)
            blocks_.rewrite_block(
                make_block(type, Bytes(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(length)),
                           big_),
                order_);
    }
    blocks_.rewrite_block(Bytes(4), order_);
}

INSTANTIATE_TEST_SUITE_P(ByteOrders, PcapngAnonymizerTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "big_endian" : "little_endian"; });

}  // namespace
}  // namespace sanscope
