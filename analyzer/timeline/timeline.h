// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/base/partition_index.h"
#include "analyzer/base/reachable_time.h"
#include "analyzer/packets/packet_index.h"
#include "analyzer/store/result_store.h"
#include "analyzer/store/row_list.h"
#include "analyzer/store/word_pool.h"
#include "analyzer/timeline/command_track.h"
#include "analyzer/timeline/lod_pyramid.h"
#include "analyzer/timeline/time_bins.h"

namespace sanscope {

// The rows of one side of a connection, by index (0-based) into their table, each list in order of time.
struct SenderTrack {
    using Memory = std::pmr::memory_resource*;
    using Rows = RowList;
    using Values = LodPyramid<uint32_t>;

    // Where lists of rows lie, and all else.
    SenderTrack(WordPool& words, Memory memory)
        : segments(words),
          payload(memory),
          windows(words),
          cwnd(unknown<uint32_t>, memory),
          in_flight(unknown<uint32_t>, memory),
          advertised_window(unknown<uint32_t>, memory),
          ca_transitions(words),
          losses(words),
          kernel_windows(words),
          kernel_ca_transitions(words),
          kernel_cwnd(unknown<uint32_t>, memory) {}

    Rows segments;          // with and without payload, by time of capture
    RunningTotals payload;  // bytes of `segments`
    Rows windows;           // by time_ns, the moment at the sender
    Values cwnd;            // of `windows`, as the next two
    Values in_flight;
    Values advertised_window;
    Rows ca_transitions;         // by time_ns
    Rows losses;                 // by capture of the packet that shows each
    Rows kernel_windows;         // by time_ns
    Rows kernel_ca_transitions;  // by time_ns
    Values kernel_cwnd;
};

// The same of what both sides of a connection have part in.
struct ConnectionTrack : CommandTrack {
    ConnectionTrack(WordPool& words, SenderTrack::Memory memory)
        : CommandTrack(memory),
          senders{SenderTrack(words, memory), SenderTrack(words, memory)},
          pdus(words) {}

    SenderTrack senders[2];           // of side a (which sent the first packet), of side b
    SenderTrack::Rows pdus;           // by completion; one that never completed by its first packet
    uint32_t commands_made_anew = 0;  // how often the commands' part was, as a whole

    const SenderTrack& sender(Side side) const { return senders[index_of(side)]; }

    // How often PDUs that stood in `pdus` got other positions there because one came late, and the first position that may be
    // another than it was after the first `times` of these.
    uint32_t pdus_moved() const { return pdus_moved_; }
    size_t first_moved_pdu(uint32_t times) const;
    void note_moved_pdus(size_t first);

  private:
    static constexpr uint32_t remembered_moves = 64;
    uint32_t pdus_moved_ = 0;
    std::array<size_t, remembered_moves> first_moved_{};
};

// What of a capture happened in a stretch of time.
struct OverviewBin {
    uint64_t bytes_out = 0;  // TCP payload, initiator to target
    uint64_t bytes_in = 0;
    uint64_t bytes_unknown = 0;  // of connections of which nobody can tell who is the initiator
    uint64_t wire_bytes = 0;
    uint32_t packets = 0;
    uint32_t losses = 0;    // retransmissions of any kind
    uint32_t commands = 0;  // that ended
    int64_t slowest_ns = no_time;

    void add(const OverviewBin& other);
};

// The rows of a store in order of time, connection by connection, with what it takes to draw any stretch of them at any
// Connections without payload have no track. About 2 bytes a row and 3 a window on top.
class Timeline {
  public:
    // Connections with payload beyond so many get no track.
    static constexpr size_t max_tracks = 65536;

