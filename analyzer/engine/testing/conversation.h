// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope::test {

// A number below the limit given: a fuzzer's bytes, or a random generator.
using Choose = std::function<uint32_t(uint32_t limit)>;

struct SentPdu {
    bool from_target = false;
    uint64_t begin = 0;  // in its sender's stream
    uint64_t end = 0;
    Bytes header;
};

struct SentCommand {
    uint32_t itt = 0;
    uint32_t cmd_sn = 0;
    uint32_t bytes = 0;
    uint32_t r2ts = 0;
    uint32_t pdus = 0;
    uint16_t status = 0;
    bool answered = false;
};

struct SentSegment {
    bool from_target = false;
    uint16_t flags = tcp_ack;
    uint16_t ip_id = 0;
    uint32_t seq = 0;
    uint32_t ack = 0;
    Bytes payload;
};

// A valid iSCSI connection as its two sides would lead it: login, commands of every kind with several in flight and
// tags used again, every byte where RFC 7143 puts it; and the TCP segments it went over, in order, none lost.
class Conversation {
  public:
    struct Options {
        unsigned commands = 10;
        unsigned in_flight = 4;
        bool header_digest = false;
        bool data_digest = false;
        uint32_t longest_data = 3000;
        uint32_t longest_segment = 1448;
        std::string_view initiator_key = "InitiatorName=iqn.i";
        std::string_view target_key = "TargetName=iqn.t";
    };

    Conversation(const Options& options, Choose choose) : options_(options), choose_(std::move(choose)) {
        seq_start_ = {choose_(0xffffffff), choose_(0xffffffff)};
        handshake();
        login();
        converse();
        flush();
    }

    std::vector<SentPdu> pdus;
    std::vector<SentCommand> commands;
    std::vector<SentSegment> segments;  // the handshake first, then the login request, whole

    static constexpr size_t handshake_segments = 3;

    // Those bytes of a side's stream again, cut differently, with what their sender had heard of when it first sent the last of them: no
    // PDU there is of an earlier time, nor what it acknowledges (ExpStatSN).
    SentSegment resent(bool from_target, size_t begin, size_t end) const {
        const Bytes& stream = stream_[from_target];
        SentSegment segment;
        segment.from_target = from_target;
        segment.seq = seq_start_[from_target] + 1 + static_cast<uint32_t>(begin);
        segment.payload.assign(stream.begin() + static_cast<std::ptrdiff_t>(begin),
                               stream.begin() + static_cast<std::ptrdiff_t>(end));
        const Serial32 last = Serial32(segment.seq) + static_cast<uint32_t>(end - begin - 1);
        for (const SentSegment& sent : segments) {
            const Serial32 sent_end = Serial32(sent.seq) + static_cast<uint32_t>(sent.payload.size());
            if (sent.from_target == from_target && !last.before(Serial32(sent.seq)) && last.before(sent_end))
                segment.ack = sent.ack;
        }
        return segment;
    }
    size_t stream_length(bool from_target) const { return stream_[from_target].size(); }

  private:
    struct Step {
        bool from_target;
        bool has_status;
        PduBuilder pdu;
    };
    struct Task {
        size_t command;
        std::deque<Step> steps;
    };

    void handshake() {
        segment(false, tcp_syn, seq_start_[0], {});
        segment(true, tcp_syn | tcp_ack, seq_start_[1], {});
        segment(false, tcp_ack, seq_start_[0] + 1, {});
    }

    void login() {
        const std::string_view header = options_.header_digest ? "HeaderDigest=CRC32C" : "HeaderDigest=None";
        const std::string_view data = options_.data_digest ? "DataDigest=CRC32C" : "DataDigest=None";
        const Bytes keys = text_keys({options_.initiator_key, options_.target_key, header, data});
        send(false, login_request(keys), false);
        flush(true);
        send(true, login_response(text_keys({header, data})).stat_sn(stat_sn_++), false);
        flush(true);
    }

