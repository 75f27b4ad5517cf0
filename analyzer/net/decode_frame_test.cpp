// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/net/decode_frame.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {

// How a failing expectation names the kind.
static void PrintTo(DecodedPacket::Kind kind, std::ostream* to) {
    static const char* const names[] = {"tcp",   "ip_fragment", "icmp",      "arp",
                                        "other", "truncated",   "malformed", "passed_over"};
    *to << names[static_cast<size_t>(kind)];
}

namespace {

using namespace frames;  // NOLINT(google-build-using-namespace): the tests are written in its words
using Kind = DecodedPacket::Kind;

// Decodes from a heap block of exactly the captured size, so that the sanitizer sees a read beyond it. The
// pointers of the answer are replaced by a copy of what they pointed at.
struct Decoded : DecodedPacket {
    ByteVector payload_bytes;
    ByteVector option_bytes;
};

Decoded decode(LinkType link_type, const ByteVector& frame, size_t captured, size_t wire) {
    const auto exact = std::make_unique<uint8_t[]>(captured);
    std::copy_n(frame.begin(), captured, exact.get());
    Decoded decoded;
    decode_frame(link_type, exact.get(), static_cast<uint32_t>(captured), static_cast<uint32_t>(wire),
                 decoded);
    if (decoded.payload_captured != 0) {
        EXPECT_GE(decoded.payload, exact.get());
        EXPECT_LE(decoded.payload + decoded.payload_captured, exact.get() + captured);
        decoded.payload_bytes.assign(decoded.payload, decoded.payload + decoded.payload_captured);
    }
    if (decoded.options_length != 0) {
        EXPECT_LE(decoded.options + decoded.options_length, exact.get() + captured);
        decoded.option_bytes.assign(decoded.options, decoded.options + decoded.options_length);
    }
    decoded.payload = decoded.options = nullptr;
    return decoded;
}

Decoded decode(const Layer& frame, LinkType link_type = LinkType::ethernet) {
    return decode(link_type, frame.bytes, frame.bytes.size(), frame.bytes.size());
}

const Tcp some_tcp{.source_port = 3260,
                   .destination_port = 40001,
                   .seq = 0xfedcba98,
                   .ack = 0x12345678,
                   .flags = tcp_ack | tcp_psh | tcp_ae,
                   .window = 513,
                   .options = {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8}};
const ByteVector some_payload = pattern(50);

Layer segment() {
    return tcp(some_tcp, some_payload);
}
Layer segment_in_ipv4() {
    return ipv4({.id = 77, .ttl = 33, .ecn = 2}, segment());
}
Layer segment_in_ipv6() {
    return ipv6({.hop_limit = 33, .ecn = 2}, segment());
}

void expect_segment(const Decoded& decoded) {
    ASSERT_EQ(decoded.kind, Kind::tcp);
    EXPECT_EQ(decoded.source_port, 3260);
    EXPECT_EQ(decoded.destination_port, 40001);
    EXPECT_EQ(decoded.seq, 0xfedcba98u);
    EXPECT_EQ(decoded.ack, 0x12345678u);
    EXPECT_EQ(decoded.flags, tcp_ack | tcp_psh | tcp_ae);
    EXPECT_EQ(decoded.window, 513);
    EXPECT_EQ(decoded.ttl, 33);
    EXPECT_EQ(decoded.ecn, 2);
    EXPECT_EQ(decoded.option_bytes, some_tcp.options);
    EXPECT_EQ(decoded.payload_bytes, some_payload);
    EXPECT_EQ(decoded.payload_length, some_payload.size());
    const bool v4 = decoded.source.is_v4();
    EXPECT_EQ(format(decoded.source), v4 ? "10.0.0.1" : "2001:db8::1");
    EXPECT_EQ(format(decoded.destination), v4 ? "10.0.0.2" : "2001:db8::2");
    EXPECT_EQ(decoded.ip_id, v4 ? 77 : 0);
}

void expect_passed_over(const Decoded& decoded, Encapsulation in, uint16_t number = 0) {
    EXPECT_EQ(decoded.kind, Kind::passed_over);
    EXPECT_EQ(decoded.passed_over, in);
    EXPECT_EQ(decoded.passed_over_number, number);
}

// --- Every encapsulation, whole and cut
// ----------------------------------------------------------------------------

struct Wrapping {
    std::string name;
    LinkType link_type;
    std::function<Layer(const Layer& ip)> wrap;
};

void PrintTo(const Wrapping& encapsulation, std::ostream* to) {
    *to << encapsulation.name;
}

Layer outer_ipv4(const Layer& inside) {
    return ipv4({.source = "192.0.2.1", .destination = "192.0.2.2", .id = 5, .ttl = 9}, inside);
}
Layer outer_ipv6(const Layer& inside) {
    return ipv6({.source = "2001:db8:1::1", .destination = "2001:db8:1::2", .hop_limit = 9}, inside);
}

// Puts an Ethernet frame below MPLS labels, with or without the pseudowire control word.
Layer pseudowire(const Layer& frame, bool control_word) {
    return mpls({16, 17},
                with_bytes(frame, control_word ? ByteVector{0, 0, 0, 1} : ByteVector{}) + frame.bytes);
}

const std::vector<Wrapping> encapsulations{
    {"Ethernet", LinkType::ethernet, [](const Layer& ip) { return ethernet(ip); }},
    {"LlcSnap", LinkType::ethernet, [](const Layer& ip) { return llc_snap(ip); }},
    {"Vlan", LinkType::ethernet, [](const Layer& ip) { return ethernet(vlan(100, ip)); }},
    {"QinQ", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(vlan(7, vlan(100, ip), ether_type_service_vlan)); }},
    {"FourOldTags", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(vlan(1, vlan(2, vlan(3, vlan(4, ip), ether_type_vlan_9100), ether_type_vlan_9200),
                              ether_type_vlan_9100));
     }},
    {"VlanLlcSnap", LinkType::ethernet,
     [](const Layer& ip) {
         Layer inside = llc_snap(ip);
         inside.ether_type = static_cast<uint16_t>(inside.bytes[12] << 8 | inside.bytes[13]);
         inside.bytes.erase(inside.bytes.begin(), inside.bytes.begin() + 14);
         return ethernet(vlan(100, inside));
     }},
    {"Mpls", LinkType::ethernet, [](const Layer& ip) { return ethernet(mpls({16}, ip)); }},
    {"MplsStackBelowVlan", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(vlan(3, mpls({16, 17, 18, 19}, ip)));
     }},
    {"Pseudowire", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(pseudowire(ethernet(ip), false)); }},
    {"PseudowireWithControlWord", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(pseudowire(ethernet(vlan(5, ip)), true)); }},
    {"Pppoe", LinkType::ethernet, [](const Layer& ip) { return ethernet(pppoe(ip)); }},
    {"PppoeBelowQinQ", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(vlan(7, vlan(100, pppoe(ip)), ether_type_service_vlan)); }},
    {"LinuxCooked", LinkType::linux_sll, [](const Layer& ip) { return linux_cooked(ip); }},
    {"LinuxCookedVlan", LinkType::linux_sll, [](const Layer& ip) { return linux_cooked(vlan(100, ip)); }},
    {"LinuxCooked2", LinkType::linux_sll2, [](const Layer& ip) { return linux_cooked_2(ip); }},
    {"Raw", LinkType::raw, [](const Layer& ip) { return ip; }},
    {"RawBsd", LinkType::raw_bsd, [](const Layer& ip) { return ip; }},
    {"RawOpenBsd", LinkType::raw_openbsd, [](const Layer& ip) { return ip; }},
    {"IpInIpv4", LinkType::ethernet, [](const Layer& ip) { return ethernet(outer_ipv4(ip)); }},
    {"IpInIpv6", LinkType::ethernet, [](const Layer& ip) { return ethernet(outer_ipv6(ip)); }},
    {"AuthenticationHeader", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(authentication_header(ip))); }},
    {"Gre", LinkType::ethernet, [](const Layer& ip) { return ethernet(outer_ipv4(gre({}, ip))); }},
    {"GreWithEveryField", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(outer_ipv6(gre({.checksum = true,
                                         .key = 0x1234,
                                         .sequence_number = 9,
                                         .routing = {8, 0, 0, 4, 10, 0, 0, 9, 0, 0, 0, 0}},
                                        ip)));
     }},
    {"Nvgre", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(gre({.key = 0x123400}, ethernet(vlan(8, ip))))); }},
    {"MplsInGre", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(gre({}, mpls({16}, ip)))); }},
    {"MplsInIp", LinkType::ethernet, [](const Layer& ip) { return ethernet(outer_ipv4(mpls({16}, ip))); }},
    {"MplsInUdp", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(udp({.destination_port = 6635}, mpls({16}, ip)))); }},
    {"Erspan1", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(outer_ipv4(gre({.protocol = uint16_t{ether_type_erspan}}, ethernet(ip))));
     }},
    {"Erspan2", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(outer_ipv4(gre({.sequence_number = 1}, erspan_2(ethernet(vlan(9, ip))))));
     }},
    {"Erspan3", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(outer_ipv4(gre({.sequence_number = 1}, erspan_3(ethernet(ip), false))));
     }},
    {"Erspan3WithSubheader", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(outer_ipv4(gre({.sequence_number = 1}, erspan_3(ethernet(ip), true))));
     }},
    {"Vxlan", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(vxlan(42, ethernet(ip)))); }},
    {"VxlanOnLinuxPort", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv6(vxlan(42, ethernet(ip), 8472))); }},
    {"VxlanGpeIp", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(outer_ipv4(vxlan_gpe(ip.ether_type == ether_type_ipv4 ? 1 : 2, ip)));
     }},
    {"VxlanGpeEthernet", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(vxlan_gpe(3, ethernet(ip)))); }},
    {"GeneveIp", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(geneve(42, {}, ip))); }},
    {"GeneveEthernetWithOptions", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(outer_ipv4(geneve(42, {0, 1, 0x80, 1, 1, 2, 3, 4}, ethernet(ip))));
     }},
    {"VxlanInGreInIpv6InVlan", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(vlan(4, outer_ipv6(gre({.key = 1}, outer_ipv4(vxlan(42, ethernet(ip)))))));
     }},
    {"VnTag", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(tag(ether_type_vn_tag, {0, 1, 0, 2}, vlan(9, ip)));
     }},
    {"ETag", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(tag(ether_type_e_tag, {0, 1, 0, 2, 0, 0}, ip));
     }},
    {"Hsr", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(tag(ether_type_hsr, {0, 90, 0, 2}, ip));
     }},
    {"CiscoMetadata", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(vlan(9, tag(ether_type_cisco_metadata, {1, 1, 0, 1, 0, 42}, ip)));
     }},
    {"MacsecInTheClear", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(tag(ether_type_macsec, {0x20, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0, 1}, ip));
     }},
    {"BackboneService", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(vlan(7, frame_tag(ether_type_backbone_service, {0, 0, 0, 9}, ethernet(ip)),
                              ether_type_service_vlan));
     }},
    {"FabricPath", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(frame_tag(ether_type_fabric_path, {0, 0x60}, ethernet(vlan(5, ip))));
     }},
    {"Trill", LinkType::ethernet,
     [](const Layer& ip) {
         return ethernet(
             frame_tag(ether_type_trill, {0, 0x5f, 0, 1, 0, 2, 0, 0, 0, 0}, ethernet(vlan(5, ip))));
     }},
    {"NshInVxlanGpe", LinkType::ethernet,
     [](const Layer& ip) {
         const uint8_t next = ip.ether_type == ether_type_ipv4 ? 1 : 2;
         return ethernet(
             outer_ipv4(vxlan_gpe(4, with_bytes(ip, ByteVector{0, 2, 2, next, 0, 0, 1, 255}) + ip.bytes)));
     }},
    {"EtherIp", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(ether_ip(ethernet(ip)))); }},
    {"GtpU", LinkType::ethernet, [](const Layer& ip) { return ethernet(outer_ipv4(gtp_u(ip, false))); }},
    {"GtpUWithExtension", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv6(gtp_u(ip, true))); }},
    {"GreInUdp", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(gre_in_udp(gre({.key = 7}, ip)))); }},
    {"L2tp", LinkType::ethernet, [](const Layer& ip) { return ethernet(outer_ipv4(l2tp(ip, false))); }},
    {"L2tpWithEveryField", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(l2tp(ip, true))); }},
    {"PppInGre", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(gre({}, ppp(ip, true)))); }},
    {"Pptp", LinkType::ethernet,
     [](const Layer& ip) { return ethernet(outer_ipv4(pptp(ppp(ip, true, true)))); }},
    {"Ppp", LinkType::ppp, [](const Layer& ip) { return ppp(ip, false); }},
    {"PppShort", LinkType::ppp, [](const Layer& ip) { return ppp(ip, true, true); }},
    {"PppHdlc", LinkType::ppp_hdlc, [](const Layer& ip) { return ppp(ip, true); }},
    {"CiscoHdlcAsPpp", LinkType::ppp_hdlc, [](const Layer& ip) { return cisco_hdlc(ip); }},
    {"CiscoHdlc", LinkType::cisco_hdlc, [](const Layer& ip) { return cisco_hdlc(mpls({16}, ip)); }},
    {"PppWithDirection", LinkType::ppp_with_direction,
     [](const Layer& ip) { return with_bytes(ip, {1}) + ppp(ip, true).bytes; }},
    {"PppEther", LinkType::ppp_ether, [](const Layer& ip) { return pppoe(ip); }},
    {"Ppi", LinkType::ppi, [](const Layer& ip) { return ppi(1, ethernet(ip)); }},
    {"Fddi", LinkType::fddi, [](const Layer& ip) { return fddi(vlan(4, ip)); }},
};

