// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/payload_follower.h"

#include <algorithm>
#include <random>
#include <utility>

#include "analyzer/iscsi/header_belief.h"

namespace sanscope {

PayloadFollower::PayloadFollower() : PayloadFollower(Limits{}) {}

PayloadFollower::PayloadFollower(const Limits& limits)
    : limits_(limits), flow_table_(std::random_device{}()), budget_{.limit = limits.held_bytes} {}

void PayloadFollower::follow(const DecodedPacket& packet, PacketNumber number, int64_t time_ns) {
    if (packet.kind != DecodedPacket::Kind::tcp) {
        waiting_.push_back({number, nullptr, {}, 0, 0, Side::a});
        return;
    }
    const Arrival arrival{number, time_ns};
    Side from = Side::a;
    std::shared_ptr<Flow> found = flow_of(packet, time_ns, from);
    const Serial32 seq((packet.flags & tcp_syn) != 0 ? packet.seq + 1 : packet.seq);
    waiting_.push_back({number, found, seq, packet.payload_length, packet.payload_captured, from});
    waiting_bytes_ += packet.payload_captured;
    if (found == nullptr) return;

    Flow& flow = *found;
    if (packet.payload_length > 0) ++flow.waiting;
    flow.tcp.note(from, packet, arrival);
    if (flow.tcp.closed() && !flow.closing) {
        flow.closing = true;
        closed_.push_back({found, time_ns});
        retire_closed(time_ns);
    }
    if (packet.payload_length > 0 && !flow.ended) on_payload(flow, from, packet, arrival);
    if (flow.iscsi == nullptr || flow.ended) return;
    StreamPiece piece;
    for (const Side side : {Side::a, Side::b}) {
        while (flow.tcp.holds(side) && flow.tcp.held_piece(side, as_of(arrival), piece))
            consume(flow, side, piece);
    }
}

void PayloadFollower::finish() {
    for (const auto& flow : flows_) {
        if (flow != nullptr) end_streams(*flow);
    }
    for (const Closed& closed : closed_) end_streams(*closed.flow);
}

std::shared_ptr<PayloadFollower::Flow> PayloadFollower::flow_of(const DecodedPacket& packet, int64_t time_ns,
                                                                Side& from) {
    bool source_is_low = false;
    const FlowKey key = FlowKey::of(packet, source_is_low);
    uint32_t slot = flow_table_.find_or_add(key);
    if (slot != FlowTable::none) {
        Flow& flow = *flows_[slot];
        from = flow.a_is_low == source_is_low ? Side::a : Side::b;
        if (!flow.tcp.is_of_next_incarnation(from, packet)) return flows_[slot];
        end_streams(flow);
        flows_[slot].reset();
        free_slots_.push_back(slot);
        flow_table_.find_or_add(key) = FlowTable::none;
    }
    if (flows_.size() - free_slots_.size() >= limits_.live_connections) end_silent_flows(time_ns);
    if (flow_table_.size() >= 4 * limits_.live_connections) renew_table();
    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<uint32_t>(flows_.size()));
        flows_.emplace_back();
    }
    slot = free_slots_.back();
    free_slots_.pop_back();
    flow_table_.find_or_add(key) = slot;
    from = Side::a;
    flows_[slot] = std::make_shared<Flow>(budget_, connections_++, source_is_low, key);
    flows_[slot]->slot = slot;
    return flows_[slot];
}

// Entries are never removed from it: of connections that are long gone, most of them.
void PayloadFollower::renew_table() {
    flow_table_ = FlowTable(std::random_device{}());
    for (uint32_t slot = 0; slot < flows_.size(); ++slot) {
        if (flows_[slot] != nullptr) flow_table_.find_or_add(flows_[slot]->key) = slot;
    }
}

// Those of which nothing came for the longest time, closed ones before them.
template <class Wanted>
std::vector<uint32_t> PayloadFollower::most_silent(int64_t now_ns, size_t count, const Wanted& wanted) const {
    std::vector<std::pair<int64_t, uint32_t>> order;
    for (uint32_t slot = 0; slot < flows_.size(); ++slot) {
        if (flows_[slot] == nullptr || !wanted(*flows_[slot])) continue;
        const TcpConnection& tcp = flows_[slot]->tcp;
        order.emplace_back(tcp.closed() ? INT64_MIN : std::min(tcp.last_ns(), now_ns), slot);
    }
    const size_t enough = std::min(order.size(), std::max<size_t>(count, 1));
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(enough), order.end());
    std::vector<uint32_t> slots;
    for (size_t i = 0; i < enough; ++i) slots.push_back(order[i].second);
    return slots;
}

