// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/engine/framing_alone.h"
#include "analyzer/engine/kernel_truth_joiner.h"
#include "analyzer/engine/sender_work.h"
#include "analyzer/flow/flow_table.h"
#include "analyzer/ingest/packet_batch.h"
#include "analyzer/iscsi/iscsi_probe.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/net/fragment_reassembler.h"
#include "analyzer/sender/connection_senders.h"
#include "analyzer/session/iscsi_connection.h"
#include "analyzer/session/session_tracker.h"
#include "analyzer/store/result_store.h"
#include "analyzer/tcp/tcp_connection.h"
#include "analyzer/vocabulary/decode_as.h"
#include "analyzer/vocabulary/issues.h"
#include "analyzer/vocabulary/passed_over.h"

namespace sanscope {

// Decodes the packets of a batch, or `most` of them from the `first`; `decoded` gets one entry a packet. Stateless: batches
// may be decoded at the same time.
void decode_batch(const PacketBatch& batch, std::vector<DecodedPacket>& decoded, size_t first = 0,
                  size_t most = SIZE_MAX);

// The line: decoded packets in, in order; connections, sessions, PDUs and commands into the store.
//
//     DecodedPacket → flow → TcpConnection → StreamReassembler → PduFramer → CommandTracker → ResultStore
//
// Opens nothing, reads no clock, owns no thread. Output depends on the packets alone.
class Engine {
  public:
    // At most this many connections are followed at once, and counted in all: beyond the first, the longest silent ones
    // end early; beyond the second, new ones are only counted as an issue.
    static constexpr size_t max_live_connections = 131072;
    static constexpr uint32_t max_connections = 1'000'000;

    // For benchmarks: how far down the line packets go. After `frame`, PDUs are found but not looked into.
    enum class StopAfter : uint8_t { decode, reassemble, frame, none };

    // Rows lie in `memory`, which must outlive this.
    explicit Engine(ResultStore::Keep keep, StopAfter stop_after = StopAfter::none,
                    std::pmr::memory_resource* memory = std::pmr::get_default_resource());

    // To be called before the first packet: connections of these ports are iSCSI, or are not, whatever they look like.
    void decode_as(DecodeAs rules) { decode_as_ = std::move(rules); }

    // `decoded`: the batch's packets from the `first` on.
    void process(const PacketBatch& batch, std::span<const DecodedPacket> decoded, size_t first = 0);
    // From the next packet on: the capture may have zeros in the place of users' data (CaptureInterface::data_not_kept).
    void data_are_not_kept() { totals_.data_not_kept = true; }
    // The input has ended: what is still open is closed and written down.
    void finish();
    // For another thread that follows the TCP senders: what they are to be told is put into `work`, and do_sender_work() does it,
    // on one thread at a time and in order. `settle` returns when all of it is done.
    struct SenderLane {
        SenderWork* work = nullptr;
        std::function<void()> settle;
    };
    // `lane` must stay until finish(), or until a kernel's word is to be held against the senders, which are then followed at
    // once. False where that is so from the beginning.
    bool defer_senders(SenderLane& lane);
    void do_sender_work(SenderWork& work) { work.run(sender_issues_); }

    // Writes what is known by now into the rows of connections that go on: who initiates, what they carry, their counts. For
    // those who look at the store between batches.
    void describe_connections();

    // Of several files as one capture: what passed then is in none of them.
    struct Gap {
        int64_t begin_ns = no_time;
        int64_t end_ns = no_time;
    };
    // What lies between files that were written one behind the other is no gap.
    static constexpr int64_t least_gap_ns = 1'000'000'000;
    struct Totals {
        uint64_t packets = 0;     // with the records that are none but are numbered like them
        uint64_t wire_bytes = 0;  // without those, as the times below
        uint64_t tcp_packets = 0;
        uint64_t cut_packets = 0;    // of which fewer bytes were captured than were on the wire
        uint32_t cut_at = 0;         // the most bytes that one of them still has
        bool data_not_kept = false;  // of some packets, as their file says
        int64_t first_ns = no_time;  // the earliest and latest moments; packets may be out of order
        int64_t last_ns = no_time;
        int64_t largest_set_back_ns = 0;  // of Issue::times_set_back
        // The first of these packets behind which no TCP connection shows that it was the clock: they may stand in a wrong order.
        std::vector<PacketNumber> set_back_unexplained = {};
        std::vector<Gap> gaps = {};  // in order
        PassedOver passed_over = {};
    };
    const Totals& totals() const { return totals_; }
    const Issues& issues() const { return issues_; }
    const ResultStore& store() const { return store_; }

    // Between batches, of a store that keeps live counts: shows what came since this was called before, which is then forgotten.
    template <class Take>
    void take_live_counts(Take take) {
        if (LiveCounts* const counts = store_.live_counts(); counts != nullptr) {
            take(*counts);
            counts->clear();
        }
    }
    // Likewise, of a store that does not keep commands: from here on what time budgets rest on is kept of some.
    void begin_sample() { store_.begin_sample(); }
    CommandSample* sample() { return store_.sample(); }
    std::unique_ptr<CommandSample> take_sample() { return store_.take_sample(); }

