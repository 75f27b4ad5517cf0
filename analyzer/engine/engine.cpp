// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/engine.h"

#include <algorithm>
#include <limits>
#include <random>

#include "analyzer/base/reachable_time.h"
#include "analyzer/engine/network_notes.h"
#include "analyzer/engine/vantage_agreement.h"
#include "analyzer/ingest/kernel_truth_block.h"
#include "analyzer/ingest/pcapng_parser.h"
#include "analyzer/iscsi/header_belief.h"
#include "analyzer/net/decode_frame.h"
#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope {
namespace {

bool goes_back(int64_t from_ns, int64_t to_ns) {
    const uint64_t by_ns = static_cast<uint64_t>(from_ns) - static_cast<uint64_t>(to_ns);
    return to_ns < from_ns && by_ns > uint64_t{least_set_back_ns};
}

bool goes_far_ahead(int64_t from_ns, int64_t to_ns) {
    constexpr uint64_t far_ns = 300'000'000'000;
    return to_ns > from_ns && static_cast<uint64_t>(to_ns) - static_cast<uint64_t>(from_ns) > far_ns;
}

// Who is who, as far as that is known by now.
template <class Flow>
void describe_ends(const Flow& flow, Side initiator, ConnectionRow& row) {
    const Endpoint low{flow.key.low, flow.key.low_port};
    const Endpoint high{flow.key.high, flow.key.high_port};
    const bool initiator_is_low = (initiator == Side::a) == flow.a_is_low;
    row.iscsi = flow.is_iscsi;
    row.initiator_side = initiator;
    row.initiator = initiator_is_low ? low : high;
    row.target = initiator_is_low ? high : low;
}

}  // namespace

void decode_batch(const PacketBatch& batch, std::vector<DecodedPacket>& decoded, size_t first, size_t most) {
    decoded.resize(std::min(most, batch.packets.size() - first));
    for (size_t i = 0; i < decoded.size(); ++i) {
        const RawPacket& packet = batch.packets[first + i];
        decode_frame(packet.link_type, packet.data, packet.captured_length, packet.wire_length, decoded[i]);
    }
}

Engine::Engine(ResultStore::Keep keep, StopAfter stop_after, std::pmr::memory_resource* memory)
    : store_(keep, memory), stop_after_(stop_after), flow_table_(std::random_device{}()), sessions_(store_) {
    if (store_.keeps_kernel_rows()) kernel_truth_ = std::make_unique<KernelTruthJoiner>(store_, issues_);
}

void Engine::process(const PacketBatch& batch, std::span<const DecodedPacket> decoded, size_t first) {
    const std::span<const RawPacket> packets = std::span(batch.packets).subspan(first, decoded.size());
    if (batch.after_gap && first == 0) [[unlikely]]
        note_gap(packets);
    count(packets);
    for (size_t i = 0; i < decoded.size(); ++i) {
        const Arrival arrival{batch.first_packet + first + i, within_reach(packets[i].time_ns)};
        const DecodedPacket* packet = &decoded[i];
        SegmentRow* const segment = store_.keeps_segments() ? &store_.add_segment() : nullptr;
        if (packet->kind != DecodedPacket::Kind::tcp) {
            if (packets[i].link_type == LinkType::not_a_packet) take_block(packets[i], arrival.packet);
            note_network_message(packets[i], *packet, arrival, store_.network_events());
            packet = not_yet_tcp(*packet, arrival, packets[i].wire_length);
        }
        if (packet == nullptr || stop_after_ == StopAfter::decode) continue;
        ++totals_.tcp_packets;
        Side from = Side::a;
        Flow* flow = flow_of(*packet, arrival, from);
        if (flow == nullptr) continue;
        if (segment != nullptr) {
            *segment = {flow->number,
                        packet->seq,
                        packet->ack,
                        packet->payload_length,
                        packet->window,
                        static_cast<uint8_t>(packet->flags),
                        from};
        }
        if ((packet->flags & (tcp_syn | tcp_fin | tcp_rst)) != 0) [[unlikely]] {
            note_segment_origin(packets[i], *packet, arrival, flow->number,
                                flow->origins[static_cast<size_t>(from)],
                                store_.network_events().address_claims());
        }
        const bool alone =
            goes_far_ahead(last_believed_ns_, arrival.time_ns) && time_is_alone(batch, first + i);
        const int64_t believed_ns = alone ? last_believed_ns_ : arrival.time_ns;
        last_believed_ns_ = believed_ns;
        on_segment(*flow, from, *packet, arrival, believed_ns);
        if (kernel_truth_ != nullptr &&
            kernel_truth_->on_packet(flow->number, from, arrival.time_ns, arrival.packet, packet->ack))
            join_kernel_truth();
    }
}

