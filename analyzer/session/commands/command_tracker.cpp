// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/command_tracker.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/scsi/sense.h"

namespace sanscope {
namespace {

constexpr uint8_t ahs_type_extended_cdb = 1;  // RFC 7143 §11.2.2.1
constexpr size_t max_cdb = 260;               // SPC-4 §4.2.3: a variable length CDB
// How much of a header must have been captured for a field to be there.
constexpr size_t transfer_length_end = 24;
constexpr size_t cmd_sn_end = 28;
constexpr size_t exp_cmd_sn_end = 32;
constexpr size_t buffer_offset_end = 44;

constexpr size_t max_devices = 4096;
constexpr size_t max_task_management = 1024;

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

// A target that expects `exp_cmd_sn` next has received the command with `cmd_sn`; an immediate one does not move it.
bool has_received(Serial32 exp_cmd_sn, Serial32 cmd_sn, bool immediate) {
    return cmd_sn.before(exp_cmd_sn) || (immediate && cmd_sn == exp_cmd_sn);
}

TransferKind kind_of(DataDirection direction) {
    if (direction == DataDirection::in) return TransferKind::in;
    return direction == DataDirection::out ? TransferKind::out : TransferKind::none;
}

// What RFC 7143 §11.5.1 calls the functions.
enum Function : uint8_t {
    abort_task = 1,
    abort_task_set = 2,
    clear_task_set = 4,
    logical_unit_reset = 5,
    target_warm_reset = 6,
    target_cold_reset = 7,
};

}  // namespace

uint64_t CommandTracker::on_pdu(const Pdu& pdu, uint32_t connection, bool moment_known) {
    switch (pdu.bhs().opcode()) {
        case Opcode::scsi_command:
            return on_command(pdu, connection);
        case Opcode::scsi_data_in:
            return on_data_in(pdu, find_or_begin(pdu, connection), moment_known);
        case Opcode::scsi_data_out:
            return on_data_out(pdu);
        case Opcode::r2t:
            return on_r2t(pdu, find_or_begin(pdu, connection));
        case Opcode::scsi_response:
            return on_response(pdu, find_or_begin(pdu, connection), moment_known);
        case Opcode::task_management_request:
            on_task_management_request(pdu);
            return 0;
        case Opcode::task_management_response:
            on_task_management_response(pdu);
            return 0;
        default:
            return 0;
    }
}

void CommandTracker::finish() {
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (slots_[slot].used) end(slot, Outcome::unanswered);
    }
}

std::optional<Serial32> CommandTracker::counted_by(const InFlight& command) {
    if (command.orphan || command.immediate || !command.row->cmd_sn_known) return {};
    return Serial32(command.row->cmd_sn);
}

// What is awaited no more is left out of the list for the next time: where many answers are unseen, of thousands of commands in
// flight a handful are.
void CommandTracker::list_unseen(uint32_t connection, PacketNumber until, size_t most,
                                 std::vector<AwaitedCommand>& out) {
    out.clear();
    auto kept = awaited_.begin();
    auto next = awaited_.begin();
    for (; next != awaited_.end(); ++next) {
        if (!is_awaited(*next)) continue;
        const InFlight& command = slots_[next->slot];
        if (command.connection == connection && command.row->request_packet < until) {
            if (out.size() >= most) break;
            out.push_back({next->number, command.row->request_packet, kind_of(command.direction),
                           command.data_in_expected, counted_by(command)});
        }
        *kept++ = *next;
    }
    awaited_.erase(kept, next);
    if (!std::ranges::is_sorted(out, {}, &AwaitedCommand::request_packet))
        std::ranges::stable_sort(out, {}, &AwaitedCommand::request_packet);
}

// What was taken for answered, given up or an orphan turns out not to be.
void CommandTracker::await_again(uint32_t slot) {
    const Ordered entry{slots_[slot].number, slot};
    const auto place = std::ranges::lower_bound(awaited_, entry.number, {}, &Ordered::number);
    if (place == awaited_.end() || place->number != entry.number) awaited_.insert(place, entry);
}

