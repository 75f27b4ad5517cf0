// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/core.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/iscsi_peer/pdu_receiver.h"

#include "analyzer/base/result.h"
#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/bhs_writer.h"
#include "analyzer/iscsi/pdu_codes.h"

namespace sanscope {

// The command numbers of a session, which all its connections share (RFC 7143 §4.2.2.1).
struct SessionNumbers {
    Serial32 cmd_sn{1};  // of the next command
    Serial32 exp_cmd_sn{1};
    Serial32 max_cmd_sn{1};

    void take(Serial32 expected, Serial32 most) {
        if (most.before(expected + 0xffffffffu)) return;  // most < expected - 1: both are to be ignored
        if (exp_cmd_sn.before(expected)) exp_cmd_sn = expected;
        if (max_cmd_sn.before(most)) max_cmd_sn = most;
    }
    // The target takes one more command.
    bool open() const { return !cmd_sn.after(max_cmd_sn); }
};

// A SCSI command to be sent.
struct ScsiTask {
    enum class Direction : uint8_t { none, read, write };
    std::array<uint8_t, 16> cdb{};
    uint64_t lun_field = 0;
    uint32_t bytes = 0;  // ExpectedDataTransferLength
    Direction direction = Direction::none;
    bool wants_data = false;  // of a read: its data go to the owner; else nobody looks at them
};

// How a command ended.
struct TaskEnd {
    enum class How : uint8_t {
        answered,        // with a SCSI status
        target_failure,  // with an iSCSI response other than "command completed at target" (RFC 7143 §11.4.3)
        rejected,        // by a Reject PDU
        data_digest_wrong,  // answered, but data of it were corrupted on the way
        data_missing,       // answered, but the data and the residual do not come to what was asked for
    };
    How how = How::answered;
    uint8_t status = 0;
    uint8_t response = 0;
    uint32_t moved = 0;                // bytes of data, either way
    uint32_t residual = 0;             // of an underflow
    std::span<const uint8_t> sense{};  // good until the owner returns
};

// One connection of an initiator at error recovery level 0, from the login to the logout (RFC 7143), without a socket:
// what the target sent is given to take(), what is to be sent lies in to_send(). Commands are numbered by slots, 0 …
// Options::slots - 1. Takes no memory for a command.
//
// The owner has:
//     void on_data(uint32_t slot, std::span<const uint8_t> piece, uint32_t at)  of a read that wants them, in order
//     void fill(uint32_t slot, std::span<uint8_t> piece, uint32_t at)           data of a write, on their way out
//     void on_done(uint32_t slot, const TaskEnd& end)                           the slot is free again
//     void on_management(uint32_t slot, uint8_t response)                       to abort_task(); §11.6.1
//     void on_async(uint8_t event)                                              §11.9.1
class InitiatorConnection {
  public:
    struct Options {
        uint32_t slots = 1;                 // commands at once, at most 65,535
        uint32_t most_data_out = 1u << 20;  // of a Data-Out PDU, if the target allows so much
    };
    enum class Phase : uint8_t { login, full_feature, logging_out, logged_out, redirected };

    // Queues the first login request. `numbers` outlives this.
    InitiatorConnection(LoginOffer offer, SessionNumbers& numbers, const Options& options);

    Phase phase() const { return phase_; }
    const LoginOutcome& outcome() const { return login_.outcome(); }
    const std::string& target_address() const { return login_.target_address(); }  // once redirected

    // An Error ends the connection: the login was refused, or the target broke the rules.
    template <class Owner>
    Result<std::monostate> take(std::span<const uint8_t> bytes, Owner& owner);
    uint32_t unwanted() const { return receiver_.unwanted(); }
    template <class Owner>
    Result<std::monostate> passed_over(uint32_t bytes, Owner& owner);
    bool within_pdu() const { return receiver_.within_pdu(); }

    bool can_issue() const { return phase_ == Phase::full_feature && free_count_ > 0 && numbers_->open(); }
    uint32_t in_flight() const { return options_.slots - free_count_; }
    // The slot that issue() will take: of those that are free, the one that is so for longest.
    uint32_t next_slot() const { return free_[first_free_]; }
    bool is_active(uint32_t slot) const { return slots_[slot].active; }
    uint32_t itt(uint32_t slot) const {
        return slots_[slot].itt;
    }  // of the command that the slot has, or had last
    // Only where can_issue(). Returns the slot.
    template <class Owner>
    uint32_t issue(const ScsiTask& task, Owner& owner);

