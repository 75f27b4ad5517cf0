// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recording.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "captures/recorder/command_output.h"
#include "captures/recorder/iscsi_port_filter.h"

namespace sanscope {
namespace {

using namespace std::chrono_literals;

constexpr auto patience_for_answers = 10000ms;
constexpr auto patience_for_logging_in = 120000ms;
constexpr auto patience_for_the_end = 8000ms;
// Of the events that reach this process none is long: packets go into files.
constexpr MessageDecoder::Limits event_limits{.length = uint64_t{4} << 20, .parts = 1 << 16};
// What is taken in at a time, so that one who writes without end does not keep others waiting, nor a deadline from
// being seen.
constexpr size_t most_at_once = size_t{1} << 20;
constexpr size_t most_said = 4096;

using Clock = std::chrono::steady_clock;

int milliseconds_to(Clock::time_point deadline) {
    return static_cast<int>(
        std::max<int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count()));
}

// What has come so far, but not without end; false at the end of all that comes.
bool read_into(int descriptor, MessageDecoder& decoder) {
    std::array<uint8_t, 1 << 16> room;
    for (size_t taken = 0; taken < most_at_once;) {
        const ssize_t came = ::read(descriptor, room.data(), room.size());
        if (came > 0) {
            decoder.add(std::span(room).first(static_cast<size_t>(came)));
            taken += static_cast<size_t>(came);
        } else if (came == 0 || errno != EINTR) {
            return came < 0 && errno == EAGAIN;
        }
    }
    return true;
}

std::string program_of(const Recording::Options& options) {
    if (!options.program.empty()) return options.program;
    return options.remote ? find_helper_program("sanscope-remote-recorder", "SANSCOPE_REMOTE_RECORDER")
                          : Recording::find_program();
}

struct HelperEnd {
    std::string line;  // it said last
    std::string how;
};

// Of one that has come to its end, or is ended now.
HelperEnd end_of_helper(HelperProcess& helper) {
    std::string said;
    std::array<char, 4096> room;
    const Clock::time_point deadline = Clock::now() + patience_for_the_end;
    pollfd watched{helper.errors.get(), POLLIN, 0};
    while (::poll(&watched, 1, milliseconds_to(deadline)) == 1) {
        const ssize_t came = ::read(helper.errors.get(), room.data(), room.size());
        if (came <= 0) break;
        said.append(room.data(), static_cast<size_t>(came));
        if (said.size() > most_said) said.erase(0, said.size() - most_said);
        if (Clock::now() >= deadline) break;
    }
    int status = 0;
    while (::waitpid(helper.process, &status, WNOHANG) == 0) {
        if (Clock::now() >= deadline) ::kill(helper.process, SIGKILL);
        std::this_thread::sleep_for(2ms);
    }
    helper.process = 0;
    std::string line = last_line_of(said);
    return {line, how_process_ended(status) + (line.empty() ? "" : ": " + line)};
}

Result<v1::RecordingEvent> ask(v1::RecorderCommand command, const Recording::Options& options) {
    if (options.remote) *command.mutable_remote() = *options.remote;
    const std::string program = program_of(options);
    auto helper = start_helper(program, {});
    if (!helper) return helper.error();
    MessageDecoder decoder(event_limits);
    v1::RecordingEvent answer;
    bool answered = false;
    if (write_command(helper->input.get(), command)) {
        pollfd watched{helper->output.get(), POLLIN, 0};
        const std::chrono::milliseconds patience =
            options.remote ? patience_for_logging_in : options.patience;
        constexpr auto between_looks = 100ms;
        bool more = true;
        const Clock::time_point deadline = Clock::now() + patience;
        while (!answered && more && Clock::now() < deadline) {
            if (options.stop != nullptr && *options.stop) break;
            const int ready = ::poll(&watched, 1, static_cast<int>(between_looks.count()));
            if (ready < 0 && errno != EINTR) break;
            if (ready <= 0) continue;
            more = read_into(helper->output.get(), decoder);
            const MessageDecoder::Outcome outcome = decoder.next(answer);
            answered = outcome == MessageDecoder::Outcome::message;
            more = more && outcome != MessageDecoder::Outcome::garbage;
        }
    }
    // One that asks another host ends, and its ssh with it, when its input does.
    helper->input = FileDescriptor();
    if (!answered && !options.remote) ::kill(helper->process, SIGKILL);
    const auto [said, how] = end_of_helper(*helper);
    // Of another host, what it said is all there is to say.
    if (!answered) return Error{options.remote && !said.empty() ? said : fmt::format("{} {}", program, how)};
    return answer;
}

}  // namespace

std::string Recording::find_program() {
    return find_helper_program("sanscope-recorder", "SANSCOPE_RECORDER");
}

Result<std::unique_ptr<Recording>> Recording::start(const v1::RecordingRequest& request,
                                                    const Options& options) {
    auto helper = start_helper(program_of(options), {}, options.output_descriptor);
    if (!helper) return helper.error();
    std::unique_ptr<Recording> recording(new Recording(std::move(*helper)));
    recording->goes_on_alone_ = request.go_on_alone();
    recording->headers_only_ = request.keep() == v1::RecordingRequest::HEADERS;
    v1::RecorderCommand command;
    *command.mutable_record() = request;
    if (options.remote) *command.mutable_remote() = *options.remote;
    recording->send(command);  // one that is gone already shows at its end
    return recording;
}

