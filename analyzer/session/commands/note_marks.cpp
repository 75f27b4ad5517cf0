// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/note_marks.h"

#include <limits>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/bhs_field_ends.h"

namespace sanscope {
namespace {

struct Extent {
    uint32_t begin;
    uint32_t length;
    uint32_t end() const { return begin + length; }
};

Extent extent_of(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    const auto header = static_cast<uint32_t>(bhs_length) + bhs.ahs_length();
    return {static_cast<uint32_t>(pdu.offset), header + bhs.padded_data_length()};
}

// Unsolicited Data-Out PDUs follow a write whose F bit is 0 (RFC 7143 §11.3.1); with it, all that was let is sent.
void on_request(CommandMarks& marks, const Pdu& pdu, const Extent& extent) {
    const Bhs bhs = pdu.bhs();
    // Which of the two the target carried out is not known.
    if (marks.has_request) marks.retried = marks.doubtful = true;
    marks.has_request = true;
    marks.immediate = bhs.immediate();
    marks.request_begin = extent.begin;
    marks.request_end = extent.end();
    const bool more_to_send = bhs.write() && bhs.data_segment_length() < bhs.expected_data_transfer_length();
    if (!more_to_send) return;
    if (bhs.final()) {
        marks.out_of_permission_ns = pdu.last.time_ns;
    } else {
        ++marks.grants;
    }
}

void on_data_out(CommandMarks& marks, const Pdu& pdu, const Extent& extent) {
    marks.bytes_out += extent.length;
    marks.data_out_end = extent.end();
    marks.has_data_out = true;
    if (!pdu.bhs().final()) return;
    if (marks.grants > 0) --marks.grants;
    if (marks.grants == 0) marks.out_of_permission_ns = pdu.last.time_ns;
}

void on_r2t(ResultStore& store, CommandMarks& marks, const Pdu& pdu) {
    // What the initiator waited for before is not known any more.
    if (!marks.has_request) marks.doubtful = true;
    if (marks.grants < std::numeric_limits<uint16_t>::max()) ++marks.grants;
    if (marks.out_of_permission_ns == no_time || pdu.last.packet == 0) return;
    // Not even a moment later, where the target's own tap saw both; but the initiator waited for a round trip.
    if (pdu.last.time_ns >= marks.out_of_permission_ns)
        store.add_permission_wait(marks, {marks.out_of_permission_ns, pdu.last.time_ns, marks.last_wait});
    marks.out_of_permission_ns = no_time;
}

void on_answer(CommandMarks& marks, const Pdu& pdu, const Extent& extent) {
    if (!marks.has_answer) marks.answer_begin = extent.begin;
    marks.has_answer = true;
    marks.bytes_in += extent.length;
    const Bhs bhs = pdu.bhs();
    if (bhs.opcode() == Opcode::scsi_data_in && !bhs.has_status()) return;
    marks.has_status = true;
    marks.answer_end = extent.end();
}

}  // namespace

void note_marks(ResultStore& store, CommandNumber command, ConnectionNumber connection, const Pdu& pdu) {
    CommandMarks* const kept = store.marks_of(command);
    if (kept == nullptr) return;
    CommandMarks& marks = *kept;
    const bool of_request = pdu.bhs().opcode() == Opcode::scsi_command;
    const bool cut = of_request && pdu.header_captured < transfer_length_end;
    if (pdu.inferred || cut || store.connection_of(command) != connection) marks.doubtful = true;
    const Extent extent = extent_of(pdu);
    switch (pdu.bhs().opcode()) {
        case Opcode::scsi_command:
            return on_request(marks, pdu, extent);
        case Opcode::scsi_data_out:
            return on_data_out(marks, pdu, extent);
        case Opcode::r2t:
            return on_r2t(store, marks, pdu);
        case Opcode::scsi_data_in:
        case Opcode::scsi_response:
            return on_answer(marks, pdu, extent);
        default:
            return;
    }
}

}  // namespace sanscope
