// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/session/inferred/acknowledged_statuses.h"
#include "analyzer/session/inferred/answer_pairings.h"
#include "analyzer/session/inferred/inferred_commands.h"
#include "analyzer/session/inferred/strict_order.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// How this target's PDUs are made up, as its connection's headers and login show.
struct AnswerShape {
    uint32_t header_length = bhs_length;  // with header digest, if any
    uint32_t data_digest_length = 0;
    uint32_t declared_limit = 0;  // the initiator's MaxRecvDataSegmentLength; 0: unknown
};

// The answers of one connection whose headers the capture does not have: beyond the snap length, or in packets that are
// missing.
//
// First they are counted: StatSN behind them shows how many there were. Then they wait until the commands under way
// then have been answered, as far as that can be seen. Only then are those left over paired with them: a command gets
// an answer where all likely ways to explain the bytes agree on the packet that completes it. Of the others it is known
// that they were answered, and not when.
class UnseenAnswers {
  public:
    UnseenAnswers(uint32_t connection, ResultStore& store, Issues& issues,
                  const AcknowledgedStatuses& acknowledged, AnswerPairings& pairings)
        : connection_(connection),
          store_(&store),
          issues_(&issues),
          acknowledged_(&acknowledged),
          pairings_(&pairings) {}

    // A stretch of the target's stream. `in_place`: it begins where a header does.
    void add_stretch(const UnseenStretch& stretch, bool in_place);
    // A PDU of which no more than opcode and lengths were captured.
    void add_partial(const Pdu& pdu, const AnswerShape& shape);
    // A request that is answered, but is no SCSI command.
    void on_other_request(const Pdu& pdu);

    // Whether a status may bear that number: no more statuses are than StatSN advanced by (RFC 7143 §4.2.2.2).
    bool in_number(Serial32 stat_sn) const;

    // A header of the target that was captured up to its tag: before and after the tracker has it.
    void before_seen(const Pdu& pdu, const AnswerShape& shape, InferredCommands& commands, uint32_t session);
    void after_seen(const Pdu& pdu, uint64_t command, InferredCommands& commands);
    void finish(const AnswerShape& shape, InferredCommands& commands, uint32_t session);

  private:
    static constexpr size_t max_runs = 256;
    static constexpr size_t max_moments = 65536;   // of all runs
    static constexpr uint32_t max_statuses = 192;  // that wait for being paired
    static constexpr uint32_t long_enough =
        128;  // statuses behind which a command's own would have been seen
    static constexpr uint32_t near_enough = 64;
    static constexpr size_t max_others = 64;
    static constexpr size_t max_held = 4096;
    // Of the pairings reported, so many in a thousand may be wrong.
    static constexpr double risk_per_status = 0.0008;
    static constexpr double greatest_risk = 0.03;
    static constexpr double no_risk = 1e-6;

    struct Run {
        UnseenRun run;
        uint64_t begin = 0;  // offsets in the stream; the places of `run` count from here once it is closed
        uint64_t end = 0;
        std::vector<UnseenStretch::Mark> marks;
        std::vector<std::pair<uint64_t, UnseenRun::Boundary>> boundaries;
        uint64_t closed_at = 0;  // statuses_ then
        PacketNumber first_packet = 0;
        PacketNumber last_packet = 0;
        uint32_t unseen = 0;      // statuses since the group before; of a group's last run
        Serial32 stat_sn_behind;  // of the status seen behind a group
        bool ends_group = false;
        bool count_known = false;
    };
    struct UnderWay {
        uint64_t command = 0;  // 0: none
        uint32_t itt = 0;
        uint32_t left = 0;  // bytes of data
        uint32_t passed = 0;
    };
    // In strict order of request, which answer is whose. Told once the target is believed to keep that order.
    struct Held {
        uint64_t command = 0;
        Arrival arrival;
        PacketNumber first_packet = 0;  // of the group of statuses
        PacketNumber last_packet = 0;
    };
    struct Other {
        bool immediate;
        uint32_t itt;
        uint32_t answer_bytes;
        PacketNumber packet;
        uint64_t number;
    };

