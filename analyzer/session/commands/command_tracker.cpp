// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/command_tracker.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/bhs_field_ends.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/scsi/asymmetric_access.h"
#include "analyzer/scsi/device_identification.h"
#include "analyzer/scsi/opcodes.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

constexpr uint8_t ahs_type_extended_cdb = 1;  // RFC 7143 §11.2.2.1
constexpr size_t max_cdb = 260;               // SPC-4 §4.2.3: a variable length CDB

constexpr size_t max_devices = 4096;
constexpr size_t max_task_management = 1024;
constexpr size_t max_early_task_answers = 64;

// The CDB with its extension (RFC 7143 §11.2.2.3) joined on, in `buffer` if there is one.
std::span<const uint8_t> whole_cdb(const Pdu& pdu, std::array<uint8_t, max_cdb>& buffer) {
    constexpr size_t cdb_at = 32;
    const size_t captured = pdu.header_captured > cdb_at ? pdu.header_captured - cdb_at : 0;
    const std::span<const uint8_t> base(pdu.header + cdb_at, captured);
    std::span<const uint8_t> ahs = pdu.ahs;
    while (ahs.size() > 4) {
        const size_t length = load_be16(ahs.data());  // of what follows AHSLength and AHSType
        if (ahs[2] == ahs_type_extended_cdb && length > 1) {
            const size_t extension = std::min({length - 1, ahs.size() - 4, max_cdb - base.size()});
            std::memcpy(buffer.data(), base.data(), base.size());
            std::memcpy(buffer.data() + base.size(), ahs.data() + 4, extension);
            return {buffer.data(), base.size() + extension};
        }
        const size_t step = (3 + length + 3) & ~size_t{3};
        if (step >= ahs.size()) break;
        ahs = ahs.subspan(step);
    }
    return base;
}

UnitData unit_data_of(std::span<const uint8_t> cdb, const CdbInfo& info) {
    if (info.opcode == scsi_op::maintenance_in && info.service_action == scsi_op::report_target_port_groups)
        return UnitData::target_port_groups;
    if (cdb.size() < 2 || cdb[0] != scsi_op::inquiry) return UnitData::none;
    const bool vital_product_data = (cdb[1] & 1) != 0;
    if (!vital_product_data) return UnitData::standard_inquiry;
    constexpr uint8_t device_identification = 0x83;
    return cdb.size() > 2 && cdb[2] == device_identification ? UnitData::device_identification
                                                             : UnitData::none;
}

// By its own length, `data` is all of what was asked for.
bool is_all(UnitData asked, std::span<const uint8_t> data) {
    constexpr size_t length_end = 4;
    if (asked == UnitData::standard_inquiry) return true;  // its first bytes tell what is looked at
    if (data.size() < length_end) return false;
    const size_t told =
        asked == UnitData::device_identification ? load_be16(data.data() + 2) : load_be32(data.data());
    return told <= data.size() - length_end;
}

bool is_corrupted(const Pdu& pdu) {
    return pdu.header_digest == Digest::bad || pdu.data_digest == Digest::bad;
}

uint8_t bits_of(const SenseData& sense) {
    return static_cast<uint8_t>((sense.filemark ? sense_bit::filemark : 0) |
                                (sense.end_of_medium ? sense_bit::end_of_medium : 0) |
                                (sense.incorrect_length ? sense_bit::incorrect_length : 0));
}

AccessStates::Place place_of(const Pdu& pdu) {
    return {pdu.last.packet, pdu.last.time_ns};
}

}  // namespace

uint64_t CommandTracker::on_pdu(const Pdu& pdu, uint32_t connection, bool moment_known) {
    switch (pdu.bhs().opcode()) {
        case Opcode::scsi_command:
            return on_command(pdu, connection);
        case Opcode::scsi_data_in:
            return on_data_in(pdu, find_or_begin(pdu, connection), moment_known);
        case Opcode::scsi_data_out:
            return on_data_out(pdu, connection);
        case Opcode::r2t:
            return on_r2t(pdu, find_or_begin(pdu, connection));
        case Opcode::scsi_response:
            return on_response(pdu, find_or_begin(pdu, connection), moment_known);
        case Opcode::task_management_request:
            on_task_management_request(pdu, connection);
            return 0;
        case Opcode::task_management_response:
            on_task_management_response(pdu, connection);
            return 0;
        case Opcode::reject:
            return on_reject(pdu);
        case Opcode::async_message:
            on_async_message(pdu);
            return 0;
        default:
            return 0;
    }
}

