// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/scsi/cdb.h"
#include "analyzer/session/commands/answer_order.h"
#include "analyzer/session/commands/task_table.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// What the data of a command tell of its logical unit and of the path to it.
enum class UnitData : uint8_t { none, standard_inquiry, device_identification, target_port_groups };

struct CommandInFlight {
    CommandRow* row = nullptr;
    uint64_t number = 0;
    uint32_t older = TaskTable::none;  // slot of the command before it with the same tag
    uint32_t connection = 0;
    uint32_t data_in_passed = 0;    // bytes of read data seen so far: the furthest offset + length
    uint32_t data_in_expected = 0;  // bytes of read data in all
    UnitData unit_data = UnitData::none;
    bool sets_port_groups = false;  // SET TARGET PORT GROUPS
    bool used = false;
    bool immediate = false;
    bool orphan = false;    // its request has not been seen
    bool nameless = false;  // its request was inferred without a tag
    bool answered = false;  // the status has come, before the request or its data were known
    bool inferred = false;  // answered, as far as can be inferred
    bool given_up = false;
    bool superseded = false;       // its tag is another's now
    bool may_tell_device = false;  // if it succeeds, of which types its logical unit may be …
    CommandSets sets_if_done = all_command_sets;  // … so much
    Outcome ended_early = Outcome::unanswered;    // or rejected or terminated, unless an answer still comes
    bool seen = false;                            // a PDU of its answer
    bool exp_cmd_sn_known = false;
    Serial32 exp_cmd_sn;  // of an orphan: as its latest answer says
    DataDirection direction = DataDirection::unknown;
};

// A command no answer of which has been seen.
struct AwaitedCommand {
    uint64_t command = 0;  // its number
    PacketNumber request_packet = 0;
    TransferKind kind = TransferKind::none;
    uint32_t data_expected = 0;      // bytes of read data; 0 for a command that reads nothing
    std::optional<Serial32> cmd_sn;  // of a command that counts by it
};

// The CmdSN of a command that counts by it: neither immediate nor known by its answer alone.
inline std::optional<Serial32> counted_by(const CommandInFlight& command) {
    if (command.orphan || command.immediate || !command.row->cmd_sn_known) return {};
    return Serial32(command.row->cmd_sn);
}

inline TransferKind kind_of(DataDirection direction) {
    if (direction == DataDirection::in) return TransferKind::in;
    return direction == DataDirection::out ? TransferKind::out : TransferKind::none;
}

// A target that expects `exp_cmd_sn` next has received the command with `cmd_sn`; an immediate one does not move it.
inline bool has_received(Serial32 exp_cmd_sn, Serial32 cmd_sn, bool immediate) {
    return cmd_sn.before(exp_cmd_sn) || (immediate && cmd_sn == exp_cmd_sn);
}

// The SCSI commands of one session that are in flight: by number, by Initiator Task Tag, in order of beginning. Each is
// kept in a slot, whose number stays good while the command is in flight; references to it only until the next command
// begins.
class CommandsInFlight {
  public:
    // Commands in flight are bounded; past it the oldest counts as unanswered.
    static constexpr size_t max_in_flight = 65536;
    static constexpr size_t max_same_tag = 64;
    static constexpr uint32_t none = TaskTable::none;

    // An entry of a list of commands, some of which may have ended.
    struct Place {
        uint64_t number;
        uint32_t slot;
    };

    CommandsInFlight(ResultStore& store, uint32_t session) : store_(&store), session_(session) {}
    CommandsInFlight(const CommandsInFlight&) = delete;
    CommandsInFlight& operator=(const CommandsInFlight&) = delete;

    CommandInFlight& operator[](uint32_t slot) { return slots_[slot]; }
    const CommandInFlight& operator[](uint32_t slot) const { return slots_[slot]; }
    // One past the last slot; not all of them are used.
    size_t slots() const { return slots_.size(); }
    bool holds(const Place& entry) const {
        return slots_[entry.slot].used && slots_[entry.slot].number == entry.number;
    }
    // The newest command with that tag; `none` if none has it.
    uint32_t newest_with(uint32_t itt) const { return tags_.find(itt); }
    // `none` if it has ended.
    uint32_t slot_of(uint64_t command) const;
    // The orphan that a request with that tag, completed by that packet, belongs to.
    uint32_t orphan_of(uint32_t itt, Serial32 cmd_sn, bool immediate, PacketNumber packet) const;

    // A command begins; without a tag it is nameless.
    uint32_t begin(std::optional<uint32_t> itt, uint32_t connection);
    // A nameless one gets its tag.
    void name(uint32_t slot, uint32_t itt);
    // Takes the command out of flight, and with it the older ones with its tag: they can be answered no more, unless
    // that has happened unseen.
    void end(uint32_t slot, Outcome outcome);

    // The commands of a connection requested before `until` no answer of which was seen, in order of request; the first
    // `most`.
    void list_awaited(uint32_t connection, PacketNumber until, size_t most, std::vector<AwaitedCommand>& out);
    // What was taken for answered, given up or an orphan turns out not to be.
    void await_again(uint32_t slot);
    // Statuses that cannot be given to commands came until then: of those requested before, none is known to be
    // unanswered.
    void note_unpaired(PacketNumber until) { unpaired_until_ = std::max(unpaired_until_, until); }
    // Between the two, commands whose tags are used again may still be answered unseen.
    void begin_waiting() { ++waiting_; }
    void end_waiting() { --waiting_; }

    // Requests that were inferred without a tag, in order of beginning.
    std::deque<Place>& nameless() { return nameless_; }
    // Orphans in the order of their first answers.
    std::deque<Place>& unclaimed() { return unclaimed_; }

  private:
    // May still be answered unseen: nothing of its answer was seen or inferred.
    bool is_awaited(const Place& entry) const {
        const CommandInFlight& command = slots_[entry.slot];
        const bool data_seen = command.seen && command.data_in_expected > 0;
        return holds(entry) && !command.orphan && !command.answered && !command.inferred &&
               !command.given_up && !data_seen;
    }
    void link_tag(uint32_t slot, uint32_t itt);
    void unlink_tag(uint32_t slot);
    void bound_same_tag(uint32_t itt);
    void end_one(uint32_t slot, Outcome outcome);
    void forget_ended();

    ResultStore* store_;
    uint32_t session_;
    TaskTable tags_;
    std::vector<CommandInFlight> slots_;
    std::vector<uint32_t> free_slots_;
    uint32_t waiting_ = 0;
    PacketNumber unpaired_until_ = 0;
    std::deque<Place> order_;    // of beginning; holds the ended too, until forgotten, as the next three
    std::deque<Place> awaited_;  // of order_, all that are, and some that were
    std::deque<Place> nameless_;
    std::deque<Place> unclaimed_;
    size_t in_flight_ = 0;
};

}  // namespace sanscope