// Whether a packet's time, which lies far ahead of the one before, lies far ahead of all that stand around it: then it is
// not believed, for whatever is measured against it would be wrong for good.
bool Engine::time_is_alone(const PacketBatch& batch, size_t index) const {
    if (last_believed_ns_ == no_time) return false;
    const int64_t time_ns = within_reach(batch.packets[index].time_ns);
    for (size_t next = index + 1; next < batch.packets.size(); ++next) {
        if (batch.packets[next].link_type == LinkType::not_a_packet) continue;
        return goes_far_ahead(within_reach(batch.packets[next].time_ns), time_ns);
    }
    return false;
}

// A record that is no packet, as which a pcapng's custom blocks come.
void Engine::take_block(const RawPacket& block, PacketNumber packet) {
    const bool is_custom = block.block_head == pcapng_block_head &&
                           is_custom_block({block.data - pcapng_block_head, pcapng_block_head});
    if (!is_custom || stop_after_ != StopAfter::none) return;
    const std::span<const uint8_t> body(block.data, block.captured_length);
    if (kernel_truth_ == nullptr || lane_ != nullptr) {
        if (read_kernel_truth_block(body).kind == KernelTruthBlock::Kind::other) return;
        stop_deferring();
        if (kernel_truth_ == nullptr) kernel_truth_ = std::make_unique<KernelTruthJoiner>(store_, issues_);
    }
    kernel_told_ = true;
    join_kernel_truth();
    kernel_truth_->take_block(body, block.interface, packet);
}

void Engine::join_kernel_truth() {
    if (kernel_truth_->wants_connections_described()) describe_connections();
    kernel_truth_->join();
}

void Engine::describe_connections() {
    for (const auto& flow : flows_) {
        if (flow != nullptr) describe(*flow);
    }
}

void Engine::finish() {
    for (const auto& flow : flows_) {
        if (flow != nullptr) end_flow(*flow);
    }
    stop_deferring();
    flows_.clear();
    recent_ = {};
    if (kernel_truth_ != nullptr) kernel_truth_->finish();
    sessions_.finish();
    settle_vantages(store_);
    note_clocks_apart();
    store_.finish();
    if (store_.impossible_figures() > 0)
        issues_.add(Issue::figures_impossible, store_.impossible_packet(), store_.impossible_figures());
    const auto& fragments = fragments_.counters();
    const uint64_t never_completed = fragments.datagrams_timed_out + fragments.datagrams_evicted +
                                     fragments.datagrams_discarded + fragments_.datagrams_in_flight();
    if (never_completed > 0) issues_.add(Issue::fragments_never_completed, 0, never_completed);
}

void Engine::note_clocks_apart() {
    bool any = false;
    for (const ConnectionRow& row : store_.connections()) {
        for (const SentDataRow* const sent : {&row.out, &row.in}) {
            if (sent->clock_ahead_ns() == 0) continue;
            issues_.add(Issue::captured_after_acknowledgement, sent->first_late_packet, sent->late_segments);
            any = true;
        }
    }
    // It is why they seem to come for a second time.
    if (any) issues_.withdraw(Issue::answers_acknowledged_before);
}

void Engine::note_gap(std::span<const RawPacket> packets) {
    const auto next = std::ranges::find_if(
        packets, [](const RawPacket& packet) { return packet.link_type != LinkType::not_a_packet; });
    if (next == packets.end() || totals_.last_ns == no_time) return;
    const int64_t next_ns = within_reach(next->time_ns);
    if (next_ns > totals_.last_ns && next_ns - totals_.last_ns >= least_gap_ns)
        totals_.gaps.push_back({totals_.last_ns, next_ns});
}