void CommandTracker::finish() {
    for (const CommandsInFlight::Place& write : late_writes_) {
        if (flight_.holds(write)) flight_.end(write.slot, Outcome::completed);
    }
    late_writes_.clear();
    for (uint32_t slot = 0; slot < flight_.slots(); ++slot) {
        if (flight_[slot].used) flight_.end(slot, Outcome::unanswered);
    }
}

std::pair<uint32_t, uint32_t> CommandTracker::data_in_of(uint64_t command) const {
    const uint32_t slot = flight_.slot_of(command);
    if (slot == CommandsInFlight::none) return {0, 0};
    return {flight_[slot].data_in_passed, flight_[slot].data_in_expected};
}

CommandTracker::Fit CommandTracker::fit_of(const Bhs& answer, size_t captured) const {
    uint32_t slot = flight_.newest_with(answer.itt());
    if (slot == CommandsInFlight::none || flight_[slot].orphan) return Fit::unknown_tag;
    for (; slot != CommandsInFlight::none; slot = flight_[slot].older) {
        if (fits(flight_[slot], answer, captured)) return Fit::good;
    }
    return Fit::none;
}

bool CommandTracker::fits(const CommandInFlight& command, const Bhs& answer, size_t captured) {
    const CommandRow& row = *command.row;
    if (row.cmd_sn_known && captured >= exp_cmd_sn_end &&
        !has_received(answer.exp_cmd_sn(), Serial32(row.cmd_sn), command.immediate))
        return false;
    // Of a request that was inferred, nothing more is known.
    if (row.opcode == unknown<uint16_t>) return true;
    if (answer.opcode() == Opcode::r2t)
        return command.direction == DataDirection::out || command.direction == DataDirection::bidirectional;
    if (answer.opcode() != Opcode::scsi_data_in || command.direction == DataDirection::bidirectional)
        return true;
    if (captured < buffer_offset_end) return answer.data_segment_length() <= command.data_in_expected;
    // Data come in order, and the status with the last of them, unless somebody has negotiated otherwise.
    const uint64_t end = uint64_t{answer.buffer_offset()} + answer.data_segment_length();
    const bool is_last = end == command.data_in_expected;
    const bool in_order =
        answer.data_segment_length() == 0 || answer.buffer_offset() >= command.data_in_passed;
    return in_order &&
           (is_last || (end < command.data_in_expected && (!answer.has_status() || answer.underflow())));
}

CommandTracker::AnswerSoFar CommandTracker::answer_so_far(const Pdu& pdu) const {
    const uint32_t slot = answered_by(pdu);
    if (slot == CommandsInFlight::none) return {};
    const CommandInFlight& command = flight_[slot];
    return {command.orphan ? 0 : command.number, command.data_in_passed, command.data_in_expected,
            counted_by(command)};
}