    void converse() {
        std::deque<Task> tasks;
        unsigned begun = 0;
        while (begun < options_.commands || !tasks.empty()) {
            const bool may_begin = begun < options_.commands && tasks.size() < options_.in_flight;
            if (tasks.empty() || (may_begin && choose_(2) == 0)) {
                tasks.push_back(begin_task(tasks));
                ++begun;
                continue;
            }
            const size_t which = choose_(static_cast<uint32_t>(tasks.size()));
            Task& task = tasks[which];
            Step step = std::move(task.steps.front());
            task.steps.pop_front();
            if (step.from_target) {
                step.pdu.exp_cmd_sn(cmd_sn_);
                if (step.has_status) step.pdu.stat_sn(stat_sn_++);
            } else {
                step.pdu.exp_stat_sn(stat_sn_);
            }
            send(step.from_target, step.pdu, true);
            if (choose_(2) == 0) flush();
            if (step.has_status) commands[task.command].answered = true;
            if (task.steps.empty()) tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(which));
        }
    }

    Task begin_task(const std::deque<Task>& tasks) {
        const auto in_use = [&](uint32_t itt) {
            return std::any_of(tasks.begin(), tasks.end(),
                               [&](const Task& t) { return commands[t.command].itt == itt; });
        };
        uint32_t itt = 1 + choose_(2 * options_.in_flight);
        while (in_use(itt)) itt = itt % (2 * options_.in_flight) + 1;
        SentCommand command;
        command.itt = itt;
        command.cmd_sn = cmd_sn_++;
        Task task{commands.size(), {}};
        const auto target = [&](PduBuilder pdu, bool status) {
            task.steps.push_back({true, status, std::move(pdu)});
        };
        const auto initiator = [&](PduBuilder pdu) { task.steps.push_back({false, false, std::move(pdu)}); };
        const uint32_t length = 1 + choose_(options_.longest_data);
        const uint32_t half = length / 2;
        const auto command_pdu = [&](Moves moves, const Bytes& cdb) {
            command.bytes = moves == Moves::nothing ? 0 : length;
            return scsi_command(itt, command.cmd_sn, moves, command.bytes, cdb).exp_stat_sn(stat_sn_);
        };
        PduBuilder request(Opcode::scsi_command);
        switch (choose_(7)) {
            case 0:  // a read whose last Data-In brings the status
                request = command_pdu(Moves::in, read_10(1, 8));
                if (half > 0) target(data_in(itt, 0, pattern(half), 0), false);
                target(data_in(itt, half, pattern(length - half), 0).flags(0x81), true);
                break;
            case 1:  // a read with a response of its own
                request = command_pdu(Moves::in, read_10(2, 8));
                target(data_in(itt, 0, pattern(length), 0).flags(0x80), false);
                target(scsi_response(itt, 0, 0, 0), true);
                break;
            case 2:  // a write that waits for R2Ts
                request = command_pdu(Moves::out, write_10(3, 8));
                if (half > 0) {
                    target(r2t(itt, 1, 0, half, 0), false);
                    initiator(data_out(itt, 1, 0, pattern(half)));
                    ++command.r2ts;
                }
                target(r2t(itt, 2, half, length - half, 0), false);
                initiator(data_out(itt, 2, half, pattern(length - half)));
                ++command.r2ts;
                target(scsi_response(itt, 0, 0, 0), true);
                break;
            case 3:  // a write with immediate and unsolicited data
                request = command_pdu(Moves::out, write_10(4, 8)).flags(0x20).data(pattern(half));
                initiator(data_out(itt, reserved_tag, half, pattern(length - half)));
                target(scsi_response(itt, 0, 0, 0), true);
                break;
            case 4:  // TEST UNIT READY
                request = command_pdu(Moves::nothing, Bytes(6));
                target(scsi_response(itt, 0, 0, 0), true);
                break;
            case 5:  // a read that fails
                command.status = 2;
                request = command_pdu(Moves::in, read_10(5, 8));
                target(scsi_response(itt, 2, 0, 0).data(Bytes{0, 18, 0x70, 0, 3,    0, 0, 0, 0, 10,
                                                              0, 0,  0,    0, 0x11, 0, 0, 0, 0, 0}),
                       true);
                break;
            default:  // a long command, ping beside it
                request =
                    command_pdu(Moves::in, {0x7f, 0, 0, 0, 0, 0, 0, 24, 0, 9}).ahs({0, 17, 1, 0, 0, 0, 0,
                                                                                    0, 0,  0, 0, 0, 0, 0,
                                                                                    0, 0,  0, 0, 0, 8});
                target(data_in(itt, 0, pattern(length), 0).flags(0x81), true);
                break;
        }
        command.pdus = static_cast<uint32_t>(task.steps.size()) + 1;
        commands.push_back(command);
        send(false, request, true);
        if (choose_(2) == 0) flush();
        return task;
    }

    void send(bool from_target, const PduBuilder& pdu, bool digests) {
        const Bytes bytes = pdu.bytes(digests && options_.header_digest, digests && options_.data_digest);
        if (from_target != sending_) flush();
        sending_ = from_target;
        Bytes& stream = stream_[from_target];
        pdus.push_back({from_target, stream.size(), stream.size() + bytes.size(), pdu.header()});
        stream.insert(stream.end(), bytes.begin(), bytes.end());
    }

    // What the sending side has not sent yet, as segments of any size; the last as far as the last byte.
    void flush(bool whole = false) {
        const Bytes& stream = stream_[sending_];
        size_t& sent = sent_[sending_];
        while (sent < stream.size()) {
            const size_t limit = choose_(4) == 3 ? 60 : options_.longest_segment;
            const size_t rest = stream.size() - sent;
            const size_t length =
                whole ? rest : std::min(limit - choose_(static_cast<uint32_t>(limit)), rest);
            const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(sent);
            segment(sending_, tcp_ack, seq_start_[sending_] + 1 + static_cast<uint32_t>(sent),
                    Bytes(begin, begin + static_cast<std::ptrdiff_t>(length)));
            sent += length;
        }
    }

    void segment(bool from_target, int flags, uint32_t seq, Bytes payload) {
        SentSegment segment;
        segment.from_target = from_target;
        segment.flags = static_cast<uint16_t>(flags);
        segment.ip_id = ++ip_id_;
        segment.seq = seq;
        segment.ack = (flags & tcp_ack) == 0
                          ? 0
                          : seq_start_[!from_target] + 1 + static_cast<uint32_t>(sent_[!from_target]);
        segment.payload = std::move(payload);
        segments.push_back(std::move(segment));
    }

    Options options_;
    Choose choose_;
    std::array<uint32_t, 2> seq_start_{};
    std::array<Bytes, 2> stream_;
    std::array<size_t, 2> sent_{};
    uint16_t ip_id_ = 0;
    bool sending_ = false;
    uint32_t cmd_sn_ = 1;
    uint32_t stat_sn_ = 1;
};

}  // namespace sanscope::test
