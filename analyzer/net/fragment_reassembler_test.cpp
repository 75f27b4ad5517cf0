// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/fragment_reassembler.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/net/decode_frame.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using namespace frames;  // NOLINT(google-build-using-namespace): the tests are written in its words
using Kind = DecodedPacket::Kind;

using test::second;

// A datagram as the reassembler returned it, kept.
struct Kept {
    Datagram header;
    ByteVector bytes;
};

class FragmentReassemblerTest : public ::testing::Test {
  protected:
    // Adds one fragment, of which `captured` bytes (from the IP header on) are in the capture.
    std::optional<Kept> add(const Layer& fragment, int64_t time_ns = 0, size_t captured = SIZE_MAX) {
        captured = std::min(captured, fragment.bytes.size());
        const auto exact = std::make_unique<uint8_t[]>(captured);
        std::copy_n(fragment.bytes.begin(), captured, exact.get());
        DecodedPacket packet;
        decode_frame(LinkType::raw, exact.get(), static_cast<uint32_t>(captured),
                     static_cast<uint32_t>(fragment.bytes.size()), packet);
        EXPECT_EQ(packet.kind, Kind::ip_fragment);
        const Datagram* const datagram = reassembler.add(packet, time_ns);
        if (datagram == nullptr) return std::nullopt;
        return Kept{*datagram, ByteVector(datagram->data, datagram->data + datagram->captured_length)};
    }

    FragmentReassembler reassembler;
};

const ByteVector payload = pattern(1000);
Layer segment() {
    return tcp({.seq = 7}, payload);
}
std::vector<Layer> v4_fragments(uint16_t id = 1) {
    return ipv4_fragments({.id = id, .ttl = 9}, segment(), 256);
}
std::vector<Layer> v6_fragments(uint32_t id = 1) {
    return ipv6_fragments({.hop_limit = 9}, id, segment(), 256);
}

// One fragment with the bytes of `from`, of the datagram 1 between the usual addresses.
Layer v4_piece(const ByteVector& from, size_t begin, size_t end, bool more) {
    return ipv4({.id = 1,
                 .fragment_offset = static_cast<uint16_t>(begin),
                 .more_fragments = more,
                 .protocol = uint8_t{ip_protocol_tcp}},
                {.bytes = ByteVector(from.begin() + static_cast<ptrdiff_t>(begin),
                                     from.begin() + static_cast<ptrdiff_t>(end))});
}
Layer v6_piece(const ByteVector& from, size_t begin, size_t end, bool more) {
    return ipv6({}, ipv6_fragment(1, static_cast<uint16_t>(begin), more,
                                  {.bytes = ByteVector(from.begin() + static_cast<ptrdiff_t>(begin),
                                                       from.begin() + static_cast<ptrdiff_t>(end)),
                                   .ip_protocol = ip_protocol_tcp}));
}

TEST_F(FragmentReassemblerTest, EveryOrderGivesTheDatagram) {
    for (const bool v4 : {true, false}) {
        std::vector<size_t> order{0, 1, 2, 3};
        uint16_t id = 0;
        do {
            const auto fragments = v4 ? v4_fragments(++id) : v6_fragments(++id);
            ASSERT_EQ(fragments.size(), 4u);
            EXPECT_FALSE(add(fragments[order[0]]));
            EXPECT_FALSE(add(fragments[order[1]]));
            EXPECT_FALSE(add(fragments[order[2]]));
            const auto datagram = add(fragments[order[3]]);
            ASSERT_TRUE(datagram);
            EXPECT_EQ(datagram->bytes, segment().bytes);
            EXPECT_EQ(datagram->header.wire_length, segment().bytes.size());
            EXPECT_EQ(datagram->header.protocol, ip_protocol_tcp);
            EXPECT_EQ(datagram->header.ttl, 9);
            EXPECT_EQ(datagram->header.ip_id, v4 ? id : 0);
            EXPECT_EQ(format(datagram->header.source), v4 ? "10.0.0.1" : "2001:db8::1");
        } while (std::ranges::next_permutation(order).found);
    }
    EXPECT_EQ(reassembler.counters().datagrams_completed, 48u);
    EXPECT_EQ(reassembler.datagrams_in_flight(), 0u);
    EXPECT_EQ(reassembler.bytes_held(), 0u);
}

