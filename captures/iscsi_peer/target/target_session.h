// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/iscsi_peer/target/memory_backing.h"
#include "captures/iscsi_peer/target/scsi_device.h"
#include "captures/iscsi_peer/target/target_fault.h"
#include "captures/iscsi_peer/target/target_settings.h"
#include "captures/iscsi_peer/target/unit_occupation.h"

#include "analyzer/iscsi/bhs.h"

namespace sanscope {

class TargetConnection;

// What a target did, for the line it ends with.
struct TargetAccount {
    uint64_t sessions = 0;
    uint64_t connections = 0;
    uint64_t commands = 0;  // answered
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;

    TargetAccount& operator+=(const TargetAccount& other);
};

// A request from its coming until its last PDU is on its way.
struct TargetTask {
    enum class State : uint8_t { free, waits, answers };

    State state = State::free;
    bool immediate = false;
    bool is_command =
        false;  // a SCSI command; else `header` and `bytes` are another request that waits for its turn
    bool its_turn = false;
    bool arriving = false;            // its PDU has not come whole: its turn waits for that
    bool in_window = false;           // MaxCmdSN counts it as under way
    bool within_unsolicited = false;  // Data-Out may come without R2T
    bool crc_failed = false;
    bool never_answered = false;  // on purpose
    bool loses_data = false;      // likewise: what is written
    bool waiting = false;         // `bytes` count as waiting for the request's turn
    bool counted = false;         // `bytes` count as held
    bool miscompares = false;
    bool wrong_header_digest = false;
    bool wrong_data_digest = false;
    uint32_t generation = 0;                 // changes when the task ends
    TargetConnection* connection = nullptr;  // none: it only takes its place in the order
    uint32_t itt = 0;
    uint32_t cmd_sn = 0;
    uint64_t lun_field = 0;
    ScsiPlan plan;
    uint32_t expected = 0;  // ExpectedDataTransferLength
    uint32_t transfer = 0;  // bytes that move: the lesser of what the command and the initiator have in mind
    uint32_t done = 0;      // of these; of a write all that came, even where nobody wants it
    uint32_t residual = 0;
    bool overflow = false;
    uint32_t data_sn = 0;         // of the next Data-In, or Data-Out of this sequence
    uint32_t solicited_from = 0;  // what comes before was unsolicited
    uint32_t solicited_to = 0;    // R2Ts were sent for all up to here
    uint32_t r2ts = 0;            // sent
    uint32_t r2ts_served = 0;
    std::array<uint8_t, bhs_length> header{};
    // What a command without the medium gives; what comes of one that collects its data.
    std::vector<uint8_t> bytes;
};

// A session: its commands in order over all its connections (RFC 7143 §4.2.2.1), and the tasks in progress. All of it,
// and its connections, belong to one thread.
class TargetSession {
  public:
    static constexpr uint32_t most_tasks = 1024;          // that CmdSN counts
    static constexpr uint32_t most_immediate_tasks = 64;  // besides

    // Of requests whose turn is yet to come. No initiator has reason to send so much ahead.
    static constexpr size_t most_waiting_bytes = size_t{256} * 1024;

    // `held` is kept up with what the session's tasks take; it must outlive it.
    // `command_window`: commands that may be under way at once, most_tasks at most.
    TargetSession(std::string initiator_name, uint64_t isid, uint16_t tsih, uint32_t cmd_sn, bool discovery,
                  uint32_t command_window, uint64_t& held);
    TargetSession(const TargetSession&) = delete;
    TargetSession& operator=(const TargetSession&) = delete;
    ~TargetSession();

    const std::string& initiator_name() const { return initiator_name_; }
    uint64_t isid() const { return isid_; }
    uint16_t tsih() const { return tsih_; }
    bool discovery() const { return discovery_; }
    LoginOutcome negotiated;  // by the leading connection

    uint32_t exp_cmd_sn() const { return exp_cmd_sn_; }
    uint32_t max_cmd_sn() const { return exp_cmd_sn_ - 1 + (command_window_ - counted_); }
    // Within what MaxCmdSN allows, and not there yet.
    bool expects(uint32_t cmd_sn) const;

    static constexpr uint16_t no_task = 0xffff;
    // A free task, which then waits; no_task where all are taken. `immediate`: outside of the order of CmdSN.
    uint16_t begin_task(TargetConnection* connection, uint32_t itt, uint32_t cmd_sn, bool immediate);
    // Does what end_task() does, but for the place in the order of CmdSN, which it still takes where its turn is yet to
    // come.
    void abort_task(uint16_t slot);
    // A request that comes in order, and needs no task.
    void count_request() { ++exp_cmd_sn_; }
    // The task whose turn it is now and was not before; no_task where the next in order is not there. To be asked until
    // then.
    uint16_t next_in_order();
    // The task's answer, which is to be numbered next, makes room for another command (RFC 7143 section 4.2.2.1).
    void leave_window(uint16_t slot);
    void end_task(uint16_t slot);
    // What a request that waits came with, until it is taken or its task ends; false where that would be too much.
    bool keep(uint16_t slot, std::vector<uint8_t> bytes);
    // The same of what its plan has made already.
    void count(uint16_t slot);
    std::vector<uint8_t> take(uint16_t slot);
    uint64_t held() const { return held_; }

