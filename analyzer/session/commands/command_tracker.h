// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/scsi/cdb.h"
#include "analyzer/session/commands/answer_order.h"
#include "analyzer/session/commands/task_table.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// A command no answer of which has been seen.
struct AwaitedCommand {
    uint64_t command = 0;  // its number
    PacketNumber request_packet = 0;
    TransferKind kind = TransferKind::none;
    uint32_t data_expected = 0;      // bytes of read data; 0 for a command that reads nothing
    std::optional<Serial32> cmd_sn;  // of a command that counts by it
};

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
// Answers whose headers the capture does not have may be told as inferred (UnseenAnswers). A command so answered stays at hand
// for a while: if an answer of its own turns up, the inferred one is taken back.
//
// A request whose header the capture cut off may be inferred as well. Where its tag cannot be told it is nameless: the
// first answer with an unknown tag names it, where the target had received it by then.
class CommandTracker {
  public:
    // Commands in flight are bounded; past it the oldest counts as unanswered.
    static constexpr size_t max_in_flight = 65536;
    static constexpr size_t max_same_tag = 64;
    static constexpr size_t max_answered_orphans = 8192;
    static constexpr size_t max_inferred = 256;
    static constexpr size_t max_looked_at = 512;
    static constexpr size_t max_unclaimed = 8192;

    CommandTracker(ResultStore& store, uint32_t session) : store_(&store), session_(session) {}

    // Any PDU of the session. Returns the number of the SCSI command it belongs to, 0 if to none. `moment_known`: it completed
    // with its packet; else when is not known.
    uint64_t on_pdu(const Pdu& pdu, uint32_t connection, bool moment_known = true);
    // The session is over: what is in flight stays unanswered.
    void finish();

    bool knows(uint32_t itt) const { return tags_.find(itt) != TaskTable::none; }

    // The commands of a connection requested before `until` no answer of which was seen, in order of request; the first `most`.
    void list_unseen(uint32_t connection, PacketNumber until, size_t most, std::vector<AwaitedCommand>& out);
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
    // Its status came with that packet, in a PDU whose header is not in the capture. False where that cannot be.
    bool answer_unseen(uint64_t command, Arrival arrival);
    // It was answered, nobody knows when.
    void end_unseen(uint64_t command);
    // It was answered; when will be told later, or not, by either of the next two.
    bool hold_answered(uint64_t command);
    bool settle_held(uint64_t command, Arrival arrival);
    void end_held(uint64_t command);
    // Whether and when it was answered will be known only if its answer is seen, before end_given_up().
    void give_up(uint64_t command);
    void end_given_up(uint32_t connection);
    // Statuses that nobody can tell the commands of came until then: of those requested before, none is known to be unanswered.
    void note_unpaired(PacketNumber until) { unpaired_until_ = std::max(unpaired_until_, until); }
    // Between the two, commands whose tags are used again may still be answered unseen.
    void begin_waiting() { ++waiting_; }
    void end_waiting() { --waiting_; }
    // A command whose header the capture cut off, known by what stands before and behind it; its tag too, perhaps.
    uint64_t infer_request(std::optional<uint32_t> itt, Serial32 cmd_sn, Arrival arrival, uint32_t connection,
                           bool writes = false);
    // Of an inferred request; nothing changes where an answer has named it since, or it has ended.
    void set_tag(uint64_t command, uint32_t itt);
    const ResponseProfile& profile() const { return profile_; }
    const AnswerOrder& order() const { return order_of_answers_; }

  private:
    struct InFlight {
        CommandRow* row = nullptr;
        uint64_t number = 0;
        uint32_t older = TaskTable::none;  // slot of the command before it with the same tag
        uint32_t connection = 0;
        uint32_t data_in_passed = 0;    // bytes of read data seen so far: the furthest offset + length
        uint32_t data_in_expected = 0;  // bytes of read data in all
        bool standard_inquiry = false;
        bool used = false;
        bool immediate = false;
        bool orphan = false;    // its request has not been seen
        bool nameless = false;  // its request was inferred without a tag
        bool answered = false;  // of an orphan: the status has come
        bool inferred = false;  // answered, as far as can be inferred
        bool given_up = false;
        bool superseded = false;  // its tag is another's now
        bool seen = false;        // a PDU of its answer
        bool exp_cmd_sn_known = false;
        Serial32 exp_cmd_sn;  // of an orphan: as its latest answer says
        DataDirection direction = DataDirection::unknown;
    };
    struct TaskManagement {
        uint32_t itt;
        uint8_t function;
        uint32_t referenced_tag;
        uint64_t lun;
        PacketNumber packet;
    };

