// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "analyzer/ingest/packet_source.h"
#include "analyzer/net/other_packet.h"
#include "analyzer/packets/conversations.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/packed_rows.h"
#include "analyzer/store/row_list.h"
#include "analyzer/store/word_pool.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Where the bytes of a packet are, and what its record says of it.
struct PacketPlace {
    uint64_t offset = 0;  // of its bytes, in a pcapng of its block, in the file that PacketReader reads
    int64_t time_ns = 0;
    uint32_t captured_length = 0;
    uint32_t wire_length = 0;
    uint16_t interface = 0;
};
template <>
struct PackedColumns<PacketPlace> {
    using Columns = std::tuple<PackedField<&PacketPlace::offset>, PackedField<&PacketPlace::time_ns>,
                               PackedField<&PacketPlace::captured_length>,
                               PackedField<&PacketPlace::wire_length>, PackedField<&PacketPlace::interface>>;
    static_assert(are_complete<PacketPlace>(std::type_identity<Columns>()));
};

// Of every packet of one capture its place, interface and conversation: some 7 bytes a packet; of those that are no TCP besides what
// they are. Made in one pass, then any packet,
// and the conversation it is part of, is found without another. One thread at a time.
class PacketIndex {
  public:
    explicit PacketIndex(std::pmr::memory_resource* memory = std::pmr::get_default_resource());

    // `offset` as in PacketPlace. `decoded`: where that was done before; nullptr otherwise.
    void add(const RawPacket& packet, uint64_t offset, const DecodedPacket* decoded = nullptr);

    PacketNumber packets() const { return places_.size(); }
    // For these, 1 <= `packet` <= packets().
    PacketPlace place(PacketNumber packet) const { return places_[packet - 1]; }
    template <auto member>
    auto place(PacketNumber packet) const {
        return places_.get<member>(packet - 1);
    }
    // Calls `visit(i, value)` with what is told of the packets first + i, i < count, in order.
    template <auto member, class Visit>
    void for_each_of(PacketNumber first, size_t count, Visit visit) const {
        places_.for_each_value<member>(first - 1, count, visit);
    }
    int64_t time_ns(PacketNumber packet) const { return place<&PacketPlace::time_ns>(packet); }
    uint16_t interface(PacketNumber packet) const { return place<&PacketPlace::interface>(packet); }
    uint32_t conversation(PacketNumber packet) const { return conversations_[packet - 1]; }

    // What a packet is that brings no TCP segment; nullptr for one that does, and behind the first `most_others`.
    const OtherPacket* other(PacketNumber packet) const;
    static constexpr size_t most_others = 1'000'000;

    // Appends the packets of [first, last] that what is to be told of a packet of `conversation` rests on, in order; where
    // there are more than `most`, the last ones, and false is returned.
    bool packets_of(uint32_t conversation, PacketNumber first, PacketNumber last, size_t most,
                    std::vector<PacketNumber>& found) const;

  private:
    PackedRows<PacketPlace> places_;
    WordPool words_;
    RowList conversations_{words_};
    struct Other {
        PacketNumber packet = 0;
        OtherPacket what;
    };
    ChunkedRows<Other> others_;
    Conversations numbering_;
};

}  // namespace sanscope
