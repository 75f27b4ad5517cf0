// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/pdu_index.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace sanscope {
namespace {

constexpr uint64_t header_bytes = 48;
constexpr uint64_t digest_bytes = 4;
// What may lie between a header and the next beside the data: additional header segments and both digests.
constexpr uint64_t most_besides = uint64_t{255} * 4 + 2 * digest_bytes;

}  // namespace

bool PduIndex::copy_rows(size_t most_rows) {
    const StoredRows<PduRow>& pdus = store_->pdus();
    const size_t pdus_taken = earlier_.size();
    intake_->pdus.resize(std::min(most_rows, pdus.size() - pdus_taken));
    pdus.for_each_run<&PduRow::command, &PduRow::connection, &PduRow::sender>(
        pdus_taken, intake_->pdus.size(), [&](std::span<const PduRow> run, size_t first) {
            for (size_t i = 0; i < run.size(); ++i)
                intake_->pdus[first - pdus_taken + i] = {run[i].command, run[i].connection, run[i].sender};
        });
    const StoredRows<SegmentRow>& segments = store_->segments();
    intake_->segments.resize(std::min(most_rows, segments.size() - intake_->segments_taken));
    segments.for_each_run<&SegmentRow::connection, &SegmentRow::seq, &SegmentRow::payload_length,
                          &SegmentRow::sender>(
        intake_->segments_taken, intake_->segments.size(),
        [&](std::span<const SegmentRow> run, size_t first) {
            for (size_t i = 0; i < run.size(); ++i) {
                intake_->segments[first - intake_->segments_taken + i] = {
                    run[i].connection, run[i].seq, run[i].payload_length, run[i].sender};
            }
        });
    return pdus_taken + intake_->pdus.size() == pdus.size() &&
           intake_->segments_taken + intake_->segments.size() == segments.size();
}

void PduIndex::take_copied() {
    auto index = static_cast<uint32_t>(earlier_.size());
    for (const CopiedPdu& pdu : intake_->pdus) take_pdu(index++, pdu);
    intake_->pdus.clear();
    for (const CopiedSegment& segment : intake_->segments) {
        ++intake_->segments_taken;
        if (segment.payload_length > 0 && segment.connection != 0)
            take_segment(intake_->segments_taken, segment);
    }
    intake_->segments.clear();
}

void PduIndex::update() {
    constexpr size_t rows_at_once = 32768;
    for (bool all = false; !all;) {
        all = copy_rows(rows_at_once);
        take_copied();
    }
    losses_.update(store_->losses());
}

void PduIndex::take_pdu(uint32_t index, const CopiedPdu& pdu) {
    uint32_t earlier = none;
    if (pdu.command != 0) {
        if (latest_.size() < pdu.command) latest_.resize(pdu.command, none);
        earlier = std::exchange(latest_[pdu.command - 1], index);
    }
    earlier_.append(earlier);
    if (pdu.connection == 0) return;
    if (streams_.size() < 2 * size_t{pdu.connection}) streams_.resize(2 * size_t{pdu.connection});
    streams_[slot(pdu.connection, pdu.sender)].push_back(index);
}

void PduIndex::take_segment(PacketNumber packet, const CopiedSegment& segment) {
    if (segments_.size() < 2 * size_t{segment.connection}) segments_.resize(2 * size_t{segment.connection});
    Segments& segments = segments_[slot(segment.connection, segment.sender)];
    if (!segments.begun) {
        segments.begun = true;
        segments.first_seq = segments.greatest_seq = segment.seq;
        segments.greatest = Segments::base;
    }
    const auto ahead = static_cast<int32_t>(segment.seq - segments.greatest_seq);
    if (ahead > 0) {
        segments.overtaken.push_back(
            {segments.greatest, segments.greatest + static_cast<uint64_t>(ahead), packet});
    }
    const int64_t beyond = int64_t{ahead} + segment.payload_length;
    if (beyond <= 0) return;
    segments.greatest += static_cast<uint64_t>(beyond);
    segments.greatest_seq += static_cast<uint32_t>(beyond);
}

void PduIndex::pdus_of_command(uint64_t command, std::vector<uint32_t>& pdus) const {
    if (command == 0 || command > latest_.size()) return;
    const auto had = static_cast<std::ptrdiff_t>(pdus.size());
    for (uint32_t pdu = latest_[command - 1]; pdu != none; pdu = earlier_[pdu]) pdus.push_back(pdu);
    std::reverse(pdus.begin() + had, pdus.end());
}

