// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "captures/generator/load.h"
#include "captures/generator/load_plan.h"
#include "captures/generator/login_exchange.h"
#include "captures/generator/lun_probe.h"
#include "captures/generator/target_url.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/exit_status.h"

namespace CLI {
class App;
}

namespace sanscope {

// `sanscope generate URL…`: puts a load of SCSI reads, or writes where that is allowed, on iSCSI targets.
class GenerateCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    Result<std::monostate> check() const;
    LoginOffer offer() const;
    TcpSettings tcp() const;
    std::chrono::milliseconds patience() const;
    Result<ChapCredentials> credentials(const std::string& user) const;
    ExitStatus list(const TargetUrl& url, const LoginOffer& offer) const;
    Result<LoadTarget> prepare(const TargetUrl& url, LoginOffer offer) const;
    Result<std::monostate> permit_writes(TargetClient& client, const LoadTarget& target,
                                         const LunFacts& facts) const;
    bool writes() const { return read_percent_ < 100 || verify_; }
    Result<std::monostate> take_trace(LoadPlan& plan) const;
    v1::RecordingRequest recording_request(const std::vector<TargetUrl>& urls, const LoadPlan& plan) const;
    ExitStatus put_load(LoadPlan plan, const std::vector<TargetUrl>& urls) const;
    ExitStatus summarise(Load& load) const;

    CLI::App* command_ = nullptr;
    std::vector<std::string> urls_;
    bool discover_ = false;

    std::string pattern_ = "sequential";
    uint64_t request_size_ = 65536;
    uint64_t pdu_size_ = 262144;
    unsigned read_percent_ = 100;
    double zipf_theta_ = 0.99;
    uint64_t stripe_ = 0;
    uint64_t seed_ = 1;
    unsigned queue_depth_ = 1;
    unsigned connections_ = 1;
    unsigned sessions_ = 1;
    unsigned threads_ = 0;

    double rate_ = 0;
    double think_time_ = 0;
    unsigned burst_ = 0;
    double burst_pause_ = 0;

    std::optional<double> duration_;
    uint64_t bytes_ = 0;
    uint64_t commands_ = 0;
    double timeout_ = 30;
    unsigned reconnections_ = 3;

    std::string initiator_name_;
    std::string secret_file_;
    std::string mutual_user_;
    std::string mutual_secret_file_;
    uint64_t max_burst_ = 16'776'192;
    uint64_t first_burst_ = 262144;
    bool initial_r2t_ = false;
    bool no_immediate_data_ = false;
    unsigned max_outstanding_r2t_ = 1;
    std::string header_digest_ = "None";
    std::string data_digest_ = "None";

    TcpSettings tcp_;
    uint64_t receive_buffer_ = 0;
    uint64_t send_buffer_ = 0;

    std::vector<std::string> allow_writes_;
    bool really_ = false;
    bool verify_ = false;
    std::vector<std::string> trace_files_;
    double speed_ = 1;

    bool json_ = false;
    std::string csv_;
    std::string log_;
    std::string capture_;
    std::string capture_interface_;
    uint32_t snap_length_ = 128;
    bool kernel_truth_ = false;
    bool quiet_ = false;
};

}  // namespace sanscope