class EachEncapsulation : public ::testing::TestWithParam<Wrapping> {
  protected:
    Layer frame_of(const Layer& ip) const { return GetParam().wrap(ip); }
    LinkType link_type() const { return GetParam().link_type; }
};

TEST_P(EachEncapsulation, FindsTheSegmentInIpv4) {
    expect_segment(decode(frame_of(segment_in_ipv4()), link_type()));
}

TEST_P(EachEncapsulation, FindsTheSegmentInIpv6) {
    expect_segment(decode(frame_of(segment_in_ipv6()), link_type()));
}

// Up to the end of the fixed TCP header nothing is known; from there on all but the bytes cut off.
TEST_P(EachEncapsulation, CutByTheSnapLengthAnywhere) {
    for (const Layer& ip : {segment_in_ipv4(), segment_in_ipv6()}) {
        const ByteVector frame = frame_of(ip).bytes;
        const size_t payload_at = frame.size() - some_payload.size();
        const size_t options_at = payload_at - some_tcp.options.size();
        for (size_t captured = 0; captured <= frame.size(); ++captured) {
            SCOPED_TRACE(captured);
            const Decoded decoded = decode(link_type(), frame, captured, frame.size());
            if (captured < options_at) {
                EXPECT_EQ(decoded.kind, Kind::truncated);
                continue;
            }
            ASSERT_EQ(decoded.kind, Kind::tcp);
            EXPECT_EQ(decoded.seq, some_tcp.seq);
            EXPECT_EQ(decoded.options_length, std::min(captured, payload_at) - options_at);
            EXPECT_EQ(decoded.options_cut, captured < payload_at);
            EXPECT_EQ(decoded.payload_captured, captured - std::min(captured, payload_at));
            EXPECT_EQ(decoded.payload_length, some_payload.size());
        }
    }
}