TEST_F(FragmentReassemblerTest, DecodedDatagramIsTheSegment) {
    DecodedPacket packet;
    for (const Layer& fragment : v6_fragments()) {
        decode_frame(LinkType::raw, fragment.bytes.data(), static_cast<uint32_t>(fragment.bytes.size()), 0,
                     packet);
        if (const Datagram* datagram = reassembler.add(packet, 0)) decode_datagram(*datagram, packet);
    }
    ASSERT_EQ(packet.kind, Kind::tcp);
    EXPECT_EQ(packet.seq, 7u);
    EXPECT_EQ(packet.ttl, 9);
    EXPECT_EQ(format_endpoint(packet.destination, packet.destination_port), "[2001:db8::2]:3260");
    EXPECT_EQ(ByteVector(packet.payload, packet.payload + packet.payload_captured), payload);
    EXPECT_EQ(packet.payload_length, payload.size());
}

// The fragments of a tunnel packet hold a fragment: each goes back in while it points into the answer before.
TEST_F(FragmentReassemblerTest, FragmentsWithinFragments) {
    std::vector<Layer> packets;
    uint16_t id = 0;
    for (const Layer& inner : ipv6_fragments({}, 5, segment(), 400)) {
        for (const Layer& outer : ipv4_fragments({.id = ++id}, gre({}, inner), 104)) packets.push_back(outer);
    }
    DecodedPacket packet;
    for (const Layer& frame : packets) {
        decode_frame(LinkType::raw, frame.bytes.data(), static_cast<uint32_t>(frame.bytes.size()), 0, packet);
        while (packet.kind == Kind::ip_fragment) {
            const Datagram* const datagram = reassembler.add(packet, 0);
            if (datagram == nullptr) break;
            decode_datagram(*datagram, packet);
        }
    }
    ASSERT_EQ(packet.kind, Kind::tcp);
    EXPECT_EQ(ByteVector(packet.payload, packet.payload + packet.payload_captured), payload);
    EXPECT_EQ(reassembler.datagrams_in_flight(), 0u);
}

TEST_F(FragmentReassemblerTest, MissingFragmentGivesNothing) {
    for (size_t missing = 0; missing < 4; ++missing) {
        const auto fragments = v4_fragments(static_cast<uint16_t>(missing));
        for (size_t i = 0; i < fragments.size(); ++i) {
            if (i != missing) {
                EXPECT_FALSE(add(fragments[i]));
            }
        }
    }
    EXPECT_EQ(reassembler.datagrams_in_flight(), 4u);
}

TEST_F(FragmentReassemblerTest, DatagramsAreToldApartByIdAddressAndProtocol) {
    const Layer tcp_segment = segment();
    Layer other_protocol = segment();
    other_protocol.ip_protocol = ip_protocol_udp;
    const auto a = ipv4_fragments({.id = 1}, tcp_segment, 520);
    const std::vector<std::vector<Layer>> others{
        ipv4_fragments({.id = 2}, tcp_segment, 520),
        ipv4_fragments({.source = "10.0.0.9", .id = 1}, tcp_segment, 520),
        ipv4_fragments({.destination = "10.0.0.9", .id = 1}, tcp_segment, 520),
        ipv4_fragments({.source = "10.0.0.2", .destination = "10.0.0.1", .id = 1}, tcp_segment, 520),
        ipv4_fragments({.id = 1}, other_protocol, 520),
    };
    EXPECT_FALSE(add(a[0]));
    for (const auto& other : others) EXPECT_FALSE(add(other[1]));
    EXPECT_TRUE(add(a[1]));
    for (const auto& other : others) EXPECT_TRUE(add(other[0]));
}

