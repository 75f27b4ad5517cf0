// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/frame_rewriter.h"

#include <algorithm>
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "captures/anonymize/internet_checksum.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/net/arp_message.h"
#include "analyzer/net/decode_frame.h"
#include "analyzer/net/icmp_error.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using namespace frames;
using Kind = DecodedPacket::Kind;

constexpr MappingKey key = {7, 7, 7};

void put_checksum(ByteVector& bytes, size_t at, uint16_t checksum) {
    bytes[at] = static_cast<uint8_t>(checksum >> 8);
    bytes[at + 1] = static_cast<uint8_t>(checksum);
}

// Of a packet at `ip` whose TCP, UDP or ICMPv6 header is at `header`: 0xffff where the checksum in it is right.
uint16_t transport_sum(const ByteVector& bytes, size_t ip, size_t header, uint8_t protocol, size_t end) {
    const bool v4 = bytes[ip] >> 4 == 4;
    const auto addresses = std::span(bytes).subspan(v4 ? ip + 12 : ip + 8, v4 ? 8 : 32);
    const size_t length = end - header;
    return fold_sum(internet_sum(addresses) + protocol + length +
                    internet_sum(std::span(bytes).subspan(header, length)));
}

class FrameRewriterTest : public testing::Test {
  protected:
    std::unique_ptr<Anonymizer> anonymizer_ = std::move(*Anonymizer::create(key));
    FrameRewriter rewriter_ = FrameRewriter(*anonymizer_);

    // Keeps so much of the TCP payload.
    ByteVector rewrite(const ByteVector& frame, size_t kept = SIZE_MAX, LinkType link = LinkType::ethernet,
                       uint32_t wire = 0) {
        DecodedPacket packet;
        const auto length = static_cast<uint32_t>(frame.size());
        decode_frame(link, frame.data(), length, std::max(length, wire), packet);
        FrameRewriter::Payload payload;
        if (packet.kind == Kind::tcp) {
            payload.at = static_cast<size_t>(packet.payload - frame.data());
            payload.kept = std::min<size_t>(kept, packet.payload_captured);
        }
        ByteVector out = frame;
        out.resize(rewriter_.rewrite(link, frame, out, std::max(length, wire), payload));
        return out;
    }

    std::string mapped(const std::string& text) {
        std::array<uint8_t, 16> bytes{};
        if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
            anonymizer_->map_v4(bytes.data());
            return format(IpAddress::from_v4(bytes.data()));
        }
        ::inet_pton(AF_INET6, text.c_str(), bytes.data());
        anonymizer_->map_v6(bytes.data());
        return format(IpAddress::from_v6(bytes.data()));
    }

    // The bytes that no frame may still have: of the addresses that frame_builder.h gives.
    static void expect_nothing_original(const ByteVector& frame) {
        for (const ByteVector& each :
             {ByteVector{10, 0, 0, 1}, ByteVector{10, 0, 0, 2}, ByteVector{0x20, 0x01, 0x0d, 0xb8},
              ByteVector{2, 0, 0, 0, 0, 1}, ByteVector{2, 0, 0, 0, 0, 2}}) {
            EXPECT_EQ(std::search(frame.begin(), frame.end(), each.begin(), each.end()), frame.end())
                << testing::PrintToString(each) << " in " << testing::PrintToString(frame);
        }
    }
};