// The IP length says more than the frame had: the payload ends with the frame.
TEST_P(EachEncapsulation, FrameShorterThanItsHeadersSay) {
    for (const Layer& ip : {segment_in_ipv4(), segment_in_ipv6()}) {
        const ByteVector frame = frame_of(ip).bytes;
        const size_t payload_at = frame.size() - some_payload.size();
        for (size_t length = 0; length <= frame.size(); ++length) {
            SCOPED_TRACE(length);
            const Decoded decoded = decode(link_type(), frame, length, length);
            if (length < payload_at) {
                // Too short to tell what lies below the labels.
                const bool below_labels = decoded.passed_over == Encapsulation::mpls;
                EXPECT_TRUE(decoded.kind == Kind::malformed || decoded.kind == Kind::other || below_labels);
                continue;
            }
            ASSERT_EQ(decoded.kind, Kind::tcp);
            EXPECT_EQ(decoded.payload_captured, length - payload_at);
            EXPECT_EQ(decoded.payload_length, length - payload_at);
        }
    }
}

TEST_P(EachEncapsulation, TrailerBehindTheIpLengthIsNoPayload) {
    expect_segment(decode(frame_of(segment_in_ipv4()) + ByteVector(12, 0xee), link_type()));
    expect_segment(decode(frame_of(segment_in_ipv6()) + ByteVector(12, 0xee), link_type()));
}