void Engine::count(std::span<const RawPacket> packets) {
    constexpr int64_t none_yet = std::numeric_limits<int64_t>::max();
    int64_t first_ns = totals_.first_ns == no_time ? none_yet : totals_.first_ns;
    int64_t last_ns = totals_.last_ns;
    uint64_t wire_bytes = 0;
    uint64_t cut_packets = 0;
    uint32_t cut_at = totals_.cut_at;
    if (set_back_at_.size() > 1) set_back_at_.erase(set_back_at_.begin(), set_back_at_.end() - 1);
    for (size_t i = 0; i < packets.size(); ++i) {
        const RawPacket& packet = packets[i];
        // Has no time of its own, and was on no wire.
        if (packet.link_type == LinkType::not_a_packet) [[unlikely]]
            continue;
        if (goes_back(latest_ns_, packet.time_ns)) [[unlikely]] {
            issues_.add(Issue::times_set_back, totals_.packets + i + 1);
            set_back_at_.push_back(totals_.packets + i + 1);
            if (totals_.set_back_unexplained.size() <= most_set_back)
                totals_.set_back_unexplained.push_back(totals_.packets + i + 1);
            totals_.largest_set_back_ns = std::max(totals_.largest_set_back_ns,
                                                   within_reach(latest_ns_) - within_reach(packet.time_ns));
        }
        latest_ns_ = packet.time_ns;
        wire_bytes += packet.wire_length;
        const bool cut = packet.captured_length < packet.wire_length;
        cut_packets += cut ? 1u : 0u;
        cut_at = cut ? std::max(cut_at, packet.captured_length) : cut_at;
        first_ns = std::min(first_ns, packet.time_ns);
        last_ns = std::max(last_ns, packet.time_ns);
    }
    totals_.packets += packets.size();
    totals_.wire_bytes += wire_bytes;
    totals_.cut_packets += cut_packets;
    totals_.cut_at = cut_at;
    if (first_ns == none_yet) return;
    totals_.first_ns = within_reach(first_ns);
    totals_.last_ns = within_reach(last_ns);
}

// What one connection shows of a clock that was set back between two of its packets: unless the packets' times showed it, or
// another connection has.
void Engine::note_set_back(int64_t by_ns, PacketNumber since, PacketNumber packet) {
    const auto behind = std::ranges::upper_bound(set_back_at_, packet);
    if (behind != set_back_at_.begin() && *std::prev(behind) > since) {
        std::erase(totals_.set_back_unexplained, *std::prev(behind));
        return;
    }
    set_back_at_.insert(behind, packet);
    issues_.add(Issue::times_set_back, packet);
    totals_.largest_set_back_ns = std::max(totals_.largest_set_back_ns, by_ns);
}

// The TCP segment that an IP fragment completes; nullptr, and perhaps an issue counted, for anything else.
const DecodedPacket* Engine::not_yet_tcp(const DecodedPacket& packet, const Arrival& arrival,
                                         uint32_t wire_length) {
    const DecodedPacket* current = &packet;
    while (current->kind == DecodedPacket::Kind::ip_fragment) {
        const Datagram* datagram = fragments_.add(*current, arrival.time_ns);
        if (datagram == nullptr) return nullptr;
        decode_datagram(*datagram, defragmented_);
        defragmented_.vlan = packet.vlan;
        current = &defragmented_;
    }
    switch (current->kind) {
        case DecodedPacket::Kind::tcp:
            return current;
        case DecodedPacket::Kind::truncated:
            issues_.add(Issue::frames_truncated, arrival.packet);
            break;
        case DecodedPacket::Kind::malformed:
            issues_.add(Issue::frames_malformed, arrival.packet);
            break;
        case DecodedPacket::Kind::passed_over:
            totals_.passed_over.add(current->passed_over, current->passed_over_number, arrival.packet,
                                    wire_length);
            break;
        case DecodedPacket::Kind::icmp:
        case DecodedPacket::Kind::arp:
        case DecodedPacket::Kind::other:
        case DecodedPacket::Kind::ip_fragment:
            break;
    }
    return nullptr;
}