    Run& open_run(uint64_t offset);
    void close_run(const Pdu* next, const AnswerShape& shape, InferredCommands& commands);
    void cut_head(Run& run, const AnswerShape& shape, InferredCommands& commands);
    void cut_tail(Run& run, const Pdu& next, const AnswerShape& shape, const InferredCommands& commands);
    void count(const Pdu& pdu);
    void end_group(uint32_t unseen, Arrival now);
    uint32_t data_bytes(uint32_t from, uint32_t to, const AnswerShape& shape,
                        const ResponseProfile& profile) const;
    uint32_t pdu_limit(const AnswerShape& shape, const ResponseProfile& profile) const;
    void list_open(InferredCommands& commands, bool status_with_data);
    void settle_if_ready(InferredCommands& commands);
    void settle(size_t counting, InferredCommands& commands);
    bool lay_out(size_t counting, InferredCommands& commands);
    bool lay_out_group(size_t first, size_t end, size_t& next);
    const Held* in_order(uint64_t command) const;
    bool hold(const Held& held, InferredCommands& commands);
    void hold_all(size_t counting, InferredCommands& commands);
    void settle_held(InferredCommands& commands);
    void drop_held(InferredCommands& commands);
    bool may_bring(const Pairing& pairing) const;
    bool order_broke(InferredCommands& commands);
    void note_order(InferredCommands& commands);
    bool weigh(size_t counting, InferredCommands& commands);
    void take_pairings(size_t counting, InferredCommands& commands);
    void lose(InferredCommands& commands);
    void report_unpaired(size_t counting, InferredCommands& commands);
    void drop_runs(size_t count, InferredCommands& commands);
    static Arrival arrival_at(const Run& run, uint64_t end, bool& captured);

    uint32_t connection_;
    uint32_t session_ = 0;
    ResultStore* store_;
    Issues* issues_;
    const AcknowledgedStatuses* acknowledged_;
    AnswerShape shape_;
    std::deque<Run> runs_;
    bool run_is_open_ = false;
    size_t moments_ = 0;
    UnderWay under_way_;
    bool interleaves_ = false;  // the PDUs of several reads were seen to be mixed
    std::vector<Other> others_;
    uint64_t others_seen_ = 0;

    bool stat_sn_known_ = false;
    Serial32 stat_sn_;             // of the latest status, seen or not
    uint32_t unnumbered_ = 0;      // statuses seen since whose StatSN was not
    uint32_t paired_at_once_ = 0;  // in the group, those that go on with a read that was seen
    uint64_t statuses_ = 0;        // all so far
    uint64_t look_again_at_ = 0;
    uint64_t risked_until_ = 0;  // statuses_ for which risk_left_ has been given
    Arrival counted_from_;       // the latest status that was seen
    bool waiting_ = false;       // runs_ is not empty, and the tracker knows
    bool lost_ = false;
    bool any_unseen_ = false;
    std::vector<PairingStart> starts_;
    std::vector<UnseenRun> batch_;
    std::vector<OpenCommand> open_;
    std::vector<AwaitedCommand> awaited_;
    std::vector<uint32_t> paired_;  // answers paired, of each run that waits
    AnswerPairings* pairings_;      // others use it too, each while it weighs
    double risk_left_ = 0;
    StrictOrder strict_;
    std::optional<Serial32> answering_;  // CmdSN of the command that the PDU at hand answers
    uint64_t others_answered_ = 0;       // that do not count by CmdSN
    std::deque<Held> held_;
    std::vector<Held> laid_out_;  // of the runs that are settled
    std::vector<Held> pending_;   // laid out before, and by their bytes not certain to have been answered
    bool trusting_ = false;       // in that order alone, as to who is left
    uint64_t lost_until_ = 0;     // statuses_ up to which what was given up may still be answered
};

}  // namespace sanscope