uint64_t CommandTracker::on_command(const Pdu& pdu, uint32_t connection) {
    const Bhs bhs = pdu.bhs();
    if (const uint32_t slot = retried_by(pdu); slot != CommandsInFlight::none) {
        ++flight_[slot].row->pdus;
        go_on(flight_[slot]);
        return flight_[slot].number;
    }
    if (!late_writes_.empty()) end_late_writes(connection, pdu.last.packet, bhs.itt());
    const uint32_t slot = begin_or_adopt(pdu, connection);
    CommandInFlight& command = flight_[slot];
    CommandRow& row = *command.row;
    row.lun = lun_number(bhs.lun_field());
    row.cmd_sn = bhs.cmd_sn().value;
    row.cmd_sn_known = pdu.header_captured >= cmd_sn_end;
    command.immediate = bhs.immediate();
    const bool length_known = pdu.header_captured >= transfer_length_end;
    if (length_known) row.bytes = bhs.expected_data_transfer_length();
    row.request_packet = pdu.last.packet;
    row.request_ns = pdu.last.time_ns;
    ++row.pdus;

    std::array<uint8_t, max_cdb> buffer;
    const std::span<const uint8_t> cdb = whole_cdb(pdu, buffer);
    command.direction = bhs.read() ? (bhs.write() ? DataDirection::bidirectional : DataDirection::in)
                                   : (bhs.write() ? DataDirection::out : DataDirection::none);
    const Unit* const known = unit_of(row.lun);
    const Unit unit = known == nullptr ? Unit{} : *known;
    const CdbInfo info = decode_cdb(cdb, unit.type, unit.sets, command.direction);
    row.name = info.name;
    row.opcode = info.opcode;
    row.lba = info.lba;
    row.blocks = info.blocks;
    if (unit.type == DeviceType::unknown) {
        const CommandSets left = command_sets_with(cdb, command.direction) & unit.sets;
        command.sets_if_done = left == 0 ? unit.sets : left;
        command.may_tell_device = command.sets_if_done != unit.sets;
    }
    command.data_in_expected = bhs.read() && !bhs.write() ? bhs.expected_data_transfer_length() : 0;
    last_data_in_expected_ = command.data_in_expected;
    command.unit_data = unit_data_of(cdb, info);
    command.sets_port_groups =
        info.opcode == scsi_op::maintenance_out && info.service_action == scsi_op::set_target_port_groups;
    if (row.cmd_sn_known && !command.immediate) {
        order_of_answers_.on_request(Serial32(row.cmd_sn), kind_of(command.direction), connection,
                                     row.request_packet);
    }
    store_->requested(row);
    const uint64_t number = command.number;
    if (!early_rejects_.empty() && row.cmd_sn_known && !command.answered) [[unlikely]]
        take_early_reject(slot);
    if (command.sets_port_groups) store_->access_states().on_asked({row.session, row.lun}, place_of(pdu));
    if (command.answered) {
        settle_port_groups(command, {row.response_packet, row.response_ns});
        store_->answered(row);
        const bool sends_data =
            command.direction == DataDirection::out || command.direction == DataDirection::bidirectional;
        if (sends_data && row.request_packet < row.response_packet && late_writes_.size() < max_late_writes) {
            late_writes_.push_back({number, slot});
        } else {
            flight_.end(slot, Outcome::completed);
        }
    }
    return number;
}

// Those whose answer came before `packet`, which their stream has reached: no more of their data come in it. Nor of one whose tag
// is used again.
void CommandTracker::end_late_writes(uint32_t connection, PacketNumber packet, std::optional<uint32_t> itt) {
    std::erase_if(late_writes_, [&](const CommandsInFlight::Place& write) {
        if (!flight_.holds(write)) return true;
        const CommandInFlight& command = flight_[write.slot];
        const bool over = (command.connection == connection && command.row->response_packet < packet) ||
                          (itt && command.row->itt == *itt);
        if (over) flight_.end(write.slot, Outcome::completed);
        return over;
    });
}

uint64_t CommandTracker::on_data_in(const Pdu& pdu, uint32_t slot, bool moment_known) {
    CommandInFlight& command = flight_[slot];
    const Bhs bhs = pdu.bhs();
    note_data(command, pdu, moment_known);
    // Where the cut took the buffer offset, the data are taken to go on where they were.
    const bool offset_known = pdu.inferred || pdu.header_captured >= buffer_offset_end;
    const uint32_t offset = offset_known ? bhs.buffer_offset() : command.data_in_passed;
    command.data_in_passed = std::max(command.data_in_passed, offset + bhs.data_segment_length());
    update_profile(pdu, command);
    if (command.unit_data != UnitData::none) on_unit_data(command, pdu);
    const uint64_t number = command.number;
    if (bhs.has_status()) {
        note_status(command, pdu, bhs.status(), moment_known);
        if (pdu.last.packet != 0) end_answered(slot);
    }
    return number;
}

uint64_t CommandTracker::on_data_out(const Pdu& pdu, uint32_t connection) {
    if (!late_writes_.empty()) end_late_writes(connection, pdu.last.packet, {});
    uint32_t slot = flight_.newest_with(pdu.bhs().itt());
    // The tag may have been used again, and that answer been known before.
    if (!late_writes_.empty()) {
        while (slot != CommandsInFlight::none && flight_[slot].orphan) slot = flight_[slot].older;
    }
    if (slot == CommandsInFlight::none) return 0;
    note_data(flight_[slot], pdu);
    return flight_[slot].number;
}

