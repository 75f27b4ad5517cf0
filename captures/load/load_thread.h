// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <sys/epoll.h>
#include <vector>

#include "captures/iscsi_peer/initiator/initiator_socket.h"
#include "captures/load/command_log.h"
#include "captures/load/load_account.h"
#include "captures/load/load_messages.h"
#include "captures/load/load_plan.h"
#include "captures/load/published_account.h"
#include "captures/load/verify_pattern.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// The sessions of some of a load's workers, driven by the thread that calls run(): nothing of them is shared with
// others, and a command costs no allocation, lock or copy of its data.
class LoadThread {
  public:
    // Workers `first`, `first` + `step`, … of `plan`, which outlives this, as does `messages`.
    static Result<std::unique_ptr<LoadThread>> create(const LoadPlan& plan, unsigned first, unsigned step,
                                                      LoadMessages& messages);
    ~LoadThread();

    // Until the load ends: by its limits, by request_stop(), or because no session is left.
    void run();

    // From any thread. No more commands are sent; those under way are waited for, then the sessions log out.
    void request_stop();
    // … those under way are not waited for.
    void abort();

    LoadAccount latest_account() { return published_.latest(); }
    // CLOCK_MONOTONIC when the first command could be sent, and when the last was over; 0: not yet.
    int64_t started_ns() const { return start_ns_; }
    int64_t ended_ns() const { return end_ns_; }
    // Of the first session that logged in, once one has.
    std::optional<LoginOutcome> outcome();
    // What connections have other than their TCP was asked for (settle_tcp_settings()), each once.
    std::vector<std::string> tcp_differences();
    // A session was given up: the load is not what it was to be.
    bool lost_a_session() const { return lost_a_session_; }

  private:
    struct Command;
    struct Connection;
    struct Session;
    struct Worker;
    struct Owner;

    LoadThread(const LoadPlan& plan, LoadMessages& messages);
    Result<std::monostate> add_worker(unsigned number);

    int wait_for(std::span<epoll_event> events);
    void open(Connection& connection);
    void on_connected(Connection& connection);
    void settle_tcp(int socket);
    void on_event(Connection& connection, uint32_t events);
    void on_full_feature(Connection& connection);
    void settle(Connection& connection);
    void flush(Connection& connection);
    void watch(Connection& connection, bool for_writing);
    void close(Connection& connection);
    void lose(Session& session, const std::string& why);
    void log_out(Session& session);
    void give_up(Session& session);

    void on_data(Connection& connection, uint32_t slot, std::span<const uint8_t> piece, uint32_t at);
    void fill_data(Connection& connection, uint32_t slot, std::span<uint8_t> piece, uint32_t at);
    void on_done(Connection& connection, uint32_t slot, const TaskEnd& end);
    // A command is over, well or not; its slot has no command any more.
    void end_command(Connection& connection, uint32_t slot, std::optional<LoadFailure> failure,
                     int64_t done_ns);
    void log_command(const Connection& connection, uint32_t slot, std::optional<LoadFailure> failure,
                     int64_t done_ns);
    void log_unanswered(const Worker& worker);
    void report_failure(const Connection& connection, const Command& command, const std::string& why);
    void on_management(Connection& connection, uint32_t slot, uint8_t response);
    void on_async(Connection& connection, uint8_t event);
    void issue_readiness_test(Connection& connection);

    void fill(Worker& worker);
    bool find_next(Worker& worker);
    bool out_of_work(const Worker& worker) const;
    Connection* connection_for(Session& session);
    void look_at_clocks();
    void look_at_commands(Connection& connection);
    bool all_ended() const;
    void wake_at(int64_t moment_ns) {
        if (moment_ns < wake_at_ns_) wake_at_ns_ = moment_ns;
    }

    const LoadPlan& plan_;
    LoadMessages& messages_;
    FileDescriptor epoll_;
    FileDescriptor wake_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<uint8_t> scratch_;
    std::vector<uint8_t> whole_pieces_;  // of the pattern, around data that begin or end within one
    VerifyPattern pattern_;
    std::optional<CommandLogWriter> log_;
    LoadAccount account_;
    PublishedAccount published_;
    std::mutex outcome_mutex_;
    std::optional<LoginOutcome> outcome_;
    std::vector<std::string> tcp_differences_;  // likewise shared
    std::atomic<bool> stop_ = false;
    std::atomic<bool> aborted_ = false;
    std::atomic<bool> lost_a_session_ = false;
    bool stopping_ = false;
    std::atomic<int64_t> start_ns_ = 0;
    std::atomic<int64_t> end_ns_ = 0;
    int64_t now_ns_ = 0;
    int64_t wake_at_ns_ = 0;
    int64_t look_at_ns_ = 0;
    unsigned reported_conditions_ = 0;
};

}  // namespace sanscope
