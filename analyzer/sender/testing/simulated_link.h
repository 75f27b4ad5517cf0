// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "analyzer/sender/testing/virtual_time.h"
#include "analyzer/sender/testing/wire_segment.h"

namespace sanscope::simulated {

// One direction of a path: a drop-tail queue before a transmitter of some rate, then a delay. What happens to single
// segments is laid down before the run, so that a scenario says what it tests.
class SimulatedLink {
  public:
    struct Options {
        int64_t delay_ns = 10 * millisecond;
        uint64_t bits_per_second = 1'000'000'000;  // 0: no limit, and no queue
        uint32_t queue_segments =
            std::numeric_limits<uint32_t>::max();  // waiting, besides the one being sent
        uint32_t mark_from =
            std::numeric_limits<uint32_t>::max();  // CE where so many wait already (RFC 3168)
    };
    using Arrival = std::function<void(const WireSegment&)>;

    SimulatedLink(VirtualTime& time, const Options& options) : time_(time), options_(options) {}
    void deliver_to(Arrival arrival) { arrival_ = std::move(arrival); }
    // Called half-way of the delay, for what was not dropped.
    void tap(Arrival half_way) { half_way_ = std::move(half_way); }

    // What happens to the `transmission`th time (from 1) that a segment which begins at `seq` is sent.
    void drop(Serial32 seq, uint32_t transmission = 1) { fate(seq, transmission).drop = true; }
    void duplicate(Serial32 seq, uint32_t transmission = 1) { fate(seq, transmission).duplicate = true; }
    void mark(Serial32 seq, uint32_t transmission = 1) { fate(seq, transmission).mark = true; }
    void hold(Serial32 seq, int64_t extra_ns, uint32_t transmission = 1) {
        fate(seq, transmission).hold_ns = extra_ns;
    }
    // Segments without data, which share their sequence number, are named by their place on the link (from 1).
    void drop_nth(uint64_t number) { by_number_[number].drop = true; }
    void hold_nth(uint64_t number, int64_t extra_ns) { by_number_[number].hold_ns = extra_ns; }
    // All that is sent from one moment to another, the latter excluded.
    void drop_between(int64_t from_ns, int64_t to_ns) { outages_.push_back({from_ns, to_ns}); }
    void hold_between(int64_t from_ns, int64_t to_ns, int64_t extra_ns) {
        holds_.push_back({from_ns, to_ns, extra_ns});
    }

    void send(WireSegment segment);

    uint64_t sent() const { return sent_; }
    uint64_t dropped() const { return dropped_; }
    uint64_t delivered() const { return delivered_; }
    uint32_t longest_queue() const { return longest_queue_; }

    // Ethernet, IPv4 and TCP headers with timestamps: what a segment takes on the wire besides its payload.
    static constexpr uint32_t header_bytes = 14 + 20 + 32;

  private:
    struct Fate {
        bool drop = false;
        bool duplicate = false;
        bool mark = false;
        int64_t hold_ns = 0;
    };
    struct Outage {
        int64_t from_ns;
        int64_t to_ns;
    };
    struct Hold {
        int64_t from_ns;
        int64_t to_ns;
        int64_t extra_ns;
    };

    Fate& fate(Serial32 seq, uint32_t transmission) { return by_sequence_[{seq.value, transmission}]; }
    Fate fate_of(const WireSegment& segment);
    void travel(const WireSegment& segment, int64_t extra_ns);

    VirtualTime& time_;
    Options options_;
    Arrival arrival_;
    Arrival half_way_;
    std::map<std::pair<uint32_t, uint32_t>, Fate> by_sequence_;
    std::map<uint64_t, Fate> by_number_;
    std::map<uint32_t, uint32_t> transmissions_;  // of the data that begin at that sequence number
    std::vector<Outage> outages_;
    std::vector<Hold> holds_;
    uint64_t sent_ = 0;
    uint64_t dropped_ = 0;
    uint64_t delivered_ = 0;
    uint32_t waiting_ = 0;
    uint32_t longest_queue_ = 0;
    int64_t transmitter_free_ns_ = 0;
};

}  // namespace sanscope::simulated
