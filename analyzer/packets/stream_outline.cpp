// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/packets/stream_outline.h"

#include <algorithm>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/fragment_reassembler.h"
#include "analyzer/tcp/stream_reassembler.h"

namespace sanscope {
namespace {

constexpr PacketNumber packets_between_looks = 16384;

Serial32 first_byte_of(const SegmentRow& segment) {
    return Serial32((segment.flags & tcp_syn) != 0 ? segment.seq + 1 : segment.seq);
}

class Outliner {
  public:
    Outliner(const ConnectionRow& connection, StreamOutline& outline)
        : connection_(connection), outline_(outline) {
        for (const Side side : {Side::a, Side::b}) {
            if (connection.stream_start_known[index_of(side)])
                stream(side).begin_at(Serial32(connection.stream_start_seq[index_of(side)]));
        }
    }

    // As the engine does it, so that holes are given up at the same places.
    void take(const SegmentRow& row, const Arrival& arrival) {
        if ((row.flags & tcp_syn) != 0 && !stream(row.sender).begun())
            stream(row.sender).begin_at(first_byte_of(row));
        if ((row.flags & (tcp_ack | tcp_rst)) == tcp_ack)
            stream(other_side(row.sender)).acknowledged(Serial32(row.ack), arrival);
        StreamPiece piece;
        for (const Side side : {Side::a, Side::b}) {
            while (stream(side).next(arrival, piece)) append(side, piece);
        }
        if (row.payload_length == 0) return;
        Segment segment;
        segment.seq = first_byte_of(row);
        segment.length = row.payload_length;
        segment.arrival = arrival;
        if (stream(row.sender).add(segment, piece) != StreamReassembler::Added::in_order) return;
        append(row.sender, piece);
        while (stream(row.sender).next(arrival, piece)) append(row.sender, piece);
    }

    void end() {
        StreamPiece piece;
        for (const Side side : {Side::a, Side::b}) {
            while (stream(side).flush(piece)) append(side, piece);
            outline_.start_seq[index_of(connection_.role_of(side))] =
                stream(side).next_seq().value - static_cast<uint32_t>(stream(side).next_offset());
        }
    }

  private:
    StreamReassembler& stream(Side side) { return side == Side::a ? a_ : b_; }
    void append(Side side, const StreamPiece& piece) {
        const Role sender = connection_.role_of(side);
        outline_.pieces.push_back(
            {piece.offset, piece.carried.packet, piece.length, sender, piece.not_captured});
        outline_.bytes[index_of(sender)] += piece.length;
        if (piece.not_captured) outline_.not_captured[index_of(sender)] += piece.length;
    }

    const ConnectionRow& connection_;
    StreamOutline& outline_;
    ReassemblyBudget budget_;
    StreamReassembler a_{budget_};
    StreamReassembler b_{budget_};
};

std::vector<uint8_t> payload(const DecodedPacket& packet) {
    return {packet.payload, packet.payload + packet.payload_captured};
}

}  // namespace

StreamOutline outline_stream(const ResultStore& store, const PacketIndex& index, uint32_t connection,
                             const std::atomic<bool>& stop) {
    StreamOutline outline;
    outline.connection = connection;
    if (connection == 0 || connection > store.connections().size()) return outline;
    const ConnectionRow& row = store.connection(connection);
    Outliner outliner(row, outline);
    const PacketNumber last =
        std::min<PacketNumber>({row.last_packet, store.segments().size(), index.packets()});
    for (PacketNumber packet = std::max<PacketNumber>(row.first_packet, 1); packet <= last; ++packet) {
        if (packet % packets_between_looks == 0 && stop.load(std::memory_order_relaxed)) break;
        const SegmentRow& segment = store.segment(packet);
        if (segment.connection != connection) continue;
        outliner.take(segment, {packet, index.time_ns(packet)});
    }
    outliner.end();
    return outline;
}

Result<std::vector<uint8_t>> StreamBytes::read(const OutlinedPiece& piece) const {
    if (piece.not_captured) return std::vector<uint8_t>();
    auto payload = payload_of(piece.packet);
    if (!payload) return payload;
    const Serial32 first(outline_.start_seq[index_of(piece.sender)] + static_cast<uint32_t>(piece.offset));
    const int32_t before = first_byte_of(store_.segment(piece.packet)).distance_to(first);
    if (before < 0 || static_cast<size_t>(before) >= payload->size()) return std::vector<uint8_t>();
    const auto begin = payload->begin() + before;
    const size_t length = std::min<size_t>(piece.length, payload->size() - static_cast<size_t>(before));
    return std::vector<uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(length));
}

LinkType StreamBytes::link_type(PacketNumber packet) const {
    const auto& interfaces = reader_.source().interfaces();
    const uint16_t interface = reader_.index().interface(packet);
    return interface < interfaces.size() ? interfaces[interface].link_type : LinkType::ethernet;
}

Result<std::vector<uint8_t>> StreamBytes::payload_of(PacketNumber packet) const {
    const auto frame = reader_.read(packet);
    if (!frame) return frame.error();
    DecodedPacket decoded;
    decode_frame(link_type(packet), frame->data(), static_cast<uint32_t>(frame->size()),
                 reader_.index().place<&PacketPlace::wire_length>(packet), decoded);
    if (decoded.kind == DecodedPacket::Kind::ip_fragment) return payload_of_fragments(packet);
    if (decoded.kind != DecodedPacket::Kind::tcp) return std::vector<uint8_t>();
    return payload(decoded);
}

// Its other fragments are of its conversation, and come shortly before it.
Result<std::vector<uint8_t>> StreamBytes::payload_of_fragments(PacketNumber last) const {
    constexpr PacketNumber far_before = 65536;
    constexpr size_t most_packets = 1024;
    const PacketIndex& index = reader_.index();
    std::vector<PacketNumber> packets;
    index.packets_of(index.conversation(last), last > far_before ? last - far_before : 1, last, most_packets,
                     packets);
    FragmentReassembler reassembler;
    DecodedPacket decoded;
    for (const PacketNumber packet : packets) {
        const auto frame = reader_.read(packet);
        if (!frame) return frame.error();
        decode_frame(link_type(packet), frame->data(), static_cast<uint32_t>(frame->size()),
                     index.place<&PacketPlace::wire_length>(packet), decoded);
        while (decoded.kind == DecodedPacket::Kind::ip_fragment) {
            const Datagram* const datagram = reassembler.add(decoded, index.time_ns(packet));
            if (datagram == nullptr) break;
            decode_datagram(*datagram, decoded);
        }
        if (packet == last && decoded.kind == DecodedPacket::Kind::tcp) return payload(decoded);
    }
    return std::vector<uint8_t>();
}

}  // namespace sanscope
