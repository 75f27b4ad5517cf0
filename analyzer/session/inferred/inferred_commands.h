// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/session/commands/command_tracker.h"
#include "analyzer/session/commands/commands_in_flight.h"
#include "analyzer/session/commands/inference_hook.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// The commands of a session as far as they are inferred.
//
// Answers whose headers the capture does not have (UnseenAnswers): a command so answered stays at hand for a while, and
// if an answer of its own turns up, the inferred one is taken back.
//
// Requests whose headers the capture cut off: where the tag is not known, such a request is nameless, and the first
// answer with an unknown tag names it if the target had received it by then.
class InferredCommands final : private InferenceHook {
  public:
    static constexpr size_t max_inferred = 256;
    static constexpr size_t max_looked_at = 512;

    InferredCommands(CommandTracker& tracker, ResultStore& store)
        : tracker_(tracker), flight_(tracker.in_flight()), store_(store) {
        tracker.set_hook(*this);
    }
    InferredCommands(const InferredCommands&) = delete;
    InferredCommands& operator=(const InferredCommands&) = delete;

    const CommandTracker& tracker() const { return tracker_; }
    CommandsInFlight& in_flight() { return flight_; }

    // Its status came with that packet, in a PDU whose header is not in the capture. False where that cannot be.
    bool answer_unseen(uint64_t command, Arrival arrival);
    // It was answered, nobody knows when.
    void end_unseen(uint64_t command);
    // It was answered; when will be known later, or not, by either of the next two.
    bool hold_answered(uint64_t command);
    bool settle_held(uint64_t command, Arrival arrival);
    void end_held(uint64_t command);
    // Whether and when it was answered will be known only if its answer is seen, before end_given_up().
    void give_up(uint64_t command);
    void end_given_up(uint32_t connection);

    // A command whose header the capture cut off, known by what stands before and behind it; its tag too, perhaps.
    uint64_t infer_request(std::optional<uint32_t> itt, Serial32 cmd_sn, Arrival arrival, uint32_t connection,
                           bool writes = false);
    // Other connections of the session take numbers too, so that not every request that was cut off is inferred: an answer with
    // an unknown tag may be of one that is not, from now on.
    void share_numbers() { numbers_shared_ = true; }
    // Of an inferred request; nothing changes where an answer has named it since, or it has ended.
    void set_tag(uint64_t command, uint32_t itt);

  private:
    uint32_t claim_nameless(const Pdu& pdu, uint32_t connection) override;
    void take_back(uint32_t slot) override;
    uint32_t claim_orphan(Serial32 cmd_sn, uint32_t connection);
    void keep_inferred(uint32_t slot);

    CommandTracker& tracker_;
    CommandsInFlight& flight_;
    ResultStore& store_;
    bool numbers_shared_ = false;
    std::deque<CommandsInFlight::Place>
        inferred_;  // the latest; of those before, no answer is expected any more
};

}  // namespace sanscope
