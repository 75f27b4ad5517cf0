// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/scsi/cdb.h"
#include "analyzer/session/task_table.h"
#include "analyzer/session/unseen_answers.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Follows the SCSI commands of one iSCSI session from request to status, over all of its connections.
//
// PDUs of one direction of a connection come in stream order, but the two directions may be out of order against each
// other: a stream held back by a hole, a file that is not in order. So an answer is matched by its Initiator Task Tag
// and its ExpCmdSN: to the newest command with that tag which the target says it has received (RFC 7143 §4.2.2.1).
// An answer that comes before its request waits for it as an orphan.
//
// Answers whose headers the capture cut off may be told as inferred. A command so answered stays at hand for a while: if
// an answer of its own turns up, the inferred one is given to the oldest command that it fits as well.
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
    static constexpr size_t max_awaited = 512;
    static constexpr size_t max_unclaimed = 8192;

    CommandTracker(ResultStore& store, uint32_t session) : store_(&store), session_(session) {}

    // Any PDU of the session. Returns the number of the SCSI command it belongs to, 0 if to none.
    uint64_t on_pdu(const Pdu& pdu, uint32_t connection);
    // A Data-In PDU or SCSI Response that is taken to belong to that command, one of list_awaited().
    uint64_t on_inferred_answer(const Pdu& pdu, uint64_t command);

    // The session is over: what is in flight stays unanswered.
    void finish();

    bool knows(uint32_t itt) const { return tags_.find(itt) != TaskTable::none; }

    // The commands that the target still has to answer, in order of request; the first `max_awaited`.
    void list_awaited(std::vector<AwaitedCommand>& out) const;
    // Of those, the one that a Data-In PDU with this much data, or a SCSI Response, most likely belongs to: that of the
    // read under way, else the first one that it fits. Empty if there is none.
    std::optional<AwaitedCommand> likely_awaited(Opcode answer, uint32_t data_length) const;
    // A command whose header the capture cut off, known by what stands before and behind it; its tag too, perhaps.
    uint64_t infer_request(std::optional<uint32_t> itt, Serial32 cmd_sn, Arrival arrival,
                           uint32_t connection);
    // Of an inferred request; nothing changes where an answer has named it since, or it has ended.
    void tell_tag(uint64_t command, uint32_t itt);
    const AnswerHabits& habits() const { return habits_; }

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

    uint64_t on_command(const Pdu& pdu, uint32_t connection);
    uint64_t on_data_in(const Pdu& pdu, uint32_t slot);
    uint64_t on_data_out(const Pdu& pdu);
    uint64_t on_r2t(const Pdu& pdu, uint32_t slot);
    uint64_t on_response(const Pdu& pdu, uint32_t slot);
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
    void end_answered(uint32_t slot, bool inferred);
    uint32_t find_or_begin(const Pdu& pdu, uint32_t connection);
    void note_data(InFlight& command, const Pdu& pdu);
    void note_status(InFlight& command, const Pdu& pdu, uint8_t status);
    void take_back_inference(uint32_t slot);
    void give_away(uint32_t slot);
    void move_answer(uint32_t from, Ordered to);
    void learn_habits(const Pdu& pdu, const InFlight& command);
    void learn_device(const InFlight& command, const Pdu& pdu);
    DeviceType device_of(uint64_t lun) const;
    void abort(uint32_t slot, PacketNumber packet);
    void end(uint32_t slot, Outcome outcome);
    void forget_ended();

    ResultStore* store_;
    uint32_t session_;
    TaskTable tags_;
    std::vector<InFlight> slots_;
    std::vector<uint32_t> free_slots_;
    std::vector<TaskManagement> task_management_;
    std::vector<std::pair<uint64_t, DeviceType>> devices_;  // by LUN
    AnswerHabits habits_;
    uint32_t last_data_in_expected_ = 0;
    std::deque<Ordered> answered_orphans_;
    std::deque<Ordered> inferred_;
    std::deque<Ordered> order_;      // of beginning; holds the ended too, until forgotten, as the next two
    std::deque<Ordered> nameless_;   // of order_, those
    std::deque<Ordered> unclaimed_;  // orphans in the order of their first answers
    size_t in_flight_ = 0;
};

}  // namespace sanscope
