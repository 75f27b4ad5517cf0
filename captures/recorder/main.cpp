// SPDX-License-Identifier: GPL-3.0-or-later
//
// sanscope-recorder: records packets of interfaces into pcapng files, for sanscope, which needs no rights of its own then.
// One command on standard input, events on standard output: analyzer/proto/sanscope/v1/recording.proto.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "captures/recorder/event_pipe.h"
#ifdef SANSCOPE_WITH_KERNEL_TRUTH
#include "captures/recorder/kernel_truth_blocks.h"
#endif
#include "captures/recorder/interface_capture.h"
#include "captures/recorder/recorder.h"
#include "captures/recorder/rights.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {
namespace {

constexpr int between_progress_ms = 100;
constexpr int patience_at_the_end_ms = 2000;
enum Exit : int { exit_recorded = 0, exit_failed = 1, exit_usage = 2 };

// Commands as they come on standard input.
class Commands {
  public:
    enum class Outcome : uint8_t { command, none_yet, ended };

    // Reads once, and waits for that where nothing is there.
    Outcome next(v1::RecorderCommand& command) {
        if (decoder_.next(command) == MessageDecoder::Outcome::message) return Outcome::command;
        std::array<uint8_t, 4096> room;
        const ssize_t came = ::read(STDIN_FILENO, room.data(), room.size());
        if (came < 0 && (errno == EINTR || errno == EAGAIN)) return Outcome::none_yet;
        if (came <= 0) return Outcome::ended;
        decoder_.add(std::span(room).first(static_cast<size_t>(came)));
        switch (decoder_.next(command)) {
            case MessageDecoder::Outcome::message:
                return Outcome::command;
            case MessageDecoder::Outcome::incomplete:
                return decoder_.left() > longest ? Outcome::ended : Outcome::none_yet;
            default:
                return Outcome::ended;
        }
    }

  private:
    static constexpr size_t longest = size_t{1} << 20;
    MessageDecoder decoder_;
};

// Those that ask for an end, as a descriptor. One that is ignored already, as by nohup, stays so.
FileDescriptor take_stop_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
        sigaddset(&signals, signal);
    }
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    return FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

void send_all(EventQueue& events, EventPipe& pipe) {
    for (const v1::RecordingEvent& event : events.take()) pipe.send(event);
}

Exit not_begun(EventQueue& events, EventPipe& pipe) {
    v1::RecordingEvent event;
    event.mutable_ended()->set_why(v1::RecordingEnded::NOT_BEGUN);
    events.push(std::move(event));
    send_all(events, pipe);
    pipe.finish(patience_at_the_end_ms);
    return exit_failed;
}

Exit record(const v1::RecordingRequest& request, Rights& rights, Commands& commands, EventPipe& pipe) {
    const FileDescriptor signals = take_stop_signals();
    EventQueue events;
    std::vector<std::unique_ptr<BlockSource>> sources;
    if (request.kernel_truth()) {
#ifdef SANSCOPE_WITH_KERNEL_TRUTH
        sources.push_back(std::make_unique<KernelTruthBlocks>(request.filter()));
#else
        v1::RecordingEvent event;
        event.mutable_trouble()->set_kind(v1::RecordingTrouble::NOT_OFFERED);
        event.mutable_trouble()->set_message("this recorder cannot ask the kernel about its connections");
        events.push(std::move(event));
#endif
    }
    Recorder recorder(request, std::move(sources), events);
    rights.raise();
    const bool open = recorder.open();
    if (const auto given_up = rights.give_up(); !given_up) {
        std::fprintf(stderr, "%s\n", given_up.error().message.c_str());
        return exit_failed;
    }
    if (!open || !recorder.prepare() || !recorder.start(rights.as_whom())) return not_begun(events, pipe);

    bool input_open = true;
    auto next_progress = std::chrono::steady_clock::now();
    while (!recorder.done()) {
        send_all(events, pipe);
        std::array<pollfd, 4> watched{{{signals.get(), POLLIN, 0},
                                       {input_open ? STDIN_FILENO : -1, POLLIN, 0},
                                       {events.descriptor(), POLLIN, 0},
                                       {pipe.reader_gone() ? -1 : pipe.descriptor(),
                                        static_cast<short>(pipe.waiting() ? POLLOUT : 0), 0}}};
        ::poll(watched.data(), watched.size(), between_progress_ms);
        if ((watched[0].revents & POLLIN) != 0) {
            signalfd_siginfo came{};
            if (::read(signals.get(), &came, sizeof came) == sizeof came)
                recorder.request_stop(v1::RecordingEnded::STOPPED);
        }
        if (watched[1].revents != 0) {
            v1::RecorderCommand command;
            const Commands::Outcome outcome = commands.next(command);
            input_open = outcome != Commands::Outcome::ended;
            if ((outcome == Commands::Outcome::command && command.has_stop()) ||
                (!input_open && !request.go_on_alone()))
                recorder.request_stop(v1::RecordingEnded::STOPPED);
        }
        if ((watched[3].revents & POLLOUT) != 0) pipe.flush();
        if ((pipe.reader_gone() || (watched[3].revents & (POLLERR | POLLHUP)) != 0) && !request.go_on_alone())
            recorder.request_stop(v1::RecordingEnded::READER_GONE);
        if (const auto now = std::chrono::steady_clock::now(); now >= next_progress) {
            v1::RecordingEvent event;
            *event.mutable_progress() = recorder.progress();
            pipe.send(event);
            next_progress = now + std::chrono::milliseconds(between_progress_ms);
        }
    }
    send_all(events, pipe);
    pipe.finish(patience_at_the_end_ms);
    return exit_recorded;
}

Exit run() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is told as an error of write()
    Rights rights;
    Commands commands;
    v1::RecorderCommand command;
    Commands::Outcome outcome = Commands::Outcome::none_yet;
    while (outcome == Commands::Outcome::none_yet) outcome = commands.next(command);
    if (outcome == Commands::Outcome::ended) {
        std::fprintf(stderr, "sanscope-recorder is started by sanscope, which tells it what to record\n");
        return exit_usage;
    }
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

}  // namespace
}  // namespace sanscope

int main() {
    try {
        return sanscope::run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return sanscope::exit_failed;
    }
}
