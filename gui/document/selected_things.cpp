// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/selected_things.h"

#include <algorithm>

namespace sanscope {
namespace {

class Finder {
  public:
    Finder(const CaptureData::Reading& reading, const StopFlag& stop)
        : reading_(reading), store_(reading.store()), timeline_(reading.timeline()), stop_(stop) {}

    SelectedThings find(const Selection& selection) {
        things_.selection = selection;
        if (selection.number == 0) return things_;
        const uint64_t number = selection.number;
        switch (selection.kind) {
            case Selection::Kind::none:
                break;
            case Selection::Kind::packet:
                if (number <= reading_.index().packets()) packet(number);
                break;
            case Selection::Kind::pdu:
                if (number <= store_.pdus().size()) pdu(number);
                break;
            case Selection::Kind::command:
                if (number <= store_.commands().size()) command(number);
                break;
            case Selection::Kind::connection:
                if (number <= store_.connections().size()) connection(static_cast<uint32_t>(number));
                break;
            case Selection::Kind::session:
                if (number <= store_.sessions().size()) session(static_cast<uint32_t>(number));
                break;
            case Selection::Kind::loss:
                if (number <= store_.losses().size()) loss(number);
                break;
        }
        std::ranges::sort(things_.packets);
        const auto repeated = std::ranges::unique(things_.packets);
        things_.packets.erase(repeated.begin(), repeated.end());
        return things_;
    }

  private:
    void extend(int64_t time_ns) {
        if (time_ns == no_time) return;
        TimeRange& range = things_.range;
        if (range.empty()) {
            range = {time_ns, time_ns + 1};
        } else {
            range = {std::min(range.begin_ns, time_ns), std::max(range.end_ns, time_ns + 1)};
        }
    }
    void extend_to_packet(PacketNumber packet) {
        if (packet != 0 && packet <= reading_.index().packets()) extend(timeline_.time_of(packet));
    }
    void set_connection(uint32_t connection) {
        if (connection == 0 || connection > store_.connections().size()) return;
        things_.connection = connection;
        if (things_.session == 0) things_.session = store_.connections()[connection - 1].session;
    }

    // The segments that carry bytes of a PDU: of its direction, between its first packet and its last, with its bytes.
    void add_packets_of(const PduRow& pdu) {
        const ConnectionTrack* track = timeline_.track(pdu.connection);
        if (track == nullptr || pdu.first_packet == 0) return;
        const ConnectionRow& connection = store_.connections()[pdu.connection - 1];
        const bool from_a = pdu.from_target != connection.initiator_is_a;
        const auto& segments = track->sender(from_a).segments;
        constexpr uint32_t header = 48;
        constexpr uint32_t digests_and_padding = 11;
        const uint32_t most = header + pdu.data_length + digests_and_padding;
        const bool known = connection.stream_start_known[from_a ? 0 : 1];
        const uint32_t begin =
            connection.stream_start_seq[from_a ? 0 : 1] + static_cast<uint32_t>(pdu.bhs_offset);
        const PacketNumber last = pdu.last_packet == 0 ? pdu.first_packet : pdu.last_packet;
        // Packet numbers grow with time but for a few: a little before and behind is looked at, too.
        auto it = std::ranges::lower_bound(segments, std::min(pdu.first_packet, last) - 1);
        for (; it != segments.end() && *it < last; ++it) {
            const SegmentRow& segment = store_.segments()[*it];
            if (segment.payload_length == 0) continue;
            const auto behind_begin = static_cast<int32_t>(segment.seq + segment.payload_length - begin);
            const auto before_end = static_cast<int32_t>(begin + most - segment.seq);
            if (!known || (behind_begin > 0 && before_end > 0)) things_.packets.push_back(*it + 1);
        }
    }

    void pdu(uint64_t number) {
        const PduRow& row = store_.pdus()[number - 1];
        things_.pdu = number;
        things_.pdus = {number};
        things_.command = row.command;
        things_.packet = row.last_packet != 0 ? row.last_packet : row.first_packet;
        set_connection(row.connection);
        add_packets_of(row);
        extend_to_packet(row.first_packet);
        extend(row.time_ns);
    }