// --- What a capturing system puts in front of packets
// ----------------------------------------------------------------------------------------------------

TEST(DecodeFrame, TellsTheVlansOfAllTags) {
    const Layer ip = segment_in_ipv4();
    EXPECT_EQ(decode(ethernet(ip), LinkType::ethernet).vlan, 0u);
    EXPECT_EQ(decode(ethernet(vlan(0, ip)), LinkType::ethernet).vlan, 0u) << "priority alone";
    EXPECT_EQ(decode(ethernet(vlan(100, ip)), LinkType::ethernet).vlan, 100u);
    EXPECT_EQ(decode(ethernet(vlan(7, vlan(100, ip), ether_type_service_vlan)), LinkType::ethernet).vlan,
              7u << 12 | 100u);
}

TEST(DecodeFrame, NflogInBothByteOrders) {
    for (const bool big_endian : {false, true}) {
        expect_segment(decode(nflog(big_endian, segment_in_ipv4()), LinkType::nflog));
        expect_segment(decode(nflog(big_endian, segment_in_ipv6()), LinkType::nflog));
    }
}

// nflog copies as many bytes as its group asks for; the length on the wire is the IP header's.
TEST(DecodeFrame, NflogThatCopiesAPartKnowsTheLength) {
    Layer ip = segment_in_ipv4();
    ip.bytes.resize(ip.bytes.size() - 30);
    const Decoded decoded = decode(nflog(false, ip), LinkType::nflog);
    ASSERT_EQ(decoded.kind, Kind::tcp);
    EXPECT_EQ(decoded.payload_captured, some_payload.size() - 30);
    EXPECT_EQ(decoded.payload_length, some_payload.size());
}

TEST(DecodeFrame, NflogCutAnywhereSaysSo) {
    const ByteVector frame = nflog(false, segment_in_ipv4()).bytes;
    const size_t header = frame.size() - some_payload.size() - some_tcp.options.size();
    for (size_t captured = 0; captured <= frame.size(); ++captured) {
        EXPECT_EQ(decode(LinkType::nflog, frame, captured, frame.size()).kind,
                  captured < header ? Kind::truncated : Kind::tcp)
            << captured;
    }
}

TEST(DecodeFrame, NflogOfEndlessAttributesEnds) {
    ByteVector frame{2, 0, 0, 5};
    for (int i = 0; i < 16000; ++i) frame.insert(frame.end(), {4, 0, 2, 0});
    EXPECT_EQ(decode(LinkType::nflog, frame, frame.size(), frame.size()).kind, Kind::other);
    frame.resize(4);
    frame.insert(frame.end(), {3, 0, 2, 0});
    EXPECT_EQ(decode(LinkType::nflog, frame, frame.size(), frame.size()).kind, Kind::malformed);
}

TEST(DecodeFrame, ErfOfEthernetAndOfIp) {
    expect_segment(decode(erf(2, 0, ethernet(segment_in_ipv4())), LinkType::erf));
    expect_segment(decode(erf(2, 3, ethernet(vlan(4, segment_in_ipv6()))), LinkType::erf));
    expect_segment(decode(erf(22, 1, segment_in_ipv4()), LinkType::erf));
    expect_passed_over(decode(erf(21, 0, segment_in_ipv4()), LinkType::erf), Encapsulation::erf);
}

TEST(DecodeFrame, PpiOfAnUndecodedLinkType) {
    expect_passed_over(decode(ppi(105, segment_in_ipv4()), LinkType::ppi), Encapsulation::link_type, 105);
    EXPECT_EQ(decode(LinkType::ppi, {0, 0, 4, 0, 1, 0, 0, 0}, 8, 8).kind, Kind::malformed);
}

TEST(DecodeFrame, NetlinkOfThePacketFilterIsPassedOver) {
    ByteVector frame{0, 4, 3, 56, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12};
    expect_passed_over(decode(LinkType::netlink, frame, 16, 16), Encapsulation::netlink);
    frame.back() = 0;  // NETLINK_ROUTE
    EXPECT_EQ(decode(LinkType::netlink, frame, 16, 16).kind, Kind::other);
}

// --- What is recognised and not followed
// ----------------------------------------------------------------------------------------------------

Layer of_protocol(uint8_t protocol, const ByteVector& bytes) {
    return ethernet(ipv4({}, {.bytes = bytes, .ip_protocol = protocol}));
}
Layer of_ether_type(uint16_t ether_type, const ByteVector& bytes) {
    return ethernet({.bytes = bytes, .ether_type = ether_type});
}
Layer of_port(uint16_t port, const ByteVector& bytes) {
    return ethernet(ipv4({}, udp({.destination_port = port}, {.bytes = bytes})));
}

