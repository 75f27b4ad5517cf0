// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/packets/packet_index.h"

#include <algorithm>
#include <random>

namespace sanscope {

PacketIndex::PacketIndex(std::pmr::memory_resource* memory)
    : places_(memory), words_(memory), others_(memory), numbering_(std::random_device{}()) {}

void PacketIndex::add(const RawPacket& packet, uint64_t offset, const DecodedPacket* decoded) {
    places_.append({offset, packet.time_ns, packet.captured_length, packet.wire_length, packet.interface});
    const uint32_t conversation =
        decoded == nullptr ? numbering_.number(packet) : numbering_.number(packet, *decoded);
    conversations_.push_back(conversation);
    const bool no_tcp = conversation == Conversations::other || conversation == Conversations::fragments;
    if (no_tcp && others_.size() < most_others)
        others_.append({packets(), read_other_packet(packet.link_type, packet.data, packet.captured_length)});
    for (const PacketNumber earlier : numbering_.completed()) conversations_.set(earlier - 1, conversation);
}

const OtherPacket* PacketIndex::other(PacketNumber packet) const {
    size_t first = 0;
    size_t behind = others_.size();
    while (first < behind) {
        const size_t middle = first + (behind - first) / 2;
        if (others_[middle].packet < packet) {
            first = middle + 1;
        } else {
            behind = middle;
        }
    }
    return first < others_.size() && others_[first].packet == packet ? &others_[first].what : nullptr;
}

bool PacketIndex::packets_of(uint32_t conversation, PacketNumber first, PacketNumber last, size_t most,
                             std::vector<PacketNumber>& found) const {
    const size_t had = found.size();
    const auto finish = [&](bool all) {
        std::reverse(found.begin() + static_cast<std::ptrdiff_t>(had), found.end());
        return all;
    };
    for (PacketNumber packet = last; packet >= first && packet > 0;) {
        const size_t row = packet - 1;
        const size_t block = row / RowList::block_rows * RowList::block_rows;
        // Most packets are passed over, many at once.
        if (!conversations_.may_be_beside(row, conversation) &&
            !conversations_.may_be_beside(row, Conversations::fragments)) {
            packet = block;
            continue;
        }
        for (; packet > block && packet >= first; --packet) {
            const uint32_t other = conversations_[packet - 1];
            if (other != conversation && other != Conversations::fragments) continue;
            if (found.size() - had == most) return finish(false);
            found.push_back(packet);
        }
    }
    return finish(true);
}

}  // namespace sanscope