std::pair<uint32_t, uint32_t> CommandTracker::data_in_of(uint64_t command) const {
    const uint32_t slot = slot_of(command);
    if (slot == TaskTable::none) return {0, 0};
    return {slots_[slot].data_in_passed, slots_[slot].data_in_expected};
}

CommandTracker::AnswerSoFar CommandTracker::answer_so_far(const Pdu& pdu) const {
    const uint32_t slot = answered_by(pdu);
    if (slot == TaskTable::none) return {};
    const InFlight& command = slots_[slot];
    return {command.orphan ? 0 : command.number, command.data_in_passed, command.data_in_expected,
            counted_by(command)};
}

bool CommandTracker::answer_unseen(uint64_t number, Arrival arrival) {
    const uint32_t slot = slot_of(number);
    if (slot == TaskTable::none) return false;
    InFlight& command = slots_[slot];
    CommandRow& row = *command.row;
    const bool possible = !command.orphan && !command.inferred && row.request_packet < arrival.packet;
    if (!possible) return false;
    row.response_packet = arrival.packet;
    row.response_ns = arrival.time_ns;
    ++row.pdus;
    const bool in_one_pdu = command.data_in_passed == 0 && command.data_in_expected > 0 &&
                            command.data_in_expected <= profile_.longest_data_in &&
                            profile_.statuses_apart == 0;
    if (in_one_pdu) {
        row.first_data_packet = row.last_data_packet = arrival.packet;
        row.first_data_ns = row.last_data_ns = arrival.time_ns;
    }
    keep_inferred(slot);
    return true;
}

void CommandTracker::end_unseen(uint64_t number) {
    const uint32_t slot = slot_of(number);
    if (slot != TaskTable::none && !slots_[slot].orphan && !slots_[slot].inferred) keep_inferred(slot);
}

bool CommandTracker::hold_answered(uint64_t number) {
    const uint32_t slot = slot_of(number);
    if (slot == TaskTable::none || slots_[slot].orphan || slots_[slot].inferred) return false;
    slots_[slot].inferred = slots_[slot].row->inferred = true;
    return true;
}

bool CommandTracker::settle_held(uint64_t number, Arrival arrival) {
    const uint32_t slot = slot_of(number);
    // An answer of its own has turned up.
    if (slot == TaskTable::none || !slots_[slot].inferred) return false;
    // Either of the two has it inferred again.
    slots_[slot].inferred = false;
    if (answer_unseen(number, arrival)) return true;
    keep_inferred(slot);
    return false;
}

void CommandTracker::end_held(uint64_t number) {
    const uint32_t slot = slot_of(number);
    if (slot != TaskTable::none && slots_[slot].inferred) keep_inferred(slot);
}

// An answer of its own may still turn up.
void CommandTracker::keep_inferred(uint32_t slot) {
    slots_[slot].inferred = true;
    slots_[slot].row->inferred = true;
    inferred_.push_back({slots_[slot].number, slot});
    if (inferred_.size() <= max_inferred) return;
    const Ordered oldest = inferred_.front();
    inferred_.pop_front();
    if (in_flight(oldest) && slots_[oldest.slot].inferred) end(oldest.slot, Outcome::completed);
}

void CommandTracker::give_up(uint64_t number) {
    const uint32_t slot = slot_of(number);
    if (slot != TaskTable::none) slots_[slot].given_up = true;
}

void CommandTracker::end_given_up(uint32_t connection) {
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
        const InFlight& command = slots_[slot];
        if (command.used && command.given_up && !command.inferred && command.connection == connection)
            end(slot, Outcome::unknown);
    }
}

uint64_t CommandTracker::infer_request(std::optional<uint32_t> itt, Serial32 cmd_sn, Arrival arrival,
                                       uint32_t connection, bool writes) {
    uint32_t slot = itt ? orphan_of(*itt, cmd_sn, false) : claim_orphan(cmd_sn, connection);
    if (slot == TaskTable::none) slot = begin(itt, connection);
    InFlight& command = slots_[slot];
    CommandRow& row = *command.row;
    if (command.orphan) await_again(slot);
    command.orphan = false;
    command.data_in_expected = writes ? 0 : last_data_in_expected_;
    if (writes) command.direction = DataDirection::out;
    row.outcome = Outcome::unanswered;
    row.cmd_sn = cmd_sn.value;
    row.cmd_sn_known = true;
    row.inferred = true;
    row.request_packet = arrival.packet;
    row.request_ns = arrival.time_ns;
    ++row.pdus;
    store_->requested(row);
    const uint64_t number = command.number;
    if (command.answered) {
        store_->answered(row);
        end(slot, Outcome::completed);
    }
    return number;
}

