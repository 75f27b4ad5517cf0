// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/net/tcp_options.h"
#include "analyzer/sender/events/capture_clock.h"
#include "analyzer/sender/inference/sent_history.h"
#include "analyzer/sender/sender_replay.h"
#include "analyzer/sender/vantage/clock_jump_finder.h"
#include "analyzer/sender/vantage/remote_sender.h"
#include "analyzer/sender/vantage/vantage_finder.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Both sides of one TCP connection as senders: turns its packets, in the order of the capture, into what each side did
// and heard, and lets that be replayed. A side that the capture was taken at is replayed as captured; the other one,
// as RemoteSender estimates it.
//
// Packets wait until it shows where the capture was taken: mostly for the handshake; where that was not captured, for answers that
// come from both ends, which on a long and fast path are many packets away. At least for least_waiting, at most for
// most_waiting or longest_wait_ns, and for no more than all connections may hold together (SendBudget). What is replayed
// before it shows is replayed as if captured at both ends; found to be otherwise, it is not told (ConnectionRow::place_found_late).
class ConnectionSenders {
  public:
    static constexpr size_t least_waiting = 256;
    static constexpr size_t most_waiting = 65'536;
    static constexpr int64_t longest_wait_ns = 3'000'000'000;

    ConnectionSenders(ResultStore& store, SendBudget& budget, uint32_t connection)
        : store_(store), budget_(budget), connection_(connection), jumps_(connection) {}

    // `captured_ns`: the packet's time, within_reach(). `set_back`: TCP shows that the clock was, before this packet.
    void on_packet(Side from, const DecodedPacket& packet, PacketNumber number, int64_t captured_ns,
                   bool set_back = false);
    void finish();
    // Rows of losses that were not made, since no packet showed them.
    uint64_t withheld() const;
    // What was found out of the connection by now.
    void describe(Side initiator, ConnectionRow& row) const;

  private:
    struct Seen {
        uint32_t digest = 0;  // of what distinguishes one packet from the next
        uint32_t time_us = 0;
        uint32_t others = 0;  // packets of the other side before it
        uint32_t number = 0;  // of it among those of its side
        uint16_t ip_id = 0;
        bool holds = false;
        bool is(uint32_t other_digest, uint16_t other_ip_id) const {
            return holds && digest == other_digest && ip_id == other_ip_id;
        }
    };
    static constexpr size_t least_seen = 64;
    static constexpr size_t most_seen = 2048;  // twice a millisecond of 10 Gbit/s, in segments of 1,460 bytes
    struct SideState {
        std::unique_ptr<RemoteSender> remote;  // unless the capture was taken here
        std::unique_ptr<SenderReplay> replay;
        int64_t beyond_tap_ns = 0;  // the least round trip from the tap to the other side
        bool syn_seen = false;
        bool sack_permitted = false;
        bool timestamps = false;
        bool has_window_scale = false;
        uint8_t window_scale = 0;
        uint16_t mss = 0;
        // Of the windows this side advertises, once both SYNs were seen.
        bool scale_known = false;
        uint8_t shift = 0;

        SentHistory history;
        // The last packets, by their IP identification; by their digest where they have none.
        std::vector<Seen> seen = std::vector<Seen>(least_seen);
        uint32_t packets = 0;
        uint32_t all_copies = 0;
        uint32_t far_copies = 0;  // of these, that came too late behind the first ones to be of the same port
        int copies = 0;           // how far packets without IP identification are believed to come twice
    };
    // A packet that waits: what one side sent, and what the other heard of it.
    struct Waiting {
        SentSegment sent;
        ReceivedAck heard;
        Side from = Side::b;
        bool acknowledges = false;
    };

    bool is_copy(SideState& sender, uint32_t others, const DecodedPacket& packet, const TcpOptions& options,
                 int64_t time_ns);
    bool is_of_two_places() const;
    static Seen& place_of(std::vector<Seen>& seen, uint32_t digest, uint16_t ip_id);
    static void remember_more(std::vector<Seen>& seen);
    void note_round_trip();
    void report_missing(Side from, int64_t now_ns, bool all);
    void note_syn(SideState& sender, const TcpOptions& options);
    bool waits_longer();
    void begin();
    void deliver(const Waiting& packet);
    void begin_replay(Side from);
    template <class Fill>
    static void sent(SideState& sender, Fill fill);
    template <class Fill>
    static void heard(SideState& hearer, Fill fill);
    static void drain(SideState& side);
    static void fill_ack(ReceivedAck& ack, const SideState& speaker, const DecodedPacket& packet,
                         const TcpOptions& options, PacketNumber number, int64_t time_ns);
    SenderOptions options_of(Side from) const;
    bool is_remote(Side from) const;
    bool needs_estimate(Side from) const;
    SideState& state_of(Side side) { return sides_[index_of(side)]; }
    const SideState& state_of(Side side) const { return sides_[index_of(side)]; }

    ResultStore& store_;
    SendBudget& budget_;
    uint32_t connection_;
    CaptureClock clock_;
    ClockJumpFinder jumps_;
    SideState sides_[2];
    VantageFinder vantage_;
    uint32_t packets_ = 0;             // seen by vantage_
    int64_t round_trip_ns_ = no_time;  // from the tap to both ends and back
    bool begun_ = false;
    bool begun_anywhere_ = false;  // where the capture was taken had not shown
    std::vector<Waiting> waiting_;
    size_t waiting_taken_ = 0;  // of the budget
};

}  // namespace sanscope
