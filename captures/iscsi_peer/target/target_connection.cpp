// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/target_connection.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "captures/iscsi_peer/login/text_keys.h"
#include "captures/iscsi_peer/target/medium_commands.h"

#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

// A Target Transfer Tag: the task's place, and which of its R2Ts it is.
constexpr unsigned slot_bits = 11;
constexpr uint32_t serial_mask = 0xfffff;
static_assert(TargetSession::most_tasks + TargetSession::most_immediate_tasks < 1u << slot_bits);
constexpr uint32_t transfer_tag(uint16_t slot, uint32_t serial) {
    return (serial & serial_mask) << slot_bits | slot;
}

bool is_out(const ScsiPlan& plan) {
    return plan.what == ScsiPlan::What::write || plan.what == ScsiPlan::What::compare || plan.collects_data();
}

bool is_in(const ScsiPlan& plan) {
    return plan.what == ScsiPlan::What::read || plan.what == ScsiPlan::What::give;
}

// Whether it matters what the data are: what is written to a backing that keeps nothing may go as it comes.
bool wants_data(const ScsiPlan& plan, const MemoryBacking& backing) {
    return is_out(plan) && (backing.keeps() || plan.what != ScsiPlan::What::write);
}

// As the table of logins counts them: every so many.
bool is_due(const Fault& fault, uint32_t& count) {
    return ++count % fault.every == 0;
}

}  // namespace

// What PduReceiver calls.
struct TargetConnection::Handler {
    TargetConnection& connection;
    bool on_header(Bhs header) { return connection.on_header(header); }
    void on_data(std::span<const uint8_t> piece, uint32_t at) { connection.on_data(piece, at); }
    void on_end(Bhs header, bool intact) { connection.on_end(header, intact); }
};

TargetConnection::TargetConnection(SessionTable& table, std::string portal)
    : table_(table),
      portal_(std::move(portal)),
      receiver_({.header_digest = false, .data_digest = false, .most_data = most_collected}),
      fault_counts_(table.settings.faults.size()) {
    ++table_.account.connections;
}

TargetConnection::~TargetConnection() {
    std::erase(table_.woken, this);
    if (session_ == nullptr) return;
    session_->for_each_task([&](uint16_t slot, const TargetTask& task) {
        if (task.connection == this) session_->abort_task(slot);
    });
    std::erase(session_->connections, this);
    if (session_->connections.empty()) {
        table_.remove(*session_);
        return;
    }
    // At error recovery level 0 a session does not survive the loss of a connection (§7.12).
    if (logged_out_) return;
    for (TargetConnection* const other : session_->connections) other->end(Ending::now);
}

void TargetConnection::end(Ending ending) {
    ending_ = std::max(ending_, ending);
    wake();
}

void TargetConnection::wake() {
    if (std::ranges::find(table_.woken, this) == table_.woken.end()) table_.woken.push_back(this);
}

void TargetConnection::take(std::span<const uint8_t> bytes) {
    Handler handler{*this};
    if (ending_ != Ending::goes_on) return;
    // Bytes in which no PDU can be found are the end of the connection (§7.7).
    if (!receiver_.take(bytes, handler)) ending_ = std::max(ending_, Ending::now);
}

void TargetConnection::passed_over(uint32_t bytes) {
    Handler handler{*this};
    receiver_.passed_over(bytes, handler);
}

bool TargetConnection::on_header(Bhs header) {
    collects_ = false;
    collected_.clear();
    slot_ = TargetSession::no_task;
    if (ending_ != Ending::goes_on) return false;
    if (session_ == nullptr) {
        collects_ = header.opcode() == Opcode::login_request;
        if (!collects_) ending_ = Ending::now;
        return collects_;
    }
    switch (header.opcode()) {
        case Opcode::scsi_command:
            return begin_command(header);
        case Opcode::scsi_data_out:
            return begin_data_out(header);
        case Opcode::nop_out:
        case Opcode::text_request:
            collects_ = true;
            return true;
        default:
            return false;
    }
}

