// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/iscsi_connection.h"

#include "analyzer/iscsi/header_belief.h"

namespace sanscope {
namespace {

constexpr size_t sequence_numbers_end = 36;

// How far two sequence numbers seen in one connection may lie apart.
constexpr int32_t near = 1 << 16;

bool is_near(Serial32 a, Serial32 b) {
    const int32_t distance = a.distance_to(b);
    return distance > -near && distance < near;
}

bool is_login_or_text(Opcode opcode) {
    return opcode == Opcode::login_request || opcode == Opcode::login_response ||
           opcode == Opcode::text_request || opcode == Opcode::text_response;
}

}  // namespace

void IscsiConnection::consume(bool from_target, const StreamPiece& piece) {
    if (piece.not_captured) {
        issues_->add(Issue::holes_not_captured, piece.carried.packet);
        issues_->add(Issue::bytes_not_captured, piece.carried.packet, piece.length);
    }
    PduFramer& framer = this->framer(from_target);
    PduFramer::Cursor cursor(piece);
    for (;;) {
        switch (framer.feed(cursor)) {
            case PduFramer::Fed::more:
                return;
            case PduFramer::Fed::pdu:
                on_pdu(from_target);
                break;
            case PduFramer::Fed::resynchronised:
                on_stretch(from_target);
                break;
        }
    }
}

void IscsiConnection::finish() {
    for (const bool from_target : {false, true}) {
        if (framer(from_target).finish()) on_pdu(from_target);
    }
}

bool IscsiConnection::vouches_for(const uint8_t* bytes, size_t) const {
    const Bhs bhs(bytes);
    return is_from_target(bhs.opcode_value()) ? vouches_for_answer(bhs) : vouches_for_request(bhs);
}

bool IscsiConnection::vouches_for_request(const Bhs& bhs) const {
    if (bhs.opcode() == Opcode::login_request) return true;
    if (stat_sn_known_ && !is_near(bhs.exp_stat_sn(), stat_sn_)) return false;
    if (session_ == nullptr) return true;
    if (bhs.opcode() == Opcode::scsi_data_out) return session_->commands.knows(bhs.itt());
    const bool has_cmd_sn = bhs.opcode() != Opcode::snack_request;
    return !has_cmd_sn || !session_->command_window_known || is_near(bhs.cmd_sn(), session_->exp_cmd_sn);
}

bool IscsiConnection::vouches_for_answer(const Bhs& bhs) const {
    const Opcode opcode = bhs.opcode();
    if (opcode == Opcode::login_response) return true;
    const bool has_stat_sn = opcode != Opcode::scsi_data_in || bhs.has_status();
    if (has_stat_sn && stat_sn_known_ && !is_near(bhs.stat_sn(), stat_sn_)) return false;
    if (session_ == nullptr) return true;
    if (session_->command_window_known && (!is_near(bhs.exp_cmd_sn(), session_->exp_cmd_sn) ||
                                           !is_near(bhs.max_cmd_sn(), session_->max_cmd_sn))) {
        return false;
    }
    const bool of_scsi_task =
        opcode == Opcode::scsi_data_in || opcode == Opcode::scsi_response || opcode == Opcode::r2t;
    return !of_scsi_task || session_->commands.knows(bhs.itt()) || !session_->command_window_known;
}

void IscsiConnection::on_pdu(bool from_target) {
    const Pdu& pdu = framer(from_target).pdu();
    uint64_t command = 0;
    if (is_login_or_text(pdu.bhs().opcode())) {
        on_login_or_text(pdu);
    } else {
        if (session_ == nullptr) join(sessions_->for_unknown_login());
        command = session_->commands.on_pdu(pdu, connection_);
    }
    note_numbers(pdu, from_target);
    record(pdu, from_target, command);
}

void IscsiConnection::on_login_or_text(const Pdu& pdu) {
    const bool was_full_feature = login_.full_feature();
    login_.on_pdu(pdu);
    const Opcode opcode = pdu.bhs().opcode();
    if (session_ == nullptr && opcode == Opcode::login_request && !pdu.bhs().continues()) {
        leading_ = login_.tsih_requested() == 0;
        join(sessions_->for_login(login_));
    }
    if (session_ == nullptr) {
        leading_ = true;
        join(sessions_->for_unknown_login());
    }
    if (leading_) login_.describe(store_->session(session_->number));
    if (login_.full_feature() && !was_full_feature) {
        framers_[0].set_digests(login_.header_digest(), login_.data_digest());
        framers_[1].set_digests(login_.header_digest(), login_.data_digest());
    }
}

void IscsiConnection::on_stretch(bool from_target) {
    const UnseenStretch& stretch = framer(from_target).stretch();
    const PacketNumber packet = stretch.marks.empty() ? 0 : stretch.marks.front().delivered.packet;
    if (stretch.end != stretch.begin) issues_->add(Issue::resynchronisations, packet);
}

void IscsiConnection::note_numbers(const Pdu& pdu, bool from_target) {
    if (!from_target || pdu.header_captured < sequence_numbers_end || session_ == nullptr) return;
    const Bhs bhs = pdu.bhs();
    if (!session_->command_window_known || session_->exp_cmd_sn.before(bhs.exp_cmd_sn())) {
        session_->exp_cmd_sn = bhs.exp_cmd_sn();
    }
    if (!session_->command_window_known || session_->max_cmd_sn.before(bhs.max_cmd_sn())) {
        session_->max_cmd_sn = bhs.max_cmd_sn();
    }
    session_->command_window_known = true;
    if (bhs.opcode() != Opcode::scsi_data_in || bhs.has_status()) {
        stat_sn_ = bhs.stat_sn();
        stat_sn_known_ = true;
    }
}

void IscsiConnection::record(const Pdu& pdu, bool from_target, uint64_t command) {
    const Bhs bhs = pdu.bhs();
    PduRow& row = store_->add_pdu();
    row.first_packet = pdu.first.packet;
    row.last_packet = pdu.last.packet;
    row.time_ns = pdu.last.time_ns;
    row.bhs_offset = pdu.offset;
    row.command = command;
    row.connection = connection_;
    row.itt = bhs.itt();
    row.data_length = bhs.data_segment_length();
    row.opcode = bhs.opcode_value();
    row.from_target = from_target;
    row.final = bhs.final();
    row.damaged = pdu.damaged;
    row.header_digest = pdu.header_digest;
    row.data_digest = pdu.data_digest;
    if (pdu.header_digest == Digest::bad) issues_->add(Issue::header_digests_bad, pdu.last.packet);
    if (pdu.data_digest == Digest::bad) issues_->add(Issue::data_digests_bad, pdu.last.packet);
    if (pdu.last.packet == 0) issues_->add(Issue::pdus_incomplete, pdu.first.packet);
}

void IscsiConnection::join(Session* session) {
    session_ = session;
    store_->connection(connection_).session = session->number;
}

}  // namespace sanscope
