// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/relative_sequence.h"

#include <algorithm>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

// Nothing where it is not seen soon.
std::optional<SegmentRow> first_segment(const ResultStore& store, ConnectionNumber connection, Side side) {
    constexpr PacketNumber most_looked_at = 1000;
    const PacketNumber first = std::max<PacketNumber>(1, store.connection(connection).first_packet);
    const PacketNumber end = std::min<PacketNumber>(store.segments().size() + 1, first + most_looked_at);
    for (PacketNumber packet = first; packet < end; ++packet) {
        const SegmentRow& segment = store.segment(packet);
        if (segment.connection == connection && segment.sender == side) return segment;
    }
    return std::nullopt;
}

}  // namespace

std::optional<uint32_t> sequence_base(const ResultStore& store, ConnectionNumber connection, Side side) {
    if (connection == 0 || connection > store.connections().size()) return std::nullopt;
    const ConnectionRow& row = store.connection(connection);
    if (row.stream_start_known[index_of(side)]) return row.stream_start_seq[index_of(side)] - 1;
    const std::optional<SegmentRow> first = first_segment(store, connection, side);
    if (!first) return std::nullopt;
    return (first->flags & tcp_syn) != 0 ? first->seq : first->seq - 1;
}

// A stream that was begun in mid-capture has a known start, too: only the segment itself tells.
bool is_of_syn(uint32_t base, const ResultStore& store, ConnectionNumber connection, Side side) {
    const std::optional<SegmentRow> first = first_segment(store, connection, side);
    return first && (first->flags & tcp_syn) != 0 && first->seq == base;
}

std::optional<uint32_t> relative_sequence(const ResultStore& store, ConnectionNumber connection, Side side,
                                          uint32_t sequence) {
    constexpr int32_t furthest_before = -(1 << 30);
    const std::optional<uint32_t> base = sequence_base(store, connection, side);
    if (!base) return std::nullopt;
    const uint32_t relative = sequence - *base;
    const auto distance = static_cast<int32_t>(relative);
    const bool before = distance < 0 && distance >= furthest_before;
    if (before && !is_of_syn(*base, store, connection, side)) return std::nullopt;
    return relative;
}

}  // namespace sanscope