void TargetConnection::on_data(std::span<const uint8_t> piece, uint32_t at) {
    if (collects_) {
        const size_t room = most_collected - std::min(collected_.size(), most_collected);
        piece = piece.first(std::min(piece.size(), room));
        collected_.insert(collected_.end(), piece.begin(), piece.end());
        return;
    }
    if (session_ == nullptr || slot_ == TargetSession::no_task) return;
    TargetTask* const task = session_->find(slot_, generation_);
    const uint64_t place = uint64_t{data_at_} + at;
    if (task == nullptr || place >= task->transfer) return;
    piece = piece.first(std::min<uint64_t>(piece.size(), task->transfer - place));
    if (task->plan.what == ScsiPlan::What::write) {
        if (!task->loses_data) table_.backing.write(task->plan.lun, task->plan.offset + place, piece);
    } else if (task->plan.collects_data()) {
        if (place + piece.size() <= task->bytes.size())
            std::ranges::copy(piece, task->bytes.begin() + static_cast<ptrdiff_t>(place));
    } else if (!table_.backing.equals(task->plan.lun, task->plan.offset + place, piece)) {
        task->miscompares = true;
    }
}

void TargetConnection::on_end(Bhs header, bool intact) {
    on_whole_pdu(header, intact);
    constexpr size_t small = 4096;
    if (collected_.capacity() > small) collected_ = {};
}

void TargetConnection::on_whole_pdu(Bhs header, bool intact) {
    if (ending_ != Ending::goes_on) return;
    if (session_ == nullptr) {
        on_login(header);
        return;
    }
    switch (header.opcode()) {
        case Opcode::scsi_command:
            end_command(header, intact);
            return;
        case Opcode::scsi_data_out:
            end_data_out(header, intact);
            return;
        case Opcode::nop_out:
        case Opcode::text_request:
        case Opcode::logout_request:
        case Opcode::task_management_request:
            if (intact) {
                on_request(header);
            } else {
                reject(header, reject_reason::data_digest_error);
            }
            return;
        case Opcode::snack_request:
            reject(header, reject_reason::snack_reject);
            return;
        case Opcode::login_request:
            protocol_error(header);
            return;
        default:
            reject(header, reject_reason::command_not_supported);
            return;
    }
}

// ---- Login

void TargetConnection::on_login(Bhs header) {
    const bool is_first = !login_;
    TargetSession* const joined = header.tsih() == 0 ? nullptr : table_.find(header.isid(), header.tsih());
    if (is_first) {
        login_.emplace(table_.settings, joined == nullptr ? nullptr : &joined->negotiated);
        login_cmd_sn_ = header.cmd_sn().value;
        cid_ = header.cid();
    }
    TargetLogin::Answer answer =
        login_->on_request(header, {reinterpret_cast<const char*>(collected_.data()), collected_.size()});
    if (is_first && answer.status == LoginStatus::success) {
        ++table_.logins;
        const bool refused = std::ranges::any_of(table_.settings.faults, [&](const Fault& fault) {
            return fault.kind == FaultKind::login_refused && table_.logins % fault.every == 0;
        });
        if (refused) answer.status = LoginStatus::out_of_resources;
    }
    if (answer.status == LoginStatus::success && answer.full_feature) answer.status = enter_session(header);

    BhsWriter response(Opcode::login_response);
    response.isid(header.isid())
        .tsih(session_ != nullptr ? session_->tsih() : header.tsih())
        .itt(header.itt());
    if (answer.status == LoginStatus::success) {
        response.flags(answer.flags);
    } else {
        response.login_status(static_cast<unsigned>(answer.status) >> 8,
                              static_cast<unsigned>(answer.status) & 0xff);
        answer.text.clear();
        ending_ = Ending::after_output;
    }
    reply(response, {answer.text.begin(), answer.text.end()}, true);
    if (session_ == nullptr) return;
    login_.reset();
    receiver_.agree({.header_digest = outcome_.header_digest,
                     .data_digest = outcome_.data_digest,
                     .most_data = outcome_.max_recv_data_segment_length_target});
}

LoginStatus TargetConnection::enter_session(Bhs header) {
    const std::string& initiator = login_->initiator_name();
    if (header.tsih() != 0) {
        TargetSession* const session = table_.find(header.isid(), header.tsih());
        if (session == nullptr || session->initiator_name() != initiator || session->discovery())
            return LoginStatus::no_such_session;
        size_t others = 0;
        for (TargetConnection* const other : session->connections) {
            // Who comes again takes the place of what there was (§6.3.4).
            if (other->cid_ == cid_) {
                other->logged_out_ = true;
                other->end(Ending::now);
            } else {
                ++others;
            }
        }
        if (others >= session->negotiated.max_connections) return LoginStatus::too_many_connections;
        session_ = session;
        outcome_ = login_->outcome();
    } else {
        for (const auto& session : table_.sessions()) {
            if (session->isid() != header.isid() || session->initiator_name() != initiator) continue;
            for (TargetConnection* const other : session->connections) other->end(Ending::now);
        }
        if (table_.full() && !table_.make_room()) return LoginStatus::out_of_resources;
        session_ = &table_.add(initiator, header.isid(), login_cmd_sn_, login_->discovery());
        session_->negotiated = outcome_ = login_->outcome();
    }
    session_->connections.push_back(this);
    return LoginStatus::success;
}