std::span<const uint32_t> PduIndex::stream(uint32_t connection, Role sender) const {
    if (connection == 0 || streams_.size() < 2 * size_t{connection}) return {};
    return streams_[slot(connection, sender)];
}

void PduIndex::pdus_of_connection(uint32_t connection, std::vector<uint32_t>& pdus) const {
    const std::span<const uint32_t> out = stream(connection, Role::initiator);
    const std::span<const uint32_t> in = stream(connection, Role::target);
    const auto had = static_cast<std::ptrdiff_t>(pdus.size());
    pdus.resize(pdus.size() + out.size() + in.size());
    std::merge(out.begin(), out.end(), in.begin(), in.end(), pdus.begin() + had, [&](uint32_t a, uint32_t b) {
        return std::pair(completion(a), a) < std::pair(completion(b), b);
    });
}

// The first of a stream's PDUs that was not complete before the packet.
size_t PduIndex::first_incomplete(std::span<const uint32_t> stream, PacketNumber packet) const {
    const auto at =
        std::lower_bound(stream.begin(), stream.end(), packet,
                         [&](uint32_t pdu, PacketNumber wanted) { return completion(pdu) < wanted; });
    return static_cast<size_t>(at - stream.begin());
}

uint64_t PduIndex::end_of(std::span<const uint32_t> stream, size_t at) const {
    const StoredRows<PduRow>& pdus = store_->pdus();
    const uint32_t data_length = pdus.get<&PduRow::data_length>(stream[at]);
    const uint64_t least = begin_of(stream[at]) + header_bytes + ((uint64_t{data_length} + 3) & ~uint64_t{3});
    if (at + 1 < stream.size()) {
        const uint64_t next = begin_of(stream[at + 1]);
        if (next >= least && next - least <= most_besides) return next;
    }
    const ConnectionRow* const connection = connection_of(pdus.get<&PduRow::connection>(stream[at]));
    if (connection == nullptr || connection->session == 0 ||
        connection->session > store_->sessions().size()) {
        return least;
    }
    constexpr std::string_view in_use = "CRC32C";
    const SessionRow& session = store_->session(connection->session);
    return least + (session.header_digest == in_use ? digest_bytes : 0) +
           (data_length > 0 && session.data_digest == in_use ? digest_bytes : 0);
}

// Of the PDUs from `first` on, the last one that begins at `offset` or before, or `first`.
size_t PduIndex::last_beginning_by(std::span<const uint32_t> stream, size_t first, size_t guess,
                                   int64_t offset) const {
    const auto begins_by = [&](size_t at) { return static_cast<int64_t>(begin_of(stream[at])) <= offset; };
    constexpr size_t near = 4;
    size_t low = first;
    if (guess > first && guess < stream.size() && begins_by(guess)) low = guess;
    for (size_t steps = 0; steps < near; ++steps, ++low) {
        if (low + 1 == stream.size() || !begins_by(low + 1)) return low;
    }
    const auto behind = std::upper_bound(
        stream.begin() + static_cast<std::ptrdiff_t>(low), stream.end(), offset,
        [&](int64_t wanted, uint32_t pdu) { return wanted < static_cast<int64_t>(begin_of(pdu)); });
    return std::max(low, static_cast<size_t>(behind - stream.begin()) - 1);
}

// No packet before this one has bytes of the PDU.
PacketNumber PduIndex::earliest_packet(std::span<const uint32_t> stream, size_t at, Side side) const {
    const PduRow& pdu = row(stream[at]);
    const ConnectionRow& connection = *connection_of(pdu.connection);
    const size_t side_slot = slot(pdu.connection, side);
    if (side_slot >= segments_.size()) return pdu.first_packet;
    const Segments& segments = segments_[side_slot];
    const auto place_of = [&](uint64_t offset) {
        const auto start =
            static_cast<int32_t>(connection.stream_start_seq[index_of(side)] - segments.first_seq);
        return Segments::base + static_cast<uint64_t>(int64_t{start}) + offset;
    };
    const uint64_t begin = place_of(pdu.bhs_offset);
    const auto behind =
        std::upper_bound(segments.overtaken.begin(), segments.overtaken.end(), begin,
                         [](uint64_t wanted, const Overtaken& hole) { return wanted < hole.begin; });
    if (behind == segments.overtaken.begin()) return pdu.first_packet;
    const Overtaken& hole = *std::prev(behind);
    bool waited = begin < hole.end;
    if (!waited && pdu.inferred) {
        // Its row shows when its first byte was delivered, not when it came: what was delivered with it may have waited.
        const size_t together = first_incomplete(stream, pdu.first_packet);
        waited = together < at && hole.begin >= place_of(begin_of(stream[together]));
    }
    return waited ? std::min(pdu.first_packet, hole.packet) : pdu.first_packet;
}