    void command(uint64_t number) {
        const CommandRow& row = store_.commands()[number - 1];
        things_.command = number;
        things_.session = row.session;
        set_connection(row.connection);
        things_.packet = row.request_packet != 0 ? row.request_packet : row.response_packet;
        for (const int64_t time : {row.request_ns, row.first_data_ns, row.last_data_ns, row.response_ns})
            extend(time);
        extend_to_packet(row.aborted_packet);
        // Those that complete it need not carry bytes of it: they may have filled a hole before them.
        for (const PacketNumber packet :
             {row.request_packet, row.first_data_packet, row.last_data_packet, row.response_packet}) {
            if (packet != 0) things_.packets.push_back(static_cast<uint32_t>(packet));
        }
        const ConnectionTrack* track = timeline_.track(row.connection);
        if (track == nullptr || things_.range.empty()) return;
        // Its PDUs complete between its first moment and its last; one that never ended, before the capture does.
        const auto time_at = [&](uint32_t index) {
            const PduRow& pdu = store_.pdus()[index];
            return pdu.time_ns != no_time ? pdu.time_ns
                                          : timeline_.time_of(std::max<PacketNumber>(pdu.first_packet, 1));
        };
        const bool ended = timeline_.end_of(row) != no_time;
        size_t at = first_not_before(track->pdus, things_.range.begin_ns, time_at);
        for (; at < track->pdus.size() && !stop_; ++at) {
            const PduRow& pdu = store_.pdus()[track->pdus[at]];
            if (ended && time_at(track->pdus[at]) >= things_.range.end_ns) break;
            if (pdu.command != number) continue;
            things_.pdus.push_back(uint64_t{track->pdus[at]} + 1);
            add_packets_of(pdu);
        }
        std::ranges::sort(things_.pdus);
    }

    void packet(PacketNumber number) {
        things_.packet = number;
        things_.packets = {static_cast<uint32_t>(number)};
        extend_to_packet(number);
        if (number > store_.segments().size()) return;
        set_connection(store_.segments()[number - 1].connection);
        PacketRows rows;
        reading_.rows_by_packet().find(number, rows);
        if (!rows.pdus.empty()) {
            things_.pdu = rows.pdus.front() + 1;
        } else {
            things_.pdu = pdu_around(number);
        }
        if (!rows.commands.empty()) {
            things_.command = rows.commands.front().number;
        } else if (things_.pdu != 0) {
            things_.command = store_.pdus()[things_.pdu - 1].command;
        }
    }

    // The PDU, of those that complete soon behind the packet, whose bytes it carries; 0: none.
    uint64_t pdu_around(PacketNumber number) {
        const SegmentRow& segment = store_.segments()[number - 1];
        const ConnectionTrack* track = timeline_.track(segment.connection);
        if (track == nullptr || segment.payload_length == 0) return 0;
        const ConnectionRow& connection = store_.connections()[segment.connection - 1];
        const size_t side = segment.from_a ? 0 : 1;
        if (!connection.stream_start_known[side]) return 0;
        const auto time_at = [&](uint32_t index) {
            const PduRow& pdu = store_.pdus()[index];
            return pdu.time_ns != no_time ? pdu.time_ns
                                          : timeline_.time_of(std::max<PacketNumber>(pdu.first_packet, 1));
        };
        constexpr size_t most_looked_at = 4096;
        const size_t first = first_not_before(track->pdus, timeline_.time_of(number), time_at);
        for (size_t at = first; at < std::min(track->pdus.size(), first + most_looked_at); ++at) {
            const PduRow& pdu = store_.pdus()[track->pdus[at]];
            const bool from_a = pdu.from_target != connection.initiator_is_a;
            if (from_a != segment.from_a) continue;
            const uint32_t begin = connection.stream_start_seq[side] + static_cast<uint32_t>(pdu.bhs_offset);
            const auto into = static_cast<int32_t>(segment.seq - begin);
            if (into >= 0 && into < static_cast<int32_t>(pdu.data_length + 48))
                return uint64_t{track->pdus[at]} + 1;
            if (into < 0) return 0;
        }
        return 0;
    }

    void loss(uint64_t number) {
        const LossRow& row = store_.losses()[number - 1];
        packet(row.packet);
        set_connection(row.connection);
        if (row.original_packet != 0) things_.packets.push_back(static_cast<uint32_t>(row.original_packet));
        extend_to_packet(row.original_packet);
        extend(row.time_ns);
    }

    void connection(uint32_t number) {
        const ConnectionRow& row = store_.connections()[number - 1];
        set_connection(number);
        things_.packet = row.first_packet;
        extend_to_packet(row.first_packet);
        extend_to_packet(row.last_packet);
    }

    void session(uint32_t number) {
        things_.session = number;
        uint32_t connection = 0;
        for (const ConnectionRow& row : store_.connections()) {
            ++connection;
            if (row.session != number) continue;
            if (things_.connection == 0) things_.connection = connection;
            if (things_.packet == 0) things_.packet = row.first_packet;
            extend_to_packet(row.first_packet);
            extend_to_packet(row.last_packet);
        }
    }

    const CaptureData::Reading& reading_;
    const ResultStore& store_;
    const Timeline& timeline_;
    const StopFlag& stop_;
    SelectedThings things_;
};

}  // namespace

SelectedThings find_selected_things(const CaptureData::Reading& reading, const Selection& selection,
                                    const StopFlag& stop) {
    return Finder(reading, stop).find(selection);
}

}  // namespace sanscope