// ---- SCSI commands and their data

bool TargetConnection::begin_command(Bhs header) {
    if (session_->discovery()) {
        protocol_error(header);
        return false;
    }
    // What is outside of the window is not there (§4.2.2.1).
    if (!header.immediate() && !session_->expects(header.cmd_sn().value)) return false;
    const uint32_t length = header.data_segment_length();
    const bool data_allowed = header.write() && outcome_.immediate_data &&
                              length <= outcome_.first_burst_length &&
                              length <= header.expected_data_transfer_length();
    const bool goes_on = header.write() && !header.final();
    if ((length > 0 && !data_allowed) || (goes_on && outcome_.initial_r2t)) {
        protocol_error(header);
        return false;
    }
    // A tag names one task of the session (§11.2.1.8).
    if (session_->in_use(header.itt())) {
        reject_command(header, reject_reason::task_in_progress);
        return false;
    }
    slot_ = session_->begin_task(this, header.itt(), header.cmd_sn().value, header.immediate());
    if (slot_ == TargetSession::no_task) {
        BhsWriter response(Opcode::scsi_response);
        response.flags(pdu_flag::final).status(scsi_status::task_set_full).itt(header.itt());
        reply(response);
        return false;
    }
    TargetTask& task = session_->task(slot_);
    generation_ = task.generation;
    task.arriving = true;
    data_at_ = 0;
    plan_command(task, header);
    if (!task.bytes.empty()) session_->count(slot_);
    task.within_unsolicited = goes_on;
    return task.transfer > 0 && wants_data(task.plan, table_.backing);
}

void TargetConnection::reject_command(Bhs header, uint8_t reason) {
    reject(header, reason);
    if (header.immediate()) return;
    // Those that come after it still find their place in the order.
    session_->begin_task(nullptr, header.itt(), header.cmd_sn().value, false);
    execute_in_order();
}

void TargetConnection::plan_command(TargetTask& task, Bhs header) {
    task.is_command = true;
    task.lun_field = header.lun_field();
    task.plan = table_.device.plan(task.lun_field, header.cdb(), task.bytes);
    if (task.plan.what == ScsiPlan::What::read || task.plan.what == ScsiPlan::What::write) {
        if (!fault_counts_.empty()) apply_faults(task);
        // This command itself is counted.
        if (const uint32_t most = table_.settings.task_set;
            most > 0 && table_.commands_under_way(task.lun_field) > most)
            only_answer(task, scsi_status::task_set_full);
    }
    task.expected = header.expected_data_transfer_length();
    const bool moves = is_in(task.plan) ? header.read() : is_out(task.plan) && header.write();
    const uint32_t room = moves ? task.expected : 0;
    task.transfer = std::min(task.plan.length, room);
    task.overflow = task.plan.length > room;
    task.residual = task.overflow ? task.plan.length - room
                                  : (header.read() || header.write() ? task.expected - task.transfer : 0);
    if (task.plan.collects_data()) task.bytes.assign(task.transfer, 0);
}

void TargetConnection::only_answer(TargetTask& task, uint8_t status) {
    task.plan.what = ScsiPlan::What::status;
    task.plan.status = status;
    task.plan.length = 0;
}

