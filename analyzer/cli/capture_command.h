// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/exit_status.h"
#include "analyzer/metrics/listen_address.h"

namespace CLI {
class App;
}

namespace sanscope {

// `sanscope capture -i INTERFACE`: records packets into a pcapng file, through sanscope-recorder.
class CaptureCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    ExitStatus list() const;
    ExitStatus check_filter() const;
    ExitStatus record(const v1::RecordingRequest& request) const;
    ExitStatus record_and_analyse(const v1::RecordingRequest& request) const;
    Result<std::optional<ListenAddress>> metrics_address() const;
    Result<v1::RecordingRequest> request() const;
    void say_what_is_kept(const v1::RecordingRequest& request) const;
    std::optional<v1::RemoteHost> remote() const;

    CLI::App* command_ = nullptr;
    std::vector<std::string> interfaces_;
    std::string filter_;
    std::string output_;
    std::optional<uint32_t> snap_length_;
    std::string keep_;  // empty: not said
    uint32_t buffer_mib_ = 0;
    bool not_promiscuous_ = false;
    bool immediate_ = false;
    bool kernel_truth_ = false;
    uint64_t packets_ = 0;
    std::vector<std::string> stop_after_;
    std::vector<std::string> rotate_;
    std::string time_stamps_ = "host";
    std::string host_;  // empty: this one
    std::string ssh_command_;
    std::string remote_recorder_;
    bool with_ssh_ = false;
    bool list_ = false;
    bool check_filter_ = false;
    bool report_ = false;
    std::string metrics_;  // empty: none
    bool metrics_anywhere_ = false;
    bool quiet_ = false;
};

}  // namespace sanscope
