// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/scenarios/simulated_session.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sanscope::simulated {
namespace {

using test::Bytes;
using test::PduBuilder;

constexpr uint32_t block = 512;
constexpr uint32_t longest_data_segment = 65536;
constexpr Serial32 initiator_first{1001};
constexpr Serial32 target_first{0xffff'0000};  // wraps soon
constexpr int64_t begin_ns = 1'000 * second;

Bytes transfer_cdb(uint8_t opcode, size_t number, uint32_t bytes) {
    const auto lba = static_cast<uint32_t>(number * (bytes / block));
    const uint32_t blocks = bytes / block;
    return {opcode,
            0,
            static_cast<uint8_t>(lba >> 24),
            static_cast<uint8_t>(lba >> 16),
            static_cast<uint8_t>(lba >> 8),
            static_cast<uint8_t>(lba),
            0,
            static_cast<uint8_t>(blocks >> 8),
            static_cast<uint8_t>(blocks),
            0};
}

SimulatedHost::Options host_options(const SimulatedSession::Options& options, bool initiator) {
    SimulatedHost::Options host;
    host.initiator = initiator;
    host.sender = options.sender;
    host.sender.first_byte = initiator ? initiator_first : target_first;
    host.sender.clock_offset = initiator ? 1'000'000 : 5'000'000;
    host.receiver.first_byte = initiator ? target_first : initiator_first;
    host.receiver.clock_offset = host.sender.clock_offset;
    host.receiver.mss = options.sender.mss;
    host.receiver.sack = options.sender.sack;
    host.receiver.timestamps = options.sender.timestamps;
    if (initiator) host.receiver.buffer_bytes = options.initiator_buffer;
    host.bits_per_second =
        (initiator ? options.megabits_to_target : options.megabits_to_initiator) * 1'000'000;
    host.delay_ns = options.rtt_ns / 2;
    return host;
}

SimulatedLink::Options link_options(const SimulatedSession::Options& options, uint64_t megabits) {
    SimulatedLink::Options link;
    link.delay_ns = options.rtt_ns / 2;
    link.bits_per_second = megabits * 1'000'000;
    return link;
}

}  // namespace

SimulatedSession::SimulatedSession(const Options& options)
    : options_(options),
      to_target_(time_, link_options(options, options.megabits_to_target)),
      to_initiator_(time_, link_options(options, options.megabits_to_initiator)),
      initiator_(std::make_unique<SimulatedHost>(time_, host_options(options, true), to_target_)),
      target_(std::make_unique<SimulatedHost>(time_, host_options(options, false), to_initiator_)) {
    to_target_.deliver_to([this](const WireSegment& wire) { target_->on_segment(wire, *initiator_); });
    to_initiator_.deliver_to([this](const WireSegment& wire) { initiator_->on_segment(wire, *target_); });
}

void SimulatedSession::run(int64_t at_most_ns) {
    time_.run_until(begin_ns);
    shake_hands();
    log_in();
    for (int64_t passed_ns = 0; done_ < options_.commands; passed_ns += second) {
        if (passed_ns > at_most_ns) throw std::logic_error("commands without an answer");
        time_.run_until(time_.now() + second);
    }
}

// SYN, its answer, and the acknowledgement of that, over an empty path.
void SimulatedSession::shake_hands() {
    const int64_t there_ns = options_.rtt_ns / 2;
    const auto now = [&] { return static_cast<uint32_t>(time_.now() / millisecond); };
    WireSegment syn;
    syn.seq = Serial32(initiator_first.value - 1);
    syn.flags = tcp_syn;
    syn.window = 65535;  // never scaled on a SYN
    syn.has_timestamp = options_.sender.timestamps;
    syn.timestamp = 1'000'000 + now();
    initiator_->saw(syn, *initiator_);
    time_.run_until(time_.now() + there_ns);
    target_->saw(syn, *initiator_);
    WireSegment answer = syn;
    answer.seq = Serial32(target_first.value - 1);
    answer.ack = initiator_first;
    answer.flags = tcp_syn | tcp_ack;
    answer.timestamp = 5'000'000 + now();
    answer.timestamp_echo = syn.timestamp;
    target_->saw(answer, *target_);
    time_.run_until(time_.now() + there_ns);
    initiator_->saw(answer, *target_);
    WireSegment third = answer;
    third.seq = initiator_first;
    third.ack = target_first;
    third.flags = tcp_ack;
    third.window = initiator_->window();
    third.timestamp = 1'000'000 + now();
    third.timestamp_echo = answer.timestamp;
    initiator_->saw(third, *initiator_);
    initiator_->established(options_.rtt_ns, target_->window());
    time_.run_until(time_.now() + there_ns);
    target_->saw(third, *initiator_);
    target_->established(options_.rtt_ns, initiator_->window());
}

void SimulatedSession::log_in() {
    const char* const r2t = options_.initial_r2t ? "InitialR2T=Yes" : "InitialR2T=No";
    const char* const immediate = options_.initial_r2t ? "ImmediateData=No" : "ImmediateData=Yes";
    const Bytes keys =
        test::text_keys({"InitiatorName=iqn.i", "TargetName=iqn.t", "SessionType=Normal", "HeaderDigest=None",
                         "DataDigest=None", r2t, immediate, "MaxRecvDataSegmentLength=65536",
                         "FirstBurstLength=65536", "MaxBurstLength=262144", "ErrorRecoveryLevel=0"});
    initiator_->send(test::login_request(keys).bytes(), [this, r2t, immediate] {
        const Bytes answers = test::text_keys({"HeaderDigest=None", "DataDigest=None", r2t, immediate,
                                               "MaxRecvDataSegmentLength=65536", "FirstBurstLength=65536",
                                               "MaxBurstLength=262144"});
        PduBuilder response = test::login_response(answers);
        target_->send(numbered(response, true).bytes(), [this] {
            allowed_cmd_sn_ = options_.command_window;
            begin_commands();
        });
    });
}

// Of the target: what all of its PDUs carry.
PduBuilder& SimulatedSession::numbered(PduBuilder& pdu, bool has_status) {
    if (has_status) pdu.stat_sn(stat_sn_++);
    return pdu.exp_cmd_sn(exp_cmd_sn_).max_cmd_sn(max_cmd_sn());
}

void SimulatedSession::begin_commands() {
    wanted_ = asked_ = std::min(options_.depth, options_.commands);
    send_command();
}

// As many as the application wants and the target allows.
void SimulatedSession::send_command() {
    while (wanted_ > 0 && next_cmd_sn_ <= allowed_cmd_sn_) {
        if (shut_since_ns_ != no_time) shut_ns_ += time_.now() - shut_since_ns_;
        shut_since_ns_ = no_time;
        --wanted_;
        const size_t number = commands_.size();
        if (options_.on_request) options_.on_request(*this, number);
        SimulatedCommand command;
        command.is_write = is_write(number);
        const uint32_t length = bytes_of(number);
        command.request_begin = initiator_->stream_end();
        const uint32_t cmd_sn = next_cmd_sn_++;
        const auto itt = static_cast<uint32_t>(number + 1);
        PduBuilder pdu = command.is_write ? test::scsi_command(itt, cmd_sn, test::Moves::out, length,
                                                               transfer_cdb(0x2a, number, length))
                                          : test::scsi_command(itt, cmd_sn, test::Moves::in, length,
                                                               transfer_cdb(0x28, number, length));
        if (command.is_write && !options_.initial_r2t) pdu.data(test::pattern(length));
        const Bytes bytes = pdu.bytes();
        command.request_end = command.data_out_end = command.request_begin + bytes.size();
        commands_.push_back(command);
        initiator_->send(bytes, [this, number, cmd_sn] { serve(number, cmd_sn); });
    }
    if (wanted_ > 0 && shut_since_ns_ == no_time) shut_since_ns_ = time_.now();
}

bool SimulatedSession::is_write(size_t number) const {
    return options_.write_bytes_between > 0 ? number % 2 == 1 : options_.writes;
}

uint32_t SimulatedSession::bytes_of(size_t number) const {
    return options_.write_bytes_between > 0 && is_write(number) ? options_.write_bytes_between
                                                                : options_.bytes;
}

void SimulatedSession::serve(size_t number, uint32_t cmd_sn) {
    exp_cmd_sn_ = cmd_sn + 1;
    ++under_way_at_target_;
    if (is_write(number) && options_.initial_r2t) return ask_for_data(number, 0);
    time_.at(time_.now() + options_.latency_ns, [this, number] { answer(number); });
}

void SimulatedSession::ask_for_data(size_t number, uint32_t offset) {
    const auto itt = static_cast<uint32_t>(number + 1);
    const uint32_t length = std::min(options_.max_burst, bytes_of(number) - offset);
    PduBuilder pdu = test::r2t(itt, itt, offset, length, exp_cmd_sn_);
    numbered(pdu, false).stat_sn(stat_sn_);
    target_->send(pdu.bytes(), [this, number, itt, offset, length] {
        SimulatedCommand& command = commands_[number];
        command.waits.push_back({command.data_out_end, time_.now()});
        time_.at(time_.now() + options_.data_out_lag_ns,
                 [this, number, itt, offset, length] { send_data(number, itt, offset, length); });
    });
}

void SimulatedSession::send_data(size_t number, uint32_t ttt, uint32_t offset, uint32_t length) {
    const auto itt = static_cast<uint32_t>(number + 1);
    for (uint32_t sent = 0; sent < length;) {
        const uint32_t piece = std::min(longest_data_segment, length - sent);
        const bool last = sent + piece == length;
        const bool all = last && offset + length == bytes_of(number);
        const uint32_t next = offset + length;
        const Bytes bytes =
            test::data_out(itt, ttt, offset + sent, test::pattern(piece, offset + sent), last).bytes();
        commands_[number].data_out_end = initiator_->stream_end() + bytes.size();
        initiator_->send(bytes, [this, number, last, all, next] {
            if (all) {
                time_.at(time_.now() + options_.latency_ns, [this, number] { answer(number); });
            } else if (last) {
                ask_for_data(number, next);
            }
        });
        sent += piece;
    }
}

void SimulatedSession::answer(size_t number) {
    SimulatedCommand& command = commands_[number];
    const auto itt = static_cast<uint32_t>(number + 1);
    if (options_.on_answer) options_.on_answer(*this, number);
    --under_way_at_target_;
    command.served_ns = time_.now();
    command.answer_begin = target_->stream_end();
    Bytes all;
    if (command.is_write) {
        PduBuilder response = test::scsi_response(itt, 0, 0, exp_cmd_sn_);
        all = numbered(response, true).bytes();
    } else {
        for (uint32_t sent = 0; sent < options_.bytes;) {
            const uint32_t piece = std::min(longest_data_segment, options_.bytes - sent);
            const bool last = sent + piece == options_.bytes;
            PduBuilder pdu = test::data_in(itt, sent, test::pattern(piece, sent), exp_cmd_sn_);
            if (last) pdu.flags(0x81).status(0);
            pdu.data_sn(sent / longest_data_segment);
            const Bytes bytes = numbered(pdu, last).bytes();
            all.insert(all.end(), bytes.begin(), bytes.end());
            sent += piece;
        }
    }
    command.answer_end = command.answer_begin + all.size();
    target_->send(all, [this, number, allowed = max_cmd_sn()] { on_done(number, allowed); });
}

void SimulatedSession::on_done(size_t number, uint32_t max_cmd_sn) {
    commands_[number].done = true;
    ++done_;
    allowed_cmd_sn_ = std::max(allowed_cmd_sn_, max_cmd_sn);
    if (asked_ < options_.commands) {
        ++asked_;
        time_.at(time_.now() + options_.think_ns, [this] {
            ++wanted_;
            send_command();
        });
    }
    if (wanted_ > 0) send_command();
}

Serial32 SimulatedSession::answer_segment(uint32_t number) const {
    return target_first + static_cast<uint32_t>(target_->stream_end()) + number * options_.sender.mss;
}

}  // namespace sanscope::simulated