TEST_F(FrameRewriterTest, EveryEncapsulationLeadsToTheSameSegmentWithOtherAddresses) {
    const Layer inner = ipv4({}, tcp({.seq = 1000}, "payload"));
    const Layer inner_v6 = ipv6({}, tcp({.seq = 1000}, "payload"));
    const Layer whole = ethernet_from(1, inner);
    const std::vector<ByteVector> all = {
        whole.bytes,
        ethernet(inner_v6).bytes,
        ethernet(vlan(100, vlan(200, inner))).bytes,
        ethernet(llc_snap(inner)).bytes,
        ethernet(mpls({16, 17}, inner)).bytes,
        ethernet(mpls({16}, whole)).bytes,
        ethernet(pppoe(inner)).bytes,
        ethernet(ipv4({}, inner)).bytes,
        ethernet(ipv4({}, inner_v6)).bytes,
        ethernet(ipv6({}, inner)).bytes,
        ethernet(ipv4({}, gre({.checksum = true, .key = 7}, inner))).bytes,
        ethernet(ipv4({}, gre({.sequence_number = 1}, erspan_2(whole)))).bytes,
        ethernet(ipv4({}, gre({.sequence_number = 1}, erspan_3(whole, true)))).bytes,
        ethernet(ipv4({}, vxlan(5, whole))).bytes,
        ethernet(ipv6({}, vxlan(5, ethernet(vlan(3, inner_v6))))).bytes,
        ethernet(ipv4({}, geneve(5, {1, 2, 3, 4}, whole))).bytes,
        ethernet(ipv6({}, ipv6_extension(60, {1, 4, 0, 0, 0, 0}, tcp({.seq = 1000}, "payload")))).bytes,
        ethernet(ipv6({}, authentication_header(tcp({.seq = 1000}, "payload")))).bytes};
    for (size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(i);
        DecodedPacket before;
        decode_frame(LinkType::ethernet, all[i].data(), static_cast<uint32_t>(all[i].size()), 0, before);
        ASSERT_EQ(before.kind, Kind::tcp);
        const ByteVector out = rewrite(all[i]);
        ASSERT_EQ(out.size(), all[i].size());
        DecodedPacket after;
        decode_frame(LinkType::ethernet, out.data(), static_cast<uint32_t>(out.size()), 0, after);
        ASSERT_EQ(after.kind, Kind::tcp);
        EXPECT_EQ(after.seq, 1000u);
        EXPECT_EQ(std::string(after.payload, after.payload + after.payload_captured), "payload");
        EXPECT_EQ(format(after.source), mapped(format(before.source)));
        EXPECT_EQ(format(after.destination), mapped(format(before.destination)));
        expect_nothing_original(out);
        // Cut at any byte, it is cut there or earlier, and nothing original is in it.
        for (size_t length = 0; length < all[i].size(); ++length) {
            const ByteVector cut(all[i].begin(), all[i].begin() + static_cast<std::ptrdiff_t>(length));
            const ByteVector cut_out =
                rewrite(cut, SIZE_MAX, LinkType::ethernet, static_cast<uint32_t>(all[i].size()));
            EXPECT_LE(cut_out.size(), length);
            if (length > 40) expect_nothing_original(cut_out);
        }
    }
}

TEST_F(FrameRewriterTest, ChecksumsRightStayRightWrongStayWrong) {
    constexpr size_t ip = 14;
    for (const bool v6 : {false, true}) {
        const Layer segment = tcp({.seq = 99}, "an odd payload!");
        const ByteVector frame = ethernet(v6 ? ipv6({}, segment) : ipv4({}, segment)).bytes;
        const size_t header = ip + (v6 ? 40 : 20);
        for (const int error : {0, 1, 0x1234}) {
            ByteVector in = frame;
            in[header + 16] = in[header + 17] = 0;
            const auto sum = transport_sum(in, ip, header, 6, in.size());
            put_checksum(in, header + 16, static_cast<uint16_t>(~sum + error));
            const ByteVector out = rewrite(in);
            EXPECT_EQ(transport_sum(out, ip, header, 6, out.size()),
                      transport_sum(in, ip, header, 6, in.size()));
            EXPECT_EQ(transport_sum(out, ip, header, 6, out.size()) == 0xffff, error == 0);
            if (!v6) {
                EXPECT_EQ(fold_sum(internet_sum(std::span(out).subspan(ip, 20))), 0xffff);
            }
        }
    }
}

TEST_F(FrameRewriterTest, OffloadedChecksumsStayThePseudoHeadersSum) {
    constexpr size_t ip = 14;
    constexpr size_t header = 34;
    ByteVector in = ethernet(ipv4({}, tcp({.seq = 99}, "payload"))).bytes;
    const auto pseudo = [&](const ByteVector& bytes, size_t length) {
        return fold_sum(internet_sum(std::span(bytes).subspan(ip + 12, 8)) + 6 + length);
    };
    for (const size_t length : {in.size() - header, size_t{0}}) {
        put_checksum(in, header + 16, pseudo(in, length));
        const ByteVector out = rewrite(in);
        EXPECT_EQ(load_be16(out.data() + header + 16), pseudo(out, length));
    }
}