// RFC 8200 §4.5: only the first fragment's next header counts.
TEST_F(FragmentReassemblerTest, Ipv6NextHeaderIsTheFirstFragments) {
    Layer second_half = segment();
    second_half.bytes.erase(second_half.bytes.begin(), second_half.bytes.begin() + 512);
    second_half.ip_protocol = 59;
    EXPECT_FALSE(add(ipv6({}, ipv6_fragment(1, 512, false, second_half))));
    const auto datagram = add(v6_piece(segment().bytes, 0, 512, true));
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->header.protocol, ip_protocol_tcp);
}

TEST_F(FragmentReassemblerTest, CongestionExperiencedByOneFragmentCounts) {
    const ByteVector bytes = segment().bytes;
    Layer marked = v4_piece(bytes, 512, bytes.size(), false);
    marked.bytes[1] = 3;
    Layer first = v4_piece(bytes, 0, 512, true);
    first.bytes[1] = 2;
    EXPECT_FALSE(add(first));
    EXPECT_EQ(add(marked)->header.ecn, 3);
}

// --- Repeated, overlapping, contradictory
// --------------------------------------------------------------------------

TEST_F(FragmentReassemblerTest, RepeatedFragmentsAreIgnored) {
    for (const auto& fragments : {v4_fragments(), v6_fragments()}) {
        EXPECT_FALSE(add(fragments[0]));
        EXPECT_FALSE(add(fragments[0]));
        EXPECT_FALSE(add(fragments[3]));
        EXPECT_FALSE(add(fragments[3]));
        EXPECT_FALSE(add(fragments[1]));
        EXPECT_EQ(add(fragments[2])->bytes, segment().bytes);
    }
    EXPECT_EQ(reassembler.counters().fragments_duplicate, 4u);
}

TEST_F(FragmentReassemblerTest, CopiesOfAMirrorPortLeaveNothingBehind) {
    const auto fragments = v4_fragments();
    for (const Layer& fragment : fragments) {
        const bool last = &fragment == &fragments.back();
        EXPECT_EQ(add(fragment).has_value(), last);
        EXPECT_FALSE(add(fragment, 5000));
    }
    EXPECT_EQ(reassembler.datagrams_in_flight(), 0u);
    EXPECT_EQ(reassembler.counters().fragments_duplicate, fragments.size());
}

TEST_F(FragmentReassemblerTest, IdentificationMayComeAgain) {
    const auto fragments = v4_fragments();
    for (int64_t time_ns : {int64_t{0}, second / 10, second}) {
        EXPECT_FALSE(add(fragments[0], time_ns));
        EXPECT_FALSE(add(fragments[1], time_ns));
        EXPECT_FALSE(add(fragments[2], time_ns));
        EXPECT_TRUE(add(fragments[3], time_ns));
    }
}

TEST_F(FragmentReassemblerTest, FirstBytesWinInIpv4) {
    const ByteVector a(64, 'a');
    const ByteVector b(64, 'b');
    // Over the end, over the begin, within, and around what is there.
    EXPECT_FALSE(add(v4_piece(a, 16, 24, true)));
    EXPECT_FALSE(add(v4_piece(b, 8, 24, true)));
    EXPECT_FALSE(add(v4_piece(b, 16, 32, true)));
    EXPECT_FALSE(add(v4_piece(a, 8, 32, true)));
    EXPECT_FALSE(add(v4_piece(a, 40, 48, true)));
    EXPECT_FALSE(add(v4_piece(b, 32, 64, false)));
    const auto datagram = add(v4_piece(a, 0, 56, true));
    ASSERT_TRUE(datagram);
    const std::string text(datagram->bytes.begin(), datagram->bytes.end());
    EXPECT_EQ(text,
              "aaaaaaaa"
              "bbbbbbbb"
              "aaaaaaaa"
              "bbbbbbbb"
              "bbbbbbbb"
              "aaaaaaaa"
              "bbbbbbbbbbbbbbbb");
    EXPECT_EQ(reassembler.counters().fragments_duplicate, 1u);
}

// The teardrop attack: the second fragment lies within the first.
TEST_F(FragmentReassemblerTest, Teardrop) {
    const ByteVector a(64, 'a');
    EXPECT_FALSE(add(v4_piece(a, 0, 40, true)));
    EXPECT_FALSE(add(v4_piece(a, 24, 28, false)));  // says that the datagram ends at 28
    EXPECT_EQ(reassembler.counters().datagrams_discarded, 1u);
    EXPECT_FALSE(add(v6_piece(a, 0, 40, true)));
    EXPECT_FALSE(add(v6_piece(a, 24, 28, false)));
    EXPECT_EQ(reassembler.counters().datagrams_discarded, 2u);
}