    struct Ordered {
        uint64_t number;
        uint32_t slot;
    };
    bool in_flight(const Ordered& entry) const {
        return slots_[entry.slot].used && slots_[entry.slot].number == entry.number;
    }

    // May still be answered unseen: nothing of its answer was seen or inferred.
    bool is_awaited(const Ordered& entry) const {
        const InFlight& command = slots_[entry.slot];
        const bool data_seen = command.seen && command.data_in_expected > 0;
        return in_flight(entry) && !command.orphan && !command.inferred && !command.given_up && !data_seen;
    }
    void await_again(uint32_t slot);

    static std::optional<Serial32> counted_by(const InFlight& command);
    uint64_t on_command(const Pdu& pdu, uint32_t connection);
    uint64_t on_data_in(const Pdu& pdu, uint32_t slot, bool moment_known);
    uint64_t on_data_out(const Pdu& pdu);
    uint64_t on_r2t(const Pdu& pdu, uint32_t slot);
    uint64_t on_response(const Pdu& pdu, uint32_t slot, bool moment_known);
    void on_task_management_request(const Pdu& pdu);
    void on_task_management_response(const Pdu& pdu);

    uint32_t begin(std::optional<uint32_t> itt, uint32_t connection);
    uint32_t slot_of(uint64_t command) const;
    uint32_t claim_nameless(const Pdu& pdu, uint32_t connection);
    uint32_t claim_orphan(Serial32 cmd_sn, uint32_t connection);
    void name(uint32_t slot, uint32_t itt);
    void link_tag(uint32_t slot, uint32_t itt);
    void unlink_tag(uint32_t slot);
    void bound_same_tag(uint32_t itt);
    uint32_t begin_or_adopt(const Pdu& pdu, uint32_t connection);
    uint32_t orphan_of(uint32_t itt, Serial32 cmd_sn, bool immediate) const;
    uint32_t answered_by(const Pdu& pdu) const;
    void end_answered(uint32_t slot);
    uint32_t find_or_begin(const Pdu& pdu, uint32_t connection);
    void note_data(InFlight& command, const Pdu& pdu, bool moment_known = true);
    void note_status(InFlight& command, const Pdu& pdu, uint8_t status, bool moment_known);
    void take_back_inference(uint32_t slot);
    void update_profile(const Pdu& pdu, const InFlight& command);
    void learn_device(const InFlight& command, const Pdu& pdu);
    DeviceType device_of(uint64_t lun) const;
    void abort(uint32_t slot, PacketNumber packet);
    void end(uint32_t slot, Outcome outcome);
    void end_one(uint32_t slot, Outcome outcome);
    void keep_inferred(uint32_t slot);
    void forget_ended();

    ResultStore* store_;
    uint32_t session_;
    TaskTable tags_;
    std::vector<InFlight> slots_;
    std::vector<uint32_t> free_slots_;
    std::vector<TaskManagement> task_management_;
    std::vector<std::pair<uint64_t, DeviceType>> devices_;  // by LUN
    ResponseProfile profile_;
    AnswerOrder order_of_answers_;
    uint32_t waiting_ = 0;
    PacketNumber unpaired_until_ = 0;
    uint32_t last_data_in_expected_ = 0;
    std::deque<Ordered> answered_orphans_;
    std::deque<Ordered> inferred_;
    std::deque<Ordered> order_;      // of beginning; holds the ended too, until forgotten, as the next three
    std::deque<Ordered> awaited_;    // of order_, all that are, and some that were
    std::deque<Ordered> nameless_;   // of order_, those
    std::deque<Ordered> unclaimed_;  // orphans in the order of their first answers
    size_t in_flight_ = 0;
};

}  // namespace sanscope