inline Engine::Flow* Engine::flow_of(const DecodedPacket& packet, const Arrival& arrival, Side& from) {
    const uint32_t ports = uint32_t{packet.source_port} << 16 | packet.destination_port;
    const auto last_address_byte = static_cast<uint32_t>(packet.source.words[1] >> 56);
    RecentFlow& recent = recent_[(ports + last_address_byte + packet.vlan) * 0x9e3779b1u >> 24];
    const bool hit = recent.flow != nullptr && recent.ports == ports && recent.vlan == packet.vlan &&
                     recent.source == packet.source && recent.destination == packet.destination;
    if (hit && !recent.flow->tcp.is_of_next_incarnation(recent.from, packet)) [[likely]] {
        from = recent.from;
        return recent.flow;
    }
    Flow* flow = find_flow(packet, arrival, from);
    if (flow != nullptr && flow->previous == FlowTable::none)
        recent = {packet.source, packet.destination, ports, packet.vlan, from, flow};
    return flow;
}

Engine::Flow* Engine::find_flow(const DecodedPacket& packet, const Arrival& arrival, Side& from) {
    bool source_is_low = false;
    FlowKey key = FlowKey::of(packet, source_is_low);
    if (connections_ >= max_connections && !flow_table_.contains(key)) [[unlikely]] {
        issues_.add(Issue::connections_over_limit, arrival.packet);
        return nullptr;
    }
    const auto side_in = [=](const Flow& flow) { return flow.a_is_low == source_is_low ? Side::a : Side::b; };
    uint32_t* slot = &flow_table_.find_or_add(key);
    if (*slot != FlowTable::none && flows_[*slot]->previous != FlowTable::none) [[unlikely]]
        *slot = slot_behind_syn(*slot, side_in(*flows_[*slot]), packet);
    if (*slot != FlowTable::none && !flows_[*slot]->came_in(packet.vlan)) [[unlikely]] {
        Flow& first = *flows_[*slot];
        if (is_in_another_network(first, side_in(first), packet, key)) {
            first.has_others = true;
            key.network = packet.vlan + 1;
            slot = &flow_table_.find_or_add(key);
        }
    }
    uint32_t previous = FlowTable::none;
    if (*slot != FlowTable::none) {
        Flow* flow = flows_[*slot].get();
        from = side_in(*flow);
        if (!flow->tcp.is_of_next_incarnation(from, packet)) {
            flow->comes_in(packet.vlan);
            return flow;
        }
        previous = std::exchange(flow->previous, FlowTable::none);
        const bool opens = (packet.flags & (tcp_syn | tcp_ack)) == tcp_syn;
        if (opens && !flow->tcp.closed() && previous == FlowTable::none) {
            previous = *slot;
            forget_recent(*flow);
        } else {
            forget(*slot);
        }
        *slot = FlowTable::none;
    }
    from = Side::a;
    Flow* const flow = begin_flow(key, *slot, source_is_low, arrival);
    if (flow == nullptr) {
        *slot = previous;
        return nullptr;
    }
    const bool is_left = previous != FlowTable::none && previous != flow->slot && flows_[previous] != nullptr;
    flow->previous = is_left ? previous : FlowTable::none;
    flow->comes_in(packet.vlan);
    return flow;
}

// A SYN that came amid a connection: from elsewhere it changes nothing (RFC 5961 §4.2), and packets of that connection go on. Where
// they are of the one that it opens, that other one has ended. The slot of the one that the packet is of.
uint32_t Engine::slot_behind_syn(uint32_t slot, Side from, const DecodedPacket& packet) {
    Flow& opened = *flows_[slot];
    if ((packet.flags & (tcp_syn | tcp_ack)) == tcp_syn) return slot;
    const uint32_t previous = opened.previous;
    const Flow& before = *flows_[previous];
    const Side from_before = before.a_is_low == opened.a_is_low ? from : other_side(from);
    if (opened.tcp.is_of_another_network(from, packet) &&
        !before.tcp.is_of_another_network(from_before, packet)) {
        opened.previous = FlowTable::none;
        forget(slot);
        return previous;
    }
    opened.previous = FlowTable::none;
    forget(previous);
    return slot;
}

// Of a packet in a VLAN that no packet of `first` came in. Its own would be a mirror port's, which shows one connection in several
// VLANs, or each direction in another one.
bool Engine::is_in_another_network(const Flow& first, Side from, const DecodedPacket& packet,
                                   FlowKey key) const {
    key.network = packet.vlan + 1;
    if (first.has_others && flow_table_.contains(key)) return true;
    return first.tcp.is_of_another_network(from, packet);
}