void PduIndex::packets_of_pdu(uint32_t pdu, std::vector<PacketNumber>& packets) const {
    if (pdu >= earlier_.size()) return;
    const PduRow& pdu_row = row(pdu);
    const ConnectionRow* const connection = connection_of(pdu_row.connection);
    if (connection == nullptr) return;
    const Side side = connection->side_of(pdu_row.sender);
    if (!connection->stream_start_known[index_of(side)]) {
        if (pdu_row.first_packet != 0) packets.push_back(pdu_row.first_packet);
        if (pdu_row.last_packet > pdu_row.first_packet) packets.push_back(pdu_row.last_packet);
        return;
    }
    const std::span<const uint32_t> pdus = stream(pdu_row.connection, pdu_row.sender);
    const auto at = static_cast<size_t>(std::lower_bound(pdus.begin(), pdus.end(), pdu) - pdus.begin());
    const uint32_t begin =
        connection->stream_start_seq[index_of(side)] + static_cast<uint32_t>(pdu_row.bhs_offset);
    const auto length = static_cast<int64_t>(end_of(pdus, at) - pdu_row.bhs_offset);
    // One that was never complete is the last of its stream: what is there of it ends with the connection.
    const PacketNumber upper = pdu_row.last_packet != 0 ? pdu_row.last_packet : connection->last_packet;
    const PacketNumber last = std::min<PacketNumber>(upper, store_->segments().size());
    const PacketNumber first = std::max<PacketNumber>(earliest_packet(pdus, at, side), 1);
    for (PacketNumber packet = first; packet <= last; ++packet) {
        const SegmentRow& segment = store_->segment(packet);
        if (segment.connection != pdu_row.connection || segment.sender != side ||
            segment.payload_length == 0) {
            continue;
        }
        const int64_t from_begin = static_cast<int32_t>(segment.seq - begin);
        if (from_begin < length && from_begin + segment.payload_length > 0) packets.push_back(packet);
    }
}

void PduIndex::pdus_of_bytes(uint32_t connection, Side side, uint32_t seq, uint32_t length, PacketNumber near,
                             std::vector<uint32_t>& pdus) const {
    const ConnectionRow* const row_of_connection = connection_of(connection);
    if (row_of_connection == nullptr || !row_of_connection->stream_start_known[index_of(side)]) return;
    const std::span<const uint32_t> all = stream(connection, row_of_connection->role_of(side));
    if (all.empty() || length == 0) return;
    const size_t reference = std::min(first_incomplete(all, near), all.size() - 1);
    const int64_t begin =
        offset_near(begin_of(all[reference]), seq - row_of_connection->stream_start_seq[index_of(side)]);
    const int64_t end = begin + length;
    for (size_t at = last_beginning_by(all, 0, reference, begin);
         at < all.size() && static_cast<int64_t>(begin_of(all[at])) < end; ++at) {
        if (static_cast<int64_t>(end_of(all, at)) > begin) pdus.push_back(all[at]);
    }
}

size_t PduIndex::memory_bytes() const {
    size_t bytes = earlier_.memory_bytes() + latest_.capacity() * sizeof latest_[0] + losses_.memory_bytes() +
                   streams_.capacity() * sizeof(decltype(streams_)::value_type) +
                   segments_.capacity() * sizeof segments_[0];
    for (const auto& stream : streams_) bytes += stream.capacity() * sizeof stream[0];
    for (const Segments& segments : segments_)
        bytes += segments.overtaken.capacity() * sizeof segments.overtaken[0];
    return bytes;
}

}  // namespace sanscope