void CommandTracker::set_tag(uint64_t command, uint32_t itt) {
    const uint32_t slot = slot_of(command);
    if (slot != TaskTable::none && slots_[slot].nameless) name(slot, itt);
}

uint64_t CommandTracker::on_command(const Pdu& pdu, uint32_t connection) {
    const Bhs bhs = pdu.bhs();
    const uint32_t slot = begin_or_adopt(pdu, connection);
    InFlight& command = slots_[slot];
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
    const CdbInfo info = decode_cdb(cdb, device_of(row.lun));
    row.name = info.name;
    row.opcode = info.opcode;
    row.lba = info.lba;
    row.blocks = info.blocks;
    command.direction = bhs.read() ? (bhs.write() ? DataDirection::bidirectional : DataDirection::in)
                                   : (bhs.write() ? DataDirection::out : DataDirection::none);
    command.data_in_expected = bhs.read() && !bhs.write() ? bhs.expected_data_transfer_length() : 0;
    last_data_in_expected_ = command.data_in_expected;
    constexpr uint8_t inquiry = 0x12;
    command.standard_inquiry = cdb.size() > 1 && cdb[0] == inquiry && (cdb[1] & 1) == 0;
    if (row.cmd_sn_known && !command.immediate) {
        order_of_answers_.on_request(Serial32(row.cmd_sn), kind_of(command.direction), connection,
                                     row.request_packet);
    }
    store_->requested(row);
    const uint64_t number = command.number;
    if (command.answered) {
        store_->answered(row);
        end(slot, Outcome::completed);
    }
    return number;
}

uint64_t CommandTracker::on_data_in(const Pdu& pdu, uint32_t slot, bool moment_known) {
    InFlight& command = slots_[slot];
    const Bhs bhs = pdu.bhs();
    note_data(command, pdu, moment_known);
    // Where the cut took the buffer offset, the data are taken to go on where they were.
    const bool offset_known = pdu.inferred || pdu.header_captured >= buffer_offset_end;
    const uint32_t offset = offset_known ? bhs.buffer_offset() : command.data_in_passed;
    command.data_in_passed = std::max(command.data_in_passed, offset + bhs.data_segment_length());
    update_profile(pdu, command);
    if (command.standard_inquiry) learn_device(command, pdu);
    const uint64_t number = command.number;
    if (bhs.has_status()) {
        note_status(command, pdu, bhs.status(), moment_known);
        if (pdu.last.packet != 0) end_answered(slot);
    }
    return number;
}

uint64_t CommandTracker::on_data_out(const Pdu& pdu) {
    const uint32_t slot = tags_.find(pdu.bhs().itt());
    if (slot == TaskTable::none) return 0;
    note_data(slots_[slot], pdu);
    return slots_[slot].number;
}

uint64_t CommandTracker::on_r2t(const Pdu&, uint32_t slot) {
    CommandRow& row = *slots_[slot].row;
    ++row.r2ts;
    ++row.pdus;
    return slots_[slot].number;
}

uint64_t CommandTracker::on_response(const Pdu& pdu, uint32_t slot, bool moment_known) {
    InFlight& command = slots_[slot];
    ++command.row->pdus;
    const Bhs bhs = pdu.bhs();
    update_profile(pdu, command);
    constexpr uint8_t completed_at_target = 0;
    if (bhs.response() == completed_at_target) note_status(command, pdu, bhs.status(), moment_known);
    // The data segment begins with the sense length (RFC 7143 §11.4.7.2).
    if (pdu.data.size() >= 2) {
        const size_t length = load_be16(pdu.data.data());
        const auto bytes = pdu.data.subspan(2);
        if (const auto sense = parse_sense(bytes.first(std::min(length, bytes.size())))) {
            command.row->sense_key = sense->sense_key;
            command.row->asc = sense->asc;
            command.row->ascq = sense->ascq;
        }
    }
    const uint64_t number = command.number;
    if (pdu.last.packet != 0) {
        if (moment_known) {
            command.row->response_packet = pdu.last.packet;
            command.row->response_ns = pdu.last.time_ns;
        }
        end_answered(slot);
    }
    return number;
}

