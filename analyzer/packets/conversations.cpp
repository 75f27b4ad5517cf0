// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/packets/conversations.h"

#include "analyzer/net/decode_frame.h"

namespace sanscope {

uint32_t Conversations::number(const RawPacket& packet) {
    if (packet.link_type != LinkType::not_a_packet)
        decode_frame(packet.link_type, packet.data, packet.captured_length, packet.wire_length, decoded_);
    return number(packet, decoded_);
}

uint32_t Conversations::number(const RawPacket& packet, const DecodedPacket& decoded) {
    ++packets_;
    completed_.clear();
    if (packet.link_type == LinkType::not_a_packet) return no_packet;
    if (decoded.kind == DecodedPacket::Kind::ip_fragment) [[unlikely]] {
        if (&decoded != &decoded_) decoded_ = decoded;
        return number_fragment(packet);
    }
    return decoded.kind == DecodedPacket::Kind::tcp ? number_tcp(decoded) : other;
}

// Which is in `decoded_`.
uint32_t Conversations::number_fragment(const RawPacket& packet) {
    while (decoded_.kind == DecodedPacket::Kind::ip_fragment) {
        const Datagram* datagram = reassembler_.add(decoded_, packet.time_ns);
        const DatagramKey key = key_of(decoded_);
        if (datagram == nullptr) {
            keep_fragments(key, packet.time_ns);
            completed_.clear();
            return fragments;
        }
        take_fragments(key);
        decode_datagram(*datagram, decoded_);
    }
    return decoded_.kind == DecodedPacket::Kind::tcp ? number_tcp(decoded_) : other;
}

Conversations::DatagramKey Conversations::key_of(const DecodedPacket& fragment) {
    return {fragment.source.words[0],      fragment.source.words[1], fragment.destination.words[0],
            fragment.destination.words[1], fragment.fragment.id,     fragment.fragment.protocol};
}

// The packet in hand, and what it completed, may be the beginning of that datagram.
void Conversations::keep_fragments(const DatagramKey& key, int64_t time_ns) {
    constexpr int64_t longest_wait_ns = FragmentReassembler::Limits{}.ipv6_timeout_ns;
    if (fragments_.size() >= max_datagrams) fragments_.clear();
    Fragments& kept = fragments_[key];
    if (kept.packets.empty() || kept.packets.size() >= max_fragments ||
        time_ns - kept.begun_ns > longest_wait_ns)
        kept = {.begun_ns = time_ns, .packets = {}};
    kept.packets.insert(kept.packets.end(), completed_.begin(), completed_.end());
    kept.packets.push_back(packets_);
}

void Conversations::take_fragments(const DatagramKey& key) {
    const auto kept = fragments_.find(key);
    if (kept == fragments_.end()) return;
    completed_.insert(completed_.end(), kept->second.packets.begin(), kept->second.packets.end());
    fragments_.erase(kept);
}

uint32_t Conversations::number_tcp(const DecodedPacket& packet) {
    bool source_is_low = false;
    uint32_t& place = places_.find_or_add(FlowKey::of(packet, source_is_low));
    if (place == FlowTable::none) [[unlikely]] {
        place = static_cast<uint32_t>(connections_.size());
        connections_.emplace_back();
    }
    Connection& connection = connections_[place];
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