void PayloadFollower::forget(uint32_t slot) {
    end_streams(*flows_[slot]);
    flow_table_.find_or_add(flows_[slot]->key) = FlowTable::none;
    flows_[slot].reset();
    free_slots_.push_back(slot);
}

void PayloadFollower::end_silent_flows(int64_t now_ns) {
    const auto any = [](const Flow&) { return true; };
    for (const uint32_t slot : most_silent(now_ns, limits_.live_connections / 4, any)) forget(slot);
}

void PayloadFollower::end_silent_iscsi(int64_t now_ns) {
    const auto counted = [](const Flow& flow) { return flow.counted; };
    for (const uint32_t slot : most_silent(now_ns, limits_.iscsi_connections / 4, counted)) forget(slot);
}

// What it takes to follow iSCSI is had by so many at a time only.
void PayloadFollower::count(Flow& flow, int64_t now_ns) {
    if (flow.counted) return;
    if (iscsi_connections_ >= limits_.iscsi_connections) end_silent_iscsi(now_ns);
    flow.counted = true;
    ++iscsi_connections_;
}

void PayloadFollower::uncount(Flow& flow) {
    if (std::exchange(flow.counted, false)) --iscsi_connections_;
}

void PayloadFollower::retire_closed(int64_t now_ns) {
    while (!closed_.empty()) {
        const Closed& oldest = closed_.front();
        if (closed_.size() <= max_closed && now_ns - oldest.time_ns < close_linger_ns) return;
        end_streams(*oldest.flow);
        closed_.pop_front();
    }
}

void PayloadFollower::on_payload(Flow& flow, Side from, const DecodedPacket& packet, const Arrival& arrival) {
    if (flow.iscsi != nullptr) return deliver(flow, from, packet, arrival);
    if (flow.probe == nullptr) {
        if (!IscsiProbe::worth_a_look(packet)) return;
        count(flow, arrival.time_ns);
        flow.probe = std::make_unique<IscsiProbe>();
    }
    if (flow.probe->look(from, packet, arrival) == IscsiProbe::Verdict::iscsi) begin_iscsi(flow);
}

void PayloadFollower::begin_iscsi(Flow& flow) {
    flow.initiator = flow.probe->initiator();
    flow.is_iscsi = true;
    flow.iscsi = std::make_unique<ConnectionFollower>();
    const std::unique_ptr<IscsiProbe> probe = std::move(flow.probe);
    std::array<bool, 2> begun{};
    for (const IscsiProbe::Kept& kept : probe->kept()) {
        bool& side_begun = begun[static_cast<size_t>(kept.from)];
        if (!side_begun) flow.tcp.begin_stream_at(kept.from, Serial32(kept.packet.seq));
        side_begun = true;
        deliver(flow, kept.from, kept.packet, kept.arrival);
    }
}

void PayloadFollower::deliver(Flow& flow, Side from, const DecodedPacket& packet, const Arrival& arrival) {
    StreamPiece piece;
    if (!flow.tcp.add_payload(from, packet, arrival, piece)) return;
    consume(flow, from, piece);
    while (flow.tcp.holds(from) && flow.tcp.held_piece(from, as_of(arrival), piece))
        consume(flow, from, piece);
}

// Holes are given up now that would be only once the usual time has passed.
Arrival PayloadFollower::as_of(const Arrival& arrival) const {
    return {arrival.packet,
            arrival.time_ns + (StreamReassembler::acknowledged_grace_ns - limits_.acknowledged_grace_ns)};
}

void PayloadFollower::consume(Flow& flow, Side from, const StreamPiece& piece) {
    const bool from_target = from != flow.initiator;
    bool& begun = flow.begun[static_cast<size_t>(from)];
    if (!begun) {
        begun = true;
        const bool behind_syn = flow.tcp.begins_behind_syn(from);
        const bool too_short_to_judge =
            piece.captured == piece.length && piece.captured < least_judged_header && behind_syn;
        if (!behind_syn) flow.iscsi->doubt(from_target);
        if (!too_short_to_judge && !looks_like_header(piece.data, piece.captured, from_target))
            flow.iscsi->begin_unsynchronised(from_target);
    }
    flow.iscsi->consume(from_target, piece, awaited());
}

