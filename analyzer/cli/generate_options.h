// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/cli/tcp_arguments.h"

namespace CLI {
class App;
}

namespace sanscope {

// What `sanscope generate` was asked for. Sizes are bytes, durations seconds.
struct GenerateOptions {
    static constexpr unsigned most_sessions = 1000;

    void add_to(CLI::App& command);
    // An Error where they contradict each other.
    Result<std::monostate> check() const;

    bool writes() const { return read_percent < 100 || verify; }
    bool has_end() const { return duration || bytes > 0 || commands > 0; }
    // Nothing but the account is printed while the load runs.
    bool silent() const { return quiet || events; }

    std::vector<std::string> urls;
    bool discover = false;

    std::string pattern = "sequential";
    uint64_t request_size = 65536;
    uint64_t pdu_size = 262144;
    unsigned read_percent = 100;
    double zipf_theta = 0.99;
    uint64_t stripe = 0;
    uint64_t seed = 1;
    unsigned queue_depth = 1;
    unsigned connections = 1;
    unsigned sessions = 1;
    unsigned threads = 0;

    double rate = 0;
    double think_time = 0;
    unsigned burst = 0;
    double burst_pause = 0;

    std::optional<double> duration;
    uint64_t bytes = 0;
    uint64_t commands = 0;
    double timeout = 30;
    unsigned reconnections = 3;

    std::string initiator_name;
    std::string secret_file;
    std::string mutual_user;
    std::string mutual_secret_file;
    std::string chap_algorithms;  // empty: all
    uint64_t max_burst = 16'776'192;
    uint64_t first_burst = 262144;
    bool initial_r2t = false;
    bool no_immediate_data = false;
    unsigned max_outstanding_r2t = 1;
    std::string header_digest = "None";
    std::string data_digest = "None";

    TcpArguments tcp;

    std::vector<std::string> allow_writes;
    bool really = false;
    bool verify = false;
    std::vector<std::string> trace_files;
    double speed = 1;

    bool json = false;
    bool events = false;
    std::string csv;
    std::string log;
    std::string capture;
    std::string capture_interface;
    std::optional<uint32_t> snap_length;
    std::string keep;  // of the capture; empty: not said
    uint32_t buffer_mib = 0;
    bool kernel_truth = false;
    bool quiet = false;

    bool keeps_headers() const { return keep.empty() ? !snap_length : keep == "headers"; }

  private:
    void add_sizes(CLI::App& command);
    void add_at_once(CLI::App& command);
    void add_workload(CLI::App& command);
    void add_end(CLI::App& command);
    void add_login(CLI::App& command);
    void add_writes(CLI::App& command);
    void add_output(CLI::App& command);
};

}  // namespace sanscope