uint64_t CommandTracker::on_r2t(const Pdu&, uint32_t slot) {
    CommandRow& row = *flight_[slot].row;
    ++row.r2ts;
    ++row.pdus;
    return flight_[slot].number;
}

uint64_t CommandTracker::on_response(const Pdu& pdu, uint32_t slot, bool moment_known) {
    CommandInFlight& command = flight_[slot];
    ++command.row->pdus;
    const Bhs bhs = pdu.bhs();
    update_profile(pdu, command);
    const bool completed = bhs.response() == scsi_response::completed_at_target;
    if (command.unit_data != UnitData::none && completed && bhs.status() == 0)
        on_unit_data_ended(command, pdu);
    if (completed) note_status(command, pdu, bhs.status(), moment_known);
    if (pdu.last.packet != 0 && !pdu.inferred) command.row->iscsi_response = bhs.response();
    // The data segment begins with the sense length (RFC 7143 §11.4.7.2).
    if (pdu.data.size() >= 2) {
        const size_t length = load_be16(pdu.data.data());
        const auto bytes = pdu.data.subspan(2);
        if (const auto sense = parse_sense(bytes.first(std::min(length, bytes.size())))) {
            command.row->sense_key = sense->sense_key;
            command.row->asc = sense->asc;
            command.row->ascq = sense->ascq;
            command.row->sense_deferred = sense->deferred;
            command.row->sense_bits = bits_of(*sense);
            learn_sense(*command.row, *sense, pdu);
        }
    }
    const uint64_t number = command.number;
    if (pdu.last.packet != 0) {
        if (moment_known) {
            command.row->response_packet = pdu.last.packet;
            command.row->response_ns = pdu.last.time_ns;
        }
        if (!command.orphan) settle_port_groups(command, place_of(pdu));
        end_answered(slot);
    }
    return number;
}

void CommandTracker::on_task_management_request(const Pdu& pdu, uint32_t connection) {
    const Bhs bhs = pdu.bhs();
    const TaskManagement what{bhs.itt(), bhs.function(), bhs.referenced_task_tag(),
                              lun_number(bhs.lun_field()), pdu.last.packet};
    // The initiator had not had the StatSN of its answer when it sent the request; of an older one it had.
    const auto early = std::ranges::find_if(early_task_answers_, [&](const EarlyTaskAnswer& answer) {
        return answer.itt == what.itt && answer.connection == connection &&
               pdu.header_captured >= exp_stat_sn_end && !Serial32(answer.stat_sn).before(bhs.exp_stat_sn());
    });
    if (early != early_task_answers_.end()) {
        const EarlyTaskAnswer answer = *early;
        early_task_answers_.erase(early);
        if (answer.response == task_management::function_complete) end_tasks(what, answer.packet);
        return;
    }
    if (task_management_.size() >= max_task_management) task_management_.erase(task_management_.begin());
    task_management_.push_back(what);
}

void CommandTracker::on_task_management_response(const Pdu& pdu, uint32_t connection) {
    const Bhs bhs = pdu.bhs();
    const auto request = std::find_if(task_management_.begin(), task_management_.end(),
                                      [&](const TaskManagement& t) { return t.itt == bhs.itt(); });
    if (request == task_management_.end()) {
        if (pdu.header_captured < stat_sn_end) return;
        if (early_task_answers_.size() >= max_early_task_answers)
            early_task_answers_.erase(early_task_answers_.begin());
        early_task_answers_.push_back(
            {bhs.itt(), connection, bhs.stat_sn().value, bhs.response(), pdu.last.packet});
        return;
    }
    const TaskManagement what = *request;
    task_management_.erase(request);
    if (bhs.response() == task_management::function_complete) end_tasks(what, pdu.last.packet);
}

// Function complete: the tasks it names will not be answered any more (RFC 7143 §11.6.1).
void CommandTracker::end_tasks(const TaskManagement& what, PacketNumber answered) {
    if (what.function == task_management::abort_task) {
        const uint32_t slot = flight_.newest_with(what.referenced_tag);
        if (slot != CommandsInFlight::none && flight_[slot].row->request_packet <= what.packet)
            abort(slot, answered);
        return;
    }
    const bool of_lun = what.function == task_management::abort_task_set ||
                        what.function == task_management::clear_task_set ||
                        what.function == task_management::logical_unit_reset;
    const bool of_target = what.function == task_management::target_warm_reset ||
                           what.function == task_management::target_cold_reset;
    if (!of_lun && !of_target) return;
    for (uint32_t slot = 0; slot < flight_.slots(); ++slot) {
        const CommandInFlight& command = flight_[slot];
        if (!command.used || command.row->request_packet > what.packet) continue;
        if (of_target || command.row->lun == what.lun) abort(slot, answered);
    }
}