void PayloadFollower::end_streams(Flow& flow) {
    if (std::exchange(flow.ended, true)) return;
    flow.probe.reset();
    if (flow.iscsi == nullptr) return uncount(flow);
    StreamPiece piece;
    for (const Side side : {flow.initiator, other_side(flow.initiator)}) {
        while (flow.tcp.flush_piece(side, piece)) consume(flow, side, piece);
    }
    flow.iscsi->finish();
    let_go(flow);
}

void PayloadFollower::let_go(Flow& flow) {
    if (!flow.ended || flow.waiting > 0) return;
    flow.iscsi.reset();
    uncount(flow);
}

PacketNumber PayloadFollower::awaited() const {
    return waiting_.empty() ? PacketNumber{0} : waiting_.front().number;
}

// Negative before the stream's first byte.
int64_t PayloadFollower::offset_of(const Waiting& packet) {
    const StreamReassembler& stream = packet.flow->tcp.stream(packet.from);
    return static_cast<int64_t>(stream.next_offset()) + stream.next_seq().distance_to(packet.seq);
}

bool PayloadFollower::is_known(const Waiting& packet) {
    if (packet.flow == nullptr || packet.length == 0) return true;
    const Flow& flow = *packet.flow;
    if (flow.ended) return true;
    if (flow.iscsi == nullptr) return flow.probe == nullptr || !flow.probe->keeps_some();
    if (!flow.tcp.stream(packet.from).begun()) return true;
    const ClassifiedStream& stream = flow.iscsi->stream(packet.from != flow.initiator);
    return static_cast<int64_t>(stream.end()) >= offset_of(packet) + packet.length;
}

bool PayloadFollower::has_next() const {
    if (waiting_.empty()) return false;
    const bool too_much = waiting_.size() > limits_.waiting_packets || waiting_bytes_ > limits_.waiting_bytes;
    return too_much || is_known(waiting_.front());
}

PacketParts PayloadFollower::next(std::span<const uint8_t> payload) {
    const Waiting packet = std::move(waiting_.front());
    waiting_.pop_front();
    return parts_of(packet, payload);
}

bool PayloadFollower::settle(std::span<const uint8_t> payload, PacketParts& parts) {
    if (waiting_.empty() || !is_known(waiting_.back())) return false;
    // What one of them brought first is to be looked up before what came again.
    const auto& flow = waiting_.back().flow;
    if (flow != nullptr && waiting_.back().length > 0 && flow->waiting > 1) return false;
    const Waiting packet = std::move(waiting_.back());
    waiting_.pop_back();
    parts = parts_of(packet, payload);
    return true;
}

void PayloadFollower::give_up_holes() {
    if (waiting_.empty() || waiting_.front().flow == nullptr) return;
    const std::shared_ptr<Flow> flow = waiting_.front().flow;
    if (flow->iscsi == nullptr || flow->ended) return;
    StreamPiece piece;
    for (const Side side : {flow->initiator, other_side(flow->initiator)}) {
        while (flow->tcp.flush_piece(side, piece)) consume(*flow, side, piece);
    }
}

PacketParts PayloadFollower::parts_of(const Waiting& packet, std::span<const uint8_t> payload) {
    waiting_bytes_ -= packet.captured;
    PacketParts parts;
    parts.packet = packet.number;
    parts_.clear();
    if (packet.flow == nullptr) {
        if (packet.length > 0) parts_.push_back({.length = packet.length, .whole = packet.length});
        parts.parts = parts_;
        return parts;
    }
    Flow& flow = *packet.flow;
    if (packet.length > 0) --flow.waiting;
    parts.connection = flow.number;
    parts.iscsi = flow.is_iscsi;
    parts.from_target = parts.iscsi && packet.from != flow.initiator;
    if (flow.iscsi != nullptr && packet.length > 0 && flow.tcp.stream(packet.from).begun()) {
        flow.iscsi->stream(parts.from_target)
            .look_up(offset_of(packet), packet.length, payload, packet.number, parts_, parts.seen_before);
    } else if (packet.length > 0) {
        parts_.push_back({.length = packet.length, .whole = packet.length});
    }
    let_go(flow);
    parts.parts = parts_;
    return parts;
}

}  // namespace sanscope
