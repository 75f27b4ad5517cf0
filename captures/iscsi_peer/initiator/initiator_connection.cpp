// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/initiator_connection.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "analyzer/base/byte_order.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

constexpr uint32_t most_kept = 65536;
constexpr uint32_t least_slots = 1;
constexpr size_t least_places = 4096;
constexpr uint32_t most_slots = 65535;

// On the wire the digest's bytes are those of the little-endian integer.
void append_digest(std::vector<uint8_t>& out, std::span<const uint8_t> of) {
    const uint32_t digest = crc32c_final(crc32c_update(crc32c_init, of));
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<uint8_t>(digest >> shift));
}

}  // namespace

InitiatorConnection::InitiatorConnection(LoginOffer offer, SessionNumbers& numbers, const Options& options)
    : options_(options),
      numbers_(&numbers),
      connection_tags_((offer.cid & 0x3fu) << 25),
      login_(std::move(offer), numbers.cmd_sn.value),
      receiver_(PduReceiver::Options{.most_data = most_kept}) {
    options_.slots = std::clamp(options_.slots, least_slots, most_slots);
    slots_.resize(options_.slots);
    free_.resize(options_.slots);
    for (uint32_t i = 0; i < options_.slots; ++i) free_[i] = static_cast<uint16_t>(i);
    free_count_ = options_.slots;
    slot_by_tag_.resize(std::bit_ceil(std::max(options_.slots * size_t{4}, least_places)));
    queue_login();
}

void InitiatorConnection::queue_login() {
    LoginExchange::Request request = login_.request();
    append_whole(request.header, request.data);
}

std::span<uint8_t> InitiatorConnection::append(BhsWriter& header, uint32_t length) {
    const LoginOutcome& rules = login_.outcome();
    const bool digests = phase_ != Phase::login;
    header.data_segment_length(length);
    // What was sent makes room once it is most of what lies here.
    if (sent_ > enough_to_send && sent_ > out_.size() / 2) {
        out_.erase(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(sent_));
        sent_ = 0;
    }
    const auto bytes = header.bytes();
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    if (digests && rules.header_digest) {
        append_digest(out_, bytes);
    }
    const size_t at = out_.size();
    out_.resize(at + ((length + 3) & ~3u));
    return std::span(out_).subspan(at, length);
}

void InitiatorConnection::end_append(uint32_t length) {
    if (length == 0 || phase_ == Phase::login || !login_.outcome().data_digest) return;
    const uint32_t padded = (length + 3) & ~3u;
    append_digest(out_, std::span(out_).last(padded));
}

void InitiatorConnection::append_whole(BhsWriter& header, std::string_view data) {
    const auto length = static_cast<uint32_t>(data.size());
    const std::span<uint8_t> room = append(header, length);
    if (length > 0) std::memcpy(room.data(), data.data(), length);
    end_append(length);
}

uint32_t InitiatorConnection::find(uint32_t itt) const {
    const uint32_t number = active_slot_at(itt);
    return number != no_slot && slots_[number].itt == itt ? number : no_slot;
}

void InitiatorConnection::take_numbers(Bhs header) {
    exp_stat_sn_ = header.stat_sn() + 1;
    numbers_->take(header.exp_cmd_sn(), header.max_cmd_sn());
}

std::string InitiatorConnection::name_of(Bhs header) {
    const char* const name = opcode_name(header.opcode_value());
    return name != nullptr ? name : fmt::format("opcode 0x{:02x}", header.opcode_value());
}

bool InitiatorConnection::begin_pdu(Bhs header) {
    slot_ = no_slot;
    kept_.clear();
    if (!fault_.empty()) return false;
    const bool of_login = header.opcode() == Opcode::login_response;
    if (of_login != (phase_ == Phase::login)) {
        fault(fmt::format("the target sent a PDU ({}) {} the login", name_of(header),
                          of_login ? "of the login after" : "before the end of"));
        return false;
    }
    if (header.opcode() != Opcode::scsi_data_in) return true;
    const uint32_t number = find(header.itt());
    if (number == no_slot) {
        fault("the target sent data of a command that was not sent");
        return false;
    }
    const Slot& slot = slots_[number];
    data_at_ = header.buffer_offset();
    if (slot.write) {
        fault("the target sent data of a write");
    } else if (data_at_ != slot.moved) {
        fault(fmt::format("the target sent data out of order: at {} of a command, after {} bytes", data_at_,
                          slot.moved));
    } else if (header.data_segment_length() > slot.bytes - slot.moved) {
        fault(
            fmt::format("the target sent more data than the {} bytes that a command asked for", slot.bytes));
    } else {
        slot_ = number;
    }
    return slot_ != no_slot && slot.wants_data;
}

void InitiatorConnection::keep(std::span<const uint8_t> piece) {
    const size_t room = most_kept - kept_.size();
    kept_.append(reinterpret_cast<const char*>(piece.data()), std::min(piece.size(), room));
}

