// SPDX-License-Identifier: GPL-3.0-or-later
//
// sanscope-recorder: records packets of interfaces into pcapng files, for sanscope, which needs no rights of its own
// then. One command on standard input, events on standard output: analyzer/proto/sanscope/v1/recording.proto.
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "captures/recorder/command_input.h"
#include "captures/recorder/event_pipe.h"
#ifdef SANSCOPE_WITH_KERNEL_TRUTH
#include "captures/kernel_truth/kernel_truth_source.h"
#include "captures/recorder/kernel_truth_blocks.h"
#endif
#include "captures/recorder/interface_capture.h"
#include "captures/recorder/own_connection.h"
#include "captures/recorder/recorder.h"
#include "captures/recorder/rights.h"
#include "captures/recorder/stop_signals.h"
#include "captures/recorder/stream_sender.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/print_text.h"
#include "analyzer/base/version_text.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {
namespace {

constexpr int between_progress_ms = 33;  // a window is to follow at thirty frames a second
constexpr int patience_at_the_end_ms = 2000;
// A line between hosts is slower than a pipe: what may wait for it, and how long that may take in the end.
constexpr int between_progress_on_a_line_ms = 500;
constexpr int patience_with_a_line_ms = 120'000;
constexpr int given_descriptor = 3;
enum Exit : int { exit_recorded = 0, exit_failed = 1, exit_usage = 2 };

// Events on their way out. What streams goes after it has been written only, so that not everything waits here.
class Outgoing {
  public:
    Outgoing(EventQueue& events, EventPipe& pipe, StreamSender* stream)
        : events_(events), pipe_(pipe), stream_(stream) {}

    void send_all() {
        for (const v1::RecordingEvent& event : events_.take()) {
            streamed_ += event.blocks().zstd().size();
            pipe_.send(event);
        }
        settle();
    }
    void settle() {
        if (stream_ == nullptr) return;
        if (pipe_.reader_gone()) stream_->close();
        if (pipe_.waiting() || streamed_ == 0) return;
        stream_->sent(streamed_);
        streamed_ = 0;
    }