void TargetConnection::apply_faults(TargetTask& task) {
    const bool reads = task.plan.what == ScsiPlan::What::read;
    for (size_t i = 0; i < fault_counts_.size(); ++i) {
        const Fault& fault = table_.settings.faults[i];
        if (!is_due(fault, fault_counts_[i])) continue;
        switch (fault.kind) {
            case FaultKind::busy:
                only_answer(task, scsi_status::busy);
                break;
            case FaultKind::task_set_full:
                only_answer(task, scsi_status::task_set_full);
                break;
            case FaultKind::check_condition:
                only_answer(task, scsi_status::check_condition);
                task.plan.sense = reads ? senses::unrecovered_read : senses::write_error;
                break;
            case FaultKind::short_read:
                if (reads) task.plan.length /= 2;
                break;
            case FaultKind::corrupt_header_digest:
                task.wrong_header_digest = true;
                break;
            case FaultKind::corrupt_data_digest:
                task.wrong_data_digest = true;
                break;
            case FaultKind::never_answer:
                task.never_answered = true;
                break;
            case FaultKind::reset:
                ending_ = Ending::reset;
                break;
            case FaultKind::close:
                ending_ = std::max(ending_, Ending::now);
                break;
            case FaultKind::login_refused:
                break;
            case FaultKind::lost_write:
                task.loses_data = !reads;
                break;
            case FaultKind::async_logout: {
                constexpr unsigned asks_for_logout = 1;
                constexpr uint16_t seconds = 3;
                BhsWriter message(Opcode::async_message);
                message.flags(pdu_flag::final)
                    .itt(reserved_tag)
                    .async_event(asks_for_logout)
                    .async_parameters(0, 0, seconds);
                reply(message);
                break;
            }
        }
    }
}

void TargetConnection::end_command(Bhs header, bool intact) {
    if (slot_ == TargetSession::no_task) return;
    TargetTask* const task = session_->find(slot_, generation_);
    if (task != nullptr) {
        task->arriving = false;
        task->done = is_out(task->plan) || task->within_unsolicited ? header.data_segment_length() : 0;
        task->solicited_from = task->solicited_to = task->done;
        if (!intact) {
            task->crc_failed = true;
            reject(header, reject_reason::data_digest_error);
        }
        if (task->immediate) go_on(slot_);
    }
    execute_in_order();
}

TargetTask* TargetConnection::task_of_data_out(Bhs header) {
    const uint32_t tag = header.ttt();
    slot_ = tag == reserved_tag ? session_->find_command(*this, header.itt())
                                : static_cast<uint16_t>(tag & ((1u << slot_bits) - 1));
    if (!session_->has_slot(slot_)) return nullptr;
    TargetTask& task = session_->task(slot_);
    const bool waits = task.state == TargetTask::State::waits && task.is_command && task.connection == this &&
                       task.itt == header.itt();
    return waits ? &task : nullptr;
}

uint32_t TargetConnection::sequence_end(const TargetTask& task) const {
    const uint64_t end = task.solicited_from + (uint64_t{task.r2ts_served} + 1) * outcome_.max_burst_length;
    return static_cast<uint32_t>(std::min<uint64_t>(end, task.transfer));
}

bool TargetConnection::begin_data_out(Bhs header) {
    TargetTask* const task = task_of_data_out(header);
    if (task == nullptr) {
        slot_ = TargetSession::no_task;  // of a task that was ended: not wanted any more
        return false;
    }
    const uint64_t end = uint64_t{task->done} + header.data_segment_length();
    const bool solicited = header.ttt() != reserved_tag;
    const uint32_t most =
        solicited ? sequence_end(*task) : std::min(outcome_.first_burst_length, task->expected);
    bool right = header.buffer_offset() == task->done && end <= most;
    if (solicited) {
        right = right && task->r2ts_served < task->r2ts &&
                header.ttt() == transfer_tag(slot_, task->r2ts_served) && header.final() == (end == most);
    } else {
        right = right && task->within_unsolicited;
    }
    if (!right) {
        slot_ = TargetSession::no_task;
        protocol_error(header);
        return false;
    }
    // Out of order it means a PDU whose digest was wrong (RFC 7143 §7.9), and ends as that would, with this command alone.
    if (header.data_sn() != task->data_sn) task->crc_failed = true;
    generation_ = task->generation;
    data_at_ = task->done;
    return wants_data(task->plan, table_.backing);
}

void TargetConnection::end_data_out(Bhs header, bool intact) {
    if (slot_ == TargetSession::no_task) return;
    TargetTask* const task = session_->find(slot_, generation_);
    if (task == nullptr) return;
    if (!intact) {
        task->crc_failed = true;
        reject(header, reject_reason::data_digest_error);
    }
    task->done += header.data_segment_length();
    ++task->data_sn;
    if (!header.final()) return;
    task->data_sn = 0;
    if (header.ttt() == reserved_tag) {
        task->within_unsolicited = false;
        task->solicited_from = task->solicited_to = task->done;
    } else {
        ++task->r2ts_served;
    }
    go_on(slot_);
}