// The header of what was rejected follows (RFC 7143 §11.17.2). A rejected SCSI Command ends: with that, or, where the target had
// begun its task, with a SCSI Response behind it. A rejected Data-Out or SNACK ends nothing by itself: the target goes on with its
// command, or ends that with a SCSI Response.
uint64_t CommandTracker::on_reject(const Pdu& pdu) {
    if (is_corrupted(pdu) || pdu.data.size() < tag_end) return 0;
    std::array<uint8_t, bhs_length> header{};
    const size_t captured = std::min(pdu.data.size(), header.size());
    std::memcpy(header.data(), pdu.data.data(), captured);
    const Bhs rejected(header.data());
    const bool of_command = rejected.opcode() == Opcode::scsi_command;
    const bool of_its_data =
        rejected.opcode() == Opcode::scsi_data_out || rejected.opcode() == Opcode::snack_request;
    if (rejected.opcode() == Opcode::task_management_request) {
        std::erase_if(task_management_, [&](const TaskManagement& one) { return one.itt == rejected.itt(); });
    }
    if ((!of_command && !of_its_data) || rejected.itt() == reserved_tag) return 0;
    uint32_t slot = flight_.newest_with(rejected.itt());
    // Of several with the tag, the one whose CmdSN the header has.
    if (of_command && captured >= cmd_sn_end) {
        const auto is_it = [&](const CommandInFlight& command) {
            return command.row->cmd_sn_known && command.row->cmd_sn == rejected.cmd_sn().value &&
                   command.immediate == rejected.immediate();
        };
        while (slot != CommandsInFlight::none && !is_it(flight_[slot])) slot = flight_[slot].older;
    }
    if (slot == CommandsInFlight::none && of_command && captured >= cmd_sn_end && pdu.last.packet != 0 &&
        early_rejects_.size() < max_early_rejects)
        early_rejects_.push_back({rejected.itt(), rejected.cmd_sn().value, pdu.last});
    if (slot == CommandsInFlight::none || flight_[slot].orphan || flight_[slot].answered) return 0;
    ++flight_[slot].row->pdus;
    if (of_command) end_early(slot, Outcome::rejected, pdu.last);
    return flight_[slot].number;
}

void CommandTracker::take_early_reject(uint32_t slot) {
    const CommandRow& row = *flight_[slot].row;
    const auto reject = std::ranges::find_if(early_rejects_, [&](const EarlyReject& one) {
        return one.itt == row.itt && one.cmd_sn == row.cmd_sn && row.request_packet < one.came.packet;
    });
    if (reject == early_rejects_.end()) return;
    end_early(slot, Outcome::rejected, reject->came);
    early_rejects_.erase(reject);
}

// All active tasks of a logical unit are being terminated (RFC 7143 §11.9.1): those that the target had received.
void CommandTracker::on_async_message(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    if (is_corrupted(pdu) || pdu.header_captured < bhs_length ||
        bhs.async_event() != async_event::tasks_terminated)
        return;
    const uint64_t lun = lun_number(bhs.lun_field());
    for (uint32_t slot = 0; slot < flight_.slots(); ++slot) {
        const CommandInFlight& command = flight_[slot];
        if (!command.used || command.orphan || command.answered || command.row->lun != lun) continue;
        const bool received =
            command.row->cmd_sn_known &&
            has_received(bhs.exp_cmd_sn(), Serial32(command.row->cmd_sn), command.immediate);
        if (received && command.row->request_packet < pdu.last.packet)
            end_early(slot, Outcome::terminated, pdu.last);
    }
}

// Unless an answer comes still.
void CommandTracker::end_early(uint32_t slot, Outcome outcome, Arrival came) {
    CommandInFlight& command = flight_[slot];
    if (came.packet == 0 || command.ended_early != Outcome::unanswered) return;
    command.ended_early = outcome;
    command.row->aborted_packet = came.packet;
    store_->ended_early(*command.row, came.time_ns);
}

