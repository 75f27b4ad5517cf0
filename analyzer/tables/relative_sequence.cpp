// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/relative_sequence.h"

#include <algorithm>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {

std::optional<uint32_t> sequence_base(const ResultStore& store, ConnectionNumber connection, Side side) {
    constexpr PacketNumber most_looked_at = 1000;
    if (connection == 0 || connection > store.connections().size()) return std::nullopt;
    const ConnectionRow& row = store.connection(connection);
    if (row.stream_start_known[index_of(side)]) return row.stream_start_seq[index_of(side)] - 1;
    const PacketNumber first = std::max<PacketNumber>(1, row.first_packet);
    const PacketNumber end = std::min<PacketNumber>(store.segments().size() + 1, first + most_looked_at);
    for (PacketNumber packet = first; packet < end; ++packet) {
        const SegmentRow& segment = store.segment(packet);
        if (segment.connection == connection && segment.sender == side)
            return (segment.flags & tcp_syn) != 0 ? segment.seq : segment.seq - 1;
    }
    return std::nullopt;
}

}  // namespace sanscope
