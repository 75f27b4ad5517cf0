// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/packets/conversations.h"

#include "analyzer/net/decode_frame.h"

namespace sanscope {

uint32_t Conversations::number(const RawPacket& packet) {
    if (packet.link_type == LinkType::not_a_packet) return no_packet;
    decode_frame(packet.link_type, packet.data, packet.captured_length, packet.wire_length, decoded_);
    while (decoded_.kind == DecodedPacket::Kind::ip_fragment) {
        const Datagram* datagram = reassembler_.add(decoded_, packet.time_ns);
        if (datagram == nullptr) return fragments;
        decode_datagram(*datagram, decoded_);
    }
    return decoded_.kind == DecodedPacket::Kind::tcp ? number_tcp(decoded_) : other;
}

uint32_t Conversations::number_tcp(const DecodedPacket& packet) {
    bool source_is_low = false;
    Connection& connection = connections_[FlowKey::of(packet, source_is_low)];
    const size_t side = source_is_low ? 0 : 1;
    const bool syn = (packet.flags & tcp_syn) != 0;
    const bool ack = (packet.flags & tcp_ack) != 0;
    const bool reuses_ports =
        syn && !ack && connection.base_known[side] && packet.seq != connection.base_seq[side];
    if (connection.number == 0 || reuses_ports) connection = {.number = next_++};
    if (!connection.base_known[side] || (syn && ack)) {
        connection.base_known[side] = true;
        connection.base_seq[side] = syn ? packet.seq : packet.seq - 1;
    }
    return connection.number;
}

}  // namespace sanscope
