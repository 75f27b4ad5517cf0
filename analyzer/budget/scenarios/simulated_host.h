// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/sender/testing/simulated_link.h"
#include "analyzer/sender/testing/simulated_receiver.h"
#include "analyzer/sender/testing/simulated_sender.h"
#include "analyzer/sender/testing/virtual_time.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope::simulated {

// A segment as a tap at one end sees it, with its payload.
struct SeenSegment {
    int64_t time_ns = 0;
    bool by_initiator = false;
    WireSegment wire;
    test::Bytes payload;
};

// One end of a connection that sends both ways: a sender and a receiver of the same TCP, and the stream of PDUs that it sends.
// Keeps what became of every byte: positions are those of its own stream, times those of the clock that all share.
class SimulatedHost {
  public:
    struct Options {
        SimulatedSender::Options sender;
        SimulatedReceiver::Options receiver;
        bool initiator = false;
        uint64_t bits_per_second = 0;  // of the link it sends on
        int64_t delay_ns = 0;
    };
    struct Transmission {
        uint64_t begin = 0;
        uint64_t end = 0;
        int64_t sent_ns = 0;
        int64_t begins_ns = 0;  // to be sent by the link …
        int64_t leaves_ns = 0;  // … until then
        bool arrives = false;
        bool again = false;
        bool by_timer = false;  // a retransmission timer had expired
    };
    // What held it back from then on.
    struct State {
        int64_t time_ns = 0;
        SendLimit limit = SendLimit::application;
        CaState state = CaState::open;
        bool timer_expired = false;  // just now
        uint64_t snd_una = 0;        // positions
        uint64_t snd_nxt = 0;
    };

    SimulatedHost(VirtualTime& time, const Options& options, SimulatedLink& link);

    void established(int64_t rtt_ns, uint32_t window);
    // `arrived` is called when the other host's application has read all of it.
    void send(const test::Bytes& pdu, std::function<void()> arrived);
    void on_segment(const WireSegment& segment, SimulatedHost& from);
    void pause_reading();
    void resume_reading(SimulatedHost& from);

    uint64_t stream_end() const { return stream_.size(); }
    uint32_t window() const { return receiver_.window(); }
    Serial32 first_byte() const { return options_.sender.first_byte; }
    int64_t delay_ns() const { return options_.delay_ns; }
    void saw(const WireSegment& segment, const SimulatedHost& from);

    // When the byte before that position was first sent; and when it could be read at the other end.
    int64_t first_sent_ns(uint64_t position) const;
    int64_t readable_ns(uint64_t position) const;
    // The transmission that made it readable.
    const Transmission& delivery_of(uint64_t position) const;
    // The first that came to the other end, whatever was missing before it.
    const Transmission& first_arrival_of(uint64_t position) const;
    const std::vector<Transmission>& transmissions() const { return transmissions_; }
    const std::vector<State>& states() const { return states_; }
    const std::vector<SeenSegment>& seen() const { return seen_; }

  private:
    struct Readable {
        uint64_t end = 0;  // of this host's stream, at the other one
        int64_t time_ns = 0;
    };
    struct Sent {
        uint64_t end = 0;
        std::function<void()> arrived;
    };

    uint64_t position(Serial32 seq) const { return static_cast<uint32_t>(first_byte().distance_to(seq)); }
    void transmit(WireSegment wire);
    void note_state();
    void read(SimulatedHost& from);

    VirtualTime& time_;
    Options options_;
    SimulatedLink& link_;
    test::Bytes stream_;
    std::deque<Sent> unread_;  // of this host's stream, at the other one
    std::vector<Transmission> transmissions_;
    std::vector<State> states_;
    std::vector<Readable> readable_;
    std::vector<SeenSegment> seen_;
    bool reading_ = true;
    int64_t link_free_ns_ = 0;
    uint64_t sent_once_ = 0;
    uint64_t timeouts_ = 0;
    SimulatedReceiver receiver_;
    SimulatedSender sender_;
};

}  // namespace sanscope::simulated
