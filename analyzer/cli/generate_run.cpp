// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/generate_run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/core.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "captures/iscsi_peer/initiator/portal_packets.h"
#include "captures/load/command_log.h"
#include "captures/load/load.h"
#include "captures/load/load_report.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/cli/error_message.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/load_recording.h"

namespace sanscope {
namespace {

constexpr std::chrono::milliseconds between_looks{50};

v1::RecordingRequest recording_request(const GenerateOptions& options, const LoadPlan& plan) {
    std::vector<SocketAddress> addresses;
    for (const LoadTarget& target : plan.targets)
        addresses.insert(addresses.end(), target.addresses.begin(), target.addresses.end());
    v1::RecordingRequest request;
    request.add_interfaces(options.capture_interface.empty() ? interface_towards(addresses.front())
                                                             : options.capture_interface);
    request.set_filter(capture_filter(addresses));
    request.set_keep(options.keeps_headers() ? v1::RecordingRequest::HEADERS : v1::RecordingRequest::ALL);
    request.set_snap_length(options.snap_length.value_or(0));
    request.set_buffer_mib(options.buffer_mib);
    request.set_kernel_truth(options.kernel_truth);
    request.set_path(options.capture);
    return request;
}

// Reports the seconds of a load: each is what came after the one before. A second is held back until it is clear that
// it is not the last one: what is left at the end would else be reported as a moment in which all that was counted late
// seems to be done.
class Seconds {
  public:
    Seconds(Load& load, GenerateOutput& output) : load_(load), output_(output) {}

    // Often, while the load runs. False where a second could not be written.
    bool look() {
        if (held_ && Clock::now() >= held_until_ && load_.running()) {
            const bool told = report_until(std::move(*held_));
            held_.reset();
            return told;
        }
        if (Clock::now() < next_ - between_looks) return true;
        // A thread's part is handed out when it was asked for before; the looks may lie further apart than they should.
        const bool asked = std::exchange(asked_, true);
        LoadAccount now = load_.account();
        if (!asked || Clock::now() < next_) return true;
        asked_ = false;
        next_ += std::chrono::seconds(1);
        if (now.seconds() > 0) {
            held_ = std::move(now);
            held_until_ = Clock::now() + held_back;
        }
        return true;
    }
    // The rest, of a load that has ended: all seconds add up to its account.
    bool finish() {
        LoadAccount now = load_.account();
        return now.sent() == 0 || report_until(std::move(now));
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds held_back{250};

    bool report_until(LoadAccount now) {
        output_.begun(load_.outcome());
        const bool told = output_.second(now.since(before_), now.seconds(), now.in_flight());
        before_ = std::move(now);
        return told;
    }

    Load& load_;
    GenerateOutput& output_;
    LoadAccount before_;
    bool asked_ = false;
    std::optional<LoadAccount> held_;
    Clock::time_point held_until_;
    Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

LoadSummary summary_of(const GenerateOptions& options, Load& load) {
    const unsigned connections = options.sessions * options.connections;
    return {.account = load.account(),
            .negotiated = load.outcome().value_or(LoginOutcome{}),
            .targets = options.urls,
            .tcp_differences = load.tcp_differences(),
            .sessions = options.sessions,
            .connections = connections,
            .queue_depth = connections * options.queue_depth,
            .request_bytes = options.request_size,
            .at_a_rate = options.rate > 0};
}

ExitStatus status_of(const LoadAccount& account, const Load& load) {
    if (account.sent() == 0) return exit_nothing_analysed;
    return account.failed() > 0 || load.lost_a_session() ? exit_input_damaged : exit_all_analysed;
}

// Until all of the load's threads have ended. False where a second could not be written.
bool follow(Load& load, LoadRecording* recording, GenerateOutput& output) {
    Seconds seconds(load, output);
    bool all_shown = true;
    const auto show_messages = [&] {
        for (const std::string& message : load.messages()) output.message(message);
    };
    while (load.running()) {
        std::this_thread::sleep_for(between_looks);
        if (InterruptHandler::interrupted) load.request_stop();
        if (InterruptHandler::interrupted_twice) load.abort();
        if (recording != nullptr) recording->follow();
        if (const auto outcome = load.outcome()) output.begun(outcome);
        show_messages();
        if (all_shown && !seconds.look()) {
            load.request_stop();
            all_shown = false;
        }
    }
    load.join();
    output.begun(load.outcome());
    show_messages();
    return all_shown && seconds.finish();
}

}  // namespace

ExitStatus run_load(const GenerateOptions& options, LoadPlan plan, GenerateOutput& output) {
    const auto refused = [](const Error& error, ExitStatus status = exit_nothing_analysed) {
        print_error(error.message);
        return status;
    };
    std::unique_ptr<CommandLog> log;
    if (!options.log.empty()) {
        auto created = CommandLog::create(options.log);
        if (!created) return refused(created.error());
        log = std::move(*created);
        plan.log = log.get();
    }
    std::unique_ptr<LoadRecording> recording;
    if (!options.capture.empty()) {
        auto begun = LoadRecording::begin(recording_request(options, plan),
                                          [&](const std::string& text) { output.message(text); });
        if (!begun) return refused(begun.error());
        recording = std::move(*begun);
    }
    if (auto opened = output.open_rows(); !opened) return refused(opened.error());
    auto created = Load::create(std::move(plan));
    if (!created) return refused(created.error(), exit_usage);
    Load& load = **created;

    load.start();
    bool files_whole = follow(load, recording.get(), output);
    files_whole = output.close_rows() && files_whole;
    if (log) {
        if (auto closed = log->close(); !closed) {
            output.message(fmt::format("{}: {}", options.log, closed.error().message));
            files_whole = false;
        }
    }
    const LoadSummary summary = summary_of(options, load);
    ExitStatus status = status_of(summary.account, load);
    output.summary(summary);
    if (summary.account.failed() > 0) {
        output.message(fmt::format("{} of {} commands failed: {}", summary.account.failed(),
                                   summary.account.sent(), failures_text(summary.account)));
    }
    if (recording) {
        output.report(recording->end());
        files_whole = files_whole && recording->whole();
    }
    if (!files_whole) status = std::max(status, exit_input_damaged);
    output.ended(status, summary);
    return status;
}

}  // namespace sanscope
