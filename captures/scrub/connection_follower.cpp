// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/connection_follower.h"

#include <algorithm>

#include "analyzer/iscsi/header_belief.h"

namespace sanscope {
namespace {

// How much of a header must have been captured for a field to be there.
constexpr size_t tag_end = 20;
constexpr size_t own_number_end = 28;       // CmdSN, StatSN
constexpr size_t expected_number_end = 32;  // ExpStatSN, ExpCmdSN
constexpr size_t sequence_numbers_end = 36;

// Whether another header, or no more of what was captured, stands where the lengths of the one at `bytes` put it.
bool next_header_fits(const uint8_t* bytes, size_t captured, bool from_target) {
    if (captured < bhs_length) return false;
    const Bhs bhs(bytes);
    const size_t length = bhs_length + bhs.ahs_length() + bhs.padded_data_length();
    for (const size_t digests : {size_t{0}, digest_length, 2 * digest_length}) {
        const size_t next = length + digests;
        if (captured >= next + least_judged_header &&
            looks_like_header(bytes + next, captured - next, from_target))
            return true;
    }
    return false;
}

PayloadPart part_of(const Bhs& bhs, PayloadKind kind, uint64_t whole) {
    PayloadPart part;
    part.kind = kind;
    part.opcode = bhs.opcode_value();
    part.whole = static_cast<uint32_t>(whole);
    return part;
}

}  // namespace

bool ConnectionFollower::Numbers::fits(Serial32 number) const {
    constexpr int32_t near = 1 << 16;
    const int32_t distance = latest.distance_to(number);
    return known && distance > -near && distance < near;
}

void ConnectionFollower::consume(bool from_target, const StreamPiece& piece, PacketNumber awaited) {
    ClassifiedStream& stream = this->stream(from_target);
    stream.bring(piece.offset, piece.offset + piece.length, piece.not_captured ? 0 : piece.carried.packet,
                 awaited);
    // A request may lie in it that takes a tag which was another's.
    if (piece.not_captured) tags_.forget();
    if (piece.captured < piece.length) cut_at_[from_target ? 1 : 0] = piece.offset + piece.captured;
    PduFramer& framer = this->framer(from_target);
    PduFramer::Cursor cursor(piece);
    for (PduFramer::Fed fed = framer.feed(cursor); fed != PduFramer::Fed::more; fed = framer.feed(cursor)) {
        if (fed == PduFramer::Fed::pdu) {
            on_pdu(from_target);
        } else {
            tags_.forget();
            doubt(from_target);
            stream.classify_unknown(framer.stretch().end);
        }
    }
    read_to_[from_target ? 1 : 0] = piece.offset + piece.length;
    classify_under_way(from_target);
}

void ConnectionFollower::finish() {
    for (const bool from_target : {false, true}) {
        if (framer(from_target).finish()) on_pdu(from_target);
        stream(from_target).classify_unknown(read_to_[from_target ? 1 : 0]);
    }
}

// What of the PDU that is being read is known already.
void ConnectionFollower::classify_under_way(bool from_target) {
    PduFramer& framer = this->framer(from_target);
    const uint64_t read_to = read_to_[from_target ? 1 : 0];
    if (!framer.synchronised()) {
        tags_.forget();
        return stream(from_target).classify_unknown(read_to - framer.header_may_lie_within());
    }
    if (!framer.data_is_under_way()) return;
    const Bhs bhs = framer.pdu_under_way();
    classify_before(from_target, framer.header_offset());
    if (!is_believed(from_target, bhs, framer.header_offset()))
        return stream(from_target).classify_unknown(read_to);
    if (bhs.opcode() == Opcode::scsi_command)
        tags_.begin(bhs.itt(), {bhs.cdb()[0], bhs.cdb()[1], bhs.cdb()[2]});
    classify_header(from_target, bhs, framer.header_offset(), framer.data_begin());
    classify_data(from_target, bhs, framer.data_begin(), read_to);
}

// After a header was lost, lengths may have led into the midst of data.
bool ConnectionFollower::is_believed(bool from_target, const Bhs& bhs, uint64_t header) const {
    const size_t which = from_target ? 1 : 0;
    if (!doubted_[which]) return true;
    const bool cut = cut_at_[which] >= header && cut_at_[which] - header < bhs_length;
    const size_t captured = cut ? static_cast<size_t>(cut_at_[which] - header) : bhs_length;
    return looks_like_header(bhs.bytes(), captured, from_target);
}

// Between a PDU and the next one's header may stand a digest of which it was not known whether it would follow.
void ConnectionFollower::classify_before(bool from_target, uint64_t header) {
    ClassifiedStream& stream = this->stream(from_target);
    if (stream.end() >= header) return;
    if (header - stream.end() != digest_length) return stream.classify_unknown(header);
    PayloadPart part;
    part.kind = had_data_[from_target ? 1 : 0] ? PayloadKind::data_digest : PayloadKind::header_digest;
    part.whole = digest_length;
    stream.classify(header, part, stream.end());
}

void ConnectionFollower::classify_header(bool from_target, const Bhs& bhs, uint64_t header, uint64_t data) {
    ClassifiedStream& stream = this->stream(from_target);
    const CommandData command = command_of(bhs);
    const auto classify = [&](PayloadKind kind, uint64_t begin, uint64_t end) {
        if (begin >= end) return;
        PayloadPart part = part_of(bhs, kind, end - begin);
        part.scsi_opcode = command.opcode;
        part.cdb_byte_1 = command.byte_1;
        part.cdb_byte_2 = command.byte_2;
        stream.classify(end, part, begin);
    };
    const uint64_t ahs = header + bhs_length;
    const uint64_t digest = ahs + bhs.ahs_length();
    classify(PayloadKind::basic_header, header, ahs);
    classify(PayloadKind::additional_header, ahs, digest);
    classify(PayloadKind::header_digest, digest, data);
    had_data_[from_target ? 1 : 0] = bhs.data_segment_length() != 0;
}

void ConnectionFollower::classify_data(bool from_target, const Bhs& bhs, uint64_t data, uint64_t up_to) {
    ClassifiedStream& stream = this->stream(from_target);
    const CommandData command = command_of(bhs);
    const DataSegmentKind kind = data_segment_kind(bhs, command);
    const uint32_t length = bhs.data_segment_length();
    const auto classify = [&](PayloadKind part_kind, uint64_t begin, uint64_t end, uint64_t whole) {
        if (begin >= end || begin >= up_to) return;
        PayloadPart part = part_of(bhs, part_kind, whole);
        part.scsi_opcode = command.opcode;
        part.cdb_byte_1 = command.byte_1;
        part.cdb_byte_2 = command.byte_2;
        const bool has_offset = bhs.opcode() == Opcode::scsi_data_in || bhs.opcode() == Opcode::scsi_data_out;
        if (has_offset) part.buffer_offset = bhs.buffer_offset();
        stream.classify(std::min(end, up_to), part, begin);
    };
    classify(kind.first, data, data + kind.length, length);
    classify(PayloadKind::users_data, data + kind.length, data + length, length - kind.length);
    classify(PayloadKind::padding, data + length, data + bhs.padded_data_length(),
             bhs.padded_data_length() - length);
}

CommandData ConnectionFollower::command_of(const Bhs& bhs) const {
    switch (bhs.opcode()) {
        case Opcode::scsi_command:
            return {bhs.cdb()[0], bhs.cdb()[1], bhs.cdb()[2]};
        case Opcode::scsi_data_in:
        case Opcode::scsi_data_out:
        case Opcode::scsi_response:
        case Opcode::r2t:
            return tags_.find(bhs.itt());
        default:
            return {};
    }
}

void ConnectionFollower::on_pdu(bool from_target) {
    PduFramer& framer = this->framer(from_target);
    const Pdu& pdu = framer.pdu();
    const Bhs bhs = pdu.bhs();
    classify_before(from_target, pdu.offset);
    const uint64_t end = framer.next_offset();
    if (pdu.header_digest == Digest::bad) doubt(from_target);
    if (!is_believed(from_target, bhs, pdu.offset)) {
        tags_.forget();
        return stream(from_target).classify_unknown(end);
    }
    bool& one_believed = one_believed_[from_target ? 1 : 0];
    if (one_believed && pdu.header_captured == bhs_length &&
        is_plausible_header(bhs.bytes(), bhs_length, pdu.offset))
        doubted_[from_target ? 1 : 0] = false;
    one_believed = true;
    // Of a header that was cut, the CDB is zeros: a command without data.
    if (bhs.opcode() == Opcode::scsi_command)
        tags_.begin(bhs.itt(), {bhs.cdb()[0], bhs.cdb()[1], bhs.cdb()[2]});
    const uint64_t data_begin = framer.data_begin();
    classify_header(from_target, bhs, pdu.offset, std::min(data_begin, end));
    classify_data(from_target, bhs, data_begin, end);
    const uint64_t data_end = data_begin + bhs.padded_data_length();
    if (end > data_end)
        stream(from_target).classify(end, part_of(bhs, PayloadKind::data_digest, end - data_end), data_end);
    note(pdu, from_target);
}

void ConnectionFollower::note(const Pdu& pdu, bool from_target) {
    const Bhs bhs = pdu.bhs();
    if (pdu.header_captured < tag_end) return tags_.forget();
    const Opcode opcode = bhs.opcode();
    const bool is_text = opcode == Opcode::login_request || opcode == Opcode::login_response ||
                         opcode == Opcode::text_request || opcode == Opcode::text_response;
    if (is_text) {
        const bool was_full_feature = login_.full_feature();
        login_.on_pdu(pdu);
        if (login_.full_feature() && !was_full_feature) {
            for (PduFramer& each : framers_) each.set_digests(login_.header_digest(), login_.data_digest());
        }
    }
    const bool has_status =
        opcode == Opcode::scsi_response || (opcode == Opcode::scsi_data_in && bhs.has_status());
    if (has_status) {
        tags_.end(bhs.itt());
    } else if ((opcode == Opcode::r2t || opcode == Opcode::scsi_data_in) && !tags_.knows(bhs.itt())) {
        // Of a request that nobody saw.
        tags_.begin(bhs.itt(), {});
    }
    if (pdu.header_captured < expected_number_end) return;
    if (!from_target) {
        if (opcode == Opcode::scsi_command) {
            commands_seen_ = true;
            cmd_sn_.note(bhs.cmd_sn());
            if (!stat_sn_.known) stat_sn_.note(bhs.exp_stat_sn());
        }
        return;
    }
    if (opcode != Opcode::scsi_data_in || bhs.has_status()) stat_sn_.note(bhs.stat_sn());
    cmd_sn_.note(bhs.exp_cmd_sn());
}

bool ConnectionFollower::is_plausible_header(const uint8_t* bytes, size_t captured, uint64_t) const {
    const Bhs bhs(bytes);
    return is_from_target(bhs.opcode_value()) ? is_plausible_response(bhs, captured)
                                              : is_plausible_request(bhs, captured);
}

// Of a header that was cut, its task tag or the numbers that are there must fit.
bool ConnectionFollower::is_plausible_request(const Bhs& bhs, size_t captured) const {
    const Opcode opcode = bhs.opcode();
    if (opcode == Opcode::login_request) return !login_.full_feature() && !commands_seen_;
    if (opcode == Opcode::scsi_data_out && tags_.knows(bhs.itt())) return true;
    if (captured < own_number_end) return false;
    const bool stat_sn_seen = stat_sn_.known && captured >= expected_number_end;
    if (stat_sn_seen && !stat_sn_.fits(bhs.exp_stat_sn())) return false;
    const bool cmd_sn_seen =
        cmd_sn_.known && opcode != Opcode::scsi_data_out && opcode != Opcode::snack_request;
    if (cmd_sn_seen) return cmd_sn_.fits(bhs.cmd_sn());
    return stat_sn_seen || next_header_fits(bhs.bytes(), captured, false);
}

bool ConnectionFollower::is_plausible_response(const Bhs& bhs, size_t captured) const {
    const Opcode opcode = bhs.opcode();
    if (opcode == Opcode::login_response) return !login_.full_feature() && !commands_seen_;
    const bool has_stat_sn = opcode != Opcode::scsi_data_in || bhs.has_status();
    const bool stat_sn_seen = stat_sn_.known && has_stat_sn && captured >= own_number_end;
    if (stat_sn_seen && !stat_sn_.fits(bhs.stat_sn())) return false;
    if (captured < sequence_numbers_end)
        return stat_sn_seen || (bhs.itt() != reserved_tag && tags_.knows(bhs.itt()));
    if (cmd_sn_.known) return cmd_sn_.fits(bhs.exp_cmd_sn()) && cmd_sn_.fits(bhs.max_cmd_sn());
    return stat_sn_seen || next_header_fits(bhs.bytes(), captured, true);
}

}  // namespace sanscope