TaskEnd InitiatorConnection::end_of(Bhs header, const Slot& slot) const {
    TaskEnd end{.status = header.status(), .moved = slot.moved};
    if (header.underflow()) end.residual = header.residual_count();
    if (header.opcode() == Opcode::scsi_response) {
        end.response = header.response();
        if (end.response != 0) end.how = TaskEnd::How::target_failure;
        // SenseLength and the sense data (§11.4.7).
        const auto kept = std::span(reinterpret_cast<const uint8_t*>(kept_.data()), kept_.size());
        if (kept.size() >= 2) {
            const size_t length = std::min<size_t>(load_be16(kept.data()), kept.size() - 2);
            end.sense = kept.subspan(2, length);
        }
    }
    if (end.how != TaskEnd::How::answered) return end;
    if (slot.corrupted) {
        end.how = TaskEnd::How::data_digest_wrong;
    } else if (end.status == scsi_status::good && uint64_t{end.moved} + end.residual != slot.bytes) {
        end.how = TaskEnd::How::data_missing;
    }
    return end;
}

void InitiatorConnection::on_login_response(Bhs header) {
    auto state = login_.on_response(header, kept_);
    if (!state) return fault(state.error().message);
    switch (*state) {
        case LoginExchange::State::goes_on:
            return queue_login();
        case LoginExchange::State::redirected:
            phase_ = Phase::redirected;
            return;
        case LoginExchange::State::complete:
            break;
    }
    const LoginOutcome& rules = login_.outcome();
    phase_ = Phase::full_feature;
    exp_stat_sn_ = Serial32(login_.exp_stat_sn());
    numbers_->take(Serial32(login_.exp_cmd_sn()), Serial32(login_.max_cmd_sn()));
    most_data_out_ =
        std::min(rules.max_recv_data_segment_length_target, std::max(options_.most_data_out, 512u));
    bursts_.reserve(size_t{options_.slots} * (rules.max_outstanding_r2t + 1u));
    receiver_.agree({.header_digest = rules.header_digest,
                     .data_digest = rules.data_digest,
                     .most_data = rules.max_recv_data_segment_length_initiator});
}

void InitiatorConnection::on_nop_in(Bhs header) {
    // One that answers nothing bears the next StatSN and does not use it (§11.19.3).
    if (header.itt() != reserved_tag) {
        exp_stat_sn_ = header.stat_sn() + 1;
        if (pinging_ && header.itt() == ping_tag_) pinging_ = false;
    }
    numbers_->take(header.exp_cmd_sn(), header.max_cmd_sn());
    if (header.ttt() == reserved_tag) return;
    BhsWriter answer(Opcode::nop_out);
    answer.immediate()
        .flags(pdu_flag::final)
        .lun_field(header.lun_field())
        .itt(reserved_tag)
        .ttt(header.ttt())
        .cmd_sn(numbers_->cmd_sn.value)
        .exp_stat_sn(exp_stat_sn_.value);
    append_whole(answer, std::string_view(kept_).substr(0, most_data_out_));
}

void InitiatorConnection::on_r2t(Bhs header) {
    const uint32_t number = find(header.itt());
    const uint32_t at = header.buffer_offset();
    const uint32_t length = header.desired_data_transfer_length();
    if (number == no_slot || !slots_[number].write) return fault("the target asked for data of no write");
    const Slot& slot = slots_[number];
    if (length == 0 || at > slot.bytes || length > slot.bytes - at) {
        return fault(
            fmt::format("the target asked for {} bytes at {} of a write of {}", length, at, slot.bytes));
    }
    if (bursts_.size() - first_burst_ >= size_t{options_.slots} * (login_.outcome().max_outstanding_r2t + 1u))
        return fault("the target asked for more data at once than MaxOutstandingR2T allows");
    bursts_.push_back({number, slot.itt, header.ttt(), at, length, 0});
}

void InitiatorConnection::abort_task(uint32_t slot) {
    management_tag_ = next_control_tag();
    managed_slot_ = slot;
    BhsWriter header(Opcode::task_management_request);
    header.immediate()
        .flags(pdu_flag::final | task_management::abort_task)
        .lun_field(slots_[slot].lun_field)
        .itt(management_tag_)
        .referenced_task_tag(slots_[slot].itt)
        .cmd_sn(numbers_->cmd_sn.value)
        .exp_stat_sn(exp_stat_sn_.value)
        .ref_cmd_sn(slots_[slot].cmd_sn.value);
    append_whole(header, {});
}

void InitiatorConnection::ping() {
    pinging_ = true;
    ping_tag_ = next_control_tag();
    BhsWriter header(Opcode::nop_out);
    header.immediate()
        .flags(pdu_flag::final)
        .itt(ping_tag_)
        .ttt(reserved_tag)
        .cmd_sn(numbers_->cmd_sn.value)
        .exp_stat_sn(exp_stat_sn_.value);
    append_whole(header, {});
}

void InitiatorConnection::log_out() {
    if (phase_ != Phase::full_feature) return;
    BhsWriter header(Opcode::logout_request);
    header.immediate()
        .flags(pdu_flag::final)  // reason 0: the session is to be closed
        .itt(next_control_tag())
        .cmd_sn(numbers_->cmd_sn.value)
        .exp_stat_sn(exp_stat_sn_.value);
    append_whole(header, {});
    phase_ = Phase::logging_out;
}

}  // namespace sanscope
