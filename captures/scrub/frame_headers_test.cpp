// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/frame_headers.h"

#include <gtest/gtest.h>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope::frames {
namespace {

uint32_t headers_of(const Layer& frame, uint32_t captured = UINT32_MAX) {
    captured = std::min(captured, static_cast<uint32_t>(frame.bytes.size()));
    // A copy of its own, so that a read beyond its end is seen.
    const std::vector<uint8_t> bytes(frame.bytes.begin(), frame.bytes.begin() + captured);
    DecodedPacket packet;
    decode_frame(LinkType::ethernet, bytes.data(), captured, static_cast<uint32_t>(frame.bytes.size()),
                 packet);
    return frame_headers_length(LinkType::ethernet, bytes.data(), captured, packet);
}

TEST(FrameHeaders, OfTcpEndBeforeThePayload) {
    EXPECT_EQ(headers_of(ethernet(ipv4({}, tcp({}, pattern(100))))), 14u + 20 + 20);
    EXPECT_EQ(headers_of(ethernet(ipv6({}, tcp({.options = pattern(12)}, pattern(100))))), 14u + 40 + 32);
    EXPECT_EQ(headers_of(ethernet(ipv4({}, tcp({}, pattern(0))))), 14u + 20 + 20);
}

TEST(FrameHeaders, OfUdpEndBehindItsHeader) {
    EXPECT_EQ(headers_of(ethernet(ipv4({}, udp({.destination_port = 53}, {pattern(100)})))), 14u + 20 + 8);
}

TEST(FrameHeaders, OfALaterFragmentEndBehindIp) {
    EXPECT_EQ(headers_of(ethernet(ipv4({.fragment_offset = 1480}, {pattern(100), 0, ip_protocol_tcp}))),
              14u + 20);
}

TEST(FrameHeaders, ArpIsWholeEchoesAreNot) {
    EXPECT_EQ(headers_of(ethernet(arp({}))), 14u + 28);
    EXPECT_EQ(headers_of(ethernet(ipv4({}, icmp({.type = 8}, pattern(56))))), 14u + 20 + 8);
}

TEST(FrameHeaders, AnIcmpErrorQuotesHeadersOnly) {
    const Layer quoted = ipv4({}, tcp({}, pattern(100)));
    EXPECT_EQ(headers_of(ethernet(ipv4({}, icmp({.type = 3, .code = 4}, quoted.bytes)))),
              14u + 20 + 8 + 20 + 20);
    const Layer quoted_6 = ipv6({}, tcp({}, pattern(100)));
    EXPECT_EQ(headers_of(ethernet(ipv6({}, icmp({.type = 2, .ipv6 = true}, quoted_6.bytes)))),
              14u + 40 + 8 + 40 + 20);
}

TEST(FrameHeaders, OfWhatIsNotKnownOnlyTheLinks) {
    Layer frame = ethernet(ipv4({}, tcp({}, pattern(100))));
    frame.bytes[12] = 0x12;
    frame.bytes[13] = 0x34;
    EXPECT_EQ(headers_of(frame), 14u);
    const std::vector<uint8_t> bytes = pattern(100);
    EXPECT_EQ(frame_headers_length(LinkType{147}, bytes.data(), 100, DecodedPacket{}), 0u);
}

TEST(FrameHeaders, NeverMoreThanCaptured) {
    const Layer frames[] = {
        ethernet(ipv4({}, tcp({.options = pattern(20)}, pattern(100)))),
        ethernet(ipv6({}, icmp({.type = 1, .ipv6 = true}, ipv6({}, tcp({}, pattern(9))).bytes))),
        ethernet(arp({}))};
    for (const Layer& frame : frames) {
        for (uint32_t captured = 0; captured <= frame.bytes.size(); ++captured)
            EXPECT_LE(headers_of(frame, captured), captured);
    }
}

}  // namespace
}  // namespace sanscope::frames
