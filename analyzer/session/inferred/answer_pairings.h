// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/session/commands/answer_order.h"

namespace sanscope {

// A command of which no answer has been seen. In lists, in order of request.
struct OpenCommand {
    uint64_t number = 0;
    PacketNumber request_packet = 0;  // 0: not known
    TransferKind kind = TransferKind::none;
    uint32_t answer_bytes = 0;       // of its whole answer in the stream
    uint32_t first_data = 0;         // DataSegmentLength of the answer's first PDU
    uint32_t pdu_bytes = 0;          // where the answer is of several PDUs, the length of each but the last
    std::optional<Serial32> cmd_sn;  // of a command that counts by it
    bool has_status = true;          // false of an R2T, which is an answer, but not the last one
};

// Bytes of a target's stream in which all headers are missing. Its places count from its beginning.
struct UnseenRun {
    struct Moment {
        uint32_t end = 0;
        Arrival delivered;
        bool captured = true;  // false: the bytes up to `end` are in no packet
    };
    // A header of which the capture holds no more than its opcode and lengths.
    struct Boundary {
        uint32_t at = 0;
        Opcode opcode = Opcode::scsi_data_in;
        uint32_t data_length = 0;
    };
    uint32_t length = 0;     // of whole answers, one behind the other
    bool explicable = true;  // false: what lies in it is not answers alone; only their count can be known
    std::vector<Moment> moments;
    std::vector<Boundary> boundaries;
    // Of all runs up to and with this one, by the StatSN behind it.
    std::optional<uint32_t> statuses;
};

// What may have become of the commands before the first run.
struct PairingStart {
    double weight = 1;
    std::vector<uint64_t> answered;  // numbers of commands
};

// What is known of an open command in the end.
struct Pairing {
    double answered = 0;   // probability that it was answered in the runs that count
    double likeliest = 0;  // probability that `arrival` completed the answer
    Arrival arrival;       // packet 0: a packet that was not captured
    uint32_t run = 0;      // in which it is then
};

// All ways in which the open commands can have been answered in runs of unseen bytes, each with how likely it is.
//
// The lengths of the answers must fill each run exactly, the statuses must be as many as StatSN says, headers begin
// where they are known to, and nothing is answered before it was requested. Of what is left, ways that keep to the
// order of request are likelier than others, by as much as this target was seen to keep to it. Ways that have answered
// the same commands by the same place of the stream are one from there on, so that their number stays small.
class AnswerPairings {
  public:
    static constexpr size_t max_open = 512;
    static constexpr size_t max_choices = 6;  // commands that may be answered next, counted from the oldest
    static constexpr size_t max_nodes = 50'000;
    static constexpr size_t max_nodes_in_any_order =
        4'000;  // where the target is not known to keep to an order

    // Of the first `counting` runs, `pairings()` says which commands were answered in them, and `ends()` what may be so
    // behind them. False if no way explains the runs.
    bool weigh(std::span<const OpenCommand> open, std::span<const UnseenRun> runs, size_t counting,
               std::span<const PairingStart> starts, const AnswerOrder& order);

    // After weigh() failed: which run no way leads through; whether there were too many ways.
    size_t failed_run() const { return failed_run_; }
    bool gave_up() const { return gave_up_; }

    // Whether the headers that are known to begin somewhere begin where those of this answer would.
    static bool fits(const OpenCommand& command, uint32_t at, const UnseenRun& run);
    // With which packet the bytes up to `end` had come.
    static const UnseenRun::Moment* moment(const UnseenRun& run, uint32_t end);

    // One for each open command.
    const std::vector<Pairing>& pairings() const { return pairings_; }
    const std::vector<PairingStart>& ends() const { return ends_; }

  private:
    // After which commands a way has come to a place: all before `first`, and those of the 64 from there on in `mask`.
    struct Node {
        uint32_t at;
        uint32_t first;
        uint64_t mask;
        uint32_t statuses;
        double forward;
        double backward;
    };
    // Those of one place in the order in which they were reached.
    struct Place {
        uint32_t at;
        uint32_t rank;
        uint32_t node;
        auto operator<=>(const Place&) const = default;
    };
    struct Edge {
        uint32_t from;
        uint32_t to;
        uint32_t command;
        double weight;
        uint32_t run;
        uint32_t end;
    };

    void note_odds(const AnswerOrder& order);
    bool begin(std::span<const PairingStart> starts);
    bool keeps_order() const;
    bool pass(size_t run);
    void add_place(uint32_t at, uint32_t node);
    void extend(uint32_t from, size_t run);
    // The hash is kept beside the number: most nodes that stand in the way are told from another without a look at them.
    struct NodeSlot {
        uint32_t node;
        uint32_t hash;
    };
    // The node of this run at that place, after those commands; a free place for one if there is none yet. Good until
    // the next call.
    uint32_t& node_slot(const Node& wanted);
    void add_edge(uint32_t from, uint32_t command, double weight, uint32_t at, size_t run);
    double weight_of(const Node& node, uint32_t command) const;
    void sum_up(size_t counting);

    std::span<const OpenCommand> open_;
    std::span<const UnseenRun> runs_;
    std::array<std::array<double, transfer_kinds>, transfer_kinds>
        odds_{};  // of overtaking: by the older, the newer
    size_t most_nodes_ = max_nodes;
    size_t failed_run_ = 0;
    bool gave_up_ = false;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<uint32_t> frontier_;                // nodes between two runs
    std::vector<std::vector<uint32_t>> frontiers_;  // the same, of each run's end
    std::vector<Pairing> pairings_;
    std::vector<PairingStart> ends_;
    std::vector<Place> places_;  // a heap: nodes of the run being passed, from which it is to be gone on
    uint32_t places_added_ = 0;
    std::vector<NodeSlot> node_slots_;  // the nodes by what they are: a hash table
    size_t node_slots_taken_ = 0;
};

}  // namespace sanscope
