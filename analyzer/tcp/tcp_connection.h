// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/net/tcp_options.h"
#include "analyzer/tcp/clock_resolution.h"
#include "analyzer/tcp/late_data.h"
#include "analyzer/tcp/sending_order.h"
#include "analyzer/tcp/stamp_batches.h"
#include "analyzer/tcp/stream_reassembler.h"
#include "analyzer/vocabulary/issues.h"
#include "analyzer/vocabulary/rows.h"
#include "analyzer/vocabulary/side.h"

namespace sanscope {

// One incarnation of a TCP connection, from the segments of both sides as captured. The sides are a and b: a is the
// one that sent the first packet seen. Which of them is the initiator shows later.
class TcpConnection {
  public:
    explicit TcpConnection(ReassemblyBudget& budget) : halves_{Half(budget), Half(budget)} {}

    // Whether this segment belongs to a later connection between the same ports: a SYN that does not open this one
    // (RFC 9293 §3.10.7.4), or, after this one was closed, data from elsewhere in sequence space.
    bool is_of_next_incarnation(Side from, const DecodedPacket& packet) const {
        return !goes_on(from, packet) && begins_next(from, packet);
    }

    // Whether this segment cannot be of this connection but of another network that has the same addresses and ports: its sequence
    // number, or what it acknowledges, is not near what was seen.
    bool is_of_another_network(Side from, const DecodedPacket& packet) const;

    // By how much a segment's time (that is not yet noted) lies before that of an earlier packet, which it went behind: it goes on
    // in sequence where its own side had come, or acknowledges those data. So the file's order is right, and times are not.
    struct SetBack {
        int64_t by_ns = 0;  // 0: by nothing, or less than least_shown_set_back_ns
        PacketNumber since = 0;
    };
    SetBack set_back(Side from, const DecodedPacket& packet, int64_t time_ns, int64_t least_ns) const {
        const int64_t newest_ns = std::max(half(from).newest_ns, half(other_side(from)).newest_data_ns);
        if (time_ns > newest_ns - least_ns) [[likely]]
            return {};
        return shown_set_back(from, packet, time_ns, least_ns);
    }

    // Counts the segment and takes note of its control bits and its acknowledgement. False: it is not acceptable (RFC 9293
    // §3.10.7.4), a stray one of which nothing else is taken.
    bool note(Side from, const DecodedPacket& packet, const Arrival& arrival) {
        if (first_.packet == 0) first_ = arrival;
        clock_resolution_.note(arrival.time_ns);
        last_ = arrival;
        Half& sender = half(from);
        ++sender.packets;
        if (has_padded_timestamps(packet)) {
            const uint32_t tsval = padded_timestamp(packet);
            sender.batches.note(arrival.time_ns, tsval);
            order_.note_timestamp(from, tsval, arrival.time_ns);
        }
        if (is_far(sender, packet) && is_stray(from, packet)) [[unlikely]]
            return false;
        if (packet.payload_length > 0) {
            if (sender.largest_pending == 0) sender.pending_since_ns = arrival.time_ns;
            note_data(sender, other(from), packet, arrival);
        }
        if ((packet.flags & (tcp_syn | tcp_rst)) == 0) {
            const Serial32 end = Serial32(packet.seq) + packet.payload_length;
            if (!sender.sent_to_known || sender.sent_to.before(end)) {
                note_progress(sender, end, packet, arrival);
                order_.note_new_data();
            }
            sender.sent_to_known = true;
        }
        if ((packet.flags & (tcp_syn | tcp_fin | tcp_rst)) != 0) [[unlikely]]
            note_control(from, packet, arrival);
        if ((packet.flags & (tcp_ack | tcp_rst)) != tcp_ack) return true;
        const Serial32 ack(packet.ack);
        note_kind_of_ack(sender, other(from), packet);
        if (!sender.ack_seen || sender.greatest_ack.before(ack)) {
            note_acknowledgement(from, ack, arrival);
        } else {
            if (ack.before(sender.greatest_ack)) [[unlikely]]
                order_.note_older(from, ack, arrival.time_ns);
            note_answer(from, packet, arrival);
        }
        return true;
    }

    // The segment's payload (there is some) into the stream: true with the piece it continues the stream with, after
    // which held_piece() is to be asked.
    bool add_payload(Side from, const DecodedPacket& packet, const Arrival& arrival, StreamPiece& piece) {
        Segment segment;
        segment.seq = Serial32((packet.flags & tcp_syn) != 0 ? packet.seq + 1 : packet.seq);
        segment.length = packet.payload_length;
        segment.captured = packet.payload_captured;
        segment.data = packet.payload;
        segment.arrival = arrival;
        return half(from).stream.add(segment, piece) == StreamReassembler::Added::in_order;
    }
    // The next piece of that side's stream that was held back, or a hole that is given up, at this moment.
    bool held_piece(Side from, Arrival now, StreamPiece& piece) { return half(from).stream.next(now, piece); }
    bool holds(Side from) const { return half(from).stream.holding(); }
    // The connection has ended: gives what is held, and the holes.
    bool flush_piece(Side from, StreamPiece& piece);