void CommandTracker::go_on(CommandInFlight& command) {
    if (command.ended_early == Outcome::unanswered) return;
    command.ended_early = Outcome::unanswered;
    command.row->aborted_packet = 0;
    store_->goes_on(*command.row);
}

// The command that this request asks for once more: an initiator to which no ExpCmdSN acknowledged it sends it again with the
// same tag and CmdSN (RFC 7143 §7.2.1).
uint32_t CommandTracker::retried_by(const Pdu& pdu) const {
    const Bhs bhs = pdu.bhs();
    if (pdu.header_captured < cmd_sn_end || pdu.inferred || bhs.immediate()) return CommandsInFlight::none;
    const uint32_t slot = flight_.newest_with(bhs.itt());
    if (slot == CommandsInFlight::none) return slot;
    const CommandInFlight& command = flight_[slot];
    const bool is_same = !command.inferred && !command.answered && !command.nameless &&
                         counted_by(command) == bhs.cmd_sn() && command.row->request_packet != 0;
    return is_same ? slot : CommandsInFlight::none;
}

// A request: the command it begins, or the orphan whose answers have come before it.
uint32_t CommandTracker::begin_or_adopt(const Pdu& pdu, uint32_t connection) {
    const Bhs bhs = pdu.bhs();
    const uint32_t adopted = flight_.orphan_of(bhs.itt(), bhs.cmd_sn(), bhs.immediate(), pdu.last.packet);
    if (adopted != CommandsInFlight::none) {
        flight_[adopted].orphan = false;
        flight_.await_again(adopted);
        flight_[adopted].row->outcome = Outcome::unanswered;
        return adopted;
    }
    const uint32_t newest = flight_.newest_with(bhs.itt());
    if (newest != CommandsInFlight::none && flight_[newest].orphan)
        flight_.end(newest, Outcome::response_only);
    return flight_.begin(bhs.itt(), connection);
}

// The newest command with the tag of this answer that the target had received when it sent it.
uint32_t CommandTracker::answered_by(const Pdu& pdu) const {
    const Bhs bhs = pdu.bhs();
    const bool has_exp_cmd_sn = is_from_target(bhs.opcode_value()) && pdu.header_captured >= exp_cmd_sn_end;
    uint32_t slot = flight_.newest_with(bhs.itt());
    for (; slot != CommandsInFlight::none; slot = flight_[slot].older) {
        const CommandInFlight& command = flight_[slot];
        if (command.answered) return CommandsInFlight::none;
        if (command.orphan || !has_exp_cmd_sn || !command.row->cmd_sn_known) break;
        if (has_received(bhs.exp_cmd_sn(), Serial32(command.row->cmd_sn), command.immediate)) break;
    }
    return slot;
}

uint32_t CommandTracker::find_or_begin(const Pdu& pdu, uint32_t connection) {
    const Bhs bhs = pdu.bhs();
    uint32_t slot = answered_by(pdu);
    if (slot == CommandsInFlight::none) {
        slot = hook_ == nullptr || knows(bhs.itt()) ? CommandsInFlight::none
                                                    : hook_->claim_nameless(pdu, connection);
        if (slot != CommandsInFlight::none) {
            flight_.name(slot, bhs.itt());
        } else {
            slot = flight_.begin(bhs.itt(), connection);
            flight_[slot].orphan = true;
            flight_[slot].row->outcome = Outcome::response_only;
            flight_.unclaimed().push_back({flight_[slot].number, slot});
            if (flight_.unclaimed().size() > max_unclaimed) flight_.unclaimed().pop_front();
        }
    }
    CommandInFlight& command = flight_[slot];
    if (command.ended_early != Outcome::unanswered) [[unlikely]]
        go_on(command);
    if (command.inferred && hook_ != nullptr) hook_->take_back(slot);
    if (command.given_up) {
        command.given_up = false;
        flight_.await_again(slot);
    }
    if (!command.seen && is_from_target(bhs.opcode_value())) {
        command.seen = true;
        if (!command.orphan && command.row->cmd_sn_known && !command.immediate) {
            order_of_answers_.on_answer(Serial32(command.row->cmd_sn), command.connection, pdu.first.packet);
        }
    }
    if (flight_[slot].orphan && is_from_target(bhs.opcode_value()) && pdu.header_captured >= exp_cmd_sn_end) {
        flight_[slot].exp_cmd_sn = bhs.exp_cmd_sn();
        flight_[slot].exp_cmd_sn_known = true;
    }
    return slot;
}