void CommandTracker::on_task_management_request(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    if (task_management_.size() >= max_task_management) task_management_.erase(task_management_.begin());
    task_management_.push_back(
        {bhs.itt(), bhs.function(), bhs.referenced_task_tag(), lun_number(bhs.lun_field()), pdu.last.packet});
}

// Function complete: the tasks it names will not be answered any more (RFC 7143 §11.6.1).
void CommandTracker::on_task_management_response(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    const auto request = std::find_if(task_management_.begin(), task_management_.end(),
                                      [&](const TaskManagement& t) { return t.itt == bhs.itt(); });
    if (request == task_management_.end()) return;
    const TaskManagement what = *request;
    task_management_.erase(request);
    constexpr uint8_t function_complete = 0;
    if (bhs.response() != function_complete) return;

    if (what.function == abort_task) {
        const uint32_t slot = tags_.find(what.referenced_tag);
        if (slot != TaskTable::none && slots_[slot].row->request_packet <= what.packet)
            abort(slot, pdu.last.packet);
        return;
    }
    const bool of_lun = what.function == abort_task_set || what.function == clear_task_set ||
                        what.function == logical_unit_reset;
    const bool of_target = what.function == target_warm_reset || what.function == target_cold_reset;
    if (!of_lun && !of_target) return;
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
        const InFlight& command = slots_[slot];
        if (!command.used || command.row->request_packet > what.packet) continue;
        if (of_target || command.row->lun == what.lun) abort(slot, pdu.last.packet);
    }
}

// Without a tag: nameless.
uint32_t CommandTracker::begin(std::optional<uint32_t> itt, uint32_t connection) {
    if (in_flight_ >= max_in_flight) {
        while (!in_flight(order_.front())) order_.pop_front();
        end(order_.front().slot, Outcome::unanswered);
    }
    if (itt) bound_same_tag(*itt);
    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    InFlight& command = slots_[slot];
    command = InFlight{};
    command.used = true;
    command.row = &store_->begin_command(command.number);
    command.row->itt = reserved_tag;
    command.row->connection = connection;
    command.row->session = session_;
    command.connection = connection;
    order_.push_back({command.number, slot});
    awaited_.push_back(order_.back());
    if (itt) {
        link_tag(slot, *itt);
    } else {
        command.nameless = true;
        nameless_.push_back({command.number, slot});
    }
    ++in_flight_;
    if (order_.size() > 2 * in_flight_ + 64) forget_ended();
    return slot;
}

// `none` if it has ended.
uint32_t CommandTracker::slot_of(uint64_t command) const {
    const auto entry =
        std::lower_bound(order_.begin(), order_.end(), command,
                         [](const Ordered& one, uint64_t number) { return one.number < number; });
    return entry != order_.end() && entry->number == command && in_flight(*entry) ? entry->slot
                                                                                  : TaskTable::none;
}

// Those with one tag stand newest first.
void CommandTracker::link_tag(uint32_t slot, uint32_t itt) {
    InFlight& command = slots_[slot];
    command.row->itt = itt;
    uint32_t newer = TaskTable::none;
    command.older = tags_.find(itt);
    while (command.older != TaskTable::none && slots_[command.older].number > command.number) {
        newer = command.older;
        command.older = slots_[newer].older;
    }
    if (newer == TaskTable::none) {
        tags_.set(itt, slot);
    } else {
        slots_[newer].older = slot;
    }
}

void CommandTracker::name(uint32_t slot, uint32_t itt) {
    slots_[slot].nameless = false;
    bound_same_tag(itt);
    link_tag(slot, itt);
}

