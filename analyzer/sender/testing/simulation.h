// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/testing/simulated_link.h"
#include "analyzer/sender/testing/simulated_receiver.h"
#include "analyzer/sender/testing/simulated_sender.h"
#include "analyzer/sender/testing/virtual_time.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope::simulated {

using SenderEvent = std::variant<SentSegment, ReceivedAck>;

// A segment as a capture somewhere on the path holds it.
struct TappedSegment {
    int64_t time_ns = 0;
    bool from_sender = false;
    WireSegment segment;
};

// What the sender held after an event (the packet numbers are those of the events).
struct TruthSample {
    PacketNumber packet = 0;
    int64_t time_ns = 0;
    SimulatedSender::Figures figures;
};

struct TrueTransition {
    PacketNumber packet = 0;
    int64_t time_ns = 0;
    CaState from = CaState::open;
    CaState to = CaState::open;
};

// A sender, a path and a receiver in virtual time, from the handshake on; what the sender saw, in its order, and what
// it held after each of these events. Options set in one place reach all who need them.
class Simulation {
  public:
    struct Options {
        SimulatedSender::Options sender;
        SimulatedReceiver::Options receiver;
        SimulatedLink::Options data;
        SimulatedLink::Options acks;
        int64_t start_ns = 1'000 * second;
    };

    // `mss`, `sack`, `timestamps` and the first sequence number of the receiver follow the sender's.
    explicit Simulation(Options options);
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    SimulatedSender& sender() { return sender_; }
    SimulatedReceiver& receiver() { return receiver_; }
    SimulatedLink& data_link() { return data_; }
    SimulatedLink& ack_link() { return acks_; }

    // Moments and durations count from the end of the handshake.
    void at(int64_t since_start_ns, VirtualTime::Action action) {
        time_.at(began_ns_ + since_start_ns, std::move(action));
    }
    void write_at(int64_t since_start_ns, uint64_t bytes) {
        at(since_start_ns, [this, bytes] { sender_.write(bytes); });
    }
    void write_segments_at(int64_t since_start_ns, uint64_t segments) {
        write_at(since_start_ns, segments * options_.sender.mss);
    }
    void run_for(int64_t since_start_ns) { time_.run_until(began_ns_ + since_start_ns); }
    int64_t absolute(int64_t since_start_ns) const { return began_ns_ + since_start_ns; }

    // The sequence number of the `n`th full segment (from 0).
    Serial32 segment(uint32_t n) const { return options_.sender.first_byte + n * options_.sender.mss; }
    uint32_t mss() const { return options_.sender.mss; }
    SenderOptions sender_options() const {
        return {options_.sender.mss, options_.sender.sack, options_.sender.timestamps};
    }

    const std::vector<SenderEvent>& events() const { return events_; }
    const std::vector<TruthSample>& truth() const { return truth_; }
    const std::vector<TrueTransition>& transitions() const { return transitions_; }
    const std::vector<TappedSegment>& at_sender() const { return at_sender_; }
    const std::vector<TappedSegment>& between() const { return between_; }
    const std::vector<TappedSegment>& at_receiver() const { return at_receiver_; }

  private:
    void shake_hands();
    void on_sent(const WireSegment& wire);
    void on_heard(const WireSegment& wire);
    void on_changed(CaState from, CaState to);
    void sample(PacketNumber packet);
    static Options agreed(Options options);

    Options options_;
    VirtualTime time_;
    SimulatedLink data_;
    SimulatedLink acks_;
    SimulatedReceiver receiver_;
    SimulatedSender sender_;
    int64_t began_ns_ = 0;
    PacketNumber packets_ = 0;
    std::vector<SenderEvent> events_;
    std::vector<TruthSample> truth_;
    std::vector<TrueTransition> transitions_;
    std::vector<TappedSegment> at_sender_;
    std::vector<TappedSegment> between_;
    std::vector<TappedSegment> at_receiver_;
};

// A symmetric path with its bottleneck in the direction of the data.
Simulation::Options path_of(int64_t rtt_ns, uint64_t megabits_per_second, uint32_t queue_segments);

}  // namespace sanscope::simulated