TEST_F(FrameRewriterTest, ARightChecksumThatIsAlsoThePseudoHeadersSumStaysRight) {
    constexpr size_t ip = 14;
    constexpr size_t header = 34;
    ByteVector in = ethernet(ipv4({}, tcp({.seq = 99}, "xx"))).bytes;
    const uint16_t pseudo =
        fold_sum(internet_sum(std::span(in).subspan(ip + 12, 8)) + 6 + in.size() - header);
    bool found = false;
    for (uint32_t payload = 0; payload < 0x10000 && !found; ++payload) {
        put_checksum(in, 54, static_cast<uint16_t>(payload));
        put_checksum(in, header + 16, pseudo);
        found = transport_sum(in, ip, header, 6, in.size()) == 0xffff;
    }
    ASSERT_TRUE(found);
    const ByteVector out = rewrite(in);
    EXPECT_EQ(transport_sum(out, ip, header, 6, out.size()), 0xffff);
}

TEST_F(FrameRewriterTest, ChangedPayloadIsInTheChecksumToo) {
    constexpr size_t ip = 14;
    constexpr size_t header = 34;
    ByteVector in = ethernet(ipv4({}, tcp({.seq = 99}, "payload"))).bytes;
    put_checksum(in, header + 16, static_cast<uint16_t>(~transport_sum(in, ip, header, 6, in.size())));
    ByteVector out = in;
    std::fill(out.begin() + 54, out.begin() + 58, uint8_t{0});
    rewriter_.rewrite(LinkType::ethernet, in, out, static_cast<uint32_t>(in.size()), {54, 7});
    EXPECT_EQ(transport_sum(out, ip, header, 6, out.size()), 0xffff);
}

TEST_F(FrameRewriterTest, InnerChangesAreInTheOuterChecksum) {
    ByteVector in = ethernet(ipv4({}, vxlan(5, ethernet_from(1, ipv4({}, tcp({}, "payload")))))).bytes;
    put_checksum(in, 40, static_cast<uint16_t>(~transport_sum(in, 14, 34, 17, in.size())));
    const ByteVector out = rewrite(in);
    EXPECT_EQ(transport_sum(out, 14, 34, 17, out.size()), 0xffff);
    // None stays none.
    put_checksum(in, 40, 0);
    EXPECT_EQ(load_be16(rewrite(in).data() + 40), 0);
}

TEST_F(FrameRewriterTest, PayloadOfAllElseIsCutOff) {
    const std::string secret = "host.example.com";
    const Layer dns = udp({.destination_port = 53}, {.bytes = text(secret)});
    const ByteVector out = rewrite(ethernet(ipv4({}, dns)).bytes);
    EXPECT_EQ(out.size(), 14u + 20 + 8);
    EXPECT_EQ(rewrite(ethernet(ipv4({}, tcp({}, secret))).bytes, 0).size(), 14u + 20 + 20);
    EXPECT_EQ(rewrite(ethernet(ipv4({}, icmp({.type = 8}, text(secret)))).bytes).size(), 14u + 20 + 8);
    EXPECT_EQ(rewrite(ethernet({.bytes = text(secret), .ether_type = 0x88cc}).bytes).size(), 14u);
    EXPECT_EQ(rewrite(ethernet(ipv4({.more_fragments = true}, dns)).bytes).size(), 14u + 20);
}

TEST_F(FrameRewriterTest, WhatIsBehindThePacketIsNotKept) {
    const ByteVector segment = ethernet(ipv4({}, tcp({}, "x"))).bytes;
    EXPECT_EQ(rewrite((ethernet(ipv4({}, tcp({}, "x"))) + text("left over")).bytes).size(), segment.size());
    const ByteVector out = rewrite((ethernet(arp({})) + text("left over")).bytes);
    EXPECT_EQ(std::string(out.end() - 9, out.end()), std::string(9, '\0'));
}

TEST_F(FrameRewriterTest, OptionsThatMayHoldNamesAreZeroed) {
    const ByteVector options = {2, 4, 5, 0xb4, 30, 8, 1, 2, 10, 0, 0, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1};
    const ByteVector out = rewrite(ethernet(ipv4({}, tcp({.options = options}, "x"))).bytes);
    const ByteVector expected = {2, 4, 5, 0xb4, 30, 8, 0, 0, 0, 0, 0, 0, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1};
    EXPECT_EQ(ByteVector(out.begin() + 54, out.begin() + 78), expected);
    const ByteVector route = {7, 11, 12, 10, 0, 0, 1, 10, 0, 0, 2, 0};
    expect_nothing_original(rewrite(ethernet(ipv4({.options = route}, tcp({}, "x"))).bytes));
}

