// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/scsi/cdb.h"
#include "analyzer/scsi/sense.h"
#include "analyzer/session/commands/answer_order.h"
#include "analyzer/session/commands/commands_in_flight.h"
#include "analyzer/session/commands/inference_hook.h"
#include "analyzer/session/commands/unit_data_gatherer.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// How this target is known to answer.
struct ResponseProfile {
    uint32_t longest_data_in = 0;  // data segment length; 0: none seen
    uint32_t split_length = 0;  // of Data-In PDUs behind which more of their read's data came; 0: none seen
    uint64_t statuses_with_data = 0;  // Data-In PDUs with the S bit
    uint64_t statuses_apart = 0;      // SCSI Responses to reads
};

// Follows the SCSI commands of one iSCSI session from request to status, over all of its connections.
//
// PDUs of one direction of a connection come in stream order, but the two directions may be out of order against each
// other: a stream held back by a hole, a file that is not in order. So an answer is matched by its Initiator Task Tag
// and its ExpCmdSN: to the newest command with that tag which the target says it has received (RFC 7143 §4.2.2.1).
// An answer that comes before its request waits for it as an orphan.
//
// What of a command the capture does not show is inferred elsewhere (InferredCommands), which an answer that nothing
// seen explains is shown to (InferenceHook).
class CommandTracker {
  public:
    static constexpr size_t max_answered_orphans = 8192;
    static constexpr size_t max_late_writes = 1024;
    static constexpr size_t max_unclaimed = 8192;
    static constexpr size_t max_early_rejects = 64;

    CommandTracker(ResultStore& store, uint32_t session) : store_(&store), flight_(store, session) {}
    // `hook` outlives the tracker's use.
    void set_hook(InferenceHook& hook) { hook_ = &hook; }

    // Any PDU of the session. Returns the number of the SCSI command it belongs to, 0 if to none. `moment_known`: it
    // completed with its packet; else when is not known.
    uint64_t on_pdu(const Pdu& pdu, uint32_t connection, bool moment_known = true);
    // The session is over: what is in flight stays unanswered.
    void finish();

    // The command in flight with that tag asked what its logical unit is, or which paths lead to it.
    bool asks_of_unit(uint32_t itt) const;
    bool knows(uint32_t itt) const { return flight_.newest_with(itt) != CommandsInFlight::none; }
    // Whether a header, of which so much is captured, may answer a command in flight: by its tag, its ExpCmdSN, the direction in which
    // the command moves data, and how much. `unknown_tag`: no request with that tag was seen.
    enum class Fit : uint8_t { unknown_tag, none, good };
    Fit fit_of(const Bhs& answer, size_t captured) const;

    // Bytes of read data that passed, and that are expected, of a command in flight.
    std::pair<uint32_t, uint32_t> data_in_of(uint64_t command) const;
    struct AnswerSoFar {
        uint64_t command = 0;  // 0: the request was not seen
        uint32_t passed = 0;   // bytes of read data
        uint32_t expected = 0;
        std::optional<Serial32> cmd_sn;  // of a command that counts by it
    };
    // Of the command that this answer belongs to, before the tracker is given it.
    AnswerSoFar answer_so_far(const Pdu& pdu) const;
    const ResponseProfile& profile() const { return profile_; }
    const AnswerOrder& order() const { return order_of_answers_; }
    // Of the latest command: what one whose header was cut off is taken to read, too.
    uint32_t last_data_in_expected() const { return last_data_in_expected_; }
    CommandsInFlight& in_flight() { return flight_; }

  private:
    struct TaskManagement {
        uint32_t itt;
        uint8_t function;
        uint32_t referenced_tag;
        uint64_t lun;
        PacketNumber packet;
    };

    // What is known of a logical unit's type: what it told, or by what it did.
    struct Unit {
        uint64_t lun = 0;
        DeviceType type = DeviceType::unknown;
        CommandSets sets = all_command_sets;
    };

    // A Reject of a SCSI Command that was not known yet, behind a hole in its stream.
    struct EarlyReject {
        uint32_t itt;
        uint32_t cmd_sn;
        Arrival came;
    };

    // A response to a task management request that was not known yet: the capture has the two directions in another order.
    struct EarlyTaskAnswer {
        uint32_t itt;
        uint32_t connection;
        uint32_t stat_sn;
        uint8_t response;
        PacketNumber packet;
    };

    uint64_t on_command(const Pdu& pdu, uint32_t connection);
    uint64_t on_data_in(const Pdu& pdu, uint32_t slot, bool moment_known);
    uint64_t on_data_out(const Pdu& pdu, uint32_t connection);
    uint64_t on_r2t(const Pdu& pdu, uint32_t slot);
    uint64_t on_response(const Pdu& pdu, uint32_t slot, bool moment_known);
    void on_task_management_request(const Pdu& pdu, uint32_t connection);
    void on_task_management_response(const Pdu& pdu, uint32_t connection);
    void end_tasks(const TaskManagement& what, PacketNumber answered);
    uint64_t on_reject(const Pdu& pdu);
    void on_async_message(const Pdu& pdu);
    void end_early(uint32_t slot, Outcome outcome, Arrival came);
    void take_early_reject(uint32_t slot);
    void go_on(CommandInFlight& command);

    static bool fits(const CommandInFlight& command, const Bhs& answer, size_t captured);
    uint32_t retried_by(const Pdu& pdu) const;
    uint32_t begin_or_adopt(const Pdu& pdu, uint32_t connection);
    uint32_t answered_by(const Pdu& pdu) const;
    void end_answered(uint32_t slot);
    void end_late_writes(uint32_t connection, PacketNumber packet, std::optional<uint32_t> itt);
    uint32_t find_or_begin(const Pdu& pdu, uint32_t connection);
    void note_data(CommandInFlight& command, const Pdu& pdu, bool moment_known = true);
    void note_status(CommandInFlight& command, const Pdu& pdu, uint8_t status, bool moment_known);
    void update_profile(const Pdu& pdu, const CommandInFlight& command);
    void on_unit_data(const CommandInFlight& command, const Pdu& pdu);
    void on_unit_data_ended(const CommandInFlight& command, const Pdu& pdu);
    void learn(const CommandInFlight& command, std::span<const uint8_t> data, const Pdu& last);
    void learn_device(uint64_t lun, uint8_t first_byte);
    void learn_device_from(const CommandInFlight& command);
    void learn_sense(const CommandRow& row, const SenseData& sense, const Pdu& pdu);
    void settle_port_groups(const CommandInFlight& command, const AccessStates::Place& at);
    const Unit* unit_of(uint64_t lun) const;
    Unit* unit_to_note(uint64_t lun);
    void abort(uint32_t slot, PacketNumber packet);

    ResultStore* store_;
    CommandsInFlight flight_;
    InferenceHook* hook_ = nullptr;
    std::vector<TaskManagement> task_management_;
    std::vector<EarlyReject> early_rejects_;
    std::vector<EarlyTaskAnswer> early_task_answers_;
    std::vector<Unit> units_;
    ResponseProfile profile_;
    AnswerOrder order_of_answers_;
    uint32_t last_data_in_expected_ = 0;
    UnitDataGatherer unit_data_;
    std::deque<CommandsInFlight::Place> answered_orphans_;
    // Writes whose answers were known before their requests, behind a hole in the stream: their data are yet to come in it.
    std::vector<CommandsInFlight::Place> late_writes_;
};

}  // namespace sanscope