    // Whether the other side has acknowledged bytes of that side which have not been captured, or not yet.
    bool lacks_acknowledged(Side of) const {
        const Half& receiver = half(other_side(of));
        const StreamReassembler& stream = half(of).stream;
        return receiver.ack_seen &&
               is_beyond(receiver.greatest_ack, stream.begun() ? stream.next_seq() : receiver.first_ack);
    }
    // Whether that side's stream (it has begun) had gone on, by what was acknowledged, before its first captured byte.
    bool lacks_beginning(Side of) const {
        const Half& receiver = half(other_side(of));
        return receiver.ack_seen && is_beyond(first_seq(half(of).stream), receiver.first_ack);
    }

    // Data of this side are to be read from here on, whatever came before.
    void begin_stream_at(Side from, Serial32 seq) { half(from).stream.begin_at(seq); }

    const StreamReassembler& stream(Side from) const { return half(from).stream; }

    bool syn_seen(Side from) const { return half(from).syn_seen; }
    // Whether that side's stream begins with its very first byte.
    bool begins_behind_syn(Side from) const {
        const StreamReassembler& stream = half(from).stream;
        return half(from).syn_seen && stream.begun() && first_seq(stream) == half(from).initial_seq + 1;
    }
    bool sent_first_syn(Side from) const { return half(from).syn_seen && !half(from).syn_was_answer; }
    int64_t last_ns() const { return last_.time_ns; }
    PacketNumber last_packet() const { return last_.packet; }
    bool data_seen() const { return halves_[0].data_seen || halves_[1].data_seen; }
    bool closed() const { return reset_ || (halves_[0].fin_seen && halves_[1].fin_seen); }

    // Writes what was counted. `initiator` is the side that stands as initiator.
    void describe(Side initiator, ConnectionRow& row) const;