TEST_F(FrameRewriterTest, ArpSaysTheSameOfTheReplacements) {
    const ByteVector out = rewrite(ethernet(arp({.reply = true})).bytes);
    DecodedPacket packet;
    decode_frame(LinkType::ethernet, out.data(), static_cast<uint32_t>(out.size()), 0, packet);
    const auto message = read_arp_message(packet);
    ASSERT_TRUE(message);
    EXPECT_EQ(format(message->sender), mapped("10.0.0.1"));
    EXPECT_EQ(format(message->target), mapped("10.0.0.2"));
    expect_nothing_original(out);
}

TEST_F(FrameRewriterTest, AQuotedPacketHasTheReplacements) {
    ByteVector quoted = ipv4({}, tcp({.source_port = 3260, .seq = 77}, "secret")).bytes;
    const ByteVector frame =
        ethernet(ipv4({.source = "10.0.0.9"}, icmp({.type = 3, .code = 4, .rest = 1400}, quoted))).bytes;
    const ByteVector out = rewrite(frame);
    EXPECT_EQ(out.size(), 14u + 20 + 8 + 20 + 20);
    DecodedPacket packet;
    decode_frame(LinkType::ethernet, out.data(), static_cast<uint32_t>(out.size()),
                 static_cast<uint32_t>(frame.size()), packet);
    const auto error = read_icmp_error(packet);
    ASSERT_TRUE(error);
    EXPECT_EQ(format(error->source), mapped("10.0.0.1"));
    EXPECT_EQ(error->seq, 77u);
    EXPECT_EQ(error->mtu, 1400u);
    expect_nothing_original(out);
    EXPECT_EQ(fold_sum(internet_sum(std::span(out).subspan(42, 20))), 0xffff);
    // RFC 792 promises eight bytes of what is behind the IP header.
    quoted.resize(28);
    const ByteVector brief = rewrite(ethernet(ipv4({}, icmp({.type = 11}, quoted))).bytes);
    EXPECT_EQ(brief.size(), 14u + 20 + 8 + 28);
    expect_nothing_original(brief);
}

TEST_F(FrameRewriterTest, NeighbourDiscoveryHasTheReplacements) {
    // Target and the option of its link layer address; a router's prefix.
    ByteVector target(16);
    ::inet_pton(AF_INET6, "2001:db8::7", target.data());
    ByteVector advertisement = target;
    advertisement.insert(advertisement.end(), {2, 1, 2, 0, 0, 0, 0, 1});
    ByteVector in = ethernet(ipv6({}, icmp({.type = 136, .ipv6 = true}, advertisement))).bytes;
    put_checksum(in, 56, static_cast<uint16_t>(~transport_sum(in, 14, 54, 58, in.size())));
    const ByteVector out = rewrite(in);
    ASSERT_EQ(out.size(), in.size());
    EXPECT_EQ(format(IpAddress::from_v6(out.data() + 62)), mapped("2001:db8::7"));
    expect_nothing_original(out);
    EXPECT_EQ(transport_sum(out, 14, 54, 58, out.size()), 0xffff);

    ByteVector router(8);
    router.insert(router.end(), {3, 4, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    ByteVector prefix(16);
    ::inet_pton(AF_INET6, "2001:db8:1:2::", prefix.data());
    router.insert(router.end(), prefix.begin(), prefix.end());
    const ByteVector told = rewrite(ethernet(ipv6({}, icmp({.type = 134, .ipv6 = true}, router))).bytes);
    expect_nothing_original(told);
    EXPECT_EQ(ByteVector(told.end() - 8, told.end()), ByteVector(8));
    EXPECT_EQ(format(IpAddress::from_v6(told.data() + told.size() - 16)).substr(0, 10),
              mapped("2001:db8:1:2::5").substr(0, 10));
}

TEST_F(FrameRewriterTest, CookedFramesHaveNoMacAddressLeft) {
    for (const LinkType link : {LinkType::linux_sll, LinkType::linux_sll2}) {
        const Layer inside = ipv4({}, tcp({}, "x"));
        const ByteVector frame =
            (link == LinkType::linux_sll ? linux_cooked(inside) : linux_cooked_2(inside)).bytes;
        const ByteVector out = rewrite(frame, SIZE_MAX, link);
        EXPECT_EQ(out.size(), frame.size());
        expect_nothing_original(out);
    }
}

TEST_F(FrameRewriterTest, UnknownLinkTypesAreEmpty) {
    EXPECT_TRUE(rewrite(ethernet(ipv4({}, tcp({}, "x"))).bytes, 0, LinkType{147}).empty());
}

}  // namespace
}  // namespace sanscope