void Engine::forget_recent(const Flow& flow) {
    for (RecentFlow& recent : recent_) {
        if (recent.flow == &flow) recent.flow = nullptr;
    }
}

// Ends the flow and gives its slot back.
void Engine::forget(uint32_t slot) {
    end_flow(*flows_[slot]);
    forget_recent(*flows_[slot]);
    flows_[slot].reset();
    free_slots_.push_back(slot);
}

Engine::Flow* Engine::begin_flow(const FlowKey& key, uint32_t& slot, bool source_is_low,
                                 const Arrival& arrival) {
    if (connections_ >= max_connections) {
        issues_.add(Issue::connections_over_limit, arrival.packet);
        return nullptr;
    }
    if (flows_.size() - free_slots_.size() >= max_live_connections) end_silent_flows(arrival.time_ns);
    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<uint32_t>(flows_.size()));
        flows_.emplace_back();
    }
    slot = free_slots_.back();
    free_slots_.pop_back();
    ConnectionRow& row = store_.add_connection(connections_);
    row.first_packet = arrival.packet;
    row.start_ns = arrival.time_ns;
    flows_[slot] =
        std::make_unique<Flow>(budget_, send_budget_, store_, connections_, slot, source_is_low, key);
    flows_[slot]->decoded_as = decode_as_.of_ports(key.low_port, key.high_port);
    describe_ends(*flows_[slot], initiator_of(*flows_[slot]), row);
    return flows_[slot].get();
}

[[gnu::always_inline]] inline void Engine::on_segment(Flow& flow, Side from, const DecodedPacket& packet,
                                                      const Arrival& arrival, int64_t believed_ns) {
    const TcpConnection::SetBack back =
        flow.tcp.set_back(from, packet, arrival.time_ns, least_shown_set_back_ns);
    if (!flow.tcp.note(from, packet, arrival)) [[unlikely]]
        return;
    if (back.by_ns > 0) [[unlikely]]
        note_set_back(back.by_ns, back.since, arrival.packet);
    if (flow.senders != nullptr && stop_after_ == StopAfter::none)
        pass_to_senders(flow, from, packet, arrival.packet, believed_ns, back.by_ns > 0);
    if (flow.tcp.closed() && !flow.closing) {
        flow.closing = true;
        closed_.push_back({flow.slot, flow.number, arrival.time_ns});
        retire_closed(arrival.time_ns);
    }
    if (packet.payload_length > 0 && !flow.retired) {
        if (flow.iscsi != nullptr) {
            deliver(flow, from, packet, arrival);
        } else {
            probe(flow, from, packet, arrival);
        }
    }
    const bool holds = flow.tcp.holds(Side::a) || flow.tcp.holds(Side::b);
    if (holds && flow.iscsi != nullptr) [[unlikely]]
        deliver_held(flow, arrival);
}

inline void Engine::pass_to_senders(Flow& flow, Side from, const DecodedPacket& packet, PacketNumber number,
                                    int64_t time_ns, bool set_back) {
    const bool stays = &packet != &defragmented_;
    if (lane_ != nullptr && stays)
        return lane_->work->add_packet(*flow.senders, from, packet, number, time_ns, set_back);
    if (lane_ != nullptr) lane_->settle();
    flow.senders->on_packet(from, packet, number, time_ns, set_back);
}

bool Engine::defer_senders(SenderLane& lane) {
    if (kernel_told_) return false;
    lane_ = &lane;
    return true;
}

void Engine::stop_deferring() {
    if (lane_ == nullptr) return;
    lane_->settle();
    lane_ = nullptr;
    constexpr Issue only = Issue::retransmissions_not_shown;
    const Issues::Count& count = sender_issues_[only];
    if (count.count > 0) issues_.add(only, count.first_packet, count.count);
    sender_issues_ = {};
}

void Engine::deliver_held(Flow& flow, Arrival arrival) {
    StreamPiece piece;
    for (const Side side : {Side::a, Side::b}) {
        while (flow.tcp.holds(side) && flow.tcp.held_piece(side, arrival, piece)) consume(flow, side, piece);
    }
}