    void abort_task(uint32_t slot);
    // The slot's command is over without an answer, and none may come any more.
    void give_up(uint32_t slot) { release(slot); }
    // A NOP-Out that the target is to answer (§11.18); one at a time.
    void ping();
    bool pinging() const { return pinging_; }
    // Ends the session (reason code 0, §11.14.1), with what it has under way.
    void log_out();
    bool can_log_out() const { return phase_ == Phase::full_feature; }

    // What is to go out next; empty: nothing for now. After sent(), what writes have still to send is put in.
    std::span<const uint8_t> to_send() const { return std::span(out_).subspan(sent_); }
    template <class Owner>
    void sent(size_t bytes, Owner& owner);

    uint64_t data_digest_errors() const { return data_digest_errors_; }

  private:
    struct Slot {
        uint32_t itt = 0;
        uint32_t bytes = 0;
        uint32_t moved = 0;
        uint64_t lun_field = 0;
        Serial32 cmd_sn;
        bool active = false;
        bool write = false;
        bool wants_data = false;
        bool corrupted = false;
    };
    // Data that a write may send: those of an R2T, or unsolicited ones.
    struct Burst {
        uint32_t slot;
        uint32_t itt;
        uint32_t ttt;
        uint32_t at;
        uint32_t left;
        uint32_t data_sn;
    };
    template <class Owner>
    struct Inlet {
        InitiatorConnection& connection;
        Owner& owner;
        bool on_header(Bhs header) { return connection.begin_pdu(header); }
        void on_data(std::span<const uint8_t> piece, uint32_t at) {
            if (connection.slot_ == no_slot) {
                connection.keep(piece);
            } else if (connection.slots_[connection.slot_].wants_data) {
                owner.on_data(connection.slot_, piece, connection.data_at_ + at);
            }
        }
        void on_end(Bhs header, bool intact) { connection.end_pdu(header, intact, owner); }
    };

    static constexpr uint32_t no_slot = 0xffffffff;
    static constexpr uint32_t control_tags = 0x80000000;  // and above: of PDUs that are no commands
    static constexpr uint32_t task_count_bits = 0x1ffffff;
    static constexpr size_t enough_to_send = size_t{256} * 1024;

    void release(uint32_t slot) {
        slots_[slot].active = false;
        const uint32_t at = first_free_ + free_count_;
        free_[at < options_.slots ? at : at - options_.slots] = static_cast<uint16_t>(slot);
        ++free_count_;
    }
    bool begin_pdu(Bhs header);
    void keep(std::span<const uint8_t> piece);
    template <class Owner>
    void end_pdu(Bhs header, bool intact, Owner& owner);
    template <class Owner>
    void finish(uint32_t slot, TaskEnd end, Owner& owner);
    template <class Owner>
    void send_bursts(Owner& owner);
    TaskEnd end_of(Bhs header, const Slot& slot) const;
    void on_login_response(Bhs header);
    void on_nop_in(Bhs header);
    void on_r2t(Bhs header);
    uint32_t find(uint32_t itt) const;
    void take_numbers(Bhs header);
    // Room for `length` bytes of data behind a header; end_append() closes the PDU.
    std::span<uint8_t> append(BhsWriter& header, uint32_t length);
    void end_append(uint32_t length);
    void append_whole(BhsWriter& header, std::string_view data);
    void queue_login();
    static std::string name_of(Bhs header);
    void fault(std::string message) {
        if (fault_.empty()) fault_ = std::move(message);
    }

    // A tag is one task's in the whole session (§11.2.1.8): its upper bits name the connection. The lower ones count,
    // so that where a capture cut a command's header off, its tag follows from those before and behind it.
    uint32_t next_task_tag(uint32_t slot) {
        do {
            task_count_ = (task_count_ + 1) & task_count_bits;
        } while (active_slot_at(task_count_) != no_slot);  // a command that has been under way for long
        slot_by_tag_[place_of(task_count_)] = slot;
        return connection_tags_ | task_count_;
    }
    size_t place_of(uint32_t itt) const { return itt & (slot_by_tag_.size() - 1); }
    // Whose command under way has that place; no_slot: none.
    uint32_t active_slot_at(uint32_t itt) const {
        const uint32_t slot = slot_by_tag_[place_of(itt)];
        return slots_[slot].active && place_of(slots_[slot].itt) == place_of(itt) ? slot : no_slot;
    }
    uint32_t next_control_tag() {
        control_count_ = (control_count_ + 1) & 0xffffff;
        return control_tags | connection_tags_ | control_count_;
    }

