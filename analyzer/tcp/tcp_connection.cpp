// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tcp/tcp_connection.h"

#include <algorithm>

#include "analyzer/net/tcp_options.h"

namespace sanscope {
namespace {

// Farther than this from the next byte, no window reaches (RFC 7323 §2.3: at most 2^30).
constexpr int32_t beyond_any_window = 1 << 30;

}  // namespace

bool TcpConnection::begins_next(Side from, const DecodedPacket& packet) const {
    const Half& sender = half(from);
    const Serial32 seq(packet.seq);
    if ((packet.flags & tcp_syn) != 0) {
        if (sender.syn_seen) return sender.initial_seq != seq;
        // The SYN of this connection, out of order in the file, or the next one's.
        return sender.data_seen && (closed() || !is_near_start(sender, seq));
    }
    if (packet.payload_length == 0 || !sender.data_seen) return false;
    const int32_t distance = sender.greatest_seq.distance_to(seq);
    const int32_t limit = closed() ? far_after_close : beyond_any_window;
    const bool elsewhere = distance > limit || distance < -limit;
    return elsewhere && (closed() || !is_vouched_for(from, packet));
}

// A capture that paused goes on elsewhere in sequence space. That it is the same connection, the acknowledgements tell: the
// other side has acknowledged so far, or what the packet acknowledges is what the other side has sent.
bool TcpConnection::is_vouched_for(Side from, const DecodedPacket& packet) const {
    const Half& other = half(other_side(from));
    if (other.ack_seen && is_near(other.greatest_ack, Serial32(packet.seq))) return true;
    return (packet.flags & tcp_ack) != 0 && other.data_seen &&
           is_near(other.greatest_seq, Serial32(packet.ack));
}

bool TcpConnection::is_of_another_network(Side from, const DecodedPacket& packet) const {
    const Half& sender = half(from);
    const Half& receiver = half(other_side(from));
    const auto is_apart = [](const Half& of, Serial32 number) {
        if (of.sent_to_known) return !is_near(of.sent_to, number);
        return of.syn_seen && !is_near(of.initial_seq, number);
    };
    const bool acknowledges = (packet.flags & tcp_ack) != 0;
    const bool another_syn =
        (packet.flags & tcp_syn) != 0 && sender.syn_seen && sender.initial_seq.value != packet.seq;
    return another_syn || is_apart(sender, Serial32(packet.seq)) ||
           (acknowledges && is_apart(receiver, Serial32(packet.ack)));
}

// The packets of one side come in the order of its sequence and acknowledgement numbers, and none acknowledges what was not yet
// sent: an interface's queues, written one after the other, leave both so by their times.
TcpConnection::SetBack TcpConnection::shown_set_back(Side from, const DecodedPacket& packet, int64_t time_ns,
                                                     int64_t least_ns) const {
    if ((packet.flags & (tcp_syn | tcp_rst)) != 0) return {};
    const Half& sender = half(from);
    const Half& receiver = half(other_side(from));
    const Serial32 seq(packet.seq);
    const Serial32 ack(packet.ack);
    const bool acknowledges_new =
        (packet.flags & tcp_ack) != 0 && sender.ack_seen && sender.greatest_ack.before(ack);
    const bool goes_on = sender.sent_to_known && !seq.before(sender.sent_to) &&
                         is_near(sender.sent_to, seq) && (acknowledges_new || packet.payload_length > 0);
    const bool acknowledges_newest = acknowledges_new && receiver.sent_to_known && ack == receiver.sent_to;
    SetBack back;
    if (goes_on && sender.newest_ns - time_ns >= least_ns)
        back = {sender.newest_ns - time_ns, sender.newest_packet};
    if (acknowledges_newest && receiver.newest_data_ns - time_ns >= std::max(least_ns, back.by_ns))
        back = {receiver.newest_data_ns - time_ns, receiver.newest_data_packet};
    return back;
}

// Of one that is_far(): unless it acknowledges what the other side sent, or a second one stands near it, as behind a pause of
// the capture.
bool TcpConnection::is_stray(Side from, const DecodedPacket& packet) {
    const Half& receiver = half(other_side(from));
    if (receiver.sent_to_known && is_near(receiver.sent_to, Serial32(packet.ack))) return false;
    Half& sender = half(from);
    const Serial32 seq(packet.seq);
    const bool is_second = sender.stray_seen && is_near(sender.stray_seq, seq);
    sender.stray_seq = seq;
    sender.stray_seen = true;
    return !is_second;
}

void TcpConnection::note_control(Side from, const DecodedPacket& packet, const Arrival& arrival) {
    Half& sender = half(from);
    if ((packet.flags & tcp_syn) != 0) {
        sender.syn_seen = true;
        ++sender.sent.syns;
        sender.syn_was_answer = (packet.flags & tcp_ack) != 0;
        sender.initial_seq = Serial32(packet.seq);
        TcpOptions options;
        parse_tcp_options(packet, options);
        if (options.has_mss) sender.mss = options.mss;
        if (!packet.options_cut) {
            sender.sent.syn = {.known = true,
                               .window_scaling = options.has_window_scale,
                               .sack_permitted = options.sack_permitted,
                               .timestamps = options.has_timestamps,
                               .mss = options.mss};
        }
        if (!sender.stream.begun()) sender.stream.begin_at(sender.initial_seq + 1);
    }
    if ((packet.flags & tcp_fin) != 0) {
        sender.fin_seen = true;
        if (sender.sent.fin_ns == no_time) sender.sent.fin_ns = arrival.time_ns;
    }
    if ((packet.flags & tcp_rst) != 0) {
        reset_ = true;
        if (!sender.sent.reset) {
            sender.sent.reset = true;
            sender.sent.reset_packet = arrival.packet;
            sender.sent.reset_ns = arrival.time_ns;
        }
    }
}

bool TcpConnection::has_sack_behind(const DecodedPacket& packet, Serial32 seq) {
    TcpOptions options;
    parse_tcp_options(packet, options);
    return std::any_of(options.sack.begin(), options.sack.begin() + options.sack_blocks,
                       [seq](const TcpOptions::SackBlock& block) { return seq.before(block.end); });
}

// It is the greatest so far.
void TcpConnection::note_acknowledgement(Side from, Serial32 ack, const Arrival& arrival) {
    if (!half(from).ack_seen) half(from).first_ack = ack;
    half(from).greatest_ack = ack;
    half(from).ack_seen = true;
    half(from).newest_packet = arrival.packet;
    half(from).newest_ns = arrival.time_ns;
    order_.note_newest(from, ack, arrival.time_ns);
    Half& acknowledged = other(from);
    note_acknowledged(acknowledged, ack, arrival.time_ns);
    if (acknowledged.late != nullptr) [[unlikely]]
        acknowledged.late->acknowledged(ack, arrival.time_ns);
    acknowledged.stream.acknowledged(ack, arrival);
}

void TcpConnection::note_late(Half& sender, const Half& receiver, Serial32 end, const Arrival& arrival) {
    if (sender.late == nullptr) {
        sender.late = std::make_unique<LateData>();
        sender.late->acknowledged(receiver.greatest_ack, sender.sent.acknowledged_ns);
    }
    sender.late->add(end, arrival);
}

// Within a window the largest segment may wait for those behind it to be acknowledged too: what is told is at most too small
// until then.
void TcpConnection::note_acknowledged(Half& sender, Serial32 ack, int64_t time_ns) {
    sender.sent.acknowledged_ns = time_ns;
    sender.sent.answers_since = 0;
    if (sender.largest_pending == 0 || ack.before(sender.largest_pending_end)) return;
    sender.sent.largest_acknowledged = std::max(sender.sent.largest_acknowledged, sender.largest_pending);
    sender.largest_pending = 0;
}

// A stream of which nothing was captured begins with what was acknowledged first.
bool TcpConnection::flush_piece(Side from, StreamPiece& piece) {
    StreamReassembler& stream = half(from).stream;
    if (!stream.begun() && lacks_acknowledged(from)) {
        const Half& receiver = half(other_side(from));
        stream.begin_at(receiver.first_ack);
        stream.acknowledged(receiver.greatest_ack, last_);
    }
    return stream.flush(piece);
}

SentDataRow TcpConnection::sent_data(const Half& sender, const Half& receiver) {
    SentDataRow row = sender.sent;
    row.fin = sender.fin_seen;
    if (sender.late != nullptr) {
        row.late_segments = sender.late->segments();
        row.late_ns = sender.late->p90_ns();
        row.first_late_packet = sender.late->first_packet();
    }
    if (sender.sent_to_known && receiver.ack_seen) {
        const int32_t left = receiver.greatest_ack.distance_to(sender.sent_to);
        row.unacknowledged = left > 0 ? static_cast<uint32_t>(left) : 0;
    }
    return row;
}

bool TcpConnection::is_near_start(const Half& sender, Serial32 syn_seq) {
    constexpr int32_t first_flight = 1 << 16;
    const int32_t ahead = (syn_seq + 1).distance_to(sender.greatest_seq);
    return ahead >= 0 && ahead <= first_flight;
}

void TcpConnection::describe(Side initiator, ConnectionRow& row) const {
    const Half& out = half(initiator);
    const Half& in = half(other_side(initiator));
    row.first_packet = first_.packet;
    row.last_packet = last_.packet;
    row.start_ns = first_.time_ns;
    row.end_ns = last_.time_ns;
    row.packets_out = out.packets;
    row.packets_in = in.packets;
    row.bytes_out = out.bytes;
    row.bytes_in = in.bytes;
    row.clock_step_ns = clock_resolution_.resolution_ns();
    row.batches_apart_ns = std::min(out.batches.interval_ns(), in.batches.interval_ns());
    row.out_of_order = order_.is_wrong();
    row.out = sent_data(out, in);
    row.in = sent_data(in, out);
    if (out.mss != 0 || in.mss != 0) {
        row.mss = out.mss == 0 ? in.mss : in.mss == 0 ? out.mss : std::min(out.mss, in.mss);
    }
    for (size_t i = 0; i < 2; ++i) {
        const StreamReassembler& stream = halves_[i].stream;
        row.stream_start_known[i] = stream.begun();
        row.stream_start_seq[i] = first_seq(stream).value;
    }
}

}  // namespace sanscope