void Engine::begin_iscsi(Flow& flow, Side initiator) {
    flow.initiator = initiator;
    flow.is_iscsi = true;
    describe_ends(flow, initiator, store_.connection(flow.number));
    flow.iscsi = std::make_unique<IscsiConnection>(flow.number, sessions_, store_, issues_);
}

// Of a connection that is iSCSI by the user's word, as its first segment with payload comes: as ever where the handshake or a
// header tells; else the port that the user named is the target's.
Side Engine::initiator_as_decoded(const Flow& flow, Side from, const DecodedPacket& packet) const {
    if (flow.tcp.syn_seen(Side::a) || flow.tcp.syn_seen(Side::b)) return initiator_of(flow);
    if (packet.payload_captured >= least_judged_header) {
        if (looks_like_header(packet.payload, packet.payload_captured, false)) return from;
        if (looks_like_header(packet.payload, packet.payload_captured, true)) return other_side(from);
    }
    const bool named_source = decode_as_.of_port(packet.source_port) == DecodeAs::Protocol::iscsi;
    const bool named_destination = decode_as_.of_port(packet.destination_port) == DecodeAs::Protocol::iscsi;
    if (named_source != named_destination) return named_source ? other_side(from) : from;
    return initiator_of(flow);
}

void Engine::probe(Flow& flow, Side from, const DecodedPacket& packet, Arrival arrival) {
    if (flow.decoded_as == DecodeAs::Protocol::data) return;
    if (flow.decoded_as == DecodeAs::Protocol::iscsi) {
        begin_iscsi(flow, initiator_as_decoded(flow, from, packet));
        return deliver(flow, from, packet, arrival);
    }
    if (flow.probe == nullptr) {
        if (!IscsiProbe::worth_a_look(packet)) return;
        flow.probe = std::make_unique<IscsiProbe>();
    }
    if (flow.probe->look(from, packet, arrival) != IscsiProbe::Verdict::iscsi) return;
    begin_iscsi(flow, flow.probe->initiator());
    const std::unique_ptr<IscsiProbe> probe = std::move(flow.probe);
    bool begun[2] = {false, false};
    for (const IscsiProbe::Kept& kept : probe->kept()) {
        bool& side_begun = begun[static_cast<size_t>(kept.from)];
        if (!side_begun) flow.tcp.begin_stream_at(kept.from, Serial32(kept.packet.seq));
        side_begun = true;
        deliver(flow, kept.from, kept.packet, kept.arrival);
    }
}

void Engine::deliver(Flow& flow, Side from, const DecodedPacket& packet, const Arrival& arrival) {
    StreamPiece piece;
    if (!flow.tcp.add_payload(from, packet, arrival, piece)) return;
    consume(flow, from, piece);
    while (flow.tcp.holds(from) && flow.tcp.held_piece(from, arrival, piece)) consume(flow, from, piece);
}

void Engine::consume(Flow& flow, Side from, const StreamPiece& piece) {
    const bool from_target = from != flow.initiator;
    if (stop_after_ != StopAfter::none) {
        if (stop_after_ == StopAfter::frame) frame_only(flow, from_target, piece);
        return;
    }
    if (!from_target) flow.iscsi->answers_may_be_unseen(flow.tcp.lacks_acknowledged(other_side(from)));
    bool& begun = flow.stream_begun[static_cast<size_t>(from)];
    if (!begun) {
        begun = true;
        if (from_target && flow.tcp.lacks_beginning(from))
            flow.iscsi->answers_were_unseen_until(piece.carried.packet);
        // Behind the SYN a stream begins with a header, however few of its bytes the first piece brings.
        const bool too_short_to_judge = piece.captured == piece.length &&
                                        piece.captured < least_judged_header &&
                                        flow.tcp.begins_behind_syn(from);
        if (!too_short_to_judge && !looks_like_header(piece.data, piece.captured, from_target))
            flow.iscsi->begin_unsynchronised(from_target);
    }
    if (totals_.data_not_kept) [[unlikely]]
        flow.iscsi->data_are_not_kept();
    flow.iscsi->consume(from_target, piece);
}

void Engine::frame_only(Flow& flow, bool from_target, const StreamPiece& piece) {
    if (flow.framing == nullptr) flow.framing = std::make_unique<FramingAlone>();
    flow.framing->consume(from_target, piece);
}