TEST(DecodeFrame, EncryptedAndCompressedIsPassedOver) {
    expect_passed_over(decode(of_protocol(50, ByteVector(60))), Encapsulation::esp);
    expect_passed_over(decode(of_protocol(108, ByteVector(60))), Encapsulation::ip_compression);
    expect_passed_over(decode(of_ether_type(0x88e5, {0x2c, 0, 0, 0, 0, 1, 9, 9})), Encapsulation::macsec);
    expect_passed_over(decode(of_port(4500, ByteVector(60, 7))), Encapsulation::esp_in_udp);
    EXPECT_EQ(decode(of_port(4500, ByteVector(60, 0))).kind, Kind::other);  // IKE
    EXPECT_EQ(decode(of_port(4500, {0xff})).kind, Kind::other);             // keepalive
    ByteVector data(80, 9);
    std::copy_n(ByteVector{4, 0, 0, 0}.begin(), 4, data.begin());
    expect_passed_over(decode(of_port(51820, data)), Encapsulation::wireguard);
    EXPECT_EQ(decode(of_port(51820, ByteVector(80, 9))).kind, Kind::other);
}

TEST(DecodeFrame, L2tpOfVersion3IsPassedOver) {
    expect_passed_over(decode(of_protocol(115, {0, 0, 0, 5, 1, 2, 3, 4})), Encapsulation::l2tp_v3);
    EXPECT_EQ(decode(of_protocol(115, {0, 0, 0, 0, 0xc8, 3, 0, 12})).kind, Kind::other);  // control
    expect_passed_over(decode(of_port(1701, {0, 3, 0, 0, 0, 0, 0, 5})), Encapsulation::l2tp_v3_in_udp);
}

TEST(DecodeFrame, PppThatIsCompressedOrBridgedIsPassedOver) {
    const auto ppp_of = [](uint8_t protocol) {
        return decode(LinkType::ppp, {0xff, 3, 0, protocol, 1, 2, 3, 4}, 8, 8);
    };
    expect_passed_over(ppp_of(0xfd), Encapsulation::ppp_encrypted);
    expect_passed_over(ppp_of(0x31), Encapsulation::ppp_bridging);
    expect_passed_over(ppp_of(0x3d), Encapsulation::ppp_multilink);
    EXPECT_EQ(decode(LinkType::ppp, {0xff, 3, 0xc0, 0x21, 1, 2, 3, 4}, 8, 8).kind, Kind::other);  // LCP
}

TEST(DecodeFrame, EtherTypesThatAreNotKnownArePassedOver) {
    expect_passed_over(decode(of_ether_type(0x8906, ByteVector(46))), Encapsulation::ether_type, 0x8906);
    for (const int ordinary : {0x88cc, 0x8809, 0x888e, 0x8863, 0x9000, 0x8035})
        EXPECT_EQ(decode(of_ether_type(static_cast<uint16_t>(ordinary), ByteVector(46))).kind, Kind::other)
            << ordinary;
}

TEST(DecodeFrame, Ieee80211InGreIsPassedOver) {
    const Layer inside = gre({.protocol = uint16_t{0x8200}}, {.bytes = ByteVector(60)});
    expect_passed_over(decode(ethernet(ipv4({}, inside))), Encapsulation::gre_802_11);
}

// Other programs may use the port: what is no such tunnel by its own header is left alone.
TEST(DecodeFrame, UdpOfATunnelsPortThatIsNoTunnelIsOther) {
    for (const int number : {2152, 1701, 4754, 4755, 5247, 37008, 3544, 4341, 51820}) {
        const auto port = static_cast<uint16_t>(number);
        EXPECT_EQ(decode(of_port(port, ByteVector(60, 0x77))).kind, Kind::other) << port;
        EXPECT_EQ(decode(of_port(port, {})).kind == Kind::tcp, false) << port;
    }
    Layer wrong_length = gtp_u(segment_in_ipv4(), false);
    wrong_length.bytes[8 + 3] ^= 1;
    EXPECT_EQ(decode(ethernet(ipv4({}, wrong_length))).kind, Kind::other);
    Layer echo = gtp_u(segment_in_ipv4(), false);
    echo.bytes[8 + 1] = 1;
    EXPECT_EQ(decode(ethernet(ipv4({}, echo))).kind, Kind::other);
    expect_passed_over(decode(ethernet(ipv4({}, gtp_u({.bytes = ByteVector(60, 0x11)}, false)))),
                       Encapsulation::gtp_u);
}

TEST(DecodeFrame, VxlanGpeOfAnUnknownNextProtocolIsPassedOver) {
    expect_passed_over(decode(ethernet(ipv4({}, vxlan_gpe(9, segment_in_ipv4())))), Encapsulation::vxlan_gpe);
}

TEST(DecodeFrame, GtpUOfEthernetFrames) {
    expect_segment(decode(ethernet(ipv4({}, gtp_u(ethernet(segment_in_ipv4()), true)))));
}

INSTANTIATE_TEST_SUITE_P(DecodeFrame, EachEncapsulation, ::testing::ValuesIn(encapsulations),
                         [](const auto& test) { return test.param.name; });

// --- Link types
// ----------------------------------------------------------------------------------------------------

TEST(DecodeFrame, LoopbackFamiliesInBothByteOrders) {
    for (const LinkType link_type : {LinkType::null, LinkType::loop}) {
        for (const bool big_endian : {false, true}) {
            expect_segment(decode(loopback(2, big_endian, segment_in_ipv4()), link_type));
            for (const uint32_t family : {10u, 24u, 28u, 30u}) {
                expect_segment(decode(loopback(family, big_endian, segment_in_ipv6()), link_type));
            }
        }
    }
    EXPECT_EQ(decode(loopback(7, false, segment_in_ipv4()), LinkType::null).kind, Kind::other);
}

TEST(DecodeFrame, LinkTypesOfOneIpVersion) {
    expect_segment(decode(segment_in_ipv4(), LinkType::ipv4));
    expect_segment(decode(segment_in_ipv6(), LinkType::ipv6));
    EXPECT_EQ(decode(segment_in_ipv6(), LinkType::ipv4).kind, Kind::malformed);
    EXPECT_EQ(decode(segment_in_ipv4(), LinkType::ipv6).kind, Kind::malformed);
}