// The status has come. Of an orphan, the request may still.
void CommandTracker::end_answered(uint32_t slot) {
    CommandInFlight& command = flight_[slot];
    learn_device_from(command);
    if (!command.orphan) {
        store_->answered(*command.row);
        return flight_.end(slot, Outcome::completed);
    }
    command.answered = true;
    answered_orphans_.push_back({command.number, slot});
    if (answered_orphans_.size() <= max_answered_orphans) return;
    const CommandsInFlight::Place oldest = answered_orphans_.front();
    answered_orphans_.pop_front();
    if (flight_.holds(oldest) && flight_[oldest.slot].answered) flight_.end(oldest.slot, Outcome::completed);
}

void CommandTracker::update_profile(const Pdu& pdu, const CommandInFlight& command) {
    const Bhs bhs = pdu.bhs();
    if (bhs.opcode() == Opcode::scsi_data_in) {
        profile_.longest_data_in = std::max(profile_.longest_data_in, bhs.data_segment_length());
        const bool more_to_come = !command.orphan && !bhs.has_status() &&
                                  pdu.header_captured >= buffer_offset_end &&
                                  bhs.buffer_offset() + bhs.data_segment_length() < command.data_in_expected;
        if (more_to_come) profile_.split_length = std::max(profile_.split_length, bhs.data_segment_length());
        if (bhs.has_status()) ++profile_.statuses_with_data;
    } else if (command.data_in_expected > 0) {
        ++profile_.statuses_apart;
    }
}

void CommandTracker::note_data(CommandInFlight& command, const Pdu& pdu, bool moment_known) {
    CommandRow& row = *command.row;
    ++row.pdus;
    if (row.first_byte_packet == 0 && pdu.first_data.packet != 0) {
        row.first_byte_packet = pdu.first_data.packet;
        row.first_byte_ns = pdu.first_data.time_ns;
    }
    if (pdu.bhs().data_segment_length() == 0) return;
    if (pdu.last.packet == 0 || !moment_known) {
        row.last_data_packet = 0;
        row.last_data_ns = no_time;
        return;
    }
    if (row.first_data_packet == 0) {
        row.first_data_packet = pdu.last.packet;
        row.first_data_ns = pdu.last.time_ns;
    }
    row.last_data_packet = pdu.last.packet;
    row.last_data_ns = pdu.last.time_ns;
}

void CommandTracker::note_status(CommandInFlight& command, const Pdu& pdu, uint8_t status,
                                 bool moment_known) {
    const Bhs bhs = pdu.bhs();
    CommandRow& row = *command.row;
    if (pdu.last.packet == 0) return;
    if (!pdu.inferred) row.status = status;
    if (moment_known) {
        row.response_packet = pdu.last.packet;
        row.response_ns = pdu.last.time_ns;
    }
    if (pdu.header_captured < bhs_length) return;
    const auto residual = static_cast<int64_t>(bhs.residual_count());
    if (bhs.underflow()) row.residual = residual;
    if (bhs.overflow()) row.residual = -residual;
}

bool CommandTracker::asks_of_unit(uint32_t itt) const {
    const uint32_t slot = flight_.newest_with(itt);
    return slot != CommandsInFlight::none && flight_[slot].unit_data != UnitData::none;
}

// A PDU with all of the data, or the first of several, or one behind it.
void CommandTracker::on_unit_data(const CommandInFlight& command, const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    const uint32_t length = bhs.data_segment_length();
    if (is_corrupted(pdu) || pdu.header_captured < buffer_offset_end)
        return unit_data_.forget(command.number);
    const bool is_last =
        bhs.has_status() || bhs.buffer_offset() + uint64_t{length} >= command.data_in_expected;
    if (bhs.buffer_offset() == 0) {
        const bool cut = pdu.data.size() != length;
        if (is_last || cut || is_all(command.unit_data, pdu.data)) {
            unit_data_.forget(command.number);
            return learn(command, pdu.data, pdu);
        }
        return unit_data_.begin(command.number, pdu.data);
    }
    const auto so_far = pdu.data.size() == length
                            ? unit_data_.go_on(command.number, bhs.buffer_offset(), pdu.data)
                            : std::span<const uint8_t>{};
    if (so_far.empty()) return unit_data_.forget(command.number);
    if (is_last || is_all(command.unit_data, so_far)) on_unit_data_ended(command, pdu);
}

