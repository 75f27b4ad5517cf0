// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/result_store.h"
#include "analyzer/store/rows_of_packet.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Which PDUs a command and a connection have, which packets carry a PDU, and which PDUs a packet carries or completes.
//
// It follows a store that grows: update() takes in what came since, and answers tell what is known by then. The store must
// keep PDUs and segments for what is asked of them, and its connections must be described (Engine::describe_connections())
// before packets are asked for: until a connection's streams are known to begin somewhere, a PDU's packets are but the
// first and the last one of its row. Any number of threads may ask at once, none while it is updated or the store grows.
//
// A packet carries a PDU where its segment is of the PDU's connection and direction, has bytes of the PDU, and came no later
// than the PDU was complete: data that overtook a lost header are among them, what was sent again later is not. A PDU ends
// where the next one of its direction begins; where that is not seen, as far as its lengths and its session's digests say.
//
// PDUs are reported as indices of rows (0-based). Memory: 8 to 12 bytes a PDU, 4 a command, 150 a connection; 32 for each time
// that bytes overtook others.
class PduIndex {
  public:
    // The store must outlive it, and so must `memory`, where it lies.
    explicit PduIndex(const ResultStore& store,
                      std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : store_(&store), earlier_(memory), latest_(memory), streams_(memory), losses_(memory) {}

    void update();
    // Most of that in two steps, for whoever lets the store grow meanwhile: the first copies rows, so many of each table at
    // most, and tells whether those were all; the second takes them in and does not look at the store.
    bool copy_rows(size_t most_rows);
    void take_copied();
    const ResultStore& store() const { return *store_; }

    // Appends them in order of the table; `command` counts from 1.
    void pdus_of_command(uint64_t command, std::vector<uint32_t>& pdus) const;
    // Those of one direction of a connection (1-based), in order of its stream, which is that of completion. Good until
    // update().
    std::span<const uint32_t> stream(uint32_t connection, Role sender) const;
    // Appends those of both directions in order of the packet that completes them, the never completed last.
    void pdus_of_connection(uint32_t connection, std::vector<uint32_t>& pdus) const;

    // Appends the packets that carry the PDU, in order.
    void packets_of_pdu(uint32_t pdu, std::vector<PacketNumber>& packets) const;
    // Appends the PDUs to which these bytes belong that a connection's side a or b sent around the packet `near`, whenever
    // they were complete; in order of the stream.
    void pdus_of_bytes(uint32_t connection, Side side, uint32_t seq, uint32_t length, PacketNumber near,
                       std::vector<uint32_t>& pdus) const;

    // Calls `visit(packet, pdu)` for every packet of [first, last] that carries a PDU with each that it carries, in order of
    // packet, then of stream; but first for the PDUs of streams not known to begin somewhere. False soon after `stop`, which
    // may be nullptr, is set. `next(packet)` is the first packet from `packet` on that is asked for, beyond `last` where none is.
    template <class Visit, class Next>
    bool for_each_carried(PacketNumber first, PacketNumber last, const std::atomic<bool>* stop, Visit visit,
                          Next next) const;
    template <class Visit>
    bool for_each_carried(PacketNumber first, PacketNumber last, const std::atomic<bool>* stop,
                          Visit visit) const {
        return for_each_carried(first, last, stop, visit, [](PacketNumber packet) { return packet; });
    }
    // Calls `visit` with the PDUs that the packet carries, in order of the stream.
    template <class Visit>
    void carried_by(PacketNumber packet, Visit visit) const {
        StreamPlace place;
        if (packet != 0 && packet <= store_->segments().size())
            on_segment(packet, store_->segment(packet), place, visit);
    }
    // … with those that it completes.
    template <class Visit>
    void completed_by(PacketNumber packet, Visit visit) const;
    // … with the indices of the rows of losses() that name it as the packet that repeats bytes or shows that they are missing.
    template <class Visit>
    void losses_of(PacketNumber packet, Visit visit) const {
        losses_.find(store_->losses(), packet, visit);
    }

    size_t memory_bytes() const;

  private:
    static constexpr uint32_t none = UINT32_MAX;
    static constexpr PacketNumber never = UINT64_MAX;

    // Bytes [begin, end) were missing when `packet` came with those behind them.
    struct Overtaken {
        uint64_t begin;
        uint64_t end;
        PacketNumber packet;
    };
    // The segments of a connection's side, in bytes from 2^32 before the first one seen.
    struct Segments {
        static constexpr uint64_t base = uint64_t{1} << 32;
        bool begun = false;
        uint32_t first_seq = 0;
        uint32_t greatest_seq = 0;  // behind the farthest byte,
        uint64_t greatest = 0;      // which is there
        std::vector<Overtaken> overtaken;
    };
    // Where a pass over the packets is in a stream.
    struct StreamPlace {
        bool known = false;
        size_t incomplete = 0;  // the first PDU that was not complete before the packet
        uint64_t incomplete_begin = 0;
        PacketNumber incomplete_completion = 0;  // 0: neither was looked up
        size_t last = 0;                         // of which a packet had bytes
        // Of that PDU, in which most of the next packets lie too.
        int64_t begin = 0;
        int64_t end = 0;
        int64_t next_begin = 0;
        PacketNumber completion = 0;  // 0: not known
    };

    struct CopiedPdu {
        CommandNumber command;
        uint32_t connection;
        Role sender;
    };
    struct CopiedSegment {
        uint32_t connection;
        uint32_t seq;
        uint32_t payload_length;
        Side sender;
    };
    // What is between the steps of taking rows in.
    struct Intake {
        size_t segments_taken = 0;
        std::vector<CopiedPdu> pdus;
        std::vector<CopiedSegment> segments;
    };

    // Beyond all where there is no connection.
    template <class SideOrRole>
    static size_t slot(uint32_t connection, SideOrRole which) {
        return 2 * (size_t{connection} - 1) + index_of(which);
    }
    PduRow row(uint32_t pdu) const { return store_->pdus()[pdu]; }
    PacketNumber completion(uint32_t pdu) const {
        const PacketNumber last = store_->pdus().get<&PduRow::last_packet>(pdu);
        return last == 0 ? never : last;
    }
    uint64_t begin_of(uint32_t pdu) const { return store_->pdus().get<&PduRow::bhs_offset>(pdu); }
    const ConnectionRow* connection_of(uint32_t number) const {
        const ChunkedRows<ConnectionRow>& connections = store_->connections();
        return number == 0 || number > connections.size() ? nullptr : &connections[number - 1];
    }
    void take_pdu(uint32_t index, const CopiedPdu& pdu);
    void take_segment(PacketNumber packet, const CopiedSegment& segment);
    size_t first_incomplete(std::span<const uint32_t> stream, PacketNumber packet) const;
    uint64_t end_of(std::span<const uint32_t> stream, size_t at) const;
    PacketNumber earliest_packet(std::span<const uint32_t> stream, size_t at, Side side) const;
    size_t last_beginning_by(std::span<const uint32_t> stream, size_t first, size_t guess,
                             int64_t offset) const;
    template <class Visit>
    void on_segment(PacketNumber packet, const SegmentRow& segment, StreamPlace& place, Visit& visit) const;

    const ResultStore* store_;
    ChunkedRows<uint32_t> earlier_;                         // by PDU: the one before of its command
    std::pmr::vector<uint32_t> latest_;                     // by command: its last one
    std::pmr::vector<std::pmr::vector<uint32_t>> streams_;  // by connection and direction
    std::vector<Segments> segments_;                        // by connection and side
    std::unique_ptr<Intake> intake_ = std::make_unique<Intake>();
    RowsOfPacket<LossRow, &LossRow::packet> losses_;
};

// Of an offset that is known but for its upper half, the nearest to `reference`.
inline int64_t offset_near(uint64_t reference, uint32_t low_half) {
    return static_cast<int64_t>(reference) +
           static_cast<int32_t>(low_half - static_cast<uint32_t>(reference));
}

template <class Visit>
void PduIndex::on_segment(PacketNumber packet, const SegmentRow& segment, StreamPlace& place,
                          Visit& visit) const {
    if (segment.payload_length == 0) return;
    const ConnectionRow* const connection = connection_of(segment.connection);
    if (connection == nullptr || !connection->stream_start_known[index_of(segment.sender)]) return;
    const std::span<const uint32_t> pdus = stream(segment.connection, connection->role_of(segment.sender));
    if (!place.known) {
        place.known = true;
        place.incomplete = place.last = first_incomplete(pdus, packet);
    }
    while (place.incomplete_completion < packet) {
        if (place.incomplete_completion != 0) ++place.incomplete;
        if (place.incomplete >= pdus.size()) return;
        place.incomplete_completion = completion(pdus[place.incomplete]);
        place.incomplete_begin = begin_of(pdus[place.incomplete]);
    }
    const int64_t begin = offset_near(place.incomplete_begin,
                                      segment.seq - connection->stream_start_seq[index_of(segment.sender)]);
    const int64_t end = begin + segment.payload_length;
    if (end <= static_cast<int64_t>(place.incomplete_begin)) return;
    if (place.completion >= packet && place.last >= place.incomplete && begin >= place.begin &&
        end <= place.next_begin) {
        if (place.end > begin) visit(pdus[place.last]);
        return;
    }
    place.last = last_beginning_by(pdus, place.incomplete, place.last, begin);
    for (size_t at = place.last; at < pdus.size() && static_cast<int64_t>(begin_of(pdus[at])) < end; ++at) {
        place.last = at;
        place.completion = completion(pdus[at]);
        place.end = static_cast<int64_t>(end_of(pdus, at));
        if (place.completion >= packet && place.end > begin) visit(pdus[at]);
    }
    place.begin = static_cast<int64_t>(begin_of(pdus[place.last]));
    place.next_begin = place.last + 1 < pdus.size() ? static_cast<int64_t>(begin_of(pdus[place.last + 1]))
                                                    : std::numeric_limits<int64_t>::max();
}

template <class Visit, class Next>
bool PduIndex::for_each_carried(PacketNumber first, PacketNumber last, const std::atomic<bool>* stop,
                                Visit visit, Next next) const {
    const auto in_range = [&](PacketNumber packet) {
        return packet >= first && packet <= last && next(packet) == packet;
    };
    for (size_t i = 0; i < streams_.size(); ++i) {
        if (streams_[i].empty()) continue;
        const ConnectionRow& connection = store_->connections()[i / 2];
        const Side side = connection.side_of(static_cast<Role>(i % 2));
        if (connection.stream_start_known[index_of(side)]) continue;
        for (const uint32_t pdu : streams_[i]) {
            const PduRow& pdu_row = row(pdu);
            if (pdu_row.first_packet != 0 && in_range(pdu_row.first_packet)) visit(pdu_row.first_packet, pdu);
            if (pdu_row.last_packet > pdu_row.first_packet && in_range(pdu_row.last_packet)) {
                visit(pdu_row.last_packet, pdu);
            }
        }
    }
    std::vector<StreamPlace> places(streams_.size());
    last = std::min<PacketNumber>(last, store_->segments().size());
    const auto take = [&](PacketNumber packet, const SegmentRow& segment) {
        if (segment.payload_length == 0) return;
        const size_t at = slot(segment.connection, segment.sender);
        if (at >= places.size()) return;
        const auto visit_pdu = [&](uint32_t pdu) { visit(packet, pdu); };
        on_segment(packet, segment, places[at], visit_pdu);
    };
    for (PacketNumber packet = next(std::max<PacketNumber>(first, 1)); packet <= last;) {
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) return false;
        const PacketNumber some = std::min(packed_run - (packet - 1) % packed_run, last - packet + 1);
        store_->segments()
            .for_each_run<&SegmentRow::connection, &SegmentRow::seq, &SegmentRow::payload_length,
                          &SegmentRow::sender>(packet - 1, some,
                                               [&](std::span<const SegmentRow> segments, size_t at) {
                                                   const PacketNumber end = at + segments.size() + 1;
                                                   for (; packet < end; packet = next(packet + 1))
                                                       take(packet, segments[packet - at - 1]);
                                               });
    }
    return true;
}

template <class Visit>
void PduIndex::completed_by(PacketNumber packet, Visit visit) const {
    if (packet == 0 || packet > store_->segments().size()) return;
    const SegmentRow& segment = store_->segment(packet);
    const ConnectionRow* const connection = connection_of(segment.connection);
    if (connection == nullptr) return;
    const std::span<const uint32_t> pdus = stream(segment.connection, connection->role_of(segment.sender));
    for (size_t at = first_incomplete(pdus, packet); at < pdus.size() && completion(pdus[at]) == packet;
         ++at) {
        visit(pdus[at]);
    }
}

}  // namespace sanscope
