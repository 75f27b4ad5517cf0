// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "sanscope/v1/dissection.pb.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {

// The way to `sanscope-dissectd`, which is started when first needed and again whenever it has died. One thread at a
// time; SIGPIPE is ignored in the process from then on.
class DissectClient {
  public:
    struct Options {
        std::string program;                 // path of sanscope-dissectd; empty: find_program()
        std::vector<std::string> arguments;  // for it: --preference, --profile, --memory-limit
        // It is held for stuck, and ended, when a response takes longer than this.
        std::chrono::milliseconds patience{60'000};
        // One line for the user: when it has died; or, once, that this kernel cannot keep it from doing harm.
        std::function<void(std::string_view)> notice = nullptr;
    };

    explicit DissectClient(Options options) : options_(std::move(options)) {}
    DissectClient(const DissectClient&) = delete;
    DissectClient& operator=(const DissectClient&) = delete;
    ~DissectClient();

    // Where sanscope-dissectd is: as the environment's SANSCOPE_DISSECTD says, beside this program, or in the PATH.
    static std::string find_program();

    // Which start of the helper is running; another number than before means that it has forgotten everything. An Error
    // where it cannot be started.
    Result<uint64_t> run();
    const std::string& wireshark_version() const { return wireshark_version_; }  // once run() has succeeded

    // Sends a request without waiting for its response. False when the helper has died, until run() starts another.
    bool send(v1::DissectRequest& request);
    // The next response in order; nothing when the helper has died, or no request is open.
    std::optional<v1::DissectResponse> receive();
    size_t open_requests() const { return open_requests_; }

    // Sends one request and waits for its response: for requests that need no capture. When the helper dies over it, it
    // is asked once more. An Error also where the response is one.
    Result<v1::DissectResponse> ask(v1::DissectRequest& request);

    // How the helper ended last, as "was ended by signal 11 (Segmentation fault): MESSAGE".
    const std::string& last_end() const { return last_end_; }
    // That as a sentence on its own.
    Error helper_is_gone() const;
    pid_t process() const { return process_; }  // 0: none is running

  private:
    Result<uint64_t> start();
    bool fill(std::chrono::steady_clock::time_point deadline, bool writing);
    bool take_responses();
    void drain_errors();
    void end(std::string_view how);

    Options options_;
    pid_t process_ = 0;
    uint64_t runs_ = 0;
    FileDescriptor requests_;
    FileDescriptor responses_;
    FileDescriptor errors_;
    std::string errors_text_;  // the end of what it said on standard error
    std::string wireshark_version_;
    std::string last_end_;
    MessageDecoder decoder_;
    std::vector<uint8_t> bytes_;
    uint64_t next_id_ = 1;
    uint64_t next_response_ = 1;
    size_t open_requests_ = 0;
};

}  // namespace sanscope