TEST(DecodeFrame, RawOfNoIpVersionIsMalformed) {
    EXPECT_EQ(decode(LinkType::raw, ByteVector(40, 0x55), 40, 40).kind, Kind::malformed);
}

TEST(DecodeFrame, OtherLinkTypesArePassedOver) {
    expect_passed_over(decode(LinkType{127}, ethernet(segment_in_ipv4()).bytes, 60, 60),
                       Encapsulation::link_type, 127);
    expect_passed_over(decode(LinkType{127}, {}, 0, 0), Encapsulation::link_type, 127);
}

TEST(DecodeFrame, NetlinkInACookedHeaderIsNotIp) {
    Layer frame = linux_cooked(segment_in_ipv4());
    frame.bytes[2] = 824 >> 8;
    frame.bytes[3] = 824 & 0xff;
    EXPECT_EQ(decode(frame, LinkType::linux_sll).kind, Kind::other);
}

TEST(DecodeFrame, EthernetOfOtherProtocolsIsOther) {
    EXPECT_EQ(decode(ethernet({.bytes = ByteVector(46), .ether_type = 0x88cc})).kind, Kind::other);
    EXPECT_EQ(decode(ethernet({.bytes = ByteVector(46, 0x42), .ether_type = 38})).kind, Kind::other);
}

TEST(DecodeFrame, PaddingOfAShortFrameIsNoPayload) {
    const Layer frame = ethernet(ipv4({}, tcp({.flags = tcp_fin | tcp_ack}))) + ByteVector(6, 0xaa);
    ASSERT_EQ(frame.bytes.size(), 60u);
    const Decoded decoded = decode(frame);
    ASSERT_EQ(decoded.kind, Kind::tcp);
    EXPECT_EQ(decoded.payload_length, 0u);
    EXPECT_EQ(decoded.payload_captured, 0u);
}

// --- IPv4
// ----------------------------------------------------------------------------------------------------------

TEST(DecodeFrame, Ipv4OptionsArePassed) {
    for (size_t length = 4; length <= 40; length += 4) {
        expect_segment(decode(
            ethernet(ipv4({.id = 77, .ttl = 33, .ecn = 2, .options = ByteVector(length, 1)}, segment()))));
    }
}

TEST(DecodeFrame, Ipv4HeaderLengthBelow20IsMalformed) {
    Layer frame = ethernet(segment_in_ipv4());
    frame.bytes[14] = 0x44;
    EXPECT_EQ(decode(frame).kind, Kind::malformed);
}

TEST(DecodeFrame, Ipv4TotalLengthWithinTheHeaderIsMalformed) {
    EXPECT_EQ(decode(ethernet(ipv4({.total_length = uint16_t{19}}, segment()))).kind, Kind::malformed);
}

TEST(DecodeFrame, Ipv4TotalLengthWithinTheTcpHeaderIsMalformed) {
    EXPECT_EQ(decode(ethernet(ipv4({.total_length = uint16_t{39}}, segment()))).kind, Kind::malformed);
    EXPECT_EQ(decode(ethernet(ipv4({.total_length = uint16_t{51}}, segment()))).kind, Kind::malformed);
    EXPECT_EQ(decode(ethernet(ipv4({.total_length = uint16_t{52}}, segment()))).kind, Kind::tcp);
}

TEST(DecodeFrame, TotalLengthZeroMeansAsLongAsTheFrame) {
    expect_segment(
        decode(ethernet(ipv4({.id = 77, .ttl = 33, .ecn = 2, .total_length = uint16_t{0}}, segment()))));
}