void TargetConnection::go_on(uint16_t slot) {
    TargetTask& task = session_->task(slot);
    if (!task.its_turn || task.state != TargetTask::State::waits || task.within_unsolicited) return;
    if (is_out(task.plan) && task.done < task.transfer) {
        ask_for_data(slot, task);
    } else {
        answer(slot);
    }
}

void TargetConnection::ask_for_data(uint16_t slot, TargetTask& task) {
    while (task.solicited_to < task.transfer && task.r2ts - task.r2ts_served < outcome_.max_outstanding_r2t) {
        Reply r2t;
        r2t.what = Reply::What::r2t;
        r2t.slot = slot;
        r2t.generation = task.generation;
        r2t.serial = task.r2ts++;
        r2t.offset = task.solicited_to;
        r2t.length = std::min(outcome_.max_burst_length, task.transfer - task.solicited_to);
        task.solicited_to += r2t.length;
        replies_.push(r2t);
    }
}

bool TargetConnection::is_delayed(const TargetTask& task) const {
    const TargetSettings& settings = table_.settings;
    if (settings.latency.count() == 0 || task.plan.status == scsi_status::task_set_full) return false;
    if (settings.latency_lun && (!task.is_command || task.plan.lun != *settings.latency_lun)) return false;
    switch (settings.latency_of) {
        case TargetSettings::LatencyOf::reads:
            return task.plan.what == ScsiPlan::What::read;
        case TargetSettings::LatencyOf::writes:
            return task.plan.what == ScsiPlan::What::write;
        case TargetSettings::LatencyOf::all:
            break;
    }
    return true;
}

// When the answer goes, as far as the time of the service is concerned.
std::chrono::steady_clock::time_point TargetConnection::served_at(const TargetTask& task) {
    auto at = table_.now;
    const std::chrono::nanoseconds exclusive = table_.settings.exclusive_latency;
    const uint64_t lun = lun_number(task.lun_field);
    if (exclusive.count() > 0 && task.is_command && lun < table_.settings.luns) {
        at = task.plan.collects_data()
                 ? table_.occupation.occupy(static_cast<uint32_t>(lun), table_.now, exclusive)
                 : table_.occupation.free_from(static_cast<uint32_t>(lun), table_.now);
    }
    return is_delayed(task) ? at + table_.settings.latency : at;
}

void TargetConnection::carry_out_collected(uint16_t slot) {
    TargetTask& task = session_->task(slot);
    const std::vector<uint8_t> data = session_->take(slot);
    if (task.crc_failed) return;
    // Of blocks neither more nor fewer than were named are right; of a list some may be left over.
    const bool misfits = task.residual != 0 && task.plan.what != ScsiPlan::What::unmap;
    const Sense sense = misfits ? senses::parameter_list_length_error
                                : carry_out(task.plan, data, table_.device, table_.backing);
    if (sense.key == 0) return;
    task.plan.status = scsi_status::check_condition;
    task.plan.sense = sense;
}

void TargetConnection::push_answer(uint16_t slot, uint32_t generation) {
    Reply made;
    made.what = Reply::What::answer;
    made.slot = slot;
    made.generation = generation;
    replies_.push(made);
}

void TargetConnection::answer(uint16_t slot) {
    TargetTask& task = session_->task(slot);
    if (task.plan.collects_data()) carry_out_collected(slot);
    task.state = TargetTask::State::answers;
    task.done = task.data_sn = 0;  // from here on of what is given
    if (task.never_answered) return;
    const auto due = served_at(task);
    if (due <= table_.now) {
        push_answer(slot, task.generation);
        return;
    }
    delayed_.push_back({.due = due, .order = delayed_so_far_++, .slot = slot, .generation = task.generation});
    std::ranges::push_heap(delayed_, std::greater<>());
}

std::optional<std::chrono::steady_clock::time_point> TargetConnection::next_due() const {
    if (delayed_.empty()) return std::nullopt;
    return delayed_.front().due;
}

void TargetConnection::on_time() {
    while (!delayed_.empty() && delayed_.front().due <= table_.now) {
        push_answer(delayed_.front().slot, delayed_.front().generation);
        std::ranges::pop_heap(delayed_, std::greater<>());
        delayed_.pop_back();
    }
}

// ---- Other requests