// The nameless request of that connection that this answer with an unknown tag belongs to: one whose data went on until
// here, else the oldest if all that it may be came with one packet. Where they did not, nobody can say.
uint32_t CommandTracker::claim_nameless(const Pdu& pdu, uint32_t connection) {
    const auto is_nameless = [&](const Ordered& entry) {
        return in_flight(entry) && slots_[entry.slot].nameless;
    };
    while (!nameless_.empty() && !is_nameless(nameless_.front())) nameless_.pop_front();
    const Bhs bhs = pdu.bhs();
    if (nameless_.empty() || !is_from_target(bhs.opcode_value()) || pdu.header_captured < exp_cmd_sn_end)
        return TaskTable::none;
    const bool goes_on = bhs.opcode() == Opcode::scsi_data_in && pdu.header_captured >= buffer_offset_end;
    const uint32_t begins_at = goes_on ? bhs.buffer_offset() : 0;
    uint32_t oldest = TaskTable::none;
    bool one_packet = true;
    size_t looked_at = 0;
    for (const Ordered& entry : nameless_) {
        if (++looked_at > max_looked_at) return TaskTable::none;
        if (!is_nameless(entry) || slots_[entry.slot].connection != connection) continue;
        const InFlight& command = slots_[entry.slot];
        if (!has_received(bhs.exp_cmd_sn(), Serial32(command.row->cmd_sn), false)) break;
        if (command.inferred) continue;
        if (begins_at > 0 && command.data_in_passed == begins_at) return entry.slot;
        if (oldest == TaskTable::none) oldest = entry.slot;
        one_packet = one_packet && command.row->request_packet == slots_[oldest].row->request_packet;
    }
    return one_packet ? oldest : TaskTable::none;
}

// The first orphan of that connection whose answer came from a target that had received this request. Those before it
// belong to earlier requests, which none will be told of any more.
uint32_t CommandTracker::claim_orphan(Serial32 cmd_sn, uint32_t connection) {
    while (!unclaimed_.empty()) {
        const Ordered entry = unclaimed_.front();
        const InFlight& command = slots_[entry.slot];
        const bool waits = in_flight(entry) && command.orphan;
        const bool fits =
            waits && command.exp_cmd_sn_known && has_received(command.exp_cmd_sn, cmd_sn, false);
        if (fits && command.connection != connection) return TaskTable::none;
        unclaimed_.pop_front();
        if (fits) return entry.slot;
    }
    return TaskTable::none;
}

// The oldest of too many commands with one tag is given up.
void CommandTracker::bound_same_tag(uint32_t itt) {
    uint32_t oldest = tags_.find(itt);
    if (oldest == TaskTable::none) return;
    size_t count = 1;
    for (; slots_[oldest].older != TaskTable::none; ++count) oldest = slots_[oldest].older;
    if (count >= max_same_tag) end(oldest, Outcome::unanswered);
}

// A request: the command it begins, or the orphan whose answers have come before it.
uint32_t CommandTracker::begin_or_adopt(const Pdu& pdu, uint32_t connection) {
    const Bhs bhs = pdu.bhs();
    const uint32_t adopted = orphan_of(bhs.itt(), bhs.cmd_sn(), bhs.immediate());
    if (adopted != TaskTable::none) {
        slots_[adopted].orphan = false;
        await_again(adopted);
        slots_[adopted].row->outcome = Outcome::unanswered;
        return adopted;
    }
    const uint32_t newest = tags_.find(bhs.itt());
    if (newest != TaskTable::none && slots_[newest].orphan) end(newest, Outcome::response_only);
    return begin(bhs.itt(), connection);
}

// The orphan that this request belongs to. A tag is used again only after its command was answered, so of the orphans
// with the tag those before the right one came from a target that had not received this request yet, and those behind
// it belong to requests behind this one.
uint32_t CommandTracker::orphan_of(uint32_t itt, Serial32 cmd_sn, bool immediate) const {
    uint32_t found = TaskTable::none;
    for (uint32_t slot = tags_.find(itt); slot != TaskTable::none; slot = slots_[slot].older) {
        const InFlight& command = slots_[slot];
        if (!command.orphan || !command.exp_cmd_sn_known) break;
        if (!has_received(command.exp_cmd_sn, cmd_sn, immediate)) break;
        found = slot;
    }
    return found;
}