  private:
    EventQueue& events_;
    EventPipe& pipe_;
    StreamSender* stream_;
    size_t streamed_ = 0;  // in the pipe
};

Exit not_begun(EventQueue& events, Outgoing& outgoing, EventPipe& pipe) {
    v1::RecordingEvent event;
    event.mutable_ended()->set_why(v1::RecordingEnded::NOT_BEGUN);
    events.push(std::move(event));
    outgoing.send_all();
    pipe.finish(patience_at_the_end_ms);
    return exit_failed;
}

void note(EventQueue& events, v1::RecordingTrouble::Kind kind, std::string message) {
    v1::RecordingEvent event;
    event.mutable_trouble()->set_kind(kind);
    event.mutable_trouble()->set_message(std::move(message));
    events.push(std::move(event));
}

// What the stream itself travels on, in libpcap's language.
std::string left_out_for(const v1::RecordingRequest& request, EventQueue& events) {
    const char* const through = std::getenv("SSH_CONNECTION");
    if (!request.streamed() || request.with_ssh() || through == nullptr) return {};
    const auto own = own_connection(through);
    if (!own) return {};
    note(events, v1::RecordingTrouble::NOTE,
         "the connection that this travels on is not recorded: " + own->ends);
    return own->expression;
}

Exit record(const v1::RecordingRequest& request, Rights& rights, CommandInput& commands, EventPipe& pipe) {
    const FileDescriptor signals = take_stop_signals();
    EventQueue events;
    StreamSender stream([&events](v1::RecordingEvent event) { events.push(std::move(event)); });
    Outgoing outgoing(events, pipe, request.streamed() ? &stream : nullptr);
    Recorder::Surroundings surroundings;
    surroundings.left_out = left_out_for(request, events);
    if (request.streamed()) surroundings.instead_of_file = [&stream] { return stream.file(); };
    if (request.kernel_truth()) {
#ifdef SANSCOPE_WITH_KERNEL_TRUTH
        surroundings.sources.push_back(std::make_unique<KernelTruthBlocks>(request.filter()));
#else
        note(events, v1::RecordingTrouble::NOT_OFFERED,
             "this recorder cannot ask the kernel about its connections");
#endif
    }
    Recorder recorder(request, std::move(surroundings), events);
    rights.raise();
    const bool open = recorder.open();
    if (const auto given_up = rights.give_up(); !given_up) {
        print_text(stderr, "{}\n", given_up.error().message);
        return exit_failed;
    }
    if (!open || !recorder.prepare() || !recorder.start(rights.as_whom()))
        return not_begun(events, outgoing, pipe);

    bool input_open = true;
    const std::chrono::milliseconds between_progress(request.streamed() ? between_progress_on_a_line_ms
                                                                        : between_progress_ms);
    auto next_progress = std::chrono::steady_clock::now() + between_progress;
    while (!recorder.done()) {
        outgoing.settle();
        if (const auto now = std::chrono::steady_clock::now(); now >= next_progress && !pipe.waiting()) {
            v1::RecordingEvent event;
            *event.mutable_progress() = recorder.progress();
            if (request.streamed()) event.mutable_progress()->set_statistics(recorder.statistics());
            pipe.send(event);
            next_progress = now + between_progress;
        }
        if (!pipe.waiting()) outgoing.send_all();
        std::array<pollfd, 4> watched{{{signals.get(), POLLIN, 0},
                                       {input_open ? STDIN_FILENO : -1, POLLIN, 0},
                                       {pipe.waiting() ? -1 : events.descriptor(), POLLIN, 0},
                                       {pipe.reader_gone() ? -1 : pipe.descriptor(),
                                        static_cast<short>(pipe.waiting() ? POLLOUT : 0), 0}}};
        ::poll(watched.data(), watched.size(), between_progress_ms);
        if ((watched[0].revents & POLLIN) != 0 && stop_signal_came(signals))
            recorder.request_stop(v1::RecordingEnded::STOPPED);
        if (watched[1].revents != 0) {
            v1::RecorderCommand command;
            const CommandInput::Outcome outcome = commands.next(command);
            input_open = outcome != CommandInput::Outcome::ended;
            if ((outcome == CommandInput::Outcome::command && command.has_stop()) ||
                (!input_open && !request.go_on_alone()))
                recorder.request_stop(v1::RecordingEnded::STOPPED);
        }
        if ((watched[3].revents & POLLOUT) != 0) pipe.flush();
        if (pipe.reader_gone() || (watched[3].revents & (POLLERR | POLLHUP)) != 0) {
            stream.close();
            if (!request.go_on_alone()) recorder.request_stop(v1::RecordingEnded::READER_GONE);
        }
    }
    outgoing.send_all();
    pipe.finish(request.streamed() ? patience_with_a_line_ms : patience_at_the_end_ms);
    return exit_recorded;
}

Exit run() {
    if (!standard_descriptors_are_open()) return exit_usage;
    const bool given_output = is_open(given_descriptor);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow shows as an error of write()
    Rights rights;
    CommandInput commands;
    v1::RecorderCommand command;
    CommandInput::Outcome outcome = CommandInput::Outcome::none_yet;
    while (outcome == CommandInput::Outcome::none_yet) outcome = commands.next(command);
    if (outcome == CommandInput::Outcome::ended) {
        std::fprintf(stderr, "sanscope-recorder is started by sanscope, which tells it what to record\n");
        return exit_usage;
    }
    if (command.record().to_descriptor_3() && !given_output) return exit_usage;
    EventPipe pipe(STDOUT_FILENO);
    if (command.has_record()) return record(command.record(), rights, commands, pipe);

    if (const auto given_up = rights.give_up(); !given_up) return exit_failed;
    v1::RecordingEvent event;
    if (command.has_list_interfaces()) {
        *event.mutable_interfaces() = list_interfaces();
    } else if (command.has_check_filter()) {
        *event.mutable_filter_check() = check_capture_filter(command.check_filter());
    } else {
        return exit_usage;
    }
    pipe.send(event);
    pipe.finish(patience_at_the_end_ms);
    return exit_recorded;
}

Exit print_version() {
    std::vector<LibraryVersion> libraries = {{"libpcap", capture_library_version()}};
#ifdef SANSCOPE_WITH_KERNEL_TRUTH
    libraries.push_back({"libbpf", bpf_library_version()});
#endif
    print_text(stdout, "{}\n", version_text("sanscope-recorder", libraries));
    return exit_recorded;
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        if (argc == 2 && std::string_view(argv[1]) == "--version") return sanscope::print_version();
        return sanscope::run();
    } catch (const std::exception& error) {
        sanscope::print_text(stderr, "{}\n", error.what());
        return sanscope::exit_failed;
    }
}
