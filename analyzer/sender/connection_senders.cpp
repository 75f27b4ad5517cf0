// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/connection_senders.h"

#include <algorithm>
#include <array>
#include <bit>

#include "analyzer/base/saturated_sum.h"

namespace sanscope {
namespace {

// Every field, for what is written over may be of an older packet.
void fill_segment(SentSegment& segment, const DecodedPacket& packet, const TcpOptions& options,
                  PacketNumber number, int64_t time_ns) {
    segment.time_ns = time_ns;
    segment.packet = number;
    segment.seq = Serial32(packet.seq);
    segment.length = packet.payload_length;
    segment.timestamp = options.timestamp;
    segment.timestamp_echo = options.timestamp_echo;
    segment.has_timestamp = options.has_timestamps;
    segment.ack = Serial32(packet.ack);
    segment.flags = packet.flags;
    segment.ip_id = packet.ip_id;
    segment.unseen = false;
    segment.overtaken = false;
    segment.overtaken_ns = 0;
    segment.sent = Sent::unclassified;
    segment.keeps_alive = false;
    segment.asked = false;
    segment.acknowledged_before = false;
    segment.acknowledged = false;
    segment.options_length = packet.options_cut ? uint8_t{0} : packet.options_length;
}

}  // namespace

// `fill` writes the segment where it will wait, if it is to.
template <class Fill>
void ConnectionSenders::sent(SideState& sender, Fill fill) {
    if (sender.remote == nullptr) {
        SentSegment segment;
        fill(segment);
        sender.replay->on_sent(segment);
        return;
    }
    fill(sender.remote->new_segment());
    sender.remote->on_new_segment();
    drain(sender);
}

template <class Fill>
void ConnectionSenders::heard(SideState& hearer, Fill fill) {
    if (hearer.remote == nullptr) {
        ReceivedAck ack;
        fill(ack);
        hearer.replay->on_ack(ack);
        return;
    }
    fill(hearer.remote->new_ack());
    hearer.remote->on_new_ack();
    drain(hearer);
}

void ConnectionSenders::on_packet(Side from, const DecodedPacket& packet, PacketNumber number,
                                  int64_t captured_ns, bool set_back) {
    const int64_t time_ns = clock_.continuous(captured_ns, round_trip_ns_, set_back);
    SideState& sender = state_of(from);
    SideState& hearer = state_of(other_side(from));
    TcpOptions options;
    parse_tcp_options(packet, options);
    const bool copy = is_copy(sender, hearer.packets, packet, options, time_ns);
    if (copy) {
        if (packet.payload_length > 0 && sender.replay != nullptr) {
            SentSegment segment;
            fill_segment(segment, packet, options, number, time_ns);
            sender.replay->on_duplicate(segment);
        }
        return;
    }
    ++sender.packets;
    if (options.has_timestamps) {
        const ClockJump* const jump = jumps_.on_packet(from, options.timestamp, number, captured_ns);
        if (jump != nullptr) [[unlikely]]
            store_.add_clock_jump(*jump);
    }
    // The least round trips show within so many packets.
    constexpr uint32_t enough_for_vantage = 4096;
    if (packets_ < enough_for_vantage || !vantage_.settled()) {
        ++packets_;
        vantage_.on_packet(from, time_ns, packet, options);
        note_round_trip();
    }
    if ((packet.flags & tcp_syn) != 0) hearer.history.on_opened();
    // Where options are cut off, the window's scale may be with them.
    if ((packet.flags & tcp_syn) != 0 && !packet.options_cut) note_syn(sender, options);

    const bool acknowledges = (packet.flags & tcp_ack) != 0;
    if (begun_) {
        if (acknowledges && hearer.replay != nullptr) {
            heard(hearer, [&](ReceivedAck& ack) {
                fill_ack(ack, sender, packet, options, number, time_ns);
                hearer.history.on_acknowledged(ack);
            });
            if (hearer.history.may_miss(time_ns)) report_missing(other_side(from), time_ns, false);
        } else if (acknowledges) {
            ReceivedAck ack;
            fill_ack(ack, sender, packet, options, number, time_ns);
            hearer.history.on_acknowledged(ack);
        }
        // What a pure acknowledgement says of its own sender is of use only to the estimate of a remote sender, and for
        // keep-alives.
        const bool occupies = packet.payload_length > 0 || (packet.flags & (tcp_syn | tcp_fin)) != 0;
        if (occupies && sender.replay == nullptr) begin_replay(from);
        if (sender.replay != nullptr) {
            sent(sender, [&](SentSegment& segment) {
                fill_segment(segment, packet, options, number, time_ns);
                sender.history.on_sent(segment, round_trip_ns_);
            });
        } else if (acknowledges) {
            SentSegment segment;
            fill_segment(segment, packet, options, number, time_ns);
            sender.history.on_sent(segment, round_trip_ns_);
        }
        return;
    }
    Waiting& event = waiting_.emplace_back();
    event.from = from;
    event.acknowledges = acknowledges;
    if (acknowledges) {
        fill_ack(event.heard, sender, packet, options, number, time_ns);
        hearer.history.on_acknowledged(event.heard);
    }
    fill_segment(event.sent, packet, options, number, time_ns);
    sender.history.on_sent(event.sent, round_trip_ns_);
    if (vantage_.settled() || !waits_longer()) begin();
}

bool ConnectionSenders::waits_longer() {
    if (waiting_.size() < least_waiting) return true;
    if (waiting_.size() >= most_waiting) return false;
    if (waiting_.back().sent.time_ns - waiting_.front().sent.time_ns > longest_wait_ns) return false;
    if (!budget_.take_waiting()) return false;
    ++waiting_taken_;
    return true;
}

void ConnectionSenders::note_round_trip() {
    const int64_t to_a_ns = vantage_.round_trip_ns(Side::a);
    const int64_t to_b_ns = vantage_.round_trip_ns(Side::b);
    sides_[index_of(Side::a)].beyond_tap_ns = to_b_ns == no_time ? 0 : to_b_ns;
    sides_[index_of(Side::b)].beyond_tap_ns = to_a_ns == no_time ? 0 : to_a_ns;
    const bool known = to_a_ns != no_time && to_b_ns != no_time;
    round_trip_ns_ = known ? saturated_sum(to_a_ns, to_b_ns) : no_time;
}

void ConnectionSenders::report_missing(Side from, int64_t now_ns, bool all) {
    SideState& sender = state_of(from);
    const int64_t round_trip_ns = vantage_.round_trip_ns(from);
    SentHistory::Missing missing;
    while (sender.history.take_missing(now_ns, all, missing)) {
        if (sender.remote != nullptr && round_trip_ns != no_time) missing.time_ns += round_trip_ns / 2;
        sender.replay->on_missing(missing);
    }
}

// Where a packet like this one is, or may be put. Identifications that count up never meet; digests do, and have a few
// places each, of which the oldest is written over.
ConnectionSenders::Seen& ConnectionSenders::place_of(std::vector<Seen>& seen, uint32_t digest,
                                                     uint16_t ip_id) {
    constexpr size_t places = 8;
    static_assert(std::has_single_bit(least_seen) && least_seen >= places);  // and twice as many each time
    const size_t mask = seen.size() - 1;
    if (ip_id != 0) return seen[ip_id & mask];
    const size_t first = digest * places & mask;
    size_t at = first;
    for (size_t place = first; place < first + places; ++place) {
        if (!seen[place].holds || seen[place].is(digest, ip_id)) return seen[place];
        if (static_cast<int32_t>(seen[place].number - seen[at].number) < 0) at = place;
    }
    return seen[at];
}

void ConnectionSenders::remember_more(std::vector<Seen>& seen) {
    std::vector<Seen> more(2 * seen.size());
    for (const Seen& packet : seen) {
        if (packet.holds) place_of(more, packet.digest, packet.ip_id) = packet;
    }
    seen = std::move(more);
}

// A mirror port's second copy has the IP identification of the first, which may be a few packets back. Where there is
// none (IPv6, or 0 as RFC 6864 lets it be), all else must be the same, the checksum and TSval too, and it must have
// come sooner than it can have been sent again: before the other side said anything and any timer ended, within half a
// round trip, or, where packets are known to come twice, within the time of a port's queue.
[[gnu::always_inline]] inline bool ConnectionSenders::is_copy(SideState& sender, uint32_t others,
                                                              const DecodedPacket& packet,
                                                              const TcpOptions& options, int64_t time_ns) {
    constexpr uint32_t longest_us = 200'000;  // no retransmission timeout is shorter
    constexpr uint32_t queue_us = 1'000;      // nor is a tail loss probe, as Linux has them (TCP_TIMEOUT_MIN)
    constexpr uint32_t at_once_us = 10;
    constexpr int believed = 8;
    constexpr int most_believed = 256;  // as after a SYN: a queue may hold back so many before the next copy
    uint32_t digest = packet.seq * 0x9e3779b1u ^ packet.ack * 0x85ebca6bu ^ packet.payload_length;
    if (packet.ip_id == 0) {
        for (const uint32_t word : {uint32_t{packet.checksum} << 16 | packet.window, uint32_t{packet.flags},
                                    options.timestamp, options.timestamp_echo}) {
            digest = (digest ^ digest >> 15 ^ word) * 0xc2b2ae35u;
            digest = (digest ^ digest >> 13) * 0x85ebca6bu;
            digest ^= digest >> 16;
        }
    }
    const auto time_us = static_cast<uint32_t>(static_cast<uint64_t>(time_ns) / 1000);
    Seen* place = &place_of(sender.seen, digest, packet.ip_id);
    // A port's queue holds its copies back behind as many packets as come in its time.
    while (place->holds && !place->is(digest, packet.ip_id) && time_us - place->time_us < queue_us &&
           sender.seen.size() < most_seen)
        [[unlikely]] {
            remember_more(sender.seen);
            place = &place_of(sender.seen, digest, packet.ip_id);
        }
    Seen& before = *place;
    const uint32_t passed_us = time_us - before.time_us;
    const bool same = before.is(digest, packet.ip_id);
    bool copy = false;
    if (packet.ip_id != 0) {
        copy = same && passed_us < longest_us;
    } else {
        // Duplicate acknowledgements may be alike and follow each other closely (RFC 5681 §3.2).
        const bool distinctive = packet.payload_length > 0 || (packet.flags & (tcp_syn | tcp_fin)) != 0;
        const bool syn = (packet.flags & tcp_syn) != 0;
        // Of a side that says nothing, the capture may lack what it said.
        const uint32_t silent_us = others > 0 ? queue_us : at_once_us;
        const uint32_t half_trip_us =
            round_trip_ns_ == no_time
                ? 0
                : static_cast<uint32_t>(std::min<int64_t>(round_trip_ns_ / 2000, queue_us));
        const bool too_soon =
            passed_us <= half_trip_us || (passed_us <= silent_us && before.others == others);
        copy = same && ((distinctive && too_soon) || (syn && passed_us < longest_us) ||
                        (sender.copies >= believed && passed_us <= queue_us));
        if (distinctive) {
            sender.copies = copy ? std::min(sender.copies + (syn ? most_believed : 4), most_believed)
                                 : std::max(sender.copies - 1, 0);
        }
    }
    if (!copy) {
        before = {digest, time_us, others, sender.packets, packet.ip_id, true};
        return false;
    }
    ++sender.all_copies;
    constexpr int64_t least_apart_us = queue_us;
    if (round_trip_ns_ != no_time && passed_us >= std::max(round_trip_ns_ / 4000, least_apart_us))
        ++sender.far_copies;
    return true;
}

// Captures of both ends put together, say: between these it is half a round trip in one direction at least, however their
// clocks are apart. A port's queue is as long now and then.
bool ConnectionSenders::is_of_two_places() const {
    constexpr uint64_t one_in = 20;
    return std::ranges::any_of(sides_, [](const SideState& side) {
        return side.far_copies > 0 && 2 * uint64_t{side.far_copies} >= side.all_copies &&
               one_in * side.far_copies >= side.packets;
    });
}

void ConnectionSenders::note_syn(SideState& sender, const TcpOptions& options) {
    constexpr uint16_t least_mss = 536;  // RFC 9293 §3.7.1
    sender.syn_seen = true;
    sender.sack_permitted = options.sack_permitted;
    sender.timestamps = options.has_timestamps;
    sender.has_window_scale = options.has_window_scale;
    sender.window_scale = options.window_scale;
    sender.mss = options.has_mss ? options.mss : least_mss;
    const bool both = sides_[0].syn_seen && sides_[1].syn_seen;
    const bool scaled = sides_[0].has_window_scale && sides_[1].has_window_scale;
    for (SideState& side : sides_) {
        side.scale_known = both;
        side.shift = scaled ? side.window_scale : 0;
    }
}

// Every field, for what is written over may be of an older packet.
void ConnectionSenders::fill_ack(ReceivedAck& ack, const SideState& speaker, const DecodedPacket& packet,
                                 const TcpOptions& options, PacketNumber number, int64_t time_ns) {
    ack.packet = number;
    ack.time_ns = time_ns;
    ack.ack = Serial32(packet.ack);
    ack.seq = Serial32(packet.seq);
    ack.window = uint32_t{packet.window} << ((packet.flags & tcp_syn) != 0 ? 0 : speaker.shift);
    // A window that is shut is so at any scale.
    ack.scale_known = packet.window == 0 || speaker.scale_known;
    ack.payload_length = packet.payload_length;
    ack.timestamp = options.timestamp;
    ack.timestamp_echo = options.timestamp_echo;
    ack.has_timestamp = options.has_timestamps;
    ack.flags = packet.flags;
    ack.options_cut = packet.options_cut;
    ack.sack_blocks = options.sack_blocks;
    for (size_t i = 0; i < options.sack_blocks; ++i)
        ack.sack[i] = {options.sack[i].begin, options.sack[i].end};
}

bool ConnectionSenders::is_remote(Side from) const {
    switch (vantage_.place()) {
        case TapPlace::at_a:
            return from == Side::b;
        case TapPlace::at_b:
            return from == Side::a;
        case TapPlace::middle:
            return true;
        case TapPlace::unknown:
            break;
    }
    return false;
}

// At the place of one end, a trip that takes no time needs no estimate.
bool ConnectionSenders::needs_estimate(Side from) const {
    const int64_t round_trip_ns = vantage_.round_trip_ns(from);
    const bool near = round_trip_ns != no_time && round_trip_ns < VantageFinder::near_ns;
    return is_remote(from) && !near;
}

void ConnectionSenders::begin() {
    begun_ = true;
    begun_anywhere_ = vantage_.place() == TapPlace::unknown;
    for (const Side from : {Side::a, Side::b}) {
        if (!needs_estimate(from)) continue;
        state_of(from).remote =
            std::make_unique<RemoteSender>(options_of(from), vantage_.round_trip_ns(from));
    }
    for (const Waiting& packet : waiting_) deliver(packet);
    waiting_ = {};
    budget_.give_back_waiting(waiting_taken_);
    waiting_taken_ = 0;
}

void ConnectionSenders::deliver(const Waiting& packet) {
    SideState& sender = state_of(packet.from);
    SideState& hearer = state_of(other_side(packet.from));
    if (packet.acknowledges && hearer.replay != nullptr)
        heard(hearer, [&](ReceivedAck& ack) { ack = packet.heard; });
    const bool occupies = packet.sent.length > 0 || (packet.sent.flags & (tcp_syn | tcp_fin)) != 0;
    if (occupies && sender.replay == nullptr) begin_replay(packet.from);
    if (sender.replay != nullptr) sent(sender, [&](SentSegment& segment) { segment = packet.sent; });
}

void ConnectionSenders::begin_replay(Side from) {
    std::unique_ptr<SenderReplay>& replay = state_of(from).replay;
    replay = std::make_unique<SenderReplay>(store_, budget_, connection_, from, options_of(from), &clock_);
    SenderReplay* const other = state_of(other_side(from)).replay.get();
    if (other == nullptr) return;
    replay->share_gaps_with(*other);
    other->share_gaps_with(*replay);
}

void ConnectionSenders::drain(SideState& side) {
    RemoteSender::Event event;
    while (!side.remote->idle() && side.remote->next(event, side.replay->room())) {
        if (event.sent != nullptr) {
            side.replay->on_sent(*event.sent);
            if (event.flight_at_most > 0) side.replay->note_flight_at_most(event.flight_at_most);
        } else {
            side.replay->note_least_rtt(side.remote->round_trip_ns() + side.beyond_tap_ns);
            side.replay->on_ack(*event.ack);
        }
    }
}

SenderOptions ConnectionSenders::options_of(Side from) const {
    const SideState& sender = state_of(from);
    const SideState& receiver = state_of(other_side(from));
    SenderOptions options;
    options.estimated = sender.remote != nullptr;
    if (sender.syn_seen && receiver.syn_seen) {
        options.sack = sender.sack_permitted && receiver.sack_permitted;
        options.timestamps = sender.timestamps && receiver.timestamps;
        options.mss = std::min<uint32_t>(sender.mss, receiver.mss);
        if (options.timestamps && options.mss > timestamps_length) options.mss -= timestamps_length;
    }
    return options;
}

void ConnectionSenders::finish() {
    if (!begun_) begin();
    for (const Side from : {Side::a, Side::b}) {
        SideState& sender = state_of(from);
        if (sender.replay == nullptr) continue;
        if (sender.remote != nullptr) {
            sender.remote->finish();
            drain(sender);
        }
        report_missing(from, no_time, true);
        sender.replay->finish();
    }
}

uint64_t ConnectionSenders::withheld() const {
    uint64_t rows = 0;
    for (const SideState& side : sides_) {
        if (side.replay != nullptr) rows += side.replay->summary().withheld();
    }
    return rows;
}

void ConnectionSenders::describe(Side initiator_side, ConnectionRow& row) const {
    row.vantage = Vantage::unknown;
    row.rtt_min_ns = no_time;
    row.place_found_late =
        begun_anywhere_ && std::ranges::any_of(std::array{Side::a, Side::b}, [this](Side from) {
            return state_of(from).replay != nullptr && needs_estimate(from);
        });
    switch (vantage_.place()) {
        case TapPlace::at_a:
            row.vantage = initiator_side == Side::a ? Vantage::initiator : Vantage::target;
            break;
        case TapPlace::at_b:
            row.vantage = initiator_side == Side::b ? Vantage::initiator : Vantage::target;
            break;
        case TapPlace::middle:
            row.vantage = Vantage::middle;
            break;
        case TapPlace::unknown:
            break;
    }
    row.in_two_places = is_of_two_places();
    if (row.in_two_places) row.vantage = Vantage::unknown;
    const int64_t to_a_ns = vantage_.round_trip_ns(Side::a);
    const int64_t to_b_ns = vantage_.round_trip_ns(Side::b);
    if (vantage_.place() == TapPlace::at_a) {
        row.rtt_min_ns = to_b_ns;
    } else if (vantage_.place() == TapPlace::at_b) {
        row.rtt_min_ns = to_a_ns;
    } else if (to_a_ns != no_time && to_b_ns != no_time) {
        row.rtt_min_ns = to_a_ns + to_b_ns;
    }
    row.rtt_to_initiator_ns = initiator_side == Side::a ? to_a_ns : to_b_ns;
    row.rtt_to_target_ns = initiator_side == Side::a ? to_b_ns : to_a_ns;
    const SideState& initiator = state_of(initiator_side);
    const SideState& target = state_of(other_side(initiator_side));
    row.retransmissions_out = 0;
    row.retransmissions_in = 0;
    row.spurious_retransmissions_out = 0;
    row.spurious_retransmissions_in = 0;
    if (initiator.replay != nullptr) {
        row.retransmissions_out = initiator.replay->summary().sent_again();
        row.spurious_retransmissions_out = initiator.replay->summary().spurious();
        row.congestion_control_initiator = initiator.replay->summary().congestion_control();
    }
    if (target.replay != nullptr) {
        row.retransmissions_in = target.replay->summary().sent_again();
        row.spurious_retransmissions_in = target.replay->summary().spurious();
        row.congestion_control_target = target.replay->summary().congestion_control();
    }
}

}  // namespace sanscope