void Engine::end_flow(Flow& flow) {
    end_streams(flow);
    describe(flow);
}

void Engine::describe(const Flow& flow) {
    const Side initiator = initiator_of(flow);
    ConnectionRow& row = store_.connection(flow.number);
    describe_ends(flow, initiator, row);
    flow.tcp.describe(initiator, row);
    if (const ConnectionSenders* const senders = flow.senders.get(); senders != nullptr) {
        if (lane_ != nullptr) lane_->settle();
        senders->describe(row.initiator_side, row);
    }
}

void Engine::end_streams(Flow& flow) {
    flow.retired = true;
    flow.probe.reset();
    if (flow.senders != nullptr) {
        const Side initiator = initiator_of(flow);
        ConnectionRow& row = store_.connection(flow.number);
        if (lane_ != nullptr) {
            lane_->work->add_end(std::move(flow.senders), initiator, row, flow.tcp.last_packet());
        } else {
            SenderWork::end(*flow.senders, initiator, row, flow.tcp.last_packet(), issues_);
            flow.senders.reset();
        }
    }
    if (flow.iscsi == nullptr) return;
    if (flow.tcp.lacks_acknowledged(other_side(flow.initiator)))
        flow.iscsi->answers_were_unseen_until(std::numeric_limits<PacketNumber>::max());
    StreamPiece piece;
    for (const Side side : {flow.initiator, other_side(flow.initiator)}) {
        while (flow.tcp.flush_piece(side, piece)) consume(flow, side, piece);
    }
    flow.iscsi->finish();
    flow.iscsi.reset();
}

void Engine::retire_closed(int64_t now_ns) {
    while (!closed_.empty()) {
        const Closed oldest = closed_.front();
        if (closed_.size() <= max_closed && now_ns - oldest.time_ns < close_linger_ns) return;
        closed_.pop_front();
        Flow* flow = flows_[oldest.slot].get();
        if (flow != nullptr && flow->number == oldest.number) end_streams(*flow);
    }
}

// The closed, the silent for a while, and those that never had data; if that is too few, the longest silent.
void Engine::end_silent_flows(int64_t now_ns) {
    constexpr int64_t long_silent_ns = 60'000'000'000;
    constexpr size_t enough = max_live_connections / 4;
    std::vector<std::pair<int64_t, uint32_t>> order;
    for (uint32_t slot = 0; slot < flows_.size(); ++slot) {
        if (flows_[slot] == nullptr) continue;
        const TcpConnection& tcp = flows_[slot]->tcp;
        const bool done = tcp.closed() || !tcp.data_seen() || now_ns - tcp.last_ns() > long_silent_ns;
        order.emplace_back(done ? no_time : tcp.last_ns(), slot);
    }
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < order.size() && (i < enough || order[i].first == no_time); ++i) {
        const uint32_t slot = order[i].second;
        if (flows_[slot] == nullptr) continue;  // ended with the one that followed it
        uint32_t& at = flow_table_.find_or_add(flows_[slot]->key);
        const uint32_t previous = flows_[slot]->previous;
        if (at == slot) {
            at = FlowTable::none;
        } else if (at != FlowTable::none) {
            flows_[at]->previous = FlowTable::none;
        }
        forget(slot);
        if (previous != FlowTable::none) forget(previous);
    }
}

// The side that speaks as iSCSI initiator; else the one that sent the SYN; else the one with the higher port.
Side Engine::initiator_of(const Flow& flow) {
    if (flow.is_iscsi) return flow.initiator;
    if (flow.tcp.sent_first_syn(Side::a)) return Side::a;
    if (flow.tcp.sent_first_syn(Side::b)) return Side::b;
    if (flow.tcp.syn_seen(Side::a)) return Side::b;
    if (flow.tcp.syn_seen(Side::b)) return Side::a;
    const uint16_t port_a = flow.a_is_low ? flow.key.low_port : flow.key.high_port;
    const uint16_t port_b = flow.a_is_low ? flow.key.high_port : flow.key.low_port;
    if (is_iscsi_port(port_a) != is_iscsi_port(port_b)) return is_iscsi_port(port_b) ? Side::a : Side::b;
    return port_a >= port_b ? Side::a : Side::b;
}

}  // namespace sanscope
