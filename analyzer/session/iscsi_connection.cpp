// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/iscsi_connection.h"

#include <algorithm>
#include <array>

#include "analyzer/base/byte_order.h"
#include "analyzer/iscsi/header_belief.h"

namespace sanscope {
namespace {

// How much of a header must have been captured for a field to be there.
constexpr size_t tag_end = 20;
constexpr size_t cmd_sn_end = 28;
constexpr size_t stat_sn_end = 28;
constexpr size_t exp_sn_end = 32;
constexpr size_t sequence_numbers_end = 36;

// How far two sequence numbers seen in one connection may lie apart.
constexpr int32_t near = 1 << 16;

bool is_near(Serial32 a, Serial32 b) {
    const int32_t distance = a.distance_to(b);
    return distance > -near && distance < near;
}

// Where packets are missing there is no moment at which something in the stretch could have come.
bool was_cut_only(const UnseenStretch& stretch) {
    return stretch.begin_is_header && stretch.marks.size() < UnseenStretch::max_marks &&
           std::none_of(stretch.marks.begin(), stretch.marks.end(),
                        [](const UnseenStretch::Mark& mark) { return mark.not_captured; });
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
    if (framer(false).finish()) on_pdu(false);
    if (framer(true).stretch_is_open()) on_stretch(true);
    if (framer(true).finish()) on_pdu(true);
    if (session_ != nullptr) unseen_.finish(answer_shape(), session_->commands, session_->number);
    describe_found_digests();
}

bool IscsiConnection::is_plausible_header(const uint8_t* bytes, size_t captured) const {
    const Bhs bhs(bytes);
    return is_from_target(bhs.opcode_value()) ? is_plausible_response(bhs, captured)
                                              : is_plausible_request(bhs, captured);
}

bool IscsiConnection::is_plausible_request(const Bhs& bhs, size_t captured) const {
    if (bhs.opcode() == Opcode::login_request) return logging_in();
    if (bhs.opcode() == Opcode::scsi_data_out && session_ != nullptr)
        return session_->commands.knows(bhs.itt());
    if (captured < cmd_sn_end) return false;
    if (stat_sn_known_ && captured >= exp_sn_end && !is_near(bhs.exp_stat_sn(), stat_sn_)) return false;
    if (session_ == nullptr) return captured >= exp_sn_end;
    const bool has_cmd_sn = bhs.opcode() != Opcode::snack_request;
    if (!has_cmd_sn) return captured >= exp_sn_end;
    if (session_->command_window_known) return is_near(bhs.cmd_sn(), session_->exp_cmd_sn);
    return captured >= exp_sn_end || (requested_ && is_near(bhs.cmd_sn(), requested_cmd_sn_));
}

bool IscsiConnection::is_plausible_response(const Bhs& bhs, size_t captured) const {
    const Opcode opcode = bhs.opcode();
    if (opcode == Opcode::login_response) return logging_in();
    const bool has_stat_sn = opcode != Opcode::scsi_data_in || bhs.has_status();
    const bool stat_sn_seen = has_stat_sn && captured >= stat_sn_end;
    if (stat_sn_seen && stat_sn_known_ && !is_near(bhs.stat_sn(), stat_sn_)) return false;
    // Before the first answer, the requests tell which numbers the target is at.
    const bool only_requests_known = requested_exp_stat_sn_known_ && !stat_sn_known_;
    if (stat_sn_seen && only_requests_known && !is_near(bhs.stat_sn(), requested_exp_stat_sn_)) return false;
    // What is left of a header that was cut says little but its task tag.
    if (captured < sequence_numbers_end)
        return session_ != nullptr && bhs.itt() != reserved_tag && session_->commands.knows(bhs.itt());
    if (requested_ && !is_near(bhs.exp_cmd_sn(), requested_cmd_sn_)) return false;
    if (session_ == nullptr || !session_->command_window_known) return true;
    return is_near(bhs.exp_cmd_sn(), session_->exp_cmd_sn) && is_near(bhs.max_cmd_sn(), session_->max_cmd_sn);
}

void IscsiConnection::on_pdu(bool from_target) {
    const Pdu& pdu = framer(from_target).pdu();
    const bool tag_seen = pdu.header_captured >= tag_end;
    if (from_target && session_ != nullptr) {
        if (pdu.header_captured >= exp_sn_end) note_received(pdu.bhs().exp_cmd_sn());
        if (tag_seen) {
            unseen_.before_seen(pdu, answer_shape(), session_->commands, session_->number);
        } else {
            unseen_.add_partial(pdu, answer_shape());
        }
    }
    if (!from_target && pdu.bhs().opcode() == Opcode::scsi_data_out) sends_data_ = true;
    if (!from_target && counts_besides(pdu.bhs())) ++request_gap_.others;
    if (is_login_or_text(pdu.bhs().opcode())) {
        on_login_or_text(pdu);
        note_numbers(pdu, from_target);
        if (from_target && session_ != nullptr) unseen_.after_seen(pdu, 0, session_->commands);
        record(pdu, from_target, 0);
        return;
    }
    if (session_ == nullptr) join(sessions_->for_unknown_login());
    if (tag_seen) return track(pdu, from_target);
    if (!from_target) on_request_in_gap(pdu);
    record(pdu, from_target, 0);
}

void IscsiConnection::track(const Pdu& pdu, bool from_target) {
    if (!from_target && pdu.header_captured >= cmd_sn_end) close_request_gap(pdu);
    const bool moment_known = !from_target || moment_is_known(pdu);
    const uint64_t command = session_->commands.on_pdu(pdu, connection_, moment_known);
    note_numbers(pdu, from_target);
    if (from_target) {
        unseen_.after_seen(pdu, command, session_->commands);
    } else if (is_answered_besides(pdu.bhs().opcode())) {
        unseen_.on_other_request(pdu);
    }
    record(pdu, from_target, command);
}

// Whether an answer came to its end with its last packet: not if its last bytes are in none, nor if the initiator had
// acknowledged its status before even its header came: then it came a second time, and the first is missing.
bool IscsiConnection::moment_is_known(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    const bool status =
        bhs.opcode() == Opcode::scsi_response || (bhs.opcode() == Opcode::scsi_data_in && bhs.has_status());
    if (pdu.end_not_captured) {
        if (status) store_->add_unpaired({session_->number, 1, pdu.last.packet, pdu.behind.packet});
        return false;
    }
    const bool acknowledged =
        status && pdu.header_captured >= stat_sn_end && acknowledged_.before(bhs.stat_sn(), pdu.first.packet);
    if (!acknowledged) return true;
    issues_->add(Issue::answers_acknowledged_before, pdu.last.packet);
    store_->add_unpaired({session_->number, 1, requested_packet_, requested_packet_});
    return false;
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
    if (stretch.end == stretch.begin) return;
    issues_->add(Issue::resynchronisations, packet);
    if (from_target) return unseen_.add_stretch(stretch, stretch.begin_is_header);
    if (!count_requests(stretch)) note_mixed_stretch(stretch);
    request_gap_.in_open_stretch = 0;
}

// Adds what must be requests without data to the gap, where the stretch may be nothing else. False where it is not; how many
// requests are in it is then left over when the others are counted.
bool IscsiConnection::count_requests(const UnseenStretch& stretch) {
    const uint64_t length = stretch.end - stretch.begin;
    RequestGap& gap = request_gap_;
    const bool writes = gap.begun && request_length_.predicts_writes() && length % request_length_.bytes == 0;
    const uint32_t header = writes ? request_length_.bytes : header_length();
    const size_t count = length / header;
    const size_t others = gap.requests.size() - gap.in_open_stretch;
    if (!was_cut_only(stretch) || length % header != 0 || others + count > max_requests_in_gap) return false;
    size_t mark = 0;
    for (; gap.in_open_stretch < count; ++gap.in_open_stretch) {
        const uint64_t end = stretch.begin + (gap.in_open_stretch + 1) * header;
        while (mark + 1 < stretch.marks.size() && stretch.marks[mark].end < end) ++mark;
        gap.requests.push_back(stretch.marks[mark].delivered);
    }
    if (others > 0 && gap.writes != writes) gap.hopeless = true;
    gap.writes = writes;
    return true;
}

// Requests may lie in it, among data. When they came is known where all of it came with one packet.
void IscsiConnection::note_mixed_stretch(const UnseenStretch& stretch) {
    RequestGap& gap = request_gap_;
    const bool one_packet = was_cut_only(stretch) && !stretch.marks.empty() &&
                            stretch.marks.front().delivered.packet == stretch.marks.back().delivered.packet;
    gap.requests.resize(gap.requests.size() - gap.in_open_stretch);
    ++gap.mixed;
    gap.mixed_at = gap.requests.size();
    gap.mixed_arrival = one_packet ? stretch.marks.front().delivered : Arrival{};
}

AnswerShape IscsiConnection::answer_shape() const {
    AnswerShape shape;
    shape.header_length = header_length();
    shape.data_digest_length = framers_[1].data_digest() == DigestUse::yes ? digest_length : 0;
    const uint32_t declared = store_->session(session_->number).max_recv_data_segment_length_initiator;
    if (declared != unknown<uint32_t>) shape.declared_limit = declared;
    return shape;
}

void IscsiConnection::on_request_in_gap(const Pdu& pdu) {
    const bool counts = pdu.bhs().opcode() == Opcode::scsi_command && !pdu.bhs().immediate();
    // What all others are said to be, it has to be as well.
    const bool another = request_length_.predicts_writes() && request_bytes(pdu) != request_length_.bytes;
    if (!counts || another || request_gap_.requests.size() >= max_requests_in_gap) {
        request_gap_.hopeless = true;
    } else {
        const bool writes = request_length_.predicts_writes();
        sends_data_ = sends_data_ || pdu.bhs().data_segment_length() > 0;
        if (!request_gap_.requests.empty() && request_gap_.writes != writes) request_gap_.hopeless = true;
        request_gap_.writes = writes;
        request_gap_.requests.push_back(pdu.last);
    }
}

// A target that expects `exp_cmd_sn` next proves that what it has received of the gap were commands, before the next
// request tells it: their answers may be the very next.
void IscsiConnection::note_received(Serial32 exp_cmd_sn) {
    RequestGap& gap = request_gap_;
    if (!gap.begun || gap.hopeless || gap.mixed > 0 || sends_data_) return;
    PduFramer& requests = framer(false);
    if (requests.stretch_is_open()) count_requests(requests.stretch());
    // In a session of several connections the numbers may be another's.
    if (gap.requests.empty() || store_->session(session_->number).connections > 1) return;
    const int32_t received = gap.cmd_sn_before.distance_to(exp_cmd_sn) - 1;
    while (gap.commands.size() < gap.requests.size() &&
           static_cast<int32_t>(gap.commands.size()) < received) {
        const auto place = static_cast<uint32_t>(gap.commands.size());
        std::optional<uint32_t> itt;
        if (tag_stride_.predicts()) itt = gap.itt_before + (place + 1) * tag_stride_.stride;
        gap.commands.push_back(session_->commands.infer_request(itt, gap.cmd_sn_before + (place + 1),
                                                                gap.requests[place], connection_));
    }
}

// CmdSN says how many requests went by since the last one seen; where initiators count their tags up evenly, as many do,
// the tags before and behind say those between.
void IscsiConnection::close_request_gap(const Pdu& next) {
    const Bhs bhs = next.bhs();
    const bool numbered = bhs.opcode() == Opcode::scsi_command && !bhs.immediate();
    if (!numbered) return;
    RequestGap& gap = request_gap_;
    const uint32_t length_before = request_length_.bytes;
    note_length(next);
    if (gap.writes && request_length_.bytes != length_before) gap.hopeless = true;
    const int32_t left_over =
        gap.cmd_sn_before.distance_to(bhs.cmd_sn()) - 1 - static_cast<int32_t>(gap.requests.size());
    const bool in_one_mixed = gap.mixed == 1 && gap.mixed_arrival.packet != 0;
    if (gap.begun && in_one_mixed && left_over > 0 && left_over < static_cast<int32_t>(max_requests_in_gap)) {
        gap.requests.insert(gap.requests.begin() + static_cast<std::ptrdiff_t>(gap.mixed_at),
                            static_cast<size_t>(left_over), gap.mixed_arrival);
    }
    const auto missing = static_cast<uint32_t>(gap.requests.size());
    auto found = static_cast<uint32_t>(gap.commands.size());
    if (gap.begun && !gap.hopeless && gap.cmd_sn_before + (missing + 1) == bhs.cmd_sn()) {
        found = missing;
        const bool tags_known = tag_stride_.note(bhs.itt() - gap.itt_before, missing + 1);
        for (uint32_t i = 1; i <= missing; ++i) {
            std::optional<uint32_t> itt;
            if (tags_known) itt = gap.itt_before + i * tag_stride_.stride;
            if (i > gap.commands.size()) {
                session_->commands.infer_request(itt, gap.cmd_sn_before + i, gap.requests[i - 1], connection_,
                                                 gap.writes);
            } else if (itt) {
                session_->commands.set_tag(gap.commands[i - 1], *itt);
            }
        }
    }
    count_hidden_requests(next, found);
    gap.begun = true;
    gap.others = 0;
    gap.hopeless = false;
    gap.writes = false;
    gap.itt_before = bhs.itt();
    gap.cmd_sn_before = bhs.cmd_sn();
    gap.requests.clear();
    gap.in_open_stretch = 0;
    gap.mixed = 0;
    gap.commands.clear();
}

// In a session of several connections the numbers may be another's. So far ahead at once no initiator is: a damaged header.
void IscsiConnection::count_hidden_requests(const Pdu& next, uint32_t found) {
    constexpr int32_t most = 4096;
    const RequestGap& gap = request_gap_;
    const int32_t passed = gap.cmd_sn_before.distance_to(next.bhs().cmd_sn()) - 1;
    const int32_t hidden = passed - static_cast<int32_t>(found + gap.others);
    if (!gap.begun || passed > most || hidden <= 0 || store_->session(session_->number).connections > 1)
        return;
    store_->add_hidden_requests(session_->number, static_cast<uint32_t>(hidden));
    issues_->add(Issue::requests_not_seen, next.first.packet, static_cast<uint64_t>(hidden));
}

uint32_t IscsiConnection::request_bytes(const Pdu& request) const {
    const uint32_t data = (request.bhs().data_segment_length() + 3) & ~uint32_t{3};
    const bool digested = data > 0 && framers_[0].data_digest() == DigestUse::yes;
    return header_length() + data + (digested ? static_cast<uint32_t>(digest_length) : 0);
}

void IscsiConnection::note_length(const Pdu& request) {
    const Bhs bhs = request.bhs();
    const uint32_t bytes = request_bytes(request);
    sends_data_ = sends_data_ || bytes > header_length();
    if (bytes != request_length_.bytes) request_length_ = {bytes, 0, true};
    ++request_length_.in_a_row;
    const bool whole = bhs.write() && !bhs.read() && bhs.data_segment_length() > 0 &&
                       bhs.data_segment_length() == bhs.expected_data_transfer_length();
    request_length_.whole = request_length_.whole && whole;
}

bool IscsiConnection::TagStride::note(uint32_t apart, uint32_t steps) {
    const uint32_t now = apart / steps;
    if (now == 0 || now * steps != apart) {
        even = false;
        in_a_row = 0;
        return false;
    }
    if (now != stride) {
        even = even && in_a_row == 0;
        in_a_row = 0;
    }
    stride = now;
    ++in_a_row;
    if (steps == 1) shown = now;
    return now == shown && (even || in_a_row >= believed);
}

// Where no login told which digests are in use, what the PDUs showed.
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
        if (pdu.header_captured < exp_sn_end || pdu.end_not_captured) return;
        requested_exp_stat_sn_known_ = true;
        requested_exp_stat_sn_ = bhs.exp_stat_sn();
        requested_packet_ = pdu.last.packet;
        acknowledged_.on_request(bhs.exp_stat_sn(), pdu.last.packet);
        if (session_->command_window_known && !bhs.immediate())
            session_->command_window.on_command(bhs.cmd_sn(), session_->max_cmd_sn, pdu.last.time_ns);
        return;
    }
    if (bhs.opcode() != Opcode::scsi_data_in || bhs.has_status()) {
        stat_sn_ = bhs.stat_sn();
        stat_sn_known_ = true;
    }
    if (pdu.header_captured < sequence_numbers_end) return;
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
    row.from_target = from_target;
    row.final = bhs.final();
    row.damaged = pdu.damaged;
    row.inferred = pdu.inferred;
    row.header_digest = pdu.header_digest;
    row.data_digest = pdu.data_digest;
    if (pdu.header_digest == Digest::bad) issues_->add(Issue::header_digests_bad, pdu.last.packet);
    if (pdu.data_digest == Digest::bad) issues_->add(Issue::data_digests_bad, pdu.last.packet);
    if (pdu.last.packet == 0) issues_->add(Issue::pdus_incomplete, pdu.first.packet);
    note_event(pdu, row);
}

void IscsiConnection::note_event(const Pdu& pdu, const PduRow& row) {
    const Bhs bhs = pdu.bhs();
    SessionEvent event;
    event.bad_digest = pdu.header_digest == Digest::bad || pdu.data_digest == Digest::bad;
    const bool whole = pdu.header_captured >= bhs_length;
    switch (bhs.opcode()) {
        case Opcode::login_response:
            if (whole) event.code = static_cast<uint16_t>(bhs.status_class() << 8 | bhs.status_detail());
            break;
        case Opcode::logout_request:
            event.code = bhs.reason();
            break;
        case Opcode::reject:
            if (whole) event.code = bhs.reject_reason();
            break;
        case Opcode::async_message:
            if (whole) event.code = bhs.async_event();
            break;
        case Opcode::task_management_request:
            event.code = bhs.function();
            if (whole) event.lun = lun_number(bhs.lun_field());
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
    store_->add_session_event(event);
}

void IscsiConnection::join(Session* session) {
    session_ = session;
    store_->connection(connection_).session = session->number;
}

}  // namespace sanscope
