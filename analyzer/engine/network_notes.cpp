// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/network_notes.h"

#include "analyzer/net/arp_message.h"
#include "analyzer/net/ether_type.h"
#include "analyzer/net/ethernet_link.h"
#include "analyzer/net/icmp_error.h"

namespace sanscope {
namespace {

void note_icmp_error(const IcmpError& error, const IpAddress& reporter, const Arrival& arrival,
                     NetworkEvents& events) {
    events.add_icmp_error({.packet = arrival.packet,
                           .time_ns = arrival.time_ns,
                           .reporter = reporter,
                           .source = {error.source, error.source_port},
                           .destination = {error.destination, error.destination_port},
                           .seq = error.seq,
                           .mtu = error.mtu,
                           .datagram_length = error.datagram_length,
                           .type = error.type,
                           .code = error.code,
                           .too_big = error.too_big,
                           .ipv6 = error.ipv6});
}

void note_arp_message(const ArpMessage& arp, const LinkId& link, const Arrival& arrival,
                      AddressClaims& claims) {
    // One that asks for its own address tells of it (RFC 5227 §2.3).
    const bool is_announcement = arp.sender == arp.target;
    if (!arp.is_reply && !is_announcement) claims.on_request(link, arp.sender, arp.target, arrival.time_ns);
    if (!arp.is_claim()) return;
    const bool is_answer = arp.is_reply && !is_announcement;
    claims.on_claim(link, {.address = arp.sender,
                           .mac = arp.sender_mac,
                           .asker = is_answer ? arp.target : IpAddress{},
                           .is_answer = is_answer,
                           .packet = arrival.packet,
                           .time_ns = arrival.time_ns});
}

// Of what a tunnel brings, the outer header's source is another.
bool has_source(const RawPacket& frame, const EthernetLink& link, const IpAddress& source) {
    constexpr uint32_t v4_source = 12;
    constexpr uint32_t v4_length = 20;
    constexpr uint32_t v6_source = 8;
    constexpr uint32_t v6_length = 40;
    const uint8_t* const header = frame.data + link.network_offset;
    const uint32_t captured = frame.captured_length - link.network_offset;
    if (link.ether_type == ether_type_ipv4 && captured >= v4_length)
        return IpAddress::from_v4(header + v4_source) == source;
    if (link.ether_type == ether_type_ipv6 && captured >= v6_length)
        return IpAddress::from_v6(header + v6_source) == source;
    return false;
}

}  // namespace

void note_network_message(const RawPacket& frame, const DecodedPacket& packet, const Arrival& arrival,
                          NetworkEvents& events) {
    if (const auto error = read_icmp_error(packet)) note_icmp_error(*error, packet.source, arrival, events);
    const auto arp = read_arp_message(packet);
    if (!arp) return;
    const auto link = read_ethernet_link(frame.link_type, frame.data, frame.captured_length);
    // Inside a tunnel it is of a network of its own.
    if (!link || packet.payload != frame.data + link->network_offset) return;
    note_arp_message(*arp, {frame.interface, link->vlans}, arrival, events.address_claims());
}

void note_segment_origin(const RawPacket& frame, const DecodedPacket& segment, const Arrival& arrival,
                         ConnectionNumber connection, SegmentOrigin& first, AddressClaims& claims) {
    const auto link = read_ethernet_link(frame.link_type, frame.data, frame.captured_length);
    if (!link || !link->source.is_of_one_host() || !has_source(frame, *link, segment.source)) return;
    const SegmentOrigin origin{.link = {frame.interface, link->vlans},
                               .mac = link->source,
                               .ttl = segment.ttl,
                               .packet = arrival.packet,
                               .time_ns = arrival.time_ns};
    claims.on_segment(segment.source, origin, first, connection);
    if (first.packet == 0) first = origin;
}

}  // namespace sanscope
