// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/iscsi_connection.h"

#include <algorithm>
#include <array>

#include "analyzer/base/byte_order.h"
#include "analyzer/iscsi/bhs_field_ends.h"
#include "analyzer/iscsi/header_belief.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/session/commands/note_marks.h"

namespace sanscope {
namespace {

// How far two sequence numbers seen in one connection may lie apart.
constexpr int32_t near = 1 << 16;

bool is_near(Serial32 a, Serial32 b) {
    const int32_t distance = a.distance_to(b);
    return distance > -near && distance < near;
}

// Requests that take a StatSN of the answer, and are no SCSI commands.
bool is_answered_besides(Opcode opcode) {
    return opcode == Opcode::nop_out || opcode == Opcode::task_management_request ||
           opcode == Opcode::logout_request;
}

// Whether CmdSN counts it, and it is no SCSI command (RFC 7143 section 4.2.2.1).
bool counts_besides(const Bhs& request) {
    const Opcode opcode = request.opcode();
    return !request.immediate() && (is_answered_besides(opcode) || opcode == Opcode::text_request);
}

// What a Reject rejects, as far as its header was captured (RFC 7143 §11.17.2).
void note_rejected(const Pdu& reject, SessionEvent& event) {
    if (reject.data.empty() || event.bad_digest) return;
    const Bhs header(reject.data.data());
    event.rejected = header.opcode_value();
    if (reject.data.size() >= tag_end) event.itt = header.itt();
}

bool is_login_or_text(Opcode opcode) {
    return opcode == Opcode::login_request || opcode == Opcode::login_response ||
           opcode == Opcode::text_request || opcode == Opcode::text_response;
}

}  // namespace

void IscsiConnection::consume(bool from_target, const StreamPiece& piece) {
    if (piece.not_captured) {
        if (!from_target) requests_unseen_ = true;
        issues_->add(Issue::holes_not_captured, piece.carried.packet);
        issues_->add(Issue::bytes_not_captured, piece.carried.packet, piece.length);
    }
    PduFramer& framer = this->framer(from_target);
    if (framer.passes(piece)) return;
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

void IscsiConnection::answers_may_be_unseen(bool may) {
    if (session_ == nullptr || may == may_be_unseen_) return;
    may_be_unseen_ = may;
    CommandsInFlight& flight = session_->inferred.in_flight();
    may ? flight.begin_waiting() : flight.end_waiting();
}

void IscsiConnection::answers_were_unseen_until(PacketNumber captured_again) {
    if (session_ != nullptr) session_->inferred.in_flight().note_unpaired(captured_again);
}

void IscsiConnection::finish() {
    answers_may_be_unseen(false);
    if (framer(false).finish()) on_pdu(false);
    if (framer(true).stretch_is_open()) on_stretch(true);
    if (framer(true).finish()) on_pdu(true);
    if (session_ != nullptr) unseen_.finish(answer_shape(), session_->inferred, session_->number);
    pings_.finish(connection_, *store_);
    describe_found_digests();
}

bool IscsiConnection::is_plausible_header(const uint8_t* bytes, size_t captured, uint64_t offset) const {
    const Bhs bhs(bytes);
    return is_from_target(bhs.opcode_value()) ? is_plausible_response(bhs, captured, offset)
                                              : is_plausible_request(bhs, captured, offset);
}

bool IscsiConnection::wants_data_in(const Bhs& bhs) const {
    return bhs.buffer_offset() < UnitDataGatherer::most_bytes && session_ != nullptr &&
           session_->commands.asks_of_unit(bhs.itt());
}

bool IscsiConnection::is_plausible_request(const Bhs& bhs, size_t captured, uint64_t offset) const {
    if (bhs.opcode() == Opcode::login_request) return logging_in();
    if (!request_numbers_.admit(bhs, captured, offset, answered_numbers())) return false;
    if (bhs.opcode() == Opcode::scsi_data_out && session_ != nullptr)
        return session_->commands.knows(bhs.itt());
    if (captured < cmd_sn_end) return false;
    if (stat_sn_known_ && captured >= exp_stat_sn_end && !is_near(bhs.exp_stat_sn(), stat_sn_)) return false;
    if (is_out_of_order(bhs)) return false;
    if (session_ == nullptr) return captured >= exp_stat_sn_end;
    const bool has_cmd_sn = bhs.opcode() != Opcode::snack_request;
    if (!has_cmd_sn) return captured >= exp_stat_sn_end;
    if (session_->command_window_known) return is_near(bhs.cmd_sn(), session_->exp_cmd_sn);
    return captured >= exp_stat_sn_end || (requested_ && is_near(bhs.cmd_sn(), requested_cmd_sn_));
}

// Commands of one connection are sent in the order of their CmdSN (RFC 7143 §4.2.2.1); one that is retried is rare. Not said
// behind a number beyond what the target admits: that is not of this session.
bool IscsiConnection::is_out_of_order(const Bhs& request) const {
    if (request.opcode() != Opcode::scsi_command || request.immediate() || !requested_) return false;
    if (session_ == nullptr || !session_->command_window_known) return false;
    return request.cmd_sn().before(requested_cmd_sn_) && !session_->max_cmd_sn.before(requested_cmd_sn_);
}

bool IscsiConnection::is_plausible_response(const Bhs& bhs, size_t captured, uint64_t offset) const {
    const Opcode opcode = bhs.opcode();
    if (opcode == Opcode::login_response) return logging_in();
    if (opcode == Opcode::text_response && !bhs.final() && !text_requested_) return false;
    const bool has_stat_sn = opcode != Opcode::scsi_data_in || bhs.has_status();
    const bool stat_sn_seen = has_stat_sn && captured >= stat_sn_end;
    if (stat_sn_seen && stat_sn_known_ && !is_near(bhs.stat_sn(), stat_sn_)) return false;
    // Before the first answer, the requests show which numbers the target is at.
    const bool only_requests_known = requested_exp_stat_sn_known_ && !stat_sn_known_;
    if (stat_sn_seen && only_requests_known && !is_near(bhs.stat_sn(), requested_exp_stat_sn_)) return false;
    if (!answer_numbers_.admit(bhs, captured, offset, requested_numbers())) return false;
    if (!fits_a_command(bhs, captured)) return false;
    if (captured < max_cmd_sn_end) return true;
    if (requested_ && !is_near(bhs.exp_cmd_sn(), requested_cmd_sn_)) return false;
    if (session_ == nullptr || !session_->command_window_known) return true;
    return is_near(bhs.exp_cmd_sn(), session_->exp_cmd_sn) && is_near(bhs.max_cmd_sn(), session_->max_cmd_sn);
}

RequestNumbers::Answered IscsiConnection::answered_numbers() const {
    RequestNumbers::Answered answered;
    if (session_ != nullptr && session_->command_window_known) answered.max_cmd_sn = session_->max_cmd_sn;
    if (stat_sn_known_) answered.stat_sn = stat_sn_;
    return answered;
}

AnswerNumbers::Requested IscsiConnection::requested_numbers() const {
    AnswerNumbers::Requested requested;
    if (requested_) requested.cmd_sn = requested_cmd_sn_;
    if (requested_exp_stat_sn_known_) requested.exp_stat_sn = requested_exp_stat_sn_;
    requested.status_again = snacked_;
    return requested;
}

// Whether a header found again may be the answer of a command that was seen, or of one that was not.
bool IscsiConnection::fits_a_command(const Bhs& answer, size_t captured) const {
    const Opcode opcode = answer.opcode();
    const bool of_command =
        opcode == Opcode::scsi_data_in || opcode == Opcode::scsi_response || opcode == Opcode::r2t;
    // What is left of a header that was cut says little but its task tag.
    const bool cut_short = captured < max_cmd_sn_end;
    const bool tag_known =
        session_ != nullptr && answer.itt() != reserved_tag && session_->commands.knows(answer.itt());
    if (!of_command) return !cut_short || tag_known;
    using Fit = CommandTracker::Fit;
    const Fit fit = tag_known ? session_->commands.fit_of(answer, captured) : Fit::unknown_tag;
    if (fit != Fit::unknown_tag) return fit == Fit::good;
    return (tag_known || !cut_short) && may_answer_an_unseen_request(answer, captured);
}

bool IscsiConnection::may_answer_an_unseen_request(const Bhs& answer, size_t captured) const {
    // Of a Data-In PDU that asks for no acknowledgement, LUN and Target Transfer Tag are reserved (RFC 7143 §11.7.4); with error
    // recovery level 0 none asks.
    if (answer.opcode() == Opcode::scsi_data_in &&
        (answer.acknowledge() || answer.lun_field() != 0 || answer.ttt() != reserved_tag))
        return false;
    if (!hidden_.may_have_tag(answer.itt())) return false;
    if (requests_unseen_ || !requested_ || !login_.full_feature() || !framers_[0].synchronised()) return true;
    // All that were sent are known: but for those whose packets the capture has only behind the answer's.
    const bool received_more =
        captured >= exp_cmd_sn_end && (requested_cmd_sn_ + 1).before(answer.exp_cmd_sn());
    return received_more || session_->commands.knows(answer.itt());
}

void IscsiConnection::on_pdu(bool from_target) {
    const Pdu& pdu = framer(from_target).pdu();
    pings_.on_pdu(pdu, from_target);
    pauses_[from_target ? 1 : 0].on_pdu(pdu, connection_, from_target ? Role::target : Role::initiator,
                                        *store_);
    const bool tag_seen = pdu.header_captured >= tag_end;
    if (from_target && session_ != nullptr) {
        if (pdu.header_captured >= exp_cmd_sn_end && hidden_.awaits_receipt())
            note_received(pdu.bhs().exp_cmd_sn());
        if (tag_seen) {
            unseen_.before_seen(pdu, answer_shape(), session_->inferred, session_->number);
        } else {
            unseen_.add_partial(pdu, answer_shape());
        }
    }
    if (!from_target && pdu.bhs().opcode() == Opcode::scsi_data_out) hidden_.on_data_out();
    if (!from_target && pdu.bhs().opcode() == Opcode::text_request) text_requested_ = true;
    if (!from_target && counts_besides(pdu.bhs())) hidden_.on_other_request();
    if (is_login_or_text(pdu.bhs().opcode())) {
        on_login_or_text(pdu);
        note_numbers(pdu, from_target);
        if (from_target && session_ != nullptr) unseen_.after_seen(pdu, 0, session_->inferred);
        record(pdu, from_target, 0);
        return;
    }
    if (session_ == nullptr) join(sessions_->for_unknown_login());
    if (pdu.bhs().opcode() == Opcode::snack_request) snacked_ = true;
    if (from_target && snacked_ && is_resent_status(pdu)) return record(pdu, from_target, 0);
    if (tag_seen) return track(pdu, from_target);
    if (!from_target) {
        requests_unseen_ = true;
        hidden_.add_partial(pdu, request_shape());
    }
    record(pdu, from_target, 0);
}

// The target sends a status again that the initiator lacks, with the StatSN it had (RFC 7143 §7.2.3, §11.16); its command has
// ended with the first.
bool IscsiConnection::is_resent_status(const Pdu& pdu) const {
    const Bhs bhs = pdu.bhs();
    const bool status =
        bhs.opcode() == Opcode::scsi_response || (bhs.opcode() == Opcode::scsi_data_in && bhs.has_status());
    return status && stat_sn_known_ && !pdu.inferred && pdu.header_captured >= stat_sn_end &&
           !stat_sn_.before(bhs.stat_sn()) && !session_->commands.knows(bhs.itt());
}

bool IscsiConnection::is_surely_a_request(const Pdu& pdu) const {
    return pdu.header_captured == bhs_length && !pdu.inferred && pdu.header_digest != Digest::bad &&
           framers_[0].proven();
}

bool IscsiConnection::is_surely_an_answer(const Pdu& pdu) const {
    if (pdu.header_captured < max_cmd_sn_end || pdu.inferred || pdu.header_digest == Digest::bad)
        return false;
    return framers_[1].proven() ||
           session_->commands.fit_of(pdu.bhs(), pdu.header_captured) == CommandTracker::Fit::good;
}

void IscsiConnection::track(const Pdu& pdu, bool from_target) {
    if (from_target && is_surely_an_answer(pdu)) answer_numbers_.note(pdu.bhs(), pdu.offset);
    if (!from_target && is_surely_a_request(pdu)) request_numbers_.note(pdu.bhs(), pdu.offset);
    if (!from_target && pdu.header_captured >= cmd_sn_end) hidden_.close(pdu, request_shape());
    const bool moment_known = !from_target || moment_is_known(pdu);
    const uint64_t command = session_->commands.on_pdu(pdu, connection_, moment_known);
    if (command != 0) note_marks(*store_, command, connection_, pdu);
    note_numbers(pdu, from_target);
    if (from_target) {
        unseen_.after_seen(pdu, command, session_->inferred);
    } else if (is_answered_besides(pdu.bhs().opcode())) {
        unseen_.on_other_request(pdu);
    }
    record(pdu, from_target, command);
}

// Whether an answer came to its end with its last packet: not if its last bytes are in none, nor if the initiator had
// acknowledged its status before even its header came: then it came a second time, and the first is missing. Nor if it is one
// status more than StatSN has room for: this one or one before it is none, or another's.
bool IscsiConnection::moment_is_known(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    const bool status =
        bhs.opcode() == Opcode::scsi_response || (bhs.opcode() == Opcode::scsi_data_in && bhs.has_status());
    if (pdu.end_not_captured) {
        if (status) store_->add_unpaired({session_->number, 1, pdu.last.packet, pdu.behind.packet});
        return false;
    }
    if (!status || pdu.header_captured < stat_sn_end) return true;
    if (!acknowledged_.before(bhs.stat_sn(), pdu.first)) {
        if (unseen_.in_number(bhs.stat_sn())) return true;
        store_->add_unpaired({session_->number, 1, pdu.last.packet, pdu.last.packet});
        return false;
    }
    issues_->add(Issue::answers_acknowledged_before, pdu.last.packet);
    store_->add_unpaired({session_->number, 1, requested_packet_, requested_packet_});
    return false;
}

void IscsiConnection::on_login_or_text(const Pdu& pdu) {
    const bool was_full_feature = login_.full_feature();
    const bool had_failed = login_.failed();
    login_.on_pdu(pdu);
    const Opcode opcode = pdu.bhs().opcode();
    if (session_ == nullptr && opcode == Opcode::login_request && !pdu.bhs().continues()) {
        leading_ = login_.tsih_requested() == 0;
        store_->connection(connection_).cid = login_.cid();
        join(sessions_->for_login(login_));
    }
    if (session_ == nullptr) {
        leading_ = true;
        join(sessions_->for_unknown_login());
    }
    // One that the target refuses to let join is no connection of the session.
    const bool refused = login_.failed() && !had_failed && !leading_;
    if (refused) --store_->session(session_->number).connections;
    if (leading_) login_.describe(store_->session(session_->number));
    if (login_.full_feature() && !was_full_feature) {
        framers_[0].set_digests(login_.header_digest(), login_.data_digest());
        framers_[1].set_digests(login_.header_digest(), login_.data_digest());
    }
}

void IscsiConnection::on_stretch(bool from_target) {
    const UnseenStretch& stretch = framer(from_target).stretch();
    const PacketNumber packet = stretch.marks.empty() ? 0 : stretch.marks.front().after;
    if (stretch.end == stretch.begin) return;
    issues_->add(Issue::resynchronisations, packet);
    pings_.on_unseen(from_target);
    if (!from_target) requests_unseen_ = true;
    if (from_target) return unseen_.add_stretch(stretch, stretch.begin_is_header);
    hidden_.add_stretch(stretch, request_shape());
}

void IscsiConnection::note_received(Serial32 exp_cmd_sn) {
    PduFramer& requests = framer(false);
    const UnseenStretch* const open = requests.stretch_is_open() ? &requests.stretch() : nullptr;
    hidden_.on_received(exp_cmd_sn, open, request_shape());
}

RequestShape IscsiConnection::request_shape() const {
    RequestShape shape;
    shape.header_length = header_length();
    shape.data_digest_length = framers_[0].data_digest() == DigestUse::yes ? digest_length : 0;
    return shape;
}

AnswerShape IscsiConnection::answer_shape() const {
    AnswerShape shape;
    shape.header_length = header_length();
    shape.data_digest_length = framers_[1].data_digest() == DigestUse::yes ? digest_length : 0;
    const uint32_t declared = store_->session(session_->number).max_recv_data_segment_length_initiator;
    if (declared != unknown<uint32_t>) shape.declared_limit = declared;
    return shape;
}

// Where no login shows which digests are in use: what the PDUs showed.
void IscsiConnection::describe_found_digests() {
    if (session_ == nullptr) return;
    SessionRow& row = store_->session(session_->number);
    const auto found = [](DigestUse one, DigestUse other) -> const char* {
        const DigestUse use = one == DigestUse::unknown ? other : one;
        return use == DigestUse::unknown ? "" : use == DigestUse::yes ? "CRC32C" : "None";
    };
    if (row.header_digest.empty()) {
        row.header_digest = found(framers_[0].header_digest(), framers_[1].header_digest());
    }
    if (row.data_digest.empty()) {
        row.data_digest = found(framers_[0].data_digest(), framers_[1].data_digest());
    }
}

uint32_t IscsiConnection::header_length() const {
    const bool digest = framers_[1].header_digest() == DigestUse::yes;
    return static_cast<uint32_t>(bhs_length + (digest ? digest_length : 0));
}

void IscsiConnection::note_numbers(const Pdu& pdu, bool from_target) {
    if (pdu.header_captured < cmd_sn_end || session_ == nullptr) return;
    const Bhs bhs = pdu.bhs();
    if (!from_target) {
        if (bhs.opcode() != Opcode::scsi_command) return;
        requested_ = true;
        requested_cmd_sn_ = bhs.cmd_sn();
        if (pdu.header_captured < exp_stat_sn_end || pdu.end_not_captured) return;
        requested_exp_stat_sn_known_ = true;
        requested_exp_stat_sn_ = bhs.exp_stat_sn();
        requested_packet_ = pdu.last.packet;
        acknowledged_.on_request(bhs.exp_stat_sn(), pdu.last);
        if (session_->command_window_known && !bhs.immediate())
            session_->command_window.on_command(bhs.cmd_sn(), session_->max_cmd_sn, pdu.last.time_ns);
        return;
    }
    if (bhs.opcode() != Opcode::scsi_data_in || bhs.has_status()) {
        stat_sn_ = bhs.stat_sn();
        stat_sn_known_ = true;
    }
    if (pdu.header_captured < max_cmd_sn_end) return;
    if (!session_->command_window_known || session_->exp_cmd_sn.before(bhs.exp_cmd_sn())) {
        session_->exp_cmd_sn = bhs.exp_cmd_sn();
    }
    if (!session_->command_window_known || session_->max_cmd_sn.before(bhs.max_cmd_sn())) {
        session_->max_cmd_sn = bhs.max_cmd_sn();
    }
    session_->command_window_known = true;
    session_->command_window.on_answer(session_->exp_cmd_sn, session_->max_cmd_sn, pdu.last.time_ns,
                                       store_->session(session_->number));
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
    row.itt_known = pdu.inferred ? row.itt != reserved_tag : pdu.header_captured >= tag_end;
    row.data_length = bhs.data_segment_length();
    row.opcode = bhs.opcode_value();
    row.sender = from_target ? Role::target : Role::initiator;
    row.final = bhs.final();
    row.damaged = pdu.damaged;
    row.inferred = pdu.inferred;
    row.header_digest = pdu.header_digest;
    row.data_digest = pdu.data_digest;
    if (pdu.header_digest == Digest::bad) issues_->add(Issue::header_digests_bad, pdu.last.packet);
    if (pdu.data_digest == Digest::bad) issues_->add(Issue::data_digests_bad, pdu.last.packet);
    if (pdu.last.packet == 0) issues_->add(Issue::pdus_incomplete, pdu.first.packet);
    if (pdu.header_digest != Digest::none || pdu.data_digest != Digest::none) note_digests(pdu, row.sender);
    note_event(pdu, row);
}

void IscsiConnection::note_digests(const Pdu& pdu, Role sender) {
    const uint64_t header = bhs_length + pdu.ahs.size() + digest_length;
    const uint64_t data = pdu.bhs().padded_data_length() + digest_length;
    store_->add_digested(sender, pdu.header_digest == Digest::none ? 0 : header,
                         pdu.data_digest == Digest::none ? 0 : data);
}

void IscsiConnection::note_event(const Pdu& pdu, const PduRow& row) {
    const Bhs bhs = pdu.bhs();
    SessionEvent event;
    event.bad_header_digest = pdu.header_digest == Digest::bad;
    event.bad_digest = event.bad_header_digest || pdu.data_digest == Digest::bad;
    event.header_error = pdu.header_error;
    event.data_error = pdu.data_error;
    const bool whole = pdu.header_captured >= bhs_length;
    switch (bhs.opcode()) {
        case Opcode::login_request:
            event.code = bhs.flags();
            if (whole) event.cid = bhs.cid();
            break;
        case Opcode::login_response:
            if (whole) event.code = static_cast<uint16_t>(bhs.status_class() << 8 | bhs.status_detail());
            break;
        case Opcode::logout_request:
            event.code = bhs.reason();
            // With which the session is closed as a whole, it names no connection (RFC 7143 §11.14.1).
            if (whole && event.code != logout_reason::close_session) event.cid = bhs.cid();
            break;
        case Opcode::logout_response:
            if (whole) event.code = bhs.response();
            break;
        case Opcode::reject:
            if (whole) event.code = bhs.reject_reason();
            note_rejected(pdu, event);
            break;
        case Opcode::async_message:
            if (!whole) break;
            event.code = bhs.async_event();
            if (event.code == async_event::connection_dropped) event.cid = bhs.parameter_1();
            if (event.code == async_event::tasks_terminated) event.lun = lun_number(bhs.lun_field());
            break;
        case Opcode::snack_request:
            event.code = bhs.snack_type();
            break;
        case Opcode::task_management_request:
            event.code = bhs.function();
            if (whole) event.lun = lun_number(bhs.lun_field());
            event.itt = row.itt;
            if (whole) event.referenced_itt = bhs.referenced_task_tag();
            break;
        case Opcode::task_management_response:
            if (whole) event.code = bhs.response();
            event.itt = row.itt;
            break;
        default:
            if (!event.bad_digest) return;
    }
    event.packet = row.last_packet != 0 ? row.last_packet : row.first_packet;
    event.time_ns = row.time_ns;
    event.command = row.command;
    event.connection = connection_;
    event.session = session_ == nullptr ? 0 : session_->number;
    event.opcode = row.opcode;
    event.sender = row.sender;
    store_->add_session_event(event);
}

void IscsiConnection::join(Session* session) {
    session_ = session;
    hidden_.join(session->inferred, session->number);
    store_->connection(connection_).session = session->number;
}

}  // namespace sanscope