    // All must outlive this, `memory` as where tracks lie; the store must keep everything.
    Timeline(const ResultStore& store, const PacketIndex& index,
             std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : store_(&store), index_(&index), memory_(memory), words_(memory) {}

    // Takes in rows that came since the last time, of each table so many at most; true if that were all.
    bool update(size_t most_rows = SIZE_MAX);
    // Most of that in two steps, for whoever lets the store grow meanwhile: the first copies rows, so many of each table at
    // most, and tells whether those were all; the second takes them in, and looks at neither store nor index. What is left to
    // update() is little then.
    bool copy_rows(size_t most_rows);
    void take_copied();
    // The store is finished: takes in the rest, and what changed of rows taken in before. May be called once.
    void finish();
    // The same in three steps, for whoever lets others look meanwhile. The first and the last change what they see, and are
    // short; the one between only reads, and gives nullptr where it was to stop.
    struct Final;
    void take_rest();
    std::unique_ptr<Final> prepare_final(const std::atomic<bool>& stop) const;
    void finish(std::unique_ptr<Final> prepared);
    bool finished() const { return finished_; }

    // nullptr where the connection (1-based) has none.
    const ConnectionTrack* track(uint32_t connection) const {
        return connection == 0 || connection > tracks_.size() ? nullptr : tracks_[connection - 1].get();
    }
    size_t tracks() const { return made_; }

    const TimeBins<OverviewBin>& overview() const { return overview_; }
    // Of all packets taken in; no_time before the first.
    int64_t first_ns() const { return first_ns_; }
    int64_t last_ns() const { return last_ns_; }

    // When a command, a PDU begins to exist in the capture: its request, else the earliest known of it.
    static int64_t start_of(const CommandRow& command);
    // Its status, or what ended it otherwise; no_time where it never ended. Where nobody knows when, the latest that is known
    // of it: it was under way until then at least.
    int64_t end_of(const CommandRow& command) const;
    // A record that is no packet and stands before the first one is told to be at that one's time.
    int64_t time_of(PacketNumber packet) const {
        const int64_t time_ns = within_reach(index_->time_ns(packet));
        if (index_->conversation(packet) != Conversations::no_packet) [[likely]]
            return time_ns;
        return std::max(time_ns, first_ns_);
    }

    // When the packet was captured that shows the loss of a row (0-based): its `time_ns` is a moment at the sender.
    int64_t time_of_loss(size_t row) const {
        const LossRow& loss = store_->losses()[row];
        return loss.packet == 0 || loss.packet > index_->packets() ? loss.time_ns : time_of(loss.packet);
    }

  private:
    // From where on the lists of a track are no longer in order, since a row came late; SIZE_MAX: from nowhere on.
    struct Late {
        struct OfSender {
            size_t segments = SIZE_MAX;
            size_t losses = SIZE_MAX;
            size_t kernel_windows = SIZE_MAX;
            size_t kernel_ca_transitions = SIZE_MAX;
        };
        OfSender senders[2];
        size_t pdus = SIZE_MAX;
    };
    struct Making {
        CommandSlots slots;
        Late late;
        // The time of the last row in order.
        int64_t last_segment_ns[2] = {no_time, no_time};
        int64_t last_pdu_ns = no_time;
        bool direction_may_have_changed = false;
    };
    // What is taken in of rows that were copied: those behind what was taken before.
    struct CopiedSegment {
        int64_t time_ns;
        uint32_t connection;  // 0 also of what is no packet
        uint32_t payload_length;
        uint32_t wire_length;
        Side sender;
        bool is_packet;
    };
    struct CopiedWindow {
        uint32_t connection;
        uint32_t cwnd;
        uint32_t in_flight;
        uint32_t advertised_window;
        Side sender;
    };
    struct CopiedPdu {
        int64_t time_ns;
        uint32_t connection;
    };
    // Rows that came late: put in their place with the store at hand, so that lists are in order until then.
    struct LateSegment {
        uint32_t row;
        CopiedSegment segment;
    };
    struct LatePdu {
        uint32_t row;
        CopiedPdu pdu;
    };
    // A command that has not ended yet.
    struct Pending {
        uint32_t connection;
        uint32_t position;
        CommandSlots::Place place;
    };
    // What is between the steps of taking rows in.
    struct Intake {
        std::vector<CopiedSegment> segments;
        std::vector<CopiedWindow> windows;
        std::vector<CopiedPdu> pdus;
        std::vector<LateSegment> late_segments;
        std::vector<LatePdu> late_pdus;
        std::vector<uint32_t> undirected;  // connections whose direction is to be looked at
        size_t next_pending = 0;           // of `pending_`, that is to be looked at
    };

    ConnectionTrack* track_for(uint32_t connection);
    void begin_track(uint32_t connection, size_t behind_row, size_t first_copied);
    void copy_segments(size_t end);
    void copy_windows(size_t end);
    void copy_pdus(size_t end);
    void take_segment(size_t row, const CopiedSegment& segment);
    void take_window(size_t row, const CopiedWindow& window);
    void take_transition(size_t row);
    void take_loss(size_t row);
    void take_kernel_window(size_t row);
    void take_kernel_transition(size_t row);
    void take_pdu(size_t row, const CopiedPdu& pdu);
    void take_late();
    bool settled(const CommandRow& command, size_t rows_behind) const;
    void take_commands(size_t end, bool patiently);
    void take_command(size_t row);
    CommandSlots::Place add_command(size_t row, CommandTrack& track, CommandSlots& slots,
                                    TimeBins<OverviewBin>& overview) const;
    void count_end(const CommandRow& command, CommandTrack& track, TimeBins<OverviewBin>& overview) const;
    uint64_t digest_of(size_t row) const;
    bool commands_are_right(const std::atomic<bool>& stop) const;
    void make_commands_anew(Final& final, const std::atomic<bool>& stop) const;
    void take_ends();
    void no_longer_unended(std::vector<std::pair<uint32_t, uint32_t>>& ended);
    void sort_late();
    void sort_late(SenderTrack& sender, Late::OfSender& late);
    template <class TimeAt>
    void append(SenderTrack::Rows& rows, uint32_t row, int64_t time_ns, size_t& late_from,
                uint32_t connection, TimeAt time_at);
    int64_t time_of_pdu(const PduRow& pdu) const;
    int64_t time_of_pdu(uint32_t row) const;
    // Who sent what was counted of a connection so far.
    enum class Counted : uint8_t { direction_unknown, initiator_is_a, initiator_is_b };
    Counted direction_of(uint32_t connection) const;
    void settle_direction(uint32_t connection);
    static uint64_t& payload_of(OverviewBin& bin, Counted direction, Side sender);

    const ResultStore* store_;
    const PacketIndex* index_;
    std::pmr::memory_resource* memory_;
    WordPool words_;                                        // of all lists of rows
    std::vector<std::unique_ptr<ConnectionTrack>> tracks_;  // by connection - 1
    std::vector<std::unique_ptr<Making>> making_;           // likewise
    size_t made_ = 0;
    std::vector<Pending> pending_;
    std::unique_ptr<Intake> intake_ = std::make_unique<Intake>();
    uint64_t commands_digest_ = 0;    // of all that was taken of commands, whatever their order
    bool commands_in_order_ = true;   // of their beginning, on each connection
    std::vector<uint32_t> unsorted_;  // connections with a row that came late, perhaps several times
    struct Taken {
        size_t segments = 0;
        size_t windows = 0;
        size_t ca_transitions = 0;
        size_t losses = 0;
        size_t kernel_windows = 0;
        size_t kernel_ca_transitions = 0;
        size_t pdus = 0;
        size_t commands = 0;
    };
    Taken taken_;
    TimeBins<OverviewBin> overview_;
    std::vector<Counted> counted_;  // by connection - 1: how its payload is counted in `overview_`
    int64_t first_ns_ = no_time;
    int64_t last_ns_ = no_time;
    bool finished_ = false;
};

// What takes the place of some of a timeline in the end.
struct Timeline::Final {
    TimeBins<OverviewBin> overview;
    std::vector<std::unique_ptr<CommandTrack>>
        commands;  // by connection - 1; empty where those there are right
};

// The positions in `rows` (row indices in order of time) of the first whose time, `time_at(row)`, is not before
// `time_ns`.
template <class Rows, class TimeAt>
size_t first_not_before(const Rows& rows, int64_t time_ns, TimeAt time_at) {
    return partition_index(size_t{0}, rows.size(), [&](size_t i) { return time_at(rows[i]) < time_ns; });
}

}  // namespace sanscope
