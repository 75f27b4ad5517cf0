// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/sender/testing/simulation.h"

namespace sanscope::simulated {

// A hand-written exchange with what the sender must have held after each step, in segments:
//
//     Script script({.rtt_ms = 20});
//     script.at(0).sends(0, 10).holds({.cwnd = 10});
//     script.at(20).hears(2).holds({.cwnd = 12, .state = CaState::open});
//     script.at(20.1).sends(10, 14);
//     script.check();
//
// Segments are numbered from 0; `sends(a, b)` sends a … b-1, one packet each, and `hears(n)` acknowledges all below n.
// A handshake and one segment with its acknowledgement precede, a round trip each; time counts from their end. They
// leave the window at ten.
class Script {
  public:
    static constexpr uint32_t mss = 1000;

    struct Options {
        double rtt_ms = 20;
        bool sack = true;
        bool timestamps = true;
        uint32_t window = 65535;  // bytes the receiver offers
    };
    struct Range {
        uint32_t begin;
        uint32_t end;
    };
    // What is left unsaid is not looked at.
    struct Expected {
        std::optional<uint32_t> cwnd = {};
        std::optional<uint32_t> ssthresh = {};  // `unknown<uint32_t>`: there is none yet
        std::optional<uint32_t> in_flight = {};
        std::optional<CaState> state = {};
        std::optional<SendLimit> limit = {};
    };
    static constexpr uint32_t no_ssthresh = unknown<uint32_t>;

    explicit Script(const Options& options);
    Script() : Script(Options{}) {}

    Script& at(double milliseconds);
    Script& sends(uint32_t from, uint32_t to);
    // As one packet, as segmentation offload shows it to a capture at the sender.
    Script& sends_as_one(uint32_t from, uint32_t to);
    Script& sends_again(uint32_t segment) { return sends(segment, segment + 1); }
    // SACKs as on the wire: the most recent first, before it a D-SACK if there is one. The timestamp echoed is that of
    // one round trip ago, and its own of half of one, unless it is said.
    Script& hears(uint32_t next, const std::vector<Range>& sacks = {}, uint16_t flags = tcp_ack);
    Script& echoing(double milliseconds);  // of the step before
    Script& given(double milliseconds);    // likewise: the receiver sent it then
    Script& offering(uint32_t window);     // from the next step on
    // After the step before, and all that was sent with it.
    Script& holds(const Expected& expected, int line = __builtin_LINE());
    Script& enters(std::initializer_list<CaState> states,
                   int line = __builtin_LINE());  // all so far, in order

    void check() const;
    const std::vector<SenderEvent>& events() const { return events_; }
    SenderOptions sender_options() const { return {mss, options_.sack, options_.timestamps}; }

  private:
    struct Claim {
        int line;
        PacketNumber packet;
        Expected expected;
    };
    struct StatesClaim {
        int line;
        PacketNumber packet;
        std::vector<CaState> states;
    };

    int64_t now_ns() const;
    uint32_t timestamp_at(double milliseconds) const {
        return 1'000'000 + static_cast<uint32_t>(1000 + milliseconds);
    }
    static Serial32 begin_of(uint32_t segment) { return Serial32(100'000 + segment * mss); }
    void send(Serial32 seq, uint32_t length, uint16_t flags);

    Options options_;
    double now_ms_ = 0;
    uint32_t window_;
    uint16_t ip_id_ = 0;
    std::vector<SenderEvent> events_;
    std::vector<Claim> claims_;
    std::vector<StatesClaim> states_claims_;
};

}  // namespace sanscope::simulated