  private:
    struct Flow {
        Flow(ReassemblyBudget& budget, SendBudget& send_budget, ResultStore& store, uint32_t flow_number,
             uint32_t flow_slot, bool source_is_low, const FlowKey& ends)
            : tcp(budget),
              senders(std::make_unique<ConnectionSenders>(store, send_budget, flow_number)),
              number(flow_number),
              slot(flow_slot),
              a_is_low(source_is_low),
              key(ends) {}
        bool came_in(uint32_t vlan) const {
            const auto end = vlans.begin() + vlans_known;
            return std::find(vlans.begin(), end, vlan) != end;
        }
        // Of more VLANs than it keeps, nothing is told from what they bring.
        void comes_in(uint32_t vlan) {
            if (vlans_known < vlans.size() && !came_in(vlan)) vlans[vlans_known++] = vlan;
        }
        TcpConnection tcp;
        std::unique_ptr<ConnectionSenders> senders;  // until its streams have ended
        std::unique_ptr<IscsiProbe> probe;           // once there was something to look at
        std::unique_ptr<IscsiConnection> iscsi;      // once known to be that
        std::unique_ptr<FramingAlone> framing;       // with it, if stopping after that
        uint32_t number;
        uint32_t slot;
        bool a_is_low;
        uint32_t previous = FlowTable::none;  // slot of the one that a SYN seems to follow, until it shows
        bool has_others = false;  // there are, or were, connections of other networks with the same ends
        uint8_t vlans_known = 0;
        std::array<uint32_t, 4> vlans{};        // that its packets came in, as DecodedPacket::vlan
        bool stream_begun[2] = {false, false};  // of side a, b: a piece was consumed
        bool is_iscsi = false;
        DecodeAs::Protocol decoded_as = DecodeAs::Protocol::by_content;
        bool closing = false;      // stands in closed_
        bool retired = false;      // its streams have ended; what still comes is only counted
        Side initiator = Side::a;  // if is_iscsi
        FlowKey key;
        std::array<SegmentOrigin, 2> origins{};  // of side a, b: of the first SYN, FIN or RST
    };

    // Where the last packet with these ends led to: spares most packets the look into flow_table_.
    struct RecentFlow {
        IpAddress source;
        IpAddress destination;
        uint32_t ports = 0;
        uint32_t vlan = 0;
        Side from = Side::a;
        Flow* flow = nullptr;
    };

    struct Closed {
        uint32_t slot;
        uint32_t number;
        int64_t time_ns;
    };
    // What a closed connection held is let go after so long, or when so many others have closed since.
    static constexpr int64_t close_linger_ns = 10'000'000'000;
    static constexpr size_t max_closed = 256;

    void count(std::span<const RawPacket> packets);
    void note_clocks_apart();
    void note_gap(std::span<const RawPacket> packets);
    void take_block(const RawPacket& block, PacketNumber packet);
    void join_kernel_truth();
    const DecodedPacket* not_yet_tcp(const DecodedPacket& packet, const Arrival& arrival,
                                     uint32_t wire_length);
    Flow* flow_of(const DecodedPacket& packet, const Arrival& arrival, Side& from);
    Flow* find_flow(const DecodedPacket& packet, const Arrival& arrival, Side& from);
    uint32_t slot_behind_syn(uint32_t slot, Side from, const DecodedPacket& packet);
    bool is_in_another_network(const Flow& first, Side from, const DecodedPacket& packet, FlowKey key) const;
    void forget(uint32_t slot);
    void forget_recent(const Flow& flow);
    Flow* begin_flow(const FlowKey& key, uint32_t& slot, bool source_is_low, const Arrival& arrival);
    bool time_is_alone(const PacketBatch& batch, size_t index) const;
    void on_segment(Flow& flow, Side from, const DecodedPacket& packet, const Arrival& arrival,
                    int64_t believed_ns);
    void pass_to_senders(Flow& flow, Side from, const DecodedPacket& packet, PacketNumber number,
                         int64_t time_ns, bool set_back);
    void note_set_back(int64_t by_ns, PacketNumber since, PacketNumber packet);
    void stop_deferring();
    void probe(Flow& flow, Side from, const DecodedPacket& packet, Arrival arrival);
    void begin_iscsi(Flow& flow, Side initiator);
    Side initiator_as_decoded(const Flow& flow, Side from, const DecodedPacket& packet) const;
    void deliver(Flow& flow, Side from, const DecodedPacket& packet, const Arrival& arrival);
    void deliver_held(Flow& flow, Arrival arrival);
    void consume(Flow& flow, Side from, const StreamPiece& piece);
    static void frame_only(Flow& flow, bool from_target, const StreamPiece& piece);
    void end_flow(Flow& flow);
    void describe(const Flow& flow);
    void end_streams(Flow& flow);
    void retire_closed(int64_t now_ns);
    void end_silent_flows(int64_t now_ns);
    static Side initiator_of(const Flow& flow);

    ResultStore store_;
    Issues issues_;
    SenderLane* lane_ = nullptr;   // nullptr: senders are told at once
    Issues sender_issues_;         // of the lane, until it has ended
    int64_t latest_ns_ = no_time;  // of the packet before
    std::vector<PacketNumber>
        set_back_at_;  // in order: the last packet of the batches before, and those of this one, whose times went back
    int64_t last_believed_ns_ = no_time;  // of the TCP segment before, as TCP senders are told
    Totals totals_;
    StopAfter stop_after_;
    DecodeAs decode_as_;
    FragmentReassembler fragments_;
    DecodedPacket defragmented_;
    std::array<RecentFlow, 256> recent_{};
    FlowTable flow_table_;
    ReassemblyBudget budget_;
    SendBudget send_budget_;
    SessionTracker sessions_;
    std::vector<std::unique_ptr<Flow>> flows_;  // by slot
    std::vector<uint32_t> free_slots_;
    std::deque<Closed> closed_;  // in order of closing
    std::unique_ptr<KernelTruthJoiner>
        kernel_truth_;          // where rows of it are kept, or once there was a word of it
    bool kernel_told_ = false;  // anything
    uint32_t connections_ = 0;
};

}  // namespace sanscope