  private:
    static constexpr int64_t long_ago_ns = -(int64_t{1} << 62);  // such that times can be taken from it
    struct Half {
        explicit Half(ReassemblyBudget& budget) : stream(budget) {}
        StreamReassembler stream;
        uint64_t packets = 0;
        uint64_t bytes = 0;
        Serial32 initial_seq;
        Serial32 greatest_seq;  // one past the last byte seen of the farthest segment
        Serial32 first_ack;
        Serial32 greatest_ack;
        bool data_seen = false;  // greatest_seq holds
        bool ack_seen = false;
        bool syn_seen = false;
        bool syn_was_answer = false;  // with ACK
        bool fin_seen = false;
        uint16_t mss = 0;  // 0: not announced, or the SYN was not captured
        // The largest segment since everything was acknowledged, and where it ends.
        uint32_t largest_pending = 0;
        int64_t pending_since_ns = no_time;  // the first segment since then
        Serial32 largest_pending_end;
        // The farthest that any segment says was sent: one without data too, though what it stands behind was never seen.
        Serial32 sent_to;
        bool sent_to_known = false;
        // The last packet that brought something new in sequence or acknowledged something new, and the last one with new data.
        PacketNumber newest_packet = 0;
        PacketNumber newest_data_packet = 0;
        int64_t newest_ns = long_ago_ns;
        int64_t newest_data_ns = long_ago_ns;
        // Where the latest stray segment stood.
        Serial32 stray_seq;
        bool stray_seen = false;
        SentDataRow sent;
        StampBatches batches;
        std::unique_ptr<LateData> late;  // nullptr: none
    };
    // After a connection was closed, farther than this is another connection.
    static constexpr int32_t far_after_close = 1 << 24;
    // Near all that was seen of its side, as nearly every segment is.
    bool goes_on(Side from, const DecodedPacket& packet) const {
        const Half& sender = half(from);
        const int32_t distance = sender.greatest_seq.distance_to(Serial32(packet.seq));
        return sender.data_seen && (packet.flags & tcp_syn) == 0 && distance <= far_after_close &&
               distance >= -far_after_close;
    }
    bool begins_next(Side from, const DecodedPacket& packet) const;
    static void note_data(Half& sender, const Half& receiver, const DecodedPacket& packet,
                          const Arrival& arrival) {
        sender.bytes += packet.payload_length;
        const Serial32 end = Serial32(packet.seq) + packet.payload_length;
        if (!sender.data_seen || sender.greatest_seq.before(end)) {
            sender.greatest_seq = end;
            sender.data_seen = true;
            ++sender.sent.new_segments;
            if (receiver.ack_seen && !receiver.greatest_ack.before(end)) [[unlikely]]
                note_late(sender, receiver, end, arrival);
        }
        sender.sent.largest_payload = std::max(sender.sent.largest_payload, packet.payload_length);
        if (packet.payload_length >= sender.largest_pending) {
            sender.largest_pending = packet.payload_length;
            sender.largest_pending_end = end;
        }
    }
    static void note_progress(Half& sender, Serial32 end, const DecodedPacket& packet,
                              const Arrival& arrival) {
        sender.sent_to = end;
        sender.newest_packet = arrival.packet;
        sender.newest_ns = arrival.time_ns;
        if (packet.payload_length == 0) return;
        sender.newest_data_packet = arrival.packet;
        sender.newest_data_ns = arrival.time_ns;
    }
    SetBack shown_set_back(Side from, const DecodedPacket& packet, int64_t time_ns, int64_t least_ns) const;
    static void note_late(Half& sender, const Half& receiver, Serial32 end, const Arrival& arrival);
    // Acknowledges nothing new. One that was under way when the data were sent tells nothing of whether they arrived.
    void note_answer(Side from, const DecodedPacket& packet, const Arrival& arrival) {
        constexpr int64_t longer_than_paths_ns = 100'000'000;
        Half& silent = other(from);
        const bool is_behind = silent.largest_pending == 0 ||
                               arrival.time_ns - silent.pending_since_ns >= longer_than_paths_ns ||
                               has_sack_behind(packet, silent.largest_pending_end);
        if (is_behind && silent.sent_to_known && half(from).greatest_ack.before(silent.sent_to))
            ++silent.sent.answers_since;
    }
    // Whether it says that bytes at `seq` or behind it arrived (RFC 2018 §4).
    static bool has_sack_behind(const DecodedPacket& packet, Serial32 seq);
    // Before its acknowledgement is taken.
    static void note_kind_of_ack(Half& sender, const Half& receiver, const DecodedPacket& packet) {
        if (packet.payload_length == 0) {
            sender.sent.pure_acks += (packet.flags & (tcp_syn | tcp_fin)) == 0 ? 1 : 0;
            return;
        }
        // The acknowledgement of small segments may wait for data to go with (RFC 9293 §3.8.6.3), that of what a host's receive
        // offload merged comes once.
        constexpr uint32_t least_stretch = 8 * 1448;
        constexpr uint32_t most_stretch = 65536;
        const uint32_t stretch = std::clamp(8 * receiver.sent.largest_payload, least_stretch, most_stretch);
        if (sender.ack_seen &&
            sender.greatest_ack.distance_to(Serial32(packet.ack)) >= static_cast<int32_t>(stretch))
            ++sender.sent.stretch_acks;
    }
    void note_control(Side from, const DecodedPacket& packet, const Arrival& arrival);
    void note_acknowledgement(Side from, Serial32 ack, const Arrival& arrival);
    bool is_vouched_for(Side from, const DecodedPacket& packet) const;
    static bool is_near(Serial32 one, Serial32 another) {
        const int32_t distance = one.distance_to(another);
        return distance < far_after_close && distance > -far_after_close;
    }
    // A pure acknowledgement from elsewhere in sequence space. Of segments with data, is_of_next_incarnation() tells.
    static bool is_far(const Half& sender, const DecodedPacket& packet) {
        return packet.payload_length == 0 && sender.sent_to_known &&
               (packet.flags & (tcp_syn | tcp_rst)) == 0 && !is_near(sender.sent_to, Serial32(packet.seq));
    }
    bool is_stray(Side from, const DecodedPacket& packet);
    static void note_acknowledged(Half& sender, Serial32 ack, int64_t time_ns);
    static SentDataRow sent_data(const Half& sender, const Half& receiver);
    static bool is_near_start(const Half& sender, Serial32 syn_seq);
    static Serial32 first_seq(const StreamReassembler& stream) {
        return Serial32(stream.next_seq().value - static_cast<uint32_t>(stream.next_offset()));
    }
    // By more than a FIN takes of sequence space.
    static bool is_beyond(Serial32 ack, Serial32 seq) { return seq.distance_to(ack) > 1; }
    Half& half(Side from) { return halves_[static_cast<size_t>(from)]; }
    const Half& half(Side from) const { return halves_[static_cast<size_t>(from)]; }
    Half& other(Side from) { return halves_[from == Side::a ? 1 : 0]; }

    Half halves_[2];
    Arrival first_;
    Arrival last_;
    ClockResolution clock_resolution_;
    SendingOrder order_;
    bool reset_ = false;
};

}  // namespace sanscope
