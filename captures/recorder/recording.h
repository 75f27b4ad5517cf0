// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/helper_process.h"
#include "analyzer/base/result.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {

// Of packets that travel through ssh, unless said otherwise: enough for the headers of Ethernet, IP, TCP and iSCSI.
// Bytes.
constexpr uint32_t headers_only = 128;

// A recording that sanscope-recorder makes for this program. No threads of its own; one thread at a time. When this
// goes, the recording ends, unless its request says that it goes on alone.
class Recording {
  public:
    struct Options {
        std::string program;         // path of the recorder; empty: where it is found
        int output_descriptor = -1;  // what `to_descriptor_3` of the request writes to
        // Whose packets are recorded, into files here: through ssh, by sanscope-remote-recorder. Nothing: this host's.
        std::optional<v1::RemoteHost> remote = std::nullopt;
        // Of a question: set where nobody waits for its answer any more. Outlives the question; nullptr: somebody
        // always does.
        const std::atomic<bool>* stop = nullptr;
        // With this host's recorder, from a question to the whole of its answer.
        std::chrono::milliseconds patience{10'000};
    };
    enum class State : uint8_t {
        starting,
        recording,
        stopping,  // was asked to
        ended,
    };
    using Take = std::function<void(const v1::RecordingEvent&)>;

    // As the environment's SANSCOPE_RECORDER says, beside this program, or in the PATH.
    static std::string find_program();

    // An Error where the recorder cannot be started. Whatever else stands against it is reported as trouble. One that does not
    // say that it keeps headers only, though it was asked to, is stopped as it begins.
    static Result<std::unique_ptr<Recording>> start(const v1::RecordingRequest& request,
                                                    const Options& options);
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    ~Recording();

    // Gives the events that have come to `take`, having waited for the first for `patience` at most. The last one is
    // always an Ended; a recorder that died is reported as trouble before it. False once that was given.
    bool poll(std::chrono::milliseconds patience, const Take& take);
    // Readable when poll() has something to give, for those who wait for other things besides; -1 when it has ended.
    int descriptor() const { return helper_.output.get(); }

    // The Ended comes when all is written.
    void stop();
    State state() const { return state_; }
    pid_t process() const { return helper_.process; }

  private:
    explicit Recording(HelperProcess helper);
    bool send(const v1::RecorderCommand& command);
    void give(const v1::RecordingEvent& event, const Take& take);
    void died(const Take& take);
    void refuse(const Take& take);

    HelperProcess helper_;
    MessageDecoder decoder_;
    State state_ = State::starting;
    bool goes_on_alone_ = false;
    bool headers_only_ = false;   // was asked for
    v1::RecordingTotals totals_;  // as last reported
};

// What is kept of packets, into a request whose filter stands, by what a user said: `keep` is "headers", "all", or empty where
// nothing was said. Then, without a snap length, it is headers where the filter is_for_iscsi_port(), and else all of what is
// recorded here, or the first bytes (headers_only) of what comes from elsewhere.
void set_kept(std::string_view keep, std::optional<uint32_t> snap_length, bool remote,
              v1::RecordingRequest& request);

// Asks the recorder, which needs no rights for these. An Error where it cannot be asked, or has no answer.
Result<v1::InterfaceList> list_capture_interfaces(const Recording::Options& options);
Result<v1::CaptureFilterCheck> check_capture_filter(const std::string& filter, const std::string& interface,
                                                    const Recording::Options& options);

}  // namespace sanscope