// The newest command with the tag of this answer that the target had received when it sent it.
uint32_t CommandTracker::answered_by(const Pdu& pdu) const {
    const Bhs bhs = pdu.bhs();
    const bool has_exp_cmd_sn = is_from_target(bhs.opcode_value()) && pdu.header_captured >= exp_cmd_sn_end;
    uint32_t slot = tags_.find(bhs.itt());
    for (; slot != TaskTable::none; slot = slots_[slot].older) {
        const InFlight& command = slots_[slot];
        if (command.answered) return TaskTable::none;
        if (command.orphan || !has_exp_cmd_sn || !command.row->cmd_sn_known) break;
        if (has_received(bhs.exp_cmd_sn(), Serial32(command.row->cmd_sn), command.immediate)) break;
    }
    return slot;
}

uint32_t CommandTracker::find_or_begin(const Pdu& pdu, uint32_t connection) {
    const Bhs bhs = pdu.bhs();
    uint32_t slot = answered_by(pdu);
    if (slot == TaskTable::none) {
        slot = knows(bhs.itt()) ? TaskTable::none : claim_nameless(pdu, connection);
        if (slot != TaskTable::none) {
            name(slot, bhs.itt());
        } else {
            slot = begin(bhs.itt(), connection);
            slots_[slot].orphan = true;
            slots_[slot].row->outcome = Outcome::response_only;
            unclaimed_.push_back({slots_[slot].number, slot});
            if (unclaimed_.size() > max_unclaimed) unclaimed_.pop_front();
        }
    }
    InFlight& command = slots_[slot];
    if (command.inferred) take_back_inference(slot);
    if (command.given_up) {
        command.given_up = false;
        await_again(slot);
    }
    if (!command.seen && is_from_target(bhs.opcode_value())) {
        command.seen = true;
        if (!command.orphan && command.row->cmd_sn_known && !command.immediate) {
            order_of_answers_.on_answer(Serial32(command.row->cmd_sn), command.connection, pdu.first.packet);
        }
    }
    if (slots_[slot].orphan && is_from_target(bhs.opcode_value()) && pdu.header_captured >= exp_cmd_sn_end) {
        slots_[slot].exp_cmd_sn = bhs.exp_cmd_sn();
        slots_[slot].exp_cmd_sn_known = true;
    }
    return slot;
}

// The status has come. Of an orphan, the request may still.
void CommandTracker::end_answered(uint32_t slot) {
    InFlight& command = slots_[slot];
    if (!command.orphan) {
        store_->answered(*command.row);
        return end(slot, Outcome::completed);
    }
    command.answered = true;
    answered_orphans_.push_back({command.number, slot});
    if (answered_orphans_.size() <= max_answered_orphans) return;
    const Ordered oldest = answered_orphans_.front();
    answered_orphans_.pop_front();
    if (in_flight(oldest) && slots_[oldest.slot].answered) end(oldest.slot, Outcome::completed);
}

// An answer of its own has turned up for a command that was taken to be answered.
void CommandTracker::take_back_inference(uint32_t slot) {
    InFlight& command = slots_[slot];
    CommandRow& row = *command.row;
    command.inferred = false;
    await_again(slot);
    row.inferred = row.opcode == unknown<uint16_t>;
    if (row.response_packet != 0) --row.pdus;
    row.first_byte_packet = row.first_data_packet = row.last_data_packet = row.response_packet = 0;
    row.first_byte_ns = row.first_data_ns = row.last_data_ns = row.response_ns = no_time;
    command.data_in_passed = 0;
}

