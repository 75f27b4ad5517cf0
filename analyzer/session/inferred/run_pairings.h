// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/session/inferred/acknowledged_statuses.h"
#include "analyzer/session/inferred/answer_pairings.h"
#include "analyzer/session/inferred/answered_connection.h"
#include "analyzer/session/inferred/awaited_answers.h"
#include "analyzer/session/inferred/ordered_answers.h"
#include "analyzer/session/inferred/unseen_runs.h"

namespace sanscope {

// Pairs the answers in the runs that wait with the commands that may have been answered there. In: the framed runs.
// Out: a command gets an answer where all likely ways to explain the bytes (AnswerPairings) agree on the packet that
// completes it, and that packet can bring the status for the first time (ExpStatSN, RFC 7143 §4.2.2.2); of the others
// that must have been answered it is known that they were, and not when; of the statuses left over, how many they are.
class RunPairings {
  public:
    RunPairings(const AnsweredConnection& of, const AcknowledgedStatuses& acknowledged,
                AnswerPairings& pairings, AwaitedAnswers& awaited)
        : of_(&of), acknowledged_(&acknowledged), pairings_(&pairings), awaited_(&awaited) {}

    // Weighs the ways through all runs. False if none explains the first `counting` of them.
    bool weigh(const UnseenRuns& runs, size_t counting, const AnswerShape& shape, InferredCommands& commands);
    // Takes what was weighed for these, after so many statuses in all.
    void take(const UnseenRuns& runs, size_t counting, uint64_t statuses, OrderedAnswers& ordered,
              InferredCommands& commands);
    // Nobody is known to have been answered in the runs.
    void take_none(const UnseenRuns& runs, InferredCommands& commands);

    // Commands that may have been answered before the runs that wait, by the likeliest way.
    size_t doubtful() const { return starts_.empty() ? 0 : starts_.front().answered.size(); }
    void forget_doubtful() { starts_.clear(); }
    void give_up_doubtful(InferredCommands& commands) const;

  private:
    // Of the pairings reported, so many in a thousand may be wrong.
    static constexpr double risk_per_status = 0.0008;
    static constexpr double greatest_risk = 0.03;
    static constexpr double no_risk = 1e-6;
    static constexpr double as_good_as_certain = 0.999;

    void list_settled();
    void pair(size_t i, double risk, const UnseenRuns& runs, OrderedAnswers& ordered,
              InferredCommands& commands);
    bool is_settled(uint64_t number) const;
    bool may_bring(const Pairing& pairing, const UnseenRuns& runs) const;
    void report_unpaired(const UnseenRuns& runs, size_t counting, InferredCommands& commands) const;
    void keep_ends();

    const AnsweredConnection* of_;
    const AcknowledgedStatuses* acknowledged_;
    AnswerPairings* pairings_;  // others use it too, each while it weighs
    AwaitedAnswers* awaited_;
    std::vector<PairingStart> starts_;
    std::vector<UnseenRun> batch_;
    std::vector<std::pair<double, size_t>> settled_;  // pairings with their risks, the surest first
    std::vector<uint32_t> paired_;                    // answers paired, of each run that waits
    double risk_left_ = 0;
    uint64_t risked_until_ = 0;  // statuses for which risk_left_ has been given
};

}  // namespace sanscope