void TargetConnection::on_request(Bhs header) {
    if (header.immediate()) {
        execute(header, std::exchange(collected_, {}));
        execute_in_order();
        return;
    }
    const uint32_t cmd_sn = header.cmd_sn().value;
    if (!session_->expects(cmd_sn)) return;
    if (cmd_sn == session_->exp_cmd_sn()) {
        session_->count_request();
        execute(header, std::exchange(collected_, {}));
    } else {
        const uint16_t slot = session_->begin_task(this, header.itt(), cmd_sn, false);
        if (slot == TargetSession::no_task) return;
        TargetTask& task = session_->task(slot);
        std::copy_n(header.bytes(), bhs_length, task.header.begin());
        if (!session_->keep(slot, std::exchange(collected_, {}))) {
            session_->abort_task(slot);
            end(Ending::now);
            return;
        }
    }
    execute_in_order();
}

void TargetConnection::execute_in_order() {
    for (uint16_t slot = session_->next_in_order(); slot != TargetSession::no_task;
         slot = session_->next_in_order()) {
        TargetTask& task = session_->task(slot);
        TargetConnection* const connection = task.connection;
        if (connection != nullptr && connection != this) connection->wake();
        if (task.is_command && connection != nullptr) {
            connection->go_on(slot);
            continue;
        }
        const auto header = task.header;
        std::vector<uint8_t> data = session_->take(slot);
        session_->end_task(slot);
        if (connection != nullptr) connection->execute(Bhs(header.data()), std::move(data));
    }
}

void TargetConnection::execute(Bhs header, std::vector<uint8_t> data) {
    switch (header.opcode()) {
        case Opcode::nop_out:
            on_nop(header, std::move(data));
            return;
        case Opcode::text_request:
            on_text(header, data);
            return;
        case Opcode::logout_request:
            on_logout(header);
            return;
        default:
            on_task_management(header);
            return;
    }
}

void TargetConnection::on_nop(Bhs header, std::vector<uint8_t> data) {
    if (header.itt() == reserved_tag) return;  // it wants no answer
    data.resize(std::min<size_t>(data.size(), outcome_.max_recv_data_segment_length_initiator));
    BhsWriter response(Opcode::nop_in);
    response.flags(pdu_flag::final).lun_field(header.lun_field()).itt(header.itt()).ttt(reserved_tag);
    reply(response, std::move(data));
}

void TargetConnection::on_text(Bhs header, const std::vector<uint8_t>& data) {
    constexpr uint32_t goes_on_tag = 1;
    BhsWriter response(Opcode::text_response);
    response.lun_field(header.lun_field()).itt(header.itt());
    if (text_.size() + data.size() > most_collected) {
        text_.clear();
        reject(header, reject_reason::protocol_error);
        return;
    }
    text_.append(data.begin(), data.end());
    if (header.continues()) {
        response.ttt(goes_on_tag);
        reply(response);
        return;
    }
    const auto keys = read_text_keys(std::exchange(text_, {}));
    if (!keys) {
        reject(header, reject_reason::protocol_error);
        return;
    }
    TextKeys answers;
    for (const auto& [name, value] : *keys) {
        if (name != "SendTargets") {
            answers.emplace_back(name, "NotUnderstood");
            continue;
        }
        const bool asks_for_this = value == table_.settings.name ||
                                   (value.empty() && !session_->discovery()) ||
                                   (value == "All" && session_->discovery());
        if (!asks_for_this) continue;
        constexpr std::string_view portal_group = ",1";
        answers.emplace_back("TargetName", table_.settings.name);
        answers.emplace_back("TargetAddress", portal_ + std::string(portal_group));
    }
    const std::string text = write_text_keys(answers);
    if (text.size() > outcome_.max_recv_data_segment_length_initiator) {
        reject(header, reject_reason::protocol_error);
        return;
    }
    response.flags(pdu_flag::final).ttt(reserved_tag);
    reply(response, {text.begin(), text.end()});
}

void TargetConnection::on_logout(Bhs header) {
    enum : uint8_t { close_session = 0, close_connection = 1 };
    enum : uint8_t { closed = 0, no_such_connection = 1, no_recovery = 2 };
    uint8_t outcome = no_recovery;
    const auto close = [](TargetConnection* connection) {
        connection->logged_out_ = true;
        connection->end(Ending::after_output);
    };
    if (header.reason() == close_session) {
        std::ranges::for_each(session_->connections, close);
        outcome = closed;
    } else if (header.reason() == close_connection) {
        const auto found = std::ranges::find_if(
            session_->connections,
            [&](const TargetConnection* connection) { return connection->cid_ == header.cid(); });
        outcome = found == session_->connections.end() ? no_such_connection : closed;
        if (found != session_->connections.end()) close(*found);
    }
    BhsWriter response(Opcode::logout_response);
    response.flags(pdu_flag::final).response(outcome).itt(header.itt());
    reply(response);
}

