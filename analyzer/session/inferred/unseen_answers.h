// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/session/inferred/acknowledged_statuses.h"
#include "analyzer/session/inferred/answer_pairings.h"
#include "analyzer/session/inferred/answer_shape.h"
#include "analyzer/session/inferred/answered_connection.h"
#include "analyzer/session/inferred/awaited_answers.h"
#include "analyzer/session/inferred/inferred_commands.h"
#include "analyzer/session/inferred/ordered_answers.h"
#include "analyzer/session/inferred/read_under_way.h"
#include "analyzer/session/inferred/run_pairings.h"
#include "analyzer/session/inferred/status_count.h"
#include "analyzer/session/inferred/unseen_runs.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// The answers of one connection whose headers the capture does not have: beyond the snap length, or in packets that are
// missing.
//
// First they are counted: StatSN behind them shows how many there were (StatusCount). Then the runs of bytes in which
// they lie (UnseenRuns) wait until the commands under way then have been answered, as far as that can be seen. Only then
// are those left over paired with them: by the order of request where the target keeps it strictly (OrderedAnswers),
// else where all likely ways to explain the bytes agree on the packet that completes an answer (RunPairings). Of the
// others it is known that they were answered, and not when.
class UnseenAnswers {
  public:
    UnseenAnswers(uint32_t connection, ResultStore& store, Issues& issues,
                  const AcknowledgedStatuses& acknowledged, AnswerPairings& pairings)
        : of_{connection, &store, &issues},
          awaited_(connection),
          ordered_(of_, awaited_),
          pairings_(of_, acknowledged, pairings, awaited_) {}
    UnseenAnswers(const UnseenAnswers&) = delete;
    UnseenAnswers& operator=(const UnseenAnswers&) = delete;

    // A stretch of the target's stream. `in_place`: it begins where a header does.
    void add_stretch(const UnseenStretch& stretch, bool in_place) { runs_.add_stretch(stretch, in_place); }
    // A PDU of which no more than opcode and lengths were captured.
    void add_partial(const Pdu& pdu, const AnswerShape& shape) { runs_.add_partial(pdu, shape); }
    // A request that is answered, but is no SCSI command.
    void on_other_request(const Pdu& pdu) { awaited_.on_other_request(pdu, shape_); }

    // Whether a status may bear that number: no more statuses are than StatSN advanced by (RFC 7143 §4.2.2.2).
    bool in_number(Serial32 stat_sn) const { return count_.in_number(stat_sn); }

    // A header of the target that was captured up to its tag: before and after the tracker has it.
    void before_seen(const Pdu& pdu, const AnswerShape& shape, InferredCommands& commands, uint32_t session);
    void after_seen(const Pdu& pdu, uint64_t command, InferredCommands& commands);
    void finish(const AnswerShape& shape, InferredCommands& commands, uint32_t session);

  private:
    static constexpr uint32_t long_enough =
        128;  // statuses behind which a command's own would have been seen
    static constexpr uint32_t near_enough = 64;

    void close_run(const Pdu* next, InferredCommands& commands);
    void end_read(const UnseenRuns::ReadEnd& end, InferredCommands& commands);
    void count(const Pdu& pdu);
    void settle_if_ready(InferredCommands& commands);
    void settle_some(InferredCommands& commands);
    void settle(size_t counting, InferredCommands& commands);
    void hold_all(size_t counting, InferredCommands& commands);
    void drop_runs(size_t count, InferredCommands& commands);
    void wait_no_longer_if_none(InferredCommands& commands);
    void lose(InferredCommands& commands);
    void lose_all(InferredCommands& commands);
    void lose_until_past(uint64_t given_up);

    AnsweredConnection of_;
    AnswerShape shape_;
    ReadUnderWay read_;
    StatusCount count_;
    UnseenRuns runs_;
    AwaitedAnswers awaited_;
    OrderedAnswers ordered_;
    RunPairings pairings_;
    uint64_t look_again_at_ = 0;  // so many statuses
    bool waiting_ = false;        // runs_ is not empty, and the tracker knows
    bool any_unseen_ = false;
    bool lost_ = false;
    uint64_t lost_until_ = 0;  // statuses up to which what was given up may still be answered
};

}  // namespace sanscope
