// SPDX-License-Identifier: GPL-3.0-or-later

// The first byte chooses the link type, the second how much longer the frame was on the wire; the rest is the frame.
// Whatever it holds, what decode_frame() answers must lie within it.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>

#include "analyzer/net/arp_message.h"
#include "analyzer/net/decode_frame.h"
#include "analyzer/net/ethernet_link.h"
#include "analyzer/net/icmp_error.h"
#include "analyzer/net/tcp_options.h"

namespace {

using namespace sanscope;
using Kind = DecodedPacket::Kind;

void require(bool claim) {
    if (!claim) std::abort();
}

bool lies_within(const uint8_t* part, uint32_t length, const uint8_t* whole, size_t size) {
    return part >= whole && length <= size && part <= whole + (size - length);
}

bool same(const DecodedPacket& a, const DecodedPacket& b) {
    return a.kind == b.kind && a.seq == b.seq && a.ack == b.ack && a.flags == b.flags &&
           a.window == b.window && a.source == b.source && a.destination == b.destination &&
           a.source_port == b.source_port && a.destination_port == b.destination_port &&
           a.payload == b.payload && a.payload_length == b.payload_length &&
           a.payload_captured == b.payload_captured && a.options == b.options &&
           a.options_length == b.options_length && a.ttl == b.ttl && a.ecn == b.ecn && a.ip_id == b.ip_id &&
           a.fragment.id == b.fragment.id && a.fragment.offset == b.fragment.offset;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr LinkType link_types[] = {
        LinkType::ethernet,    LinkType::linux_sll, LinkType::linux_sll2,
        LinkType::null,        LinkType::loop,      LinkType::raw,
        LinkType::raw_openbsd, LinkType::ipv4,      LinkType::ipv6,
        LinkType::raw_bsd,     LinkType::ppp,       LinkType::fddi,
        LinkType::ppp_hdlc,    LinkType::ppp_ether, LinkType::cisco_hdlc,
        LinkType::ppi,         LinkType::erf,       LinkType::ppp_with_direction,
        LinkType::nflog,       LinkType::netlink};
    if (size < 2) return 0;
    const LinkType link_type = link_types[data[0] % std::size(link_types)];
    const uint32_t cut_off = data[1] < 128 ? data[1] : (data[1] - 127u) * 2000;
    size -= 2;
    // A block of exactly that size, so that the sanitizer sees a read beyond it.
    const auto frame = std::make_unique<uint8_t[]>(size);
    std::memcpy(frame.get(), data + 2, size);
    const auto captured = static_cast<uint32_t>(size);
    const uint32_t wire = captured + cut_off;

    DecodedPacket packet;
    decode_frame(link_type, frame.get(), captured, wire, packet);
    require((packet.kind == Kind::passed_over) == (packet.passed_over != Encapsulation::none));
    // Only PPI may name a link type that is not decoded.
    require(packet.passed_over != Encapsulation::link_type || link_type == LinkType::ppi);
    const bool is_message = packet.kind == Kind::icmp || packet.kind == Kind::arp;
    if (packet.kind == Kind::tcp || packet.kind == Kind::ip_fragment || is_message) {
        require(packet.payload_captured <= packet.payload_length);
        // What NFLOG copies may be less than the IP header says; ERF tells the length on the wire itself.
        const bool tells_length =
            link_type == LinkType::nflog || link_type == LinkType::erf || link_type == LinkType::ppi;
        require(packet.payload_length <= (tells_length ? std::max(wire, 65575u) : wire));
        require(lies_within(packet.payload, packet.payload_captured, frame.get(), size));
    } else {
        require(packet.payload == nullptr && packet.payload_length == 0 && packet.source == IpAddress{});
    }
    const bool copies_in_part =
        link_type == LinkType::nflog || link_type == LinkType::erf || link_type == LinkType::ppi;
    if (packet.kind == Kind::truncated) require(cut_off != 0 || copies_in_part);
    if (packet.kind == Kind::tcp) {
        require(packet.options_length <= 40);
        require(lies_within(packet.options, packet.options_length, frame.get(), size));
        TcpOptions options;
        parse_tcp_options(packet, options);
    }

    if (is_message) {
        const auto error = read_icmp_error(packet);
        require(!error || packet.kind == Kind::icmp);
        require(!read_arp_message(packet) || packet.kind == Kind::arp);
    }
    if (const auto link = read_ethernet_link(link_type, frame.get(), captured))
        require(link->network_offset <= captured);

    DecodedPacket again;
    std::memset(static_cast<void*>(&again), 0xa5, sizeof again);
    decode_frame(link_type, frame.get(), captured, wire, again);
    require(same(packet, again));

    // Fewer captured bytes may hide, but not change, what the others say.
    if (packet.kind == Kind::tcp && packet.payload_captured > 0) {
        decode_frame(link_type, frame.get(), captured - 1, wire, again);
        require(again.kind == Kind::tcp && again.seq == packet.seq);
        require(again.payload_length == packet.payload_length);
    }
    return 0;
}