void TargetConnection::on_task_management(Bhs header) {
    const uint8_t outcome = manage_tasks(header);
    BhsWriter response(Opcode::task_management_response);
    response.flags(pdu_flag::final).response(outcome).itt(header.itt());
    reply(response);
}

uint8_t TargetConnection::manage_tasks(Bhs header) {
    enum : uint8_t {
        abort_task = 1,
        abort_task_set = 2,
        clear_aca = 3,
        clear_task_set = 4,
        logical_unit_reset = 5,
        target_warm_reset = 6,
        target_cold_reset = 7,
        task_reassign = 8,
    };
    const uint8_t function = header.function();
    const auto abort_where = [&](auto holds) {
        session_->for_each_task([&](uint16_t slot, const TargetTask& task) {
            if (task.is_command && holds(task)) session_->abort_task(slot);
        });
        return task_management::function_complete;
    };
    switch (function) {
        case abort_task:
            return abort_one(header);
        case abort_task_set:
        case clear_task_set:
        case logical_unit_reset:
            if (lun_number(header.lun_field()) >= table_.settings.luns)
                return task_management::lun_does_not_exist;
            return abort_where([&](const TargetTask& task) { return task.lun_field == header.lun_field(); });
        case target_cold_reset:
            for (TargetConnection* const connection : session_->connections)
                connection->end(Ending::after_output);
            [[fallthrough]];
        case target_warm_reset:
            return abort_where([](const TargetTask&) { return true; });
        case clear_aca:
            return task_management::function_not_supported;
        case task_reassign:
            return task_management::reassignment_not_supported;
        default:
            return task_management::function_rejected;
    }
}

uint8_t TargetConnection::abort_one(Bhs header) {
    const uint16_t slot = session_->find_command(*this, header.referenced_task_tag());
    if (slot != TargetSession::no_task) {
        session_->abort_task(slot);
        return task_management::function_complete;
    }
    // A command that is yet to come counts as if it had come and been aborted (§11.5.5, §11.6.1).
    const uint32_t cmd_sn = header.ref_cmd_sn();
    if (!session_->expects(cmd_sn)) return task_management::task_does_not_exist;
    session_->begin_task(nullptr, header.referenced_task_tag(), cmd_sn, false);
    return task_management::function_complete;
}

// ---- What is sent

void TargetConnection::reply(const BhsWriter& header, std::vector<uint8_t> data, bool is_login) {
    others_bytes_ += data.size();
    others_.push({header, std::move(data), is_login});
    Reply made;
    made.what = Reply::What::other;
    replies_.push(made);
}

void TargetConnection::reject(Bhs header, uint8_t reason) {
    BhsWriter rejection(Opcode::reject);
    rejection.flags(pdu_flag::final).response(reason).itt(reserved_tag);
    reply(rejection, {header.bytes(), header.bytes() + bhs_length});
}

void TargetConnection::protocol_error(Bhs header) {
    reject(header, reject_reason::protocol_error);
    ending_ = std::max(ending_, Ending::after_output);
}

OutputBatch::Digests TargetConnection::digests(bool wrong_header, bool wrong_data) const {
    return {outcome_.header_digest, outcome_.data_digest, wrong_header, wrong_data};
}

BhsWriter& TargetConnection::number(BhsWriter& header, bool takes_stat_sn) {
    header.stat_sn(takes_stat_sn ? stat_sn_++ : stat_sn_);
    if (session_ == nullptr) return header.exp_cmd_sn(login_cmd_sn_).max_cmd_sn(login_cmd_sn_);
    return header.exp_cmd_sn(session_->exp_cmd_sn()).max_cmd_sn(session_->max_cmd_sn());
}

void TargetConnection::fill(OutputBatch& batch) {
    while (!replies_.empty() && !batch.full()) {
        const Reply& next = replies_.front();
        if (next.what == Reply::What::other) {
            Other& other = others_.front();
            number(other.header, true);
            others_bytes_ -= other.data.size();
            batch.add(other.header, batch.keep(std::move(other.data)),
                      other.is_login ? OutputBatch::Digests{} : digests());
            others_.pop();
        } else if (next.what == Reply::What::r2t) {
            if (const TargetTask* const task = session_->find(next.slot, next.generation)) {
                BhsWriter header(Opcode::r2t);
                header.flags(pdu_flag::final)
                    .lun_field(task->lun_field)
                    .itt(task->itt)
                    .ttt(transfer_tag(next.slot, next.serial))
                    .data_sn(next.serial)
                    .buffer_offset(next.offset)
                    .desired_data_transfer_length(next.length);
                batch.add(number(header, false), {}, digests());
            }
        } else if (!fill_answer(next, batch)) {
            return;
        }
        replies_.pop();
    }
}

