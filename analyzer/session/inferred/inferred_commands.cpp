// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/inferred_commands.h"

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/bhs_field_ends.h"

namespace sanscope {

bool InferredCommands::answer_unseen(uint64_t number, Arrival arrival) {
    const uint32_t slot = flight_.slot_of(number);
    if (slot == CommandsInFlight::none) return false;
    CommandInFlight& command = flight_[slot];
    CommandRow& row = *command.row;
    const bool possible = !command.orphan && !command.inferred && row.request_packet < arrival.packet;
    if (!possible) return false;
    row.response_packet = arrival.packet;
    row.response_ns = arrival.time_ns;
    ++row.pdus;
    const bool in_one_pdu = command.data_in_passed == 0 && command.data_in_expected > 0 &&
                            command.data_in_expected <= tracker_.profile().longest_data_in &&
                            tracker_.profile().statuses_apart == 0;
    if (in_one_pdu) {
        row.first_data_packet = row.last_data_packet = arrival.packet;
        row.first_data_ns = row.last_data_ns = arrival.time_ns;
    }
    keep_inferred(slot);
    return true;
}

void InferredCommands::end_unseen(uint64_t number) {
    const uint32_t slot = flight_.slot_of(number);
    if (slot != CommandsInFlight::none && !flight_[slot].orphan && !flight_[slot].inferred)
        keep_inferred(slot);
}

bool InferredCommands::hold_answered(uint64_t number) {
    const uint32_t slot = flight_.slot_of(number);
    if (slot == CommandsInFlight::none || flight_[slot].orphan || flight_[slot].inferred) return false;
    flight_[slot].inferred = flight_[slot].row->inferred = true;
    return true;
}

bool InferredCommands::settle_held(uint64_t number, Arrival arrival) {
    const uint32_t slot = flight_.slot_of(number);
    // An answer of its own has turned up.
    if (slot == CommandsInFlight::none || !flight_[slot].inferred) return false;
    // Either of the two has it inferred again.
    flight_[slot].inferred = false;
    if (answer_unseen(number, arrival)) return true;
    keep_inferred(slot);
    return false;
}

void InferredCommands::end_held(uint64_t number) {
    const uint32_t slot = flight_.slot_of(number);
    if (slot != CommandsInFlight::none && flight_[slot].inferred) keep_inferred(slot);
}

// An answer of its own may still turn up.
void InferredCommands::keep_inferred(uint32_t slot) {
    flight_[slot].inferred = true;
    flight_[slot].row->inferred = true;
    inferred_.push_back({flight_[slot].number, slot});
    if (inferred_.size() <= max_inferred) return;
    const CommandsInFlight::Place oldest = inferred_.front();
    inferred_.pop_front();
    if (flight_.holds(oldest) && flight_[oldest.slot].inferred) flight_.end(oldest.slot, Outcome::completed);
}

void InferredCommands::give_up(uint64_t number) {
    const uint32_t slot = flight_.slot_of(number);
    if (slot != CommandsInFlight::none) flight_[slot].given_up = true;
}

void InferredCommands::end_given_up(uint32_t connection) {
    for (uint32_t slot = 0; slot < flight_.slots(); ++slot) {
        const CommandInFlight& command = flight_[slot];
        if (command.used && command.given_up && !command.inferred && command.connection == connection)
            flight_.end(slot, Outcome::unknown);
    }
}

uint64_t InferredCommands::infer_request(std::optional<uint32_t> itt, Serial32 cmd_sn, Arrival arrival,
                                         uint32_t connection, bool writes) {
    uint32_t slot =
        itt ? flight_.orphan_of(*itt, cmd_sn, false, arrival.packet) : claim_orphan(cmd_sn, connection);
    if (slot == CommandsInFlight::none) slot = flight_.begin(itt, connection);
    CommandInFlight& command = flight_[slot];
    CommandRow& row = *command.row;
    if (command.orphan) flight_.await_again(slot);
    command.orphan = false;
    command.data_in_expected = writes ? 0 : tracker_.last_data_in_expected();
    if (writes) command.direction = DataDirection::out;
    row.outcome = Outcome::unanswered;
    row.cmd_sn = cmd_sn.value;
    row.cmd_sn_known = true;
    row.inferred = true;
    row.request_packet = arrival.packet;
    row.request_ns = arrival.time_ns;
    ++row.pdus;
    store_.requested(row);
    const uint64_t number = command.number;
    if (command.answered) {
        store_.answered(row);
        flight_.end(slot, Outcome::completed);
    }
    return number;
}

void InferredCommands::set_tag(uint64_t command, uint32_t itt) {
    const uint32_t slot = flight_.slot_of(command);
    if (slot != CommandsInFlight::none && flight_[slot].nameless) flight_.name(slot, itt);
}

// The nameless request of that connection that this answer with an unknown tag belongs to: one whose data went on until
// here, else the oldest if all that it may be came with one packet. Where they did not, nobody can say.
uint32_t InferredCommands::claim_nameless(const Pdu& pdu, uint32_t connection) {
    const auto is_nameless = [&](const CommandsInFlight::Place& entry) {
        return flight_.holds(entry) && flight_[entry.slot].nameless;
    };
    while (!flight_.nameless().empty() && !is_nameless(flight_.nameless().front()))
        flight_.nameless().pop_front();
    const Bhs bhs = pdu.bhs();
    if (numbers_shared_ || flight_.nameless().empty() || !is_from_target(bhs.opcode_value()) ||
        pdu.header_captured < exp_cmd_sn_end)
        return CommandsInFlight::none;
    const bool goes_on = bhs.opcode() == Opcode::scsi_data_in && pdu.header_captured >= buffer_offset_end;
    const uint32_t begins_at = goes_on ? bhs.buffer_offset() : 0;
    uint32_t oldest = CommandsInFlight::none;
    bool one_packet = true;
    size_t looked_at = 0;
    for (const CommandsInFlight::Place& entry : flight_.nameless()) {
        if (++looked_at > max_looked_at) return CommandsInFlight::none;
        if (!is_nameless(entry) || flight_[entry.slot].connection != connection) continue;
        const CommandInFlight& command = flight_[entry.slot];
        if (!has_received(bhs.exp_cmd_sn(), Serial32(command.row->cmd_sn), false)) break;
        if (command.inferred) continue;
        if (begins_at > 0 && command.data_in_passed == begins_at) return entry.slot;
        if (oldest == CommandsInFlight::none) oldest = entry.slot;
        one_packet = one_packet && command.row->request_packet == flight_[oldest].row->request_packet;
    }
    return one_packet ? oldest : CommandsInFlight::none;
}

// The first orphan of that connection whose answer came from a target that had received this request. Those before it
// belong to earlier requests, which none will be seen of any more.
uint32_t InferredCommands::claim_orphan(Serial32 cmd_sn, uint32_t connection) {
    while (!numbers_shared_ && !flight_.unclaimed().empty()) {
        const CommandsInFlight::Place entry = flight_.unclaimed().front();
        const CommandInFlight& command = flight_[entry.slot];
        const bool waits = flight_.holds(entry) && command.orphan;
        const bool fits =
            waits && command.exp_cmd_sn_known && has_received(command.exp_cmd_sn, cmd_sn, false);
        if (fits && command.connection != connection) return CommandsInFlight::none;
        flight_.unclaimed().pop_front();
        if (fits) return entry.slot;
    }
    return CommandsInFlight::none;
}

// An answer of its own has turned up for a command that was taken to be answered.
void InferredCommands::take_back(uint32_t slot) {
    CommandInFlight& command = flight_[slot];
    CommandRow& row = *command.row;
    command.inferred = false;
    flight_.await_again(slot);
    row.inferred = row.opcode == unknown<uint16_t>;
    if (row.response_packet != 0) --row.pdus;
    row.first_byte_packet = row.first_data_packet = row.last_data_packet = row.response_packet = 0;
    row.first_byte_ns = row.first_data_ns = row.last_data_ns = row.response_ns = no_time;
    command.data_in_passed = 0;
}

}  // namespace sanscope