// No more of them come: with a status apart, less than was asked for may be all there is.
void CommandTracker::on_unit_data_ended(const CommandInFlight& command, const Pdu& pdu) {
    if (unit_data_.empty()) return;
    learn(command, unit_data_.of(command.number), pdu);
    unit_data_.forget(command.number);
}

void CommandTracker::learn(const CommandInFlight& command, std::span<const uint8_t> data, const Pdu& last) {
    const CommandRow& row = *command.row;
    if (data.empty() || row.lun == unknown<uint64_t>) return;
    AccessStates& access = store_->access_states();
    const AccessStates::Path path{row.session, row.lun};
    switch (command.unit_data) {
        case UnitData::none:
            return;
        case UnitData::standard_inquiry:
            learn_device(row.lun, data[0]);
            if (const auto tpgs = tpgs_of(data)) access.on_tpgs(path, *tpgs);
            return;
        case UnitData::device_identification:
            if (const std::string name = unit_name_of(data); !name.empty())
                store_->add_unit_name(row.session, row.lun, name);
            if (const auto port = target_port_of(data)) access.on_port(path, *port);
            return;
        case UnitData::target_port_groups:
            if (const auto groups = target_port_groups_of(data); groups && last.last.packet != 0)
                access.on_groups(path, *groups, place_of(last));
            return;
    }
}

void CommandTracker::learn_device(uint64_t lun, uint8_t first_byte) {
    constexpr uint8_t qualifier = 0xe0;  // not 0: no device there (SPC-4 §6.6.2)
    if ((first_byte & qualifier) != 0) return;
    if (Unit* const unit = unit_to_note(lun)) unit->type = static_cast<DeviceType>(first_byte & 0x1f);
}

// A device that does a command has it.
void CommandTracker::learn_device_from(const CommandInFlight& command) {
    if (!command.may_tell_device || command.orphan || command.row->status != 0) return;
    Unit* const unit = unit_to_note(command.row->lun);
    if (unit == nullptr) return;
    const CommandSets left = unit->sets & command.sets_if_done;
    if (left != 0) unit->sets = left;
}

const CommandTracker::Unit* CommandTracker::unit_of(uint64_t lun) const {
    const auto known = std::ranges::find(units_, lun, &Unit::lun);
    return known == units_.end() ? nullptr : &*known;
}

// nullptr where there are too many.
CommandTracker::Unit* CommandTracker::unit_to_note(uint64_t lun) {
    const auto known = std::ranges::find(units_, lun, &Unit::lun);
    if (known != units_.end()) return &*known;
    if (units_.size() >= max_devices) return nullptr;
    return &units_.emplace_back(Unit{lun, DeviceType::unknown, all_command_sets});
}

void CommandTracker::learn_sense(const CommandRow& row, const SenseData& sense, const Pdu& pdu) {
    // Of which moment a deferred error tells is not known.
    const auto state = sense.deferred ? std::nullopt : access_state_told_by(sense);
    if (!state || row.lun == unknown<uint64_t> || pdu.last.packet == 0 || is_corrupted(pdu)) return;
    store_->access_states().on_told({row.session, row.lun}, *state, place_of(pdu));
}

// What the answer says of a change that was asked for. Without one that says how it ended, it stays in doubt.
void CommandTracker::settle_port_groups(const CommandInFlight& command, const AccessStates::Place& at) {
    const CommandRow& row = *command.row;
    if (!command.sets_port_groups || !ending_is_known(row)) return;
    if (ended_otherwise_than_good(row)) return store_->access_states().on_refused({row.session, row.lun});
    store_->access_states().on_told({row.session, row.lun}, AccessState::unknown, at);
}

void CommandTracker::abort(uint32_t slot, PacketNumber packet) {
    if (flight_[slot].answered && !flight_[slot].orphan) return flight_.end(slot, Outcome::completed);
    go_on(flight_[slot]);
    if (!flight_[slot].orphan) flight_[slot].row->aborted_packet = packet;
    flight_.end(slot, Outcome::aborted);
}

}  // namespace sanscope