    // Whether a task was ever begun there: what a peer names need not be.
    bool has_slot(uint16_t slot) const { return slot < tasks_.size(); }
    // `slot`: one that begin_task() gave.
    TargetTask& task(uint16_t slot) { return tasks_[slot]; }
    // nullptr where that has ended.
    TargetTask* find(uint16_t slot, uint32_t generation) {
        return has_slot(slot) && tasks_[slot].state != TargetTask::State::free &&
                       tasks_[slot].generation == generation
                   ? &tasks_[slot]
                   : nullptr;
    }
    // The SCSI command of that tag on that connection; no_task where there is none.
    uint16_t find_command(const TargetConnection& connection, uint32_t itt) const;
    // Whether a task of that tag goes on, on whatever connection.
    bool in_use(uint32_t itt) const;
    // For each task that has not ended: visit(slot, task), which may end it.
    template <class Visit>
    void for_each_task(Visit visit) const {
        for (const TargetTask& task : tasks_) {
            if (task.state != TargetTask::State::free) visit(task);
        }
    }
    template <class Visit>
    void for_each_task(Visit visit) {
        for (size_t slot = 0; slot < tasks_.size(); ++slot) {
            if (tasks_[slot].state != TargetTask::State::free)
                visit(static_cast<uint16_t>(slot), tasks_[slot]);
        }
    }

    std::vector<TargetConnection*> connections;
    bool gives_way = false;  // its connections are being closed, for another session

  private:
    static constexpr size_t itt_chains = 2048;  // a power of two
    static size_t itt_chain(uint32_t itt) { return itt * 0x9e3779b1u >> 21; }
    void forget_bytes(uint16_t slot);
    template <class Fits>
    uint16_t find_by_itt(uint32_t itt, Fits fits) const;

    std::string initiator_name_;
    uint64_t isid_;
    uint16_t tsih_;
    bool discovery_;
    uint32_t command_window_;
    uint32_t exp_cmd_sn_;
    uint32_t counted_ = 0;    // tasks that CmdSN counts whose turn came
    uint32_t immediate_ = 0;  // tasks
    void hold(size_t bytes) {
        held_ += bytes;
        all_held_ += bytes;
    }
    void let_go(size_t bytes) {
        held_ -= bytes;
        all_held_ -= bytes;
    }

    std::deque<TargetTask> tasks_;  // as many as were ever under way at once
    std::vector<uint16_t> free_;
    uint64_t& all_held_;
    uint64_t held_ = 0;
    size_t waiting_bytes_ = 0;
    std::vector<uint16_t> by_cmd_sn_;    // tasks that wait for their turn
    std::vector<uint16_t> by_itt_;       // of each chain the first task
    std::vector<uint16_t> next_by_itt_;  // of each task the next one of its chain
};

// What the connections of one thread share.
class SessionTable {
  public:
    // `first_tsih` and `tsih_step` keep the handles of several tables apart.
    SessionTable(const TargetSettings& target_settings, const ScsiDevice& scsi_device, MemoryBacking& memory,
                 UnitOccupation& unit_occupation, uint16_t first_tsih = 1, uint16_t tsih_step = 1);

    const TargetSettings& settings;
    const ScsiDevice& device;
    MemoryBacking& backing;
    UnitOccupation& occupation;
    TargetAccount account;
    std::chrono::steady_clock::time_point now;  // set before anything is done
    uint32_t logins = 0;
    uint64_t held = 0;  // by the tasks of all sessions, bytes
    std::vector<TargetConnection*>
        woken;  // others than the one that is served have something to send, or to end

    TargetSession& add(const std::string& initiator_name, uint64_t isid, uint32_t cmd_sn, bool discovery);
    TargetSession* find(uint64_t isid, uint16_t tsih);
    static constexpr size_t most_sessions = 1024;
    bool full() const { return sessions_.size() >= most_sessions + leaving(); }
    // Where it is full: whether a session gives way whose initiator has not taken its answers for a while.
    bool make_room();
    const std::vector<std::unique_ptr<TargetSession>>& sessions() const { return sessions_; }
    // SCSI commands of this logical unit, by its LUN field, that have come and whose answers are not on their way.
    uint32_t commands_under_way(uint64_t lun_field) const;
    void remove(TargetSession& session);

  private:
    size_t leaving() const;

    uint16_t next_tsih_;
    uint16_t tsih_step_;
    std::vector<std::unique_ptr<TargetSession>> sessions_;
};

}  // namespace sanscope
