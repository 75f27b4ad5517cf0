// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/net/tcp_options.h"
#include "analyzer/vocabulary/rows.h"
#include "analyzer/vocabulary/side.h"

namespace sanscope {

// Where on the path of a connection the capture was taken. The sides are a and b as in TcpConnection.
enum class TapPlace : uint8_t { unknown, at_a, at_b, middle };

// Shows where the tap is from how soon each side answers what passes it: the host at the tap answers within the
// microseconds of its own stack, the other one after a trip to it and back.
//
// An answer is a packet that acknowledges new data, or echoes a timestamp, for the first time; the gap between the two
// is an upper bound of the trip from the tap to that side and back. The least ones are kept. The handshake is the first
// such pair of answers and mostly settles the matter; a connection whose handshake was not captured takes a few more.
// What was sent twice is never used (Karn), nor what the other side already answered when it was captured.
//
// Where both sides answer within near_ns (one host, a cable) the faster one counts as the place of the tap. A TTL that
// routers have counted down speaks against an end, but one that was not proves nothing: bridges leave it alone.
//
//     finder.on_packet(from, time_ns, packet, options);   // every packet, in capture order
//     if (finder.settled()) … finder.place(), finder.round_trip_ns(Side::a) …
//
// Takes some 200 bytes and constant time.
class VantageFinder {
  public:
    // Below this a side's answers can come from the host at the tap, above they cannot.
    static constexpr int64_t near_ns = 100'000;
    static constexpr int64_t far_ns = 1'000'000;

    void on_packet(Side from, int64_t time_ns, const DecodedPacket& packet, const TcpOptions& options);

    // The best guess so far; once settled() it does not change any more.
    TapPlace place() const { return place_; }
    bool settled() const { return settled_; }

    // The least time from the tap to that side and back seen so remote, in ns, reaction included; no_time if none yet.
    // Half of it is the best guess for the way in one direction. These go on improving for a while after settled().
    int64_t round_trip_ns(Side side) const { return sides_[index_of(side)].round_trip_ns(); }

  private:
    // What passed the tap on its way to a side and waits for that side's answer.
    struct Probe {
        int64_t time_ns = no_time;  // no_time: free
        Serial32 value;
    };
    static constexpr size_t max_probes = 4;
    struct Probes {
        std::array<Probe, max_probes> all;
        bool full = false;  // and since then none has become free
        int64_t oldest_ns = 0;
        int64_t newest_ns = 0;
    };

    struct SideState {
        Probes by_ack;        // value: one past the last byte sent to this side
        Probes by_timestamp;  // value: TSval sent to this side
        // The least answer times. One alone may be false, where the tap missed the packet that was really answered.
        std::array<int64_t, 3> least_ns{no_time, no_time, no_time};
        uint64_t samples = 0;
        Serial32 sent_end;        // one past the farthest byte this side sent
        Serial32 sent_timestamp;  // its newest TSval
        Serial32 acked;           // the newest it acknowledged
        Serial32 echoed;          // the newest TSecr
        bool sent_any = false;
        bool syn_sent = false;
        bool timestamp_sent = false;
        bool acked_any = false;
        bool echoed_any = false;
        uint8_t ttl_min = 255;
        int64_t round_trip_ns() const;
        void add_sample(int64_t gap_ns);
        bool routed() const;
    };

    static void answer(SideState& side, Probes& probes, Serial32 value, bool exactly, int64_t time_ns);
    static void ask(Probes& probes, Serial32 value, int64_t time_ns);
    void judge();

    std::array<SideState, 2> sides_;
    TapPlace place_ = TapPlace::unknown;
    bool settled_ = false;
};

}  // namespace sanscope