TEST_F(FragmentReassemblerTest, OverlapDiscardsAnIpv6Datagram) {
    const ByteVector a(64, 'a');
    for (const auto& [begin, end] : {std::pair<size_t, size_t>{8, 24}, {24, 40}, {24, 24 + 8}, {8, 48}}) {
        EXPECT_FALSE(add(v6_piece(a, 16, 32, true)));
        const uint64_t before = reassembler.counters().datagrams_discarded;
        EXPECT_FALSE(add(v6_piece(a, begin, end, true)));
        EXPECT_EQ(reassembler.counters().datagrams_discarded, before + 1);
        EXPECT_EQ(reassembler.datagrams_in_flight(), 0u);
    }
}

TEST_F(FragmentReassemblerTest, OtherEndMakesAnIpv4DatagramBeginAnew) {
    const ByteVector a(64, 'a');
    const ByteVector b(64, 'b');
    EXPECT_FALSE(add(v4_piece(a, 32, 64, false)));
    EXPECT_FALSE(add(v4_piece(b, 16, 48, false)));
    const auto datagram = add(v4_piece(b, 0, 16, true));
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->bytes, ByteVector(48, 'b'));
    EXPECT_EQ(reassembler.counters().datagrams_discarded, 1u);
}

TEST_F(FragmentReassemblerTest, MalformedFragmentsAreIgnored) {
    const ByteVector a(65536, 'a');
    EXPECT_FALSE(add(v4_piece(a, 0, 0, true)));           // no bytes
    EXPECT_FALSE(add(v4_piece(a, 0, 20, true)));          // not of a multiple of 8
    EXPECT_FALSE(add(v4_piece(a, 65528, 65536, false)));  // beyond 64 KiB: the ping of death
    EXPECT_FALSE(add(v6_piece(a, 65528, 65536, false)));
    EXPECT_EQ(reassembler.counters().fragments_malformed, 4u);
    EXPECT_EQ(reassembler.datagrams_in_flight(), 0u);
}

TEST_F(FragmentReassemblerTest, LargestDatagram) {
    const ByteVector a = pattern(65535);
    EXPECT_FALSE(add(v4_piece(a, 65528, 65535, false)));
    EXPECT_FALSE(add(v4_piece(a, 32768, 65528, true)));
    EXPECT_EQ(add(v4_piece(a, 0, 32768, true))->bytes, a);
}

// --- Cut by the snap length
// ----------------------------------------------------------------------------------------

TEST_F(FragmentReassemblerTest, CapturedBytesEndAtTheFirstCut) {
    const ByteVector whole = segment().bytes;
    for (size_t cut_fragment = 0; cut_fragment < 4; ++cut_fragment) {
        for (const bool backwards : {false, true}) {
            auto fragments = v4_fragments(static_cast<uint16_t>(2 * cut_fragment + backwards));
            std::vector<size_t> order{0, 1, 2, 3};
            if (backwards) std::ranges::reverse(order);
            std::optional<Kept> datagram;
            for (const size_t i : order)
                datagram = add(fragments[i], 0, i == cut_fragment ? 20 + 100 : SIZE_MAX);
            ASSERT_TRUE(datagram);
            EXPECT_EQ(
                datagram->bytes,
                ByteVector(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(256 * cut_fragment + 100)));
            EXPECT_EQ(datagram->header.wire_length, whole.size());
        }
    }
}

TEST_F(FragmentReassemblerTest, FragmentsOfWhichNoByteWasCaptured) {
    const auto fragments = v4_fragments();
    for (size_t i = 0; i < 3; ++i) EXPECT_FALSE(add(fragments[i], 0, 20));
    const auto datagram = add(fragments[3], 0, 20);
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->header.captured_length, 0u);
    DecodedPacket packet;
    decode_datagram(datagram->header, packet);
    EXPECT_EQ(packet.kind, Kind::truncated);
}

