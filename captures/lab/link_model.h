// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <random>

namespace sanscope::lab {

// What one direction of a simulated link does to the packets on it. Every default is "nothing".
struct LinkSettings {
    int64_t delay_ns = 0;   // propagation
    int64_t jitter_ns = 0;  // added to it, uniform in [0, jitter_ns]; packets keep their order
    uint64_t rate_bits_per_second =
        0;  // 0: not limited. Counts the frame from its Ethernet header, without FCS
    uint32_t queue_packets =
        1000;  // frames that wait or are being sent when the rate is limited; more are dropped
    uint32_t ecn_mark_at_packets =
        0;                   // ECN-capable packets that find so many in the queue are marked; 0: never
    double loss = 0;         // probability, each packet by itself
    double burst_start = 0;  // Gilbert model: probability that a burst of loss starts at a packet
    double burst_end = 1;    // … and that a running one ends after it
    double duplicate = 0;    // probability that a packet arrives twice
    double reorder = 0;      // probability that a packet is held back by reorder_by_ns, passed by later ones
    int64_t reorder_by_ns = 1'000'000;
    int64_t stall_at_ns =
        0;  // since the first packet: nothing is delivered for stall_for_ns, then all at once
    int64_t stall_for_ns = 0;
    int64_t outage_at_ns = 0;  // since the first packet: whatever comes within outage_for_ns is lost
    int64_t outage_for_ns = 0;
    int64_t lose_ack_at_ns =
        0;             // since the first packet: the next TCP segment without data is lost; 0: none is
    uint32_t mtu = 0;  // larger IP packets are dropped without a word; 0: none is
    int64_t change_at_ns = 0;  // since the first packet: from then on the two below hold; 0: they never do
    int64_t changed_delay_ns = -1;              // in place of delay_ns; -1: as before
    uint64_t changed_rate_bits_per_second = 0;  // in place of rate_bits_per_second; 0: as before
};

enum class Fate : uint8_t {
    forwarded,
    marked,
    reordered,
    duplicated,
    lost,
    lost_in_burst,
    queue_full,
    too_large
};

struct Verdict {
    Fate fate = Fate::forwarded;
    int64_t deliver_at_ns = 0;  // meaningless where the packet is lost
    bool stalled = false;       // it waits for the end of a stall
    bool delivered() const { return fate < Fate::lost; }
};

// One direction of a link, in virtual time: given each packet as it arrives, it says when to deliver it, if
// at all. A packet first passes a drop-tail queue drained at the link's rate, then may be lost, then takes
// the delay. The same seed and packets meet the same losses whatever their timing: each packet draws the same
// number of random values.
class LinkModel {
  public:
    LinkModel(const LinkSettings& settings, uint64_t seed);

    // `now_ns` never goes back from call to call.
    Verdict offer(int64_t now_ns, uint32_t frame_bytes, bool ecn_capable, bool bare_ack = false);

  private:
    double uniform();
    void change();

    LinkSettings settings_;
    std::mt19937_64 random_;
    std::deque<int64_t> sent_at_ns_;  // when each frame in the queue will have been sent
    int64_t link_free_at_ns_ = 0;
    int64_t last_delivery_ns_ = 0;  // of the packets that keep their order
    int64_t first_packet_ns_ = -1;
    bool in_burst_ = false;
    bool ack_lost_ = false;
};

}  // namespace sanscope::lab
