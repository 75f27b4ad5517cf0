// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "captures/iscsi_peer/target/target_settings.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/exit_status.h"
#include "analyzer/cli/tcp_arguments.h"

namespace CLI {
class App;
}

namespace sanscope {

// `sanscope target`: a memory target, for demonstrations, tests and calibration.
class TargetCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    Result<TargetSettings> settings() const;

    CLI::App* command_ = nullptr;
    std::string listen_ = "127.0.0.1:3260";
    TargetSettings settings_;
    TcpArguments tcp_;
    std::string backing_ = "ram";
    std::vector<std::string> faults_;
    std::string header_digest_ = "either";
    std::string data_digest_ = "either";
    std::string initial_r2t_ = "no";
    std::string immediate_data_ = "yes";
    std::string chap_user_;
    std::string secret_file_;
    std::string mutual_user_;
    std::string mutual_secret_file_;
    std::string chap_algorithms_;
    std::string latency_of_ = "all";
    std::string latency_;
    std::string exclusive_latency_;
    unsigned idle_seconds_ = 600;
    unsigned threads_ = 0;  // 0: one a processor
    bool json_ = false;
};

}  // namespace sanscope
