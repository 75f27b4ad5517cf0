// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "captures/scrub/connection_follower.h"
#include "captures/scrub/payload_parts.h"

#include "analyzer/flow/flow_table.h"
#include "analyzer/iscsi/iscsi_probe.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/tcp/tcp_connection.h"

namespace sanscope {

// Tells of each packet of a capture which parts its TCP payload has. Packets go in in the order of the file, and come out in
// that order once it is known what they hold: mostly at once, but behind a hole in their stream, in the midst of a header, or
// before a connection has shown whether it carries iSCSI, only with later packets. Whoever asks keeps the bytes meanwhile.
//
//     follower.follow(packet, number, time_ns);
//     while (follower.has_next()) { parts = follower.next(payload of that packet); … }
//
// Who can keep what is known apart from what waits asks settle() first:
//
//     follower.follow(packet, number, time_ns);
//     if (!follower.settle(payload, parts)) …  // comes out of next() some time
//
// Streams are followed as the analysis follows them: TcpConnection, IscsiProbe, StreamReassembler, PduFramer.
// Memory is bounded by `Limits`. What waits longer than they allow comes out as unknown; of a connection that is let go, all
// that comes later is followed as one that begins late. In the steady state nothing is allocated.
class PayloadFollower {
  public:
    struct Limits {
        size_t waiting_packets = size_t{1} << 16;
        size_t waiting_bytes = size_t{64} << 20;  // of their payloads, as captured
        size_t live_connections = 16384;          // of which something is remembered
        size_t iscsi_connections =
            16384;  // of these, they that carry iSCSI or may yet turn out to: up to 0.75 MiB each
        size_t held_bytes = size_t{96} << 20;  // of all streams, behind holes in them
        // What was acknowledged and is not there may come so much later, out of order.
        int64_t acknowledged_grace_ns = StreamReassembler::acknowledged_grace_ns;
    };

    PayloadFollower();
    explicit PayloadFollower(const Limits& limits);

    // The next packet of the capture. Its payload is read before this returns.
    void follow(const DecodedPacket& packet, PacketNumber number, int64_t time_ns);
    // There are no more: all that waits comes out.
    void finish();

    // Whether the oldest packet that waits can come out.
    bool has_next() const;
    // It comes out, as unknown where it could not have yet. `payload`: its TCP payload as captured, again.
    PacketParts next(std::span<const uint8_t> payload);
    // The packet that went in last comes out at once, before any that wait, if all of it is known and none of its connection
    // waits. False: it waits, or there is none.
    bool settle(std::span<const uint8_t> payload, PacketParts& parts);
    // Whatever is missing before the oldest packet that waits, in its connection, will not come any more: what lies behind
    // is read as it is. It may still wait after that, for the rest of a header.
    void give_up_holes();

    size_t waiting() const { return waiting_.size(); }

  private:
    struct Flow {
        Flow(ReassemblyBudget& budget, uint32_t flow_number, bool source_is_low, const FlowKey& ends)
            : tcp(budget), number(flow_number), a_is_low(source_is_low), key(ends) {}
        TcpConnection tcp;
        std::unique_ptr<IscsiProbe> probe;
        std::unique_ptr<ConnectionFollower> iscsi;  // if is_iscsi, until it has ended and nothing waits
        uint32_t number;
        bool a_is_low;
        bool ended = false;
        bool closing = false;
        bool is_iscsi = false;
        Side initiator = Side::a;  // if is_iscsi
        size_t waiting = 0;        // packets with payload
        std::array<bool, 2> begun{};
        uint32_t slot = 0;
        bool counted = false;  // among iscsi_connections
        FlowKey key;
    };
    struct Waiting {
        PacketNumber number;
        std::shared_ptr<Flow> flow;  // none: no TCP segment, or of a connection that is not followed
        Serial32 seq;
        uint32_t length;
        uint32_t captured;
        Side from;
    };
    struct Closed {
        std::shared_ptr<Flow> flow;
        int64_t time_ns;
    };
    // As the analysis lets go of them.
    static constexpr int64_t close_linger_ns = 10'000'000'000;
    static constexpr size_t max_closed = 256;

    std::shared_ptr<Flow> flow_of(const DecodedPacket& packet, int64_t time_ns, Side& from);
    void end_silent_flows(int64_t now_ns);
    void end_silent_iscsi(int64_t now_ns);
    template <class Wanted>
    std::vector<uint32_t> most_silent(int64_t now_ns, size_t count, const Wanted& wanted) const;
    void forget(uint32_t slot);
    void renew_table();
    void count(Flow& flow, int64_t now_ns);
    void uncount(Flow& flow);
    PacketParts parts_of(const Waiting& packet, std::span<const uint8_t> payload);
    void retire_closed(int64_t now_ns);
    static bool is_known(const Waiting& packet);
    static int64_t offset_of(const Waiting& packet);
    PacketNumber awaited() const;
    Arrival as_of(const Arrival& arrival) const;
    void on_payload(Flow& flow, Side from, const DecodedPacket& packet, const Arrival& arrival);
    void begin_iscsi(Flow& flow);
    void deliver(Flow& flow, Side from, const DecodedPacket& packet, const Arrival& arrival);
    void consume(Flow& flow, Side from, const StreamPiece& piece);
    void end_streams(Flow& flow);
    void let_go(Flow& flow);

    Limits limits_;
    FlowTable flow_table_;
    ReassemblyBudget budget_;
    std::vector<std::shared_ptr<Flow>> flows_;  // by slot
    std::vector<uint32_t> free_slots_;
    std::deque<Closed> closed_;
    std::deque<Waiting> waiting_;
    size_t waiting_bytes_ = 0;
    uint32_t connections_ = 0;
    size_t iscsi_connections_ = 0;
    std::vector<PayloadPart> parts_;
};

}  // namespace sanscope