    Options options_;
    SessionNumbers* numbers_;
    uint32_t connection_tags_;
    LoginExchange login_;
    PduReceiver receiver_;
    Phase phase_ = Phase::login;
    std::string fault_;
    Serial32 exp_stat_sn_;
    uint32_t most_data_out_ = 8192;

    std::vector<Slot> slots_;
    // By the lower bits of a task tag: the slot that had the latest one with them. Longer than there are slots.
    std::vector<uint32_t> slot_by_tag_;
    uint32_t task_count_ = 0;
    std::vector<uint16_t> free_;  // a ring
    uint32_t first_free_ = 0;
    uint32_t free_count_ = 0;
    std::vector<Burst> bursts_;
    size_t first_burst_ = 0;

    uint32_t slot_ = no_slot;  // of the PDU that comes in, where it is a Data-In
    uint32_t data_at_ = 0;
    std::string kept_;  // data of the PDU that comes in, where it is no Data-In

    std::vector<uint8_t> out_;
    size_t sent_ = 0;
    uint32_t control_count_ = 0;
    uint32_t ping_tag_ = 0;
    uint32_t managed_slot_ = no_slot;
    uint32_t management_tag_ = 0;
    bool pinging_ = false;
    uint64_t data_digest_errors_ = 0;
};

template <class Owner>
Result<std::monostate> InitiatorConnection::take(std::span<const uint8_t> bytes, Owner& owner) {
    Inlet<Owner> inlet{*this, owner};
    auto taken = receiver_.take(bytes, inlet);
    if (!fault_.empty()) return Error{fault_};
    if (!taken) return taken;
    send_bursts(owner);
    return std::monostate{};
}

template <class Owner>
Result<std::monostate> InitiatorConnection::passed_over(uint32_t bytes, Owner& owner) {
    Inlet<Owner> inlet{*this, owner};
    receiver_.passed_over(bytes, inlet);
    if (!fault_.empty()) return Error{fault_};
    return std::monostate{};
}

template <class Owner>
uint32_t InitiatorConnection::issue(const ScsiTask& task, Owner& owner) {
    const uint32_t number = next_slot();
    first_free_ = first_free_ + 1 == options_.slots ? 0 : first_free_ + 1;
    --free_count_;
    Slot& slot = slots_[number];
    slot.itt = next_task_tag(number);
    slot.bytes = task.bytes;
    slot.moved = 0;
    slot.lun_field = task.lun_field;
    slot.cmd_sn = numbers_->cmd_sn;
    slot.active = true;
    slot.write = task.direction == ScsiTask::Direction::write;
    slot.wants_data = task.wants_data;
    slot.corrupted = false;

    const LoginOutcome& rules = login_.outcome();
    unsigned flags = pdu_flag::simple_task;
    uint32_t immediate = 0;
    uint32_t unsolicited = 0;
    if (task.direction == ScsiTask::Direction::read && task.bytes > 0) flags |= pdu_flag::read;
    if (slot.write && task.bytes > 0) {
        flags |= pdu_flag::write;
        const uint32_t first = std::min(task.bytes, rules.first_burst_length);
        if (rules.immediate_data) immediate = std::min(first, most_data_out_);
        if (!rules.initial_r2t) unsolicited = first - immediate;
    }
    if (unsolicited == 0) flags |= pdu_flag::final;
    BhsWriter header(Opcode::scsi_command);
    header.flags(flags)
        .lun_field(task.lun_field)
        .itt(slot.itt)
        .expected_data_transfer_length(task.bytes)
        .cmd_sn(numbers_->cmd_sn.value)
        .exp_stat_sn(exp_stat_sn_.value)
        .cdb(task.cdb);
    const std::span<uint8_t> room = append(header, immediate);
    if (immediate > 0) owner.fill(number, room, 0);
    end_append(immediate);
    slot.moved = immediate;
    numbers_->cmd_sn += 1;
    if (unsolicited > 0) {
        bursts_.push_back({number, slot.itt, reserved_tag, immediate, unsolicited, 0});
        send_bursts(owner);
    }
    return number;
}

template <class Owner>
void InitiatorConnection::sent(size_t bytes, Owner& owner) {
    sent_ += bytes;
    if (sent_ == out_.size()) {
        out_.clear();
        sent_ = 0;
    }
    send_bursts(owner);
}

template <class Owner>
void InitiatorConnection::send_bursts(Owner& owner) {
    while (first_burst_ < bursts_.size() && out_.size() - sent_ < enough_to_send) {
        Burst& burst = bursts_[first_burst_];
        Slot& slot = slots_[burst.slot];
        if (!slot.active || slot.itt != burst.itt) {  // it has ended meanwhile
            ++first_burst_;
            continue;
        }
        const uint32_t length = std::min(burst.left, most_data_out_);
        BhsWriter header(Opcode::scsi_data_out);
        header.flags(length == burst.left ? pdu_flag::final : 0)
            .lun_field(burst.ttt == reserved_tag ? 0 : slot.lun_field)
            .itt(burst.itt)
            .ttt(burst.ttt)
            .exp_stat_sn(exp_stat_sn_.value)
            .data_sn(burst.data_sn)
            .buffer_offset(burst.at);
        owner.fill(burst.slot, append(header, length), burst.at);
        end_append(length);
        slot.moved += length;
        burst.at += length;
        burst.left -= length;
        ++burst.data_sn;
        if (burst.left == 0) ++first_burst_;
    }
    if (first_burst_ == bursts_.size()) {
        bursts_.clear();
        first_burst_ = 0;
    }
}

template <class Owner>
void InitiatorConnection::finish(uint32_t number, TaskEnd end, Owner& owner) {
    release(number);
    owner.on_done(number, end);
}

template <class Owner>
void InitiatorConnection::end_pdu(Bhs header, bool intact, Owner& owner) {
    if (!fault_.empty()) return;
    const uint32_t data_slot = std::exchange(slot_, no_slot);
    if (!intact) {
        ++data_digest_errors_;
        if (data_slot == no_slot) {
            return fault(fmt::format("the data digest of a PDU ({}) is wrong", name_of(header)));
        }
        slots_[data_slot].corrupted = true;
    }
    switch (header.opcode()) {
        case Opcode::scsi_data_in: {
            Slot& slot = slots_[data_slot];
            slot.moved += header.data_segment_length();
            numbers_->take(header.exp_cmd_sn(), header.max_cmd_sn());
            if (!header.has_status()) break;
            exp_stat_sn_ = header.stat_sn() + 1;
            finish(data_slot, end_of(header, slot), owner);
            break;
        }
        case Opcode::scsi_response: {
            take_numbers(header);
            const uint32_t number = find(header.itt());
            if (number == no_slot) return fault("the target answered a command that was not sent");
            finish(number, end_of(header, slots_[number]), owner);
            break;
        }
        case Opcode::r2t:
            numbers_->take(header.exp_cmd_sn(), header.max_cmd_sn());
            on_r2t(header);
            break;
        case Opcode::login_response:
            on_login_response(header);
            break;
        case Opcode::nop_in:
            on_nop_in(header);
            break;
        case Opcode::task_management_response:
            take_numbers(header);
            if (header.itt() == management_tag_ && managed_slot_ != no_slot)
                owner.on_management(std::exchange(managed_slot_, no_slot), header.response());
            break;
        case Opcode::logout_response:
            take_numbers(header);
            phase_ = Phase::logged_out;
            break;
        case Opcode::async_message:
            take_numbers(header);
            owner.on_async(header.async_event());
            break;
        case Opcode::reject: {
            take_numbers(header);
            // The header of what was rejected follows (§11.17).
            const auto* const rejected = reinterpret_cast<const uint8_t*>(kept_.data());
            const uint32_t number = kept_.size() < bhs_length ? no_slot : find(Bhs(rejected).itt());
            if (number == no_slot) {
                return fault(
                    fmt::format("the target rejected a PDU (reason 0x{:02x})", header.reject_reason()));
            }
            finish(number, {.how = TaskEnd::How::rejected, .response = header.reject_reason()}, owner);
            break;
        }
        default:
            fault(fmt::format("the target sent a PDU of opcode 0x{:02x}", header.opcode_value()));
    }
}

}  // namespace sanscope