// --- Time and memory
// -----------------------------------------------------------------------------------------------

TEST_F(FragmentReassemblerTest, DatagramTimesOut) {
    const auto v4 = v4_fragments();
    const auto v6 = v6_fragments();
    EXPECT_FALSE(add(v6[0], 0));
    EXPECT_FALSE(add(v4[0], 0));
    EXPECT_EQ(reassembler.datagrams_in_flight(), 2u);
    for (size_t i = 1; i < 4; ++i)
        EXPECT_FALSE(add(v4[i], 16 * second));  // behind IPv6 in the list, yet stale
    EXPECT_EQ(reassembler.counters().datagrams_timed_out, 1u);
    EXPECT_TRUE(add(v4[0], 17 * second));
    EXPECT_FALSE(add(v6[1], 59 * second));
    EXPECT_FALSE(add(v6[2], 61 * second));
    EXPECT_FALSE(add(v6[3], 61 * second));
    EXPECT_EQ(reassembler.counters().datagrams_timed_out, 2u);
}

TEST_F(FragmentReassemblerTest, TimesMayLieAnywhere) {
    const auto fragments = v4_fragments();
    EXPECT_FALSE(add(fragments[0], INT64_MAX));
    EXPECT_FALSE(add(fragments[1], INT64_MIN));
    EXPECT_FALSE(add(fragments[2], 0));
    add(fragments[3], -1);
    add(fragments[0], INT64_MIN);
    EXPECT_EQ(reassembler.counters().fragments, 5u);
}

TEST(FragmentReassemblerLimits, OldestDatagramIsGivenUp) {
    FragmentReassembler reassembler({.datagrams = 3});
    const auto add = [&](uint16_t id, size_t fragment) {
        const Layer frame = v4_fragments(id)[fragment];
        DecodedPacket packet;
        decode_frame(LinkType::raw, frame.bytes.data(), static_cast<uint32_t>(frame.bytes.size()), 0, packet);
        return reassembler.add(packet, 0) != nullptr;
    };
    for (uint16_t id = 1; id <= 4; ++id) {
        for (size_t fragment = 0; fragment < 3; ++fragment) EXPECT_FALSE(add(id, fragment));
    }
    EXPECT_EQ(reassembler.datagrams_in_flight(), 3u);
    EXPECT_EQ(reassembler.counters().datagrams_evicted, 1u);
    EXPECT_TRUE(add(2, 3));
    EXPECT_TRUE(add(3, 3));
    EXPECT_TRUE(add(4, 3));
    EXPECT_FALSE(add(1, 3));
}

TEST(FragmentReassemblerLimits, MemoryStaysBelowTheLimit) {
    FragmentReassembler reassembler({.bytes = 1u << 20});
    for (uint32_t id = 0; id < 2000; ++id) {
        // One byte at the end of a datagram claims all the memory of a whole one.
        const Layer frame = ipv6({}, ipv6_fragment(id, 65528, false, {.bytes = {1}}));
        DecodedPacket packet;
        decode_frame(LinkType::raw, frame.bytes.data(), static_cast<uint32_t>(frame.bytes.size()), 0, packet);
        EXPECT_EQ(reassembler.add(packet, 0), nullptr);
        EXPECT_LE(reassembler.bytes_held(), size_t{1} << 20);
    }
    EXPECT_GT(reassembler.counters().datagrams_evicted, 1900u);
}

TEST(FragmentReassemblerLimits, OneDatagramBeyondTheLimitIsGivenUpToo) {
    FragmentReassembler reassembler({.bytes = 1000});
    const Layer frame = v4_fragments()[3];
    DecodedPacket packet;
    decode_frame(LinkType::raw, frame.bytes.data(), static_cast<uint32_t>(frame.bytes.size()), 0, packet);
    EXPECT_EQ(reassembler.add(packet, 0), nullptr);
    EXPECT_EQ(reassembler.datagrams_in_flight(), 0u);
    EXPECT_EQ(reassembler.bytes_held(), 0u);
}

}  // namespace
}  // namespace sanscope