Recording::~Recording() {
    if (helper_.process == 0) return;
    // Its pipes close here: it ends what it is writing, or goes on alone, and then there is nobody to wait for it.
    helper_.input = FileDescriptor();
    helper_.output = FileDescriptor();
    for (auto waited = 0ms; !goes_on_alone_ && waited < patience_for_answers; waited += 5ms) {
        if (::waitpid(helper_.process, nullptr, WNOHANG) != 0) return;
        std::this_thread::sleep_for(5ms);
    }
}

Recording::Recording(HelperProcess helper) : helper_(std::move(helper)), decoder_(event_limits) {}

bool Recording::send(const v1::RecorderCommand& command) {
    return write_command(helper_.input.get(), command);
}

void Recording::stop() {
    if (state_ == State::ended || state_ == State::stopping) return;
    state_ = State::stopping;
    v1::RecorderCommand command;
    command.mutable_stop();
    send(command);
}

void Recording::give(const v1::RecordingEvent& event, const Take& take) {
    const bool keeps_all = event.has_started() && event.started().keep() != v1::RecordingRequest::HEADERS;
    if (headers_only_ && keeps_all) return refuse(take);
    if (event.has_started() && state_ == State::starting) state_ = State::recording;
    if (event.has_progress()) totals_ = event.progress().totals();
    if (event.has_ended()) {
        state_ = State::ended;
        end_of_helper(helper_);
    }
    take(event);
}

// It would write what nobody wanted to have written.
void Recording::refuse(const Take& take) {
    ::kill(helper_.process, SIGKILL);
    end_of_helper(helper_);
    v1::RecordingEvent event;
    event.mutable_trouble()->set_kind(v1::RecordingTrouble::WRONG_REQUEST);
    event.mutable_trouble()->set_message(
        "this sanscope-recorder is older and cannot keep headers only: install the one that belongs to this "
        "sanscope, or keep all");
    event.mutable_trouble()->set_fatal(true);
    take(event);
    event.mutable_ended()->set_why(v1::RecordingEnded::NOT_BEGUN);
    state_ = State::ended;
    take(event);
}

void Recording::died(const Take& take) {
    const bool begun = state_ != State::starting;
    ::kill(helper_.process, SIGKILL);  // for one that talks nonsense; any other is gone
    v1::RecordingEvent event;
    event.mutable_trouble()->set_message(fmt::format("sanscope-recorder {}", end_of_helper(helper_).how));
    event.mutable_trouble()->set_fatal(true);
    take(event);
    event.mutable_ended()->set_why(begun ? v1::RecordingEnded::RECORDER_DIED : v1::RecordingEnded::NOT_BEGUN);
    *event.mutable_ended()->mutable_totals() = totals_;
    state_ = State::ended;
    take(event);
}

bool Recording::poll(std::chrono::milliseconds patience, const Take& take) {
    if (state_ == State::ended) return false;
    pollfd watched{helper_.output.get(), POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(patience.count())) <= 0) return true;
    const bool more = read_into(helper_.output.get(), decoder_);
    v1::RecordingEvent event;
    MessageDecoder::Outcome outcome;
    while (state_ != State::ended &&
           (outcome = decoder_.next(event)) != MessageDecoder::Outcome::incomplete) {
        if (outcome == MessageDecoder::Outcome::garbage) {
            died(take);
        } else {
            give(event, take);
        }
    }
    if (state_ != State::ended && !more) died(take);
    if (state_ != State::ended) return true;
    helper_.output = FileDescriptor();
    return false;
}

void set_kept(std::string_view keep, std::optional<uint32_t> snap_length, bool remote,
              v1::RecordingRequest& request) {
    const bool headers =
        keep.empty() ? !snap_length && is_for_iscsi_port(request.filter()) : keep == "headers";
    const bool little = remote && keep.empty() && !headers;
    request.set_keep(headers ? v1::RecordingRequest::HEADERS : v1::RecordingRequest::ALL);
    request.set_snap_length(snap_length.value_or(little ? headers_only : 0));
}

Result<v1::InterfaceList> list_capture_interfaces(const Recording::Options& options) {
    v1::RecorderCommand command;
    command.mutable_list_interfaces();
    auto answer = ask(command, options);
    if (!answer) return answer.error();
    if (!answer->interfaces().error().empty()) return Error{answer->interfaces().error()};
    return answer->interfaces();
}

Result<v1::CaptureFilterCheck> check_capture_filter(const std::string& filter, const std::string& interface,
                                                    const Recording::Options& options) {
    v1::RecorderCommand command;
    command.mutable_check_filter()->set_filter(filter);
    command.mutable_check_filter()->set_interface(interface);
    auto answer = ask(command, options);
    if (!answer) return answer.error();
    return answer->filter_check();
}

}  // namespace sanscope
