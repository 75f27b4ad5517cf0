// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/point_capture.h"

#include <algorithm>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/tcp_options.h"
#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope {
namespace {

constexpr uint32_t beyond_limit = FlowTable::none - 1;

// Which end it is by the ports; nullopt where neither, or both, are iSCSI's.
std::optional<size_t> initiator_by_ports(const std::array<Endpoint, 2>& ends, const DecodeAs& rules) {
    const auto is_iscsi = [&](uint16_t port) {
        const DecodeAs::Protocol named = rules.of_port(port);
        return named == DecodeAs::Protocol::by_content ? is_iscsi_port(port)
                                                       : named == DecodeAs::Protocol::iscsi;
    };
    const bool first_iscsi = is_iscsi(ends[0].port);
    const bool second_iscsi = is_iscsi(ends[1].port);
    if (first_iscsi != second_iscsi) return first_iscsi ? 1 : 0;
    return std::nullopt;
}

}  // namespace

uint32_t PointCapture::open_connection(const DecodedPacket& packet, const FlowKey& key, size_t side,
                                       PacketNumber number) {
    uint32_t& place = flows_.find_or_add(key);
    if (place == beyond_limit) return beyond_limit;
    bool begin = place == FlowTable::none;
    const bool syn = (packet.flags & tcp_syn) != 0;
    // A SYN with another sequence number is another connection of the same ports.
    if (!begin && syn) {
        const Open& open = open_[place];
        begin = open.isn[side] ? *open.isn[side] != packet.seq : open.seen[side];
    }
    if (begin) {
        if (connections_.size() >= most_connections) {
            if (place == FlowTable::none) place = beyond_limit;
            return beyond_limit;
        }
        place = static_cast<uint32_t>(connections_.size());
        connections_.emplace_back().first_packet = number;
        Open& open = open_.emplace_back();
        open.ends[side] = {packet.source, packet.source_port};
        open.ends[1 - side] = {packet.destination, packet.destination_port};
    }
    if (syn) {
        Open& open = open_[place];
        open.isn[side] = packet.seq;
        if (!open.initiator) open.initiator = (packet.flags & tcp_ack) != 0 ? 1 - side : side;
    }
    return place;
}

void PointCapture::add(const DecodedPacket& packet, PacketNumber number, int64_t time_ns) {
    bool source_is_low = false;
    const FlowKey key = FlowKey::of(packet, source_is_low);
    const size_t side = source_is_low ? 0 : 1;
    if (records_.size() >= most_segments) {
        ++left_out_;
        return;
    }
    const uint32_t connection = open_connection(packet, key, side, number);
    if (connection == beyond_limit) {
        ++left_out_;
        return;
    }
    Open& open = open_[connection];
    open.seen[side] = true;
    connections_[connection].last_packet = number;

    TcpOptions options;
    parse_tcp_options(packet, options);
    SegmentRecord record{.time_ns = time_ns,
                         .packet = number,
                         .flow = connection * 2 + static_cast<uint32_t>(side),
                         .seq = packet.seq,
                         .ack = (packet.flags & tcp_ack) != 0 ? packet.ack : 0,
                         .length = packet.payload_length,
                         .tsval = options.timestamp,
                         .ip_id = packet.ip_id,
                         .window = packet.window,
                         .flags = packet.flags,
                         .has_tsval = options.has_timestamps};
    if (options.sack_permitted) open.sack_permitted[side] = true;
    if (options.sack_blocks > 0) {
        SackRecord sack;
        sack.blocks = options.sack_blocks;
        for (size_t i = 0; i < sack.blocks; ++i) {
            sack.begin[i] = options.sack[i].begin.value;
            sack.end[i] = options.sack[i].end.value;
        }
        sacks_.append(sack);
        record.sack = static_cast<uint32_t>(sacks_.size());
        connections_[connection].sack_seen = true;
    }
    records_.append(record);
    whole_microseconds_ = whole_microseconds_ && time_ns % 1000 == 0;
    if (first_ns_ == no_time) first_ns_ = last_ns_ = time_ns;
    first_ns_ = std::min(first_ns_, time_ns);
    last_ns_ = std::max(last_ns_, time_ns);
}

void PointCapture::add(const PacketBatch& batch) {
    DecodedPacket decoded;
    DecodedPacket defragmented;
    for (size_t i = 0; i < batch.packets.size(); ++i) {
        const RawPacket& raw = batch.packets[i];
        ++packets_;
        decode_frame(raw.link_type, raw.data, raw.captured_length, raw.wire_length, decoded);
        const DecodedPacket* current = &decoded;
        while (current != nullptr && current->kind == DecodedPacket::Kind::ip_fragment) {
            const Datagram* datagram = fragments_.add(*current, raw.time_ns);
            if (datagram != nullptr) decode_datagram(*datagram, defragmented);
            current = datagram == nullptr ? nullptr : &defragmented;
        }
        if (current != nullptr && current->kind == DecodedPacket::Kind::tcp)
            add(*current, batch.first_packet + i, raw.time_ns);
    }
}

void PointCapture::finish() {
    std::vector<size_t> initiators(connections_.size());
    for (size_t i = 0; i < connections_.size(); ++i) {
        const Open& open = open_[i];
        const size_t higher_port = open.ends[0].port >= open.ends[1].port ? 0 : 1;
        const auto known = open.initiator ? open.initiator : initiator_by_ports(open.ends, decode_as_);
        const size_t initiator = known.value_or(higher_port);
        initiators[i] = initiator;
        PointConnection& connection = connections_[i];
        connection.initiator = open.ends[initiator];
        connection.target = open.ends[1 - initiator];
        connection.initiator_is_low = initiator == 0;
        connection.initiator_known = known.has_value();
        for (const Way way : {Way::out, Way::in}) {
            const size_t side = way == Way::out ? initiator : 1 - initiator;
            connection.isn[index_of(way)] = open.isn[side];
            connection.sack_permitted[index_of(way)] = open.sack_permitted[side];
        }
    }
    // Sorted by counting: what is of one flow stays in the capture's order.
    starts_.assign(connections_.size() * 2 + 1, 0);
    for (size_t i = 0; i < records_.size(); ++i) ++starts_[records_[i].flow + 1];
    for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    order_.resize(records_.size());
    std::vector<uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (size_t i = 0; i < records_.size(); ++i) order_[next[records_[i].flow]++] = static_cast<uint32_t>(i);
    open_ = {};
}

std::span<const uint32_t> PointCapture::segments(size_t connection, Way way) const {
    const bool from_low = connections_[connection].initiator_is_low == (way == Way::out);
    const size_t flow = connection * 2 + (from_low ? 0 : 1);
    return std::span(order_).subspan(starts_[flow], starts_[flow + 1] - starts_[flow]);
}

std::optional<uint32_t> PointCapture::place_of(PacketNumber packet) const {
    size_t begin = 0;
    size_t end = records_.size();
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (records_[middle].packet < packet) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    if (begin == records_.size() || records_[begin].packet != packet) return std::nullopt;
    return static_cast<uint32_t>(begin);
}

bool read_point(PacketSource& source, PointCapture& capture, const PointReadOptions& options) {
    const auto stopped = [&] {
        return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    };
    PacketBatch batch;
    while (!stopped() && source.claim(batch)) {
        source.load(batch);
        source.parse(batch);
        capture.add(batch);
        if (options.progress) options.progress(capture.packets());
    }
    capture.finish();
    return !stopped();
}

}  // namespace sanscope
