// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/simulation.h"

#include <utility>

namespace sanscope::simulated {
namespace {

ReceivedAck heard_at(int64_t time_ns, PacketNumber packet, const WireSegment& wire) {
    ReceivedAck ack;
    ack.time_ns = time_ns;
    ack.packet = packet;
    ack.ack = wire.ack;
    ack.seq = wire.seq;
    ack.window = wire.window;
    ack.payload_length = wire.length;
    ack.timestamp_echo = wire.timestamp_echo;
    ack.flags = wire.flags;
    ack.sack_blocks = wire.sack_blocks;
    ack.has_timestamp = wire.has_timestamp;
    ack.sack = wire.sack;
    return ack;
}

SentSegment sent_at(int64_t time_ns, PacketNumber packet, const WireSegment& wire) {
    SentSegment sent;
    sent.time_ns = time_ns;
    sent.packet = packet;
    sent.seq = wire.seq;
    sent.length = wire.length;
    sent.timestamp = wire.timestamp;
    sent.flags = wire.flags;
    sent.ip_id = wire.ip_id;
    sent.has_timestamp = wire.has_timestamp;
    return sent;
}

}  // namespace

Simulation::Options Simulation::agreed(Options options) {
    options.receiver.mss = options.sender.mss;
    options.receiver.sack = options.sender.sack;
    options.receiver.timestamps = options.sender.timestamps;
    options.receiver.first_byte = options.sender.first_byte;
    return options;
}

Simulation::Simulation(Options options)
    : options_(agreed(options)),
      data_(time_, options_.data),
      acks_(time_, options_.acks),
      receiver_(time_, options_.receiver,
                [this](const WireSegment& wire) {
                    at_receiver_.push_back({time_.now(), false, wire});
                    acks_.send(wire);
                }),
      sender_(time_, options_.sender,
              {[this](const WireSegment& wire) { on_sent(wire); },
               [this](const WireSegment& wire) { on_heard(wire); },
               [this](CaState from, CaState to) { on_changed(from, to); }}) {
    time_.run_until(options_.start_ns);
    data_.tap([this](const WireSegment& wire) { between_.push_back({time_.now(), true, wire}); });
    acks_.tap([this](const WireSegment& wire) { between_.push_back({time_.now(), false, wire}); });
    data_.deliver_to([this](const WireSegment& wire) {
        at_receiver_.push_back({time_.now(), true, wire});
        receiver_.on_segment(wire);
    });
    acks_.deliver_to([this](const WireSegment& wire) { sender_.on_ack(wire); });
    shake_hands();
}

// The SYN goes out, its answer comes back over an empty path; both ends are then established.
void Simulation::shake_hands() {
    const int64_t there_ns = options_.data.delay_ns;
    const int64_t back_ns = options_.acks.delay_ns;
    WireSegment syn;
    syn.seq = Serial32(options_.sender.first_byte.value - 1);
    syn.flags = tcp_syn;
    syn.has_timestamp = options_.sender.timestamps;
    syn.timestamp = options_.sender.clock_offset + static_cast<uint32_t>(time_.now() / millisecond);
    WireSegment answer;
    answer.ack = options_.sender.first_byte;
    answer.flags = tcp_syn | tcp_ack;
    answer.window = receiver_.window() < 65535 ? receiver_.window() : 65535;  // never scaled on a SYN
    answer.has_timestamp = syn.has_timestamp;
    answer.timestamp_echo = syn.timestamp;

    events_.emplace_back(sent_at(time_.now(), ++packets_, syn));
    at_sender_.push_back({time_.now(), true, syn});
    const int64_t begun_ns = time_.now();
    between_.push_back({begun_ns + there_ns / 2, true, syn});
    at_receiver_.push_back({begun_ns + there_ns, true, syn});
    at_receiver_.push_back({begun_ns + there_ns, false, answer});
    between_.push_back({begun_ns + there_ns + back_ns / 2, false, answer});
    time_.run_until(begun_ns + there_ns + back_ns);
    began_ns_ = time_.now();
    events_.emplace_back(heard_at(time_.now(), ++packets_, answer));
    at_sender_.push_back({time_.now(), false, answer});
    sender_.established(there_ns + back_ns, answer.window);
}

void Simulation::on_sent(const WireSegment& wire) {
    events_.emplace_back(sent_at(time_.now(), ++packets_, wire));
    at_sender_.push_back({time_.now(), true, wire});
    sample(packets_);
    data_.send(wire);
}

void Simulation::on_heard(const WireSegment& wire) {
    events_.emplace_back(heard_at(time_.now(), ++packets_, wire));
    at_sender_.push_back({time_.now(), false, wire});
    sample(packets_);
}

// Told before the event that goes with it.
void Simulation::on_changed(CaState from, CaState to) {
    transitions_.push_back({packets_ + 1, time_.now(), from, to});
}

void Simulation::sample(PacketNumber packet) {
    truth_.push_back({packet, time_.now(), sender_.figures()});
}

Simulation::Options path_of(int64_t rtt_ns, uint64_t megabits_per_second, uint32_t queue_segments) {
    Simulation::Options options;
    options.data.delay_ns = options.acks.delay_ns = rtt_ns / 2;
    options.data.bits_per_second = megabits_per_second * 1'000'000;
    options.data.queue_segments = queue_segments;
    return options;
}

}  // namespace sanscope::simulated