void CommandTracker::update_profile(const Pdu& pdu, const InFlight& command) {
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

void CommandTracker::note_data(InFlight& command, const Pdu& pdu, bool moment_known) {
    CommandRow& row = *command.row;
    ++row.pdus;
    if (row.first_byte_packet == 0 && pdu.first_data.packet != 0) {
        row.first_byte_packet = pdu.first_data.packet;
        row.first_byte_ns = pdu.first_data.time_ns;
    }
    if (pdu.last.packet == 0 || pdu.bhs().data_segment_length() == 0 || !moment_known) return;
    if (row.first_data_packet == 0) {
        row.first_data_packet = pdu.last.packet;
        row.first_data_ns = pdu.last.time_ns;
    }
    row.last_data_packet = pdu.last.packet;
    row.last_data_ns = pdu.last.time_ns;
}

void CommandTracker::note_status(InFlight& command, const Pdu& pdu, uint8_t status, bool moment_known) {
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

void CommandTracker::learn_device(const InFlight& command, const Pdu& pdu) {
    if (pdu.data.empty() || pdu.bhs().buffer_offset() != 0 || command.row->lun == unknown<uint64_t>) return;
    constexpr uint8_t qualifier = 0xe0;  // not 0: no device there (SPC-4 §6.6.2)
    if ((pdu.data[0] & qualifier) != 0) return;
    const auto type = static_cast<DeviceType>(pdu.data[0] & 0x1f);
    const auto known = std::find_if(devices_.begin(), devices_.end(),
                                    [&](const auto& device) { return device.first == command.row->lun; });
    if (known != devices_.end()) {
        known->second = type;
    } else if (devices_.size() < max_devices) {
        devices_.emplace_back(command.row->lun, type);
    }
}

DeviceType CommandTracker::device_of(uint64_t lun) const {
    for (const auto& [known, type] : devices_) {
        if (known == lun) return type;
    }
    return DeviceType::unknown;
}

void CommandTracker::abort(uint32_t slot, PacketNumber packet) {
    if (!slots_[slot].orphan) slots_[slot].row->aborted_packet = packet;
    end(slot, Outcome::aborted);
}

// Takes the command out of flight, and with it the older ones with its tag: they can be answered no more, unless that has
// happened unseen.
void CommandTracker::end(uint32_t slot, Outcome outcome) {
    if (slots_[slot].superseded || slots_[slot].nameless) return end_one(slot, outcome);
    unlink_tag(slot);
    uint32_t older = slots_[slot].older;
    end_one(slot, outcome);
    while (older != TaskTable::none) {
        const uint32_t next = slots_[older].older;
        InFlight& command = slots_[older];
        if (waiting_ > 0 && !command.orphan) {
            command.superseded = true;
            command.older = TaskTable::none;
        } else {
            end_one(older, Outcome::unanswered);
        }
        older = next;
    }
}

void CommandTracker::end_one(uint32_t slot, Outcome outcome) {
    InFlight& command = slots_[slot];
    if (!command.orphan) {
        const bool may_be_answered =
            command.given_up || command.nameless ||
            (outcome == Outcome::unanswered && command.row->request_packet < unpaired_until_);
        command.row->outcome = command.inferred  ? Outcome::completed
                               : may_be_answered ? Outcome::unknown
                                                 : outcome;
    }
    const bool both = command.direction == DataDirection::bidirectional;
    store_->end_command(command.number, *command.row, both || command.direction == DataDirection::in,
                        both || command.direction == DataDirection::out);
    command.used = false;
    free_slots_.push_back(slot);
    --in_flight_;
}

// It and the older ones are found by their tag no more.
void CommandTracker::unlink_tag(uint32_t slot) {
    const uint32_t itt = slots_[slot].row->itt;
    uint32_t newer = tags_.find(itt);
    if (newer == slot) {
        tags_.erase(itt);
        return;
    }
    while (slots_[newer].older != slot) newer = slots_[newer].older;
    slots_[newer].older = TaskTable::none;
}

void CommandTracker::forget_ended() {
    const auto has_ended = [&](const Ordered& entry) { return !in_flight(entry); };
    std::erase_if(order_, has_ended);
    std::erase_if(awaited_, [&](const Ordered& entry) { return !is_awaited(entry); });
    std::erase_if(nameless_,
                  [&](const Ordered& entry) { return has_ended(entry) || !slots_[entry.slot].nameless; });
    std::erase_if(unclaimed_,
                  [&](const Ordered& entry) { return has_ended(entry) || !slots_[entry.slot].orphan; });
}

}  // namespace sanscope
