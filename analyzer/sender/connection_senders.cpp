// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/connection_senders.h"

#include <algorithm>

#include "analyzer/net/tcp_options.h"

namespace sanscope {
namespace {

constexpr uint32_t timestamps_length = 12;  // of the option in every segment, padding included

}  // namespace

void ConnectionSenders::on_packet(bool from_a, const DecodedPacket& packet, PacketNumber number,
                                  int64_t time_ns) {
    Side& sender = side(from_a);
    // A mirror port's second copy.
    const bool copy = sender.any && packet.ip_id != 0 && packet.ip_id == sender.last_ip_id &&
                      packet.seq == sender.last_seq && packet.ack == sender.last_ack &&
                      packet.payload_length == sender.last_length;
    sender.any = true;
    sender.last_ip_id = packet.ip_id;
    sender.last_seq = packet.seq;
    sender.last_ack = packet.ack;
    sender.last_length = packet.payload_length;
    if (copy) return;

    TcpOptions options;
    if (packet.options_length > 0) parse_tcp_options(packet, options);
    if ((packet.flags & tcp_syn) != 0) {
        sender.syn_seen = true;
        sender.sack_permitted = options.sack_permitted;
        sender.timestamps = options.has_timestamps;
        sender.has_window_scale = options.has_window_scale;
        sender.window_scale = options.window_scale;
        sender.mss = options.has_mss ? options.mss : 536;
    }

    if ((packet.flags & tcp_ack) != 0) hear(!from_a, packet, options, number, time_ns);
    send(from_a, packet, options, number, time_ns);
}

// Side a, or b, hears an acknowledgement.
void ConnectionSenders::hear(bool a, const DecodedPacket& packet, const TcpOptions& options,
                             PacketNumber number, int64_t time_ns) {
    const Side& hearer = side(a);
    const Side& speaker = side(!a);
    if (hearer.replay == nullptr && hearer.syns.empty()) return;
    ReceivedAck ack;
    ack.time_ns = time_ns;
    ack.packet = number;
    ack.ack = Serial32(packet.ack);
    ack.seq = Serial32(packet.seq);
    const bool scaled = (packet.flags & tcp_syn) == 0 && speaker.has_window_scale && hearer.has_window_scale;
    ack.window = uint32_t{packet.window} << (scaled ? speaker.window_scale : 0);
    ack.payload_length = packet.payload_length;
    ack.timestamp_echo = options.timestamp_echo;
    ack.flags = packet.flags;
    ack.has_timestamp = options.has_timestamps;
    ack.sack_blocks = options.sack_blocks;
    for (size_t i = 0; i < options.sack_blocks; ++i)
        ack.sack[i] = {options.sack[i].begin, options.sack[i].end};
    replay_of(a).on_ack(ack);
}

void ConnectionSenders::send(bool a, const DecodedPacket& packet, const TcpOptions& options,
                             PacketNumber number, int64_t time_ns) {
    Side& sender = side(a);
    const bool syn = (packet.flags & tcp_syn) != 0;
    const bool carries = packet.payload_length > 0 || (packet.flags & tcp_fin) != 0;
    if (!carries && !syn && sender.replay == nullptr) return;
    SentSegment segment;
    segment.time_ns = time_ns;
    segment.packet = number;
    segment.seq = Serial32(packet.seq);
    segment.length = packet.payload_length;
    segment.timestamp = options.timestamp;
    segment.flags = packet.flags;
    segment.ip_id = packet.ip_id;
    segment.has_timestamp = options.has_timestamps;
    if (syn && sender.replay == nullptr) {
        constexpr size_t max_syns = 8;
        if (sender.syns.size() < max_syns) sender.syns.push_back(segment);
        return;
    }
    replay_of(a).on_sent(segment);
}

SenderReplay& ConnectionSenders::replay_of(bool a) {
    Side& sender = side(a);
    if (sender.replay == nullptr) {
        sender.replay = std::make_unique<SenderReplay>(store_, connection_, a, options_of(a));
        for (const SentSegment& syn : sender.syns) sender.replay->on_sent(syn);
        sender.syns.clear();
    }
    return *sender.replay;
}

SenderOptions ConnectionSenders::options_of(bool a) const {
    const Side& sender = side(a);
    const Side& receiver = side(!a);
    SenderOptions options;
    if (sender.syn_seen && receiver.syn_seen) {
        options.sack = sender.sack_permitted && receiver.sack_permitted;
        options.timestamps = sender.timestamps && receiver.timestamps;
        options.mss = std::min<uint32_t>(sender.mss, receiver.mss);
        if (options.timestamps && options.mss > timestamps_length) options.mss -= timestamps_length;
    }
    return options;
}

void ConnectionSenders::finish() {
    for (Side& side : sides_) {
        if (side.replay != nullptr) side.replay->finish();
    }
}

}  // namespace sanscope
