// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analyzer/budget/scenarios/simulated_host.h"

namespace sanscope::simulated {

// What became of one command.
struct SimulatedCommand {
    bool is_write = false;
    uint64_t request_begin = 0;  // in the initiator's stream
    uint64_t request_end = 0;
    uint64_t data_out_end = 0;  // of the last Data-Out PDU; request_end if there is none
    struct Wait {
        uint64_t sent_end = 0;  // all that the initiator might send, in its stream
        int64_t asked_ns = 0;   // the R2T had arrived
    };
    std::vector<Wait> waits;
    uint64_t answer_begin = 0;  // in the target's stream
    uint64_t answer_end = 0;
    int64_t served_ns = 0;  // the target had the answer
    bool done = false;
};

// An iSCSI session of one connection in virtual time, from SYN to the last answer: an initiator that asks, a target that takes
// its time, and between them the two TCPs and links of sender/testing.
class SimulatedSession {
  public:
    struct Options {
        int64_t rtt_ns = millisecond;
        uint64_t megabits_to_initiator = 10'000;
        uint64_t megabits_to_target = 10'000;
        uint32_t initiator_buffer = 8u << 20;  // its largest receive window
        SimulatedSender::Options sender;       // of both hosts

        unsigned commands = 40;
        uint32_t bytes = 8192;
        bool writes = false;
        uint32_t write_bytes_between = 0;  // not 0: every other command is a write of so many
        unsigned depth = 1;
        unsigned command_window = 64;
        int64_t think_ns = 0;
        int64_t latency_ns = 0;  // of the target, each command
        bool initial_r2t = false;
        uint32_t max_burst = 262144;
        int64_t data_out_lag_ns = 0;  // of the initiator, behind each R2T
        // Called when the number of a command (from 0) is about to be sent, and when its answer is.
        std::function<void(SimulatedSession&, size_t command)> on_request;
        std::function<void(SimulatedSession&, size_t command)> on_answer;
    };

    explicit SimulatedSession(const Options& options);
    SimulatedSession(const SimulatedSession&) = delete;
    SimulatedSession& operator=(const SimulatedSession&) = delete;

    // Throws where not all commands are answered within so long.
    void run(int64_t at_most_ns);

    VirtualTime& time() { return time_; }
    SimulatedHost& initiator() { return *initiator_; }
    SimulatedHost& target() { return *target_; }
    const SimulatedHost& initiator() const { return *initiator_; }
    const SimulatedHost& target() const { return *target_; }
    SimulatedLink& to_initiator() { return to_initiator_; }
    SimulatedLink& to_target() { return to_target_; }
    const Options& options() const { return options_; }
    const std::vector<SimulatedCommand>& commands() const { return commands_; }
    // The sequence number of the so-manyth full segment of the answer that the target sends next.
    Serial32 answer_segment(uint32_t number) const;
    // How long the initiator had a command to send that MaxCmdSN did not allow, as long as some were under way.
    int64_t command_window_shut_ns() const { return shut_ns_; }

  private:
    using Pdus = std::vector<test::Bytes>;

    void shake_hands();
    void log_in();
    void begin_commands();
    void send_command();
    void serve(size_t number, uint32_t cmd_sn);
    void ask_for_data(size_t number, uint32_t offset);
    void send_data(size_t number, uint32_t ttt, uint32_t offset, uint32_t length);
    void answer(size_t number);
    void on_done(size_t number, uint32_t max_cmd_sn);
    test::PduBuilder& numbered(test::PduBuilder& pdu, bool has_status);
    bool is_write(size_t number) const;
    uint32_t bytes_of(size_t number) const;
    uint32_t max_cmd_sn() const { return exp_cmd_sn_ + options_.command_window - 1 - under_way_at_target_; }

    Options options_;
    VirtualTime time_;
    SimulatedLink to_target_;
    SimulatedLink to_initiator_;
    std::unique_ptr<SimulatedHost> initiator_;
    std::unique_ptr<SimulatedHost> target_;
    std::vector<SimulatedCommand> commands_;

    // Of the initiator.
    uint32_t next_cmd_sn_ = 1;
    uint32_t allowed_cmd_sn_ = 0;
    unsigned wanted_ = 0;  // commands that the application has to send
    unsigned asked_ = 0;   // of those it will ever have, so many were wanted
    size_t done_ = 0;
    int64_t shut_since_ns_ = no_time;
    int64_t shut_ns_ = 0;
    // Of the target.
    uint32_t exp_cmd_sn_ = 1;
    uint32_t under_way_at_target_ = 0;
    uint32_t stat_sn_ = 1;
};

}  // namespace sanscope::simulated