TEST(DecodeFrame, SuperPacketBeyond64KiBCutByTheSnapLength) {
    const ByteVector v4 = ethernet(ipv4({.total_length = uint16_t{0}}, segment())).bytes;
    const ByteVector v6 = ethernet(ipv6({.payload_length = uint16_t{0}}, segment())).bytes;
    const Decoded in_v4 = decode(LinkType::ethernet, v4, v4.size(), 14 + 20 + 32 + 180'000);
    const Decoded in_v6 = decode(LinkType::ethernet, v6, v6.size(), 14 + 40 + 32 + 180'000);
    for (const Decoded* decoded : {&in_v4, &in_v6}) {
        ASSERT_EQ(decoded->kind, Kind::tcp);
        EXPECT_EQ(decoded->payload_length, 180'000u);
        EXPECT_EQ(decoded->payload_bytes, some_payload);
    }
}

TEST(DecodeFrame, SuperPacketOf64KiB) {
    const ByteVector payload = pattern(65535 - 40);
    const Decoded decoded = decode(ethernet(ipv4({}, tcp({}, payload))));
    ASSERT_EQ(decoded.kind, Kind::tcp);
    EXPECT_EQ(decoded.payload_bytes, payload);
}

TEST(DecodeFrame, Ipv4FragmentsAreNotDecodedFurther) {
    const auto fragments = ipv4_fragments({.id = 9, .ttl = 33, .ecn = 1}, segment(), 40);
    ASSERT_EQ(fragments.size(), 3u);
    ByteVector bytes;
    for (const Layer& fragment : fragments) {
        const Decoded decoded = decode(ethernet(fragment) + ByteVector(20, 0xee));
        ASSERT_EQ(decoded.kind, Kind::ip_fragment);
        EXPECT_EQ(decoded.fragment.id, 9u);
        EXPECT_EQ(decoded.fragment.protocol, ip_protocol_tcp);
        EXPECT_EQ(decoded.fragment.offset, bytes.size());
        EXPECT_EQ(decoded.fragment.more, bytes.size() < 80);
        EXPECT_EQ(decoded.payload_length, decoded.payload_captured);
        EXPECT_EQ(decoded.ttl, 33);
        EXPECT_EQ(decoded.ecn, 1);
        EXPECT_EQ(decoded.source_port, 0);
        EXPECT_EQ(format(decoded.source), "10.0.0.1");
        bytes.insert(bytes.end(), decoded.payload_bytes.begin(), decoded.payload_bytes.end());
    }
    EXPECT_EQ(bytes, segment().bytes);
}

// --- IPv6
// ----------------------------------------------------------------------------------------------------------

TEST(DecodeFrame, Ipv6ExtensionHeadersArePassed) {
    for (const uint8_t type : {ip_protocol_hop_by_hop, ip_protocol_routing, ip_protocol_destination_options,
                               ip_protocol_mobility, ip_protocol_hip, ip_protocol_shim6}) {
        for (const size_t content : {size_t{6}, size_t{14}, size_t{1000}}) {
            expect_segment(decode(ethernet(
                ipv6({.hop_limit = 33, .ecn = 2}, ipv6_extension(type, ByteVector(content), segment())))));
        }
    }
    const Layer chain = ipv6_extension(
        ip_protocol_hop_by_hop, ByteVector(6),
        ipv6_extension(ip_protocol_destination_options, ByteVector(6),
                       ipv6_extension(ip_protocol_routing, ByteVector(6),
                                      ipv6_fragment(1, 0, false, authentication_header(segment())))));
    expect_segment(decode(ethernet(ipv6({.hop_limit = 33, .ecn = 2}, chain))));
}

TEST(DecodeFrame, Ipv6ExtensionChainCutAnywhereIsTruncated) {
    const ByteVector frame =
        ethernet(ipv6({}, ipv6_extension(ip_protocol_hop_by_hop, ByteVector(14),
                                         ipv6_fragment(1, 0, false, authentication_header(tcp({}))))))
            .bytes;
    for (size_t captured = 0; captured < frame.size(); ++captured) {
        EXPECT_EQ(decode(LinkType::ethernet, frame, captured, frame.size()).kind, Kind::truncated)
            << captured;
        EXPECT_EQ(decode(LinkType::ethernet, frame, captured, captured).kind, Kind::malformed) << captured;
    }
}

TEST(DecodeFrame, Ipv6ExtensionHeadersDoNotFollowIpv4) {
    const Layer inside = ipv6_extension(ip_protocol_hop_by_hop, ByteVector(6), segment());
    EXPECT_EQ(decode(ethernet(ipv4({}, inside))).kind, Kind::other);
    EXPECT_EQ(decode(ethernet(ipv4({}, ipv6_fragment(1, 0, true, segment())))).kind, Kind::other);
}

TEST(DecodeFrame, SegmentsLeftNameTheDestination) {
    ByteVector routing_header{2, 1, 0, 0, 0, 0};  // type 2, one segment left
    const ByteVector home = {0x20, 1, 0xd, 0xb8, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
    routing_header.insert(routing_header.end(), home.begin(), home.end());
    const auto destination = [&] {
        return format(
            decode(ethernet(ipv6({}, ipv6_extension(ip_protocol_routing, routing_header, segment()))))
                .destination);
    };
    EXPECT_EQ(destination(), "2001:db8:9::9");
    routing_header[0] = 4;
    EXPECT_EQ(destination(), "2001:db8:9::9");
    routing_header[1] = 0;  // arrived
    EXPECT_EQ(destination(), "2001:db8::2");
}

TEST(DecodeFrame, JumboPayloadOptionGivesTheLength) {
    const size_t jumbo_length = 8 + segment().bytes.size();
    ByteVector option{0xc2, 4, 0, 0, 0, static_cast<uint8_t>(jumbo_length)};
    const auto frame = [&](const ByteVector& content) {
        return ethernet(ipv6({.hop_limit = 33, .ecn = 2, .payload_length = uint16_t{0}},
                             ipv6_extension(ip_protocol_hop_by_hop, content, segment()))) +
               ByteVector(9, 0xee);
    };
    expect_segment(decode(frame(option)));
    option[5] = static_cast<uint8_t>(jumbo_length + 8);
    ByteVector behind_padding{0, 1, 0, 0, 0, 1, 0, 0};
    behind_padding.insert(behind_padding.end(), option.begin(), option.end());
    expect_segment(decode(frame(behind_padding)));

    option[5] = 27;  // within the TCP header
    EXPECT_EQ(decode(frame(option)).kind, Kind::malformed);
    option[2] = 0xff;  // beyond the frame
    EXPECT_EQ(decode(frame(option)).payload_length, some_payload.size() + 9);
    option[1] = 200;  // no option: the frame's length counts
    EXPECT_EQ(decode(frame(option)).payload_length, some_payload.size() + 9);
}

TEST(DecodeFrame, Ipv6FragmentsAreNotDecodedFurther) {
    const auto fragments = ipv6_fragments({}, 0xcafe0001, segment(), 40);
    ASSERT_EQ(fragments.size(), 3u);
    const Decoded decoded = decode(ethernet(fragments[1]));
    ASSERT_EQ(decoded.kind, Kind::ip_fragment);
    EXPECT_EQ(decoded.fragment.id, 0xcafe0001u);
    EXPECT_EQ(decoded.fragment.offset, 40);
    EXPECT_TRUE(decoded.fragment.more);
    EXPECT_EQ(decoded.fragment.protocol, ip_protocol_tcp);
    const ByteVector whole = segment().bytes;
    EXPECT_EQ(decoded.payload_bytes, ByteVector(whole.begin() + 40, whole.begin() + 80));
}

// --- TCP
// -----------------------------------------------------------------------------------------------------------

TEST(DecodeFrame, TcpDataOffsetOutsideTheSegmentIsMalformed) {
    for (uint8_t words = 0; words < 16; ++words) {
        const Decoded decoded = decode(ethernet(ipv4({}, tcp({.data_offset = words}, ByteVector(12)))));
        const bool possible = words >= 5 && words <= 8;
        EXPECT_EQ(decoded.kind, possible ? Kind::tcp : Kind::malformed) << int{words};
        if (possible) {
            EXPECT_EQ(decoded.payload_length, 32u - words * 4u);
        }
    }
}

TEST(DecodeFrame, NothingOfAnEarlierPacketStays) {
    DecodedPacket packet;
    const ByteVector fragment = ethernet(ipv4({.id = 3, .fragment_offset = 8}, segment())).bytes;
    decode_frame(LinkType::ethernet, fragment.data(), static_cast<uint32_t>(fragment.size()), 0, packet);
    ASSERT_EQ(packet.kind, Kind::ip_fragment);
    const ByteVector whole = ethernet(segment_in_ipv4()).bytes;
    decode_frame(LinkType::ethernet, whole.data(), static_cast<uint32_t>(whole.size()), 0, packet);
    ASSERT_EQ(packet.kind, Kind::tcp);
    EXPECT_EQ(packet.fragment.offset, 0);
    decode_frame(LinkType::ethernet, whole.data(), 20, 100, packet);
    EXPECT_EQ(packet.kind, Kind::truncated);
    EXPECT_EQ(packet.seq, 0u);
    EXPECT_EQ(packet.payload, nullptr);
    EXPECT_EQ(packet.source, IpAddress{});
}

// --- Tunnels
// -------------------------------------------------------------------------------------------------------

TEST(DecodeFrame, UdpThatIsNoTunnelIsOther) {
    EXPECT_EQ(decode(ethernet(ipv4({}, udp({.destination_port = 3260}, segment())))).kind, Kind::other);
}

TEST(DecodeFrame, VxlanWithoutAValidNetworkIdentifierIsOther) {
    Layer datagram = vxlan(42, ethernet(segment_in_ipv4()));
    datagram.bytes[8] = 0;
    EXPECT_EQ(decode(ethernet(ipv4({}, datagram))).kind, Kind::other);
}

TEST(DecodeFrame, UdpLengthLimitsTheTunnel) {
    const Layer inside = vxlan(42, ethernet(segment_in_ipv4()));
    Layer datagram = inside;
    datagram.bytes[4] = 0;
    datagram.bytes[5] = 7;
    EXPECT_EQ(decode(ethernet(ipv4({}, datagram))).kind, Kind::malformed);
    datagram.bytes[5] = 60;
    EXPECT_EQ(decode(ethernet(ipv4({}, datagram))).kind, Kind::malformed);
    datagram.bytes[5] = 0;  // offload
    expect_segment(decode(ethernet(ipv4({}, datagram))));
}

TEST(DecodeFrame, GreOfOtherVersionsIsPassedOver) {
    Layer tunnel = gre({}, segment_in_ipv4());
    tunnel.bytes[1] |= 1;
    expect_passed_over(decode(ethernet(ipv4({}, tunnel))), Encapsulation::gre);
}

TEST(DecodeFrame, MplsOfUnknownContentIsPassedOver) {
    expect_passed_over(decode(ethernet(mpls({16}, {.bytes = ByteVector(60, 0x99)}))), Encapsulation::mpls);
    expect_passed_over(decode(ethernet(mpls({16}, {.bytes = ByteVector(60, 0x00)}))), Encapsulation::mpls);
}

// A destination address that begins with the digit 4 or 6 must not pass for an IP version.
TEST(DecodeFrame, PseudowireFrameWhoseAddressLooksLikeIp) {
    Layer frame = ethernet(segment_in_ipv4());
    for (const uint8_t first : {uint8_t{0x40}, uint8_t{0x44}, uint8_t{0x60}}) {
        frame.bytes[0] = first;
        frame.bytes[4] = 0xff;
        expect_segment(decode(ethernet(mpls({16}, frame))));
    }
}

TEST(DecodeFrame, NestingIsBounded) {
    Layer ip = segment_in_ipv4();
    for (int depth = 0; depth < 5; ++depth) ip = outer_ipv4(ip);
    expect_segment(decode(ethernet(ip)));
    for (int depth = 0; depth < 1000; ++depth) ip = outer_ipv4(ip);
    EXPECT_EQ(decode(ethernet(ip)).kind, Kind::other);

    Layer tags = segment_in_ipv4();
    for (uint16_t depth = 0; depth < 1000; ++depth) tags = vlan(depth, tags);
    EXPECT_EQ(decode(ethernet(tags)).kind, Kind::other);

    Layer extensions = segment();
    for (int depth = 0; depth < 1000; ++depth) {
        extensions = ipv6_extension(ip_protocol_destination_options, ByteVector(6), extensions);
    }
    EXPECT_EQ(decode(ethernet(ipv6({}, extensions))).kind, Kind::other);

    Layer frames_in_frames = ethernet(segment_in_ipv4());
    for (int depth = 0; depth < 1000; ++depth) frames_in_frames = ethernet(frames_in_frames);
    EXPECT_EQ(decode(frames_in_frames).kind, Kind::other);
}

}  // namespace
}  // namespace sanscope