// Whether all of the answer is in the batch.
bool TargetConnection::fill_answer(const Reply& reply, OutputBatch& batch) {
    TargetTask* const task = session_->find(reply.slot, reply.generation);
    if (task == nullptr) return true;
    const bool in = is_in(task->plan) && task->transfer > 0;
    std::span<const uint8_t> given;
    if (in && task->plan.what == ScsiPlan::What::give) {
        // Its few PDUs go together, so that the bytes change hands once.
        constexpr size_t most_pdus = 8;
        if (batch.room() < most_pdus) return false;
        given = batch.keep(session_->take(reply.slot));
    }
    // Another command may write there between the making of the digest and the sending of the data.
    const bool to_copy = given.empty() && outcome_.data_digest && table_.backing.keeps();
    while (in && task->done < task->transfer) {
        if (batch.full()) return false;
        const uint32_t burst = outcome_.max_burst_length;
        const uint32_t length = std::min({outcome_.max_recv_data_segment_length_initiator,
                                          task->transfer - task->done, burst - task->done % burst});
        if (to_copy && !batch.room_to_copy(length)) return false;
        const uint32_t offset = task->done;
        task->done += length;
        const bool last = task->done == task->transfer;
        BhsWriter header(Opcode::scsi_data_in);
        header.itt(task->itt).ttt(reserved_tag).data_sn(task->data_sn++).buffer_offset(offset);
        if (last) session_->leave_window(reply.slot);
        number(header, last);
        if (last) {
            const unsigned residue = task->residual == 0 ? 0
                                     : task->overflow    ? pdu_flag::overflow
                                                         : pdu_flag::underflow;
            header.flags(pdu_flag::final | pdu_flag::status | residue).residual_count(task->residual);
        } else {
            header.flags(task->done % burst == 0 ? pdu_flag::final : 0).stat_sn(0);
        }
        std::span<const uint8_t> data =
            given.empty() ? table_.backing.read(task->plan.lun, task->plan.offset + offset, length)
                          : given.subspan(offset, length);
        if (to_copy) data = batch.copy(data);
        batch.add(header, data,
                  digests(offset == 0 && task->wrong_header_digest, offset == 0 && task->wrong_data_digest));
        table_.account.bytes_read += length;
    }
    if (!in) {
        if (batch.full()) return false;
        session_->leave_window(reply.slot);
        add_response(*task, batch);
    }
    ++table_.account.commands;
    session_->end_task(reply.slot);
    return true;
}

void TargetConnection::add_response(const TargetTask& task, OutputBatch& batch) {
    uint8_t status = task.plan.status;
    Sense sense = task.plan.sense;
    if (status == scsi_status::good && (task.crc_failed || task.miscompares)) {
        status = scsi_status::check_condition;
        sense = task.crc_failed ? senses::crc_error : senses::miscompare;
    }
    std::vector<uint8_t> data;
    if (status == scsi_status::check_condition) {
        constexpr size_t sense_length_field = 2;
        data.resize(sense_length_field + fixed_sense_length);
        data[1] = fixed_sense_length;
        write_fixed_sense(sense, std::span<uint8_t, fixed_sense_length>(data.data() + sense_length_field,
                                                                        fixed_sense_length));
    }
    if (task.plan.what == ScsiPlan::What::write) table_.account.bytes_written += task.transfer;
    const unsigned residue = task.residual == 0 ? 0
                             : task.overflow    ? pdu_flag::overflow
                                                : pdu_flag::underflow;
    BhsWriter header(Opcode::scsi_response);
    header.flags(pdu_flag::final | residue)
        .status(status)
        .itt(task.itt)
        .data_sn(task.r2ts)  // ExpDataSN: R2Ts count as Data-In PDUs do
        .residual_count(task.residual);
    number(header, true);
    batch.add(header, batch.keep(std::move(data)), digests(task.wrong_header_digest, false));
}

}  // namespace sanscope
