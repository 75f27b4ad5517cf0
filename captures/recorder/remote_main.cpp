// SPDX-License-Identifier: GPL-3.0-or-later
//
// sanscope-remote-recorder: what sanscope-recorder is for this host, for any that ssh reaches. It takes the same
// commands, has that host's recorder carry them out, and writes what comes back into files here.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <zstd.h>

#include "captures/recorder/command_input.h"
#include "captures/recorder/event_pipe.h"
#include "captures/recorder/recording_relay.h"
#include "captures/recorder/ssh_connection.h"
#include "captures/recorder/stop_signals.h"

#include "analyzer/base/print_text.h"
#include "analyzer/base/version_text.h"

namespace sanscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_progress(100);
constexpr int patience_at_the_end_ms = 2000;
// After it was asked to stop, a host has this long between two events.
constexpr std::chrono::seconds patience_with_host(60);
// And so long in all: what waited there comes over a slow line, but not for ever.
constexpr std::chrono::minutes longest_ending(10);
// While so much waits for this side's reader, nothing more is taken from the host.
constexpr size_t most_waiting = size_t{4} << 20;
constexpr int given_descriptor = 3;
enum Exit : int { exit_done = 0, exit_failed = 1, exit_usage = 2 };

// How the relay of a recording's events is kept going.
class RecordingLoop {
  public:
    RecordingLoop(const v1::RecorderCommand& command, CommandInput& commands, EventPipe& pipe)
        : command_(command),
          commands_(commands),
          pipe_(pipe),
          relay_(command.record(), command.remote().host(),
                 [this](const v1::RecordingEvent& event) { pipe_.send(event); }) {}

    Exit run() {
        auto started = SshConnection::start(command_.remote());
        if (!started) {
            relay_.cut_short(started.error().message);
            return finish();
        }
        ssh_ = std::move(*started);
        signals_ = take_stop_signals();
        v1::RecorderCommand record;
        *record.mutable_record() = RecordingRelay::request_to_host(command_.record());
        ssh_->send(record);  // one that is gone already shows at its end
        auto next_progress = Clock::now();
        while (!relay_.ended()) {
            wait();
            relay_.look_at_limits(Clock::now());
            if (relay_.output_gone() || pipe_.reader_gone()) stop();
            if (stopping_ && !relay_.ended() &&
                (Clock::now() - heard_ > patience_with_host || Clock::now() - stopped_ > longest_ending)) {
                relay_.cut_short(fmt::format("{} does not answer any more; what had come is recorded",
                                             command_.remote().host()));
            }
            if (relay_.started() && !relay_.ended() && Clock::now() >= next_progress) {
                v1::RecordingEvent event;
                *event.mutable_progress() = relay_.progress();
                pipe_.send(event);
                next_progress = Clock::now() + between_progress;
            }
        }
        return finish();
    }

  private:
    void wait() {
        std::array<pollfd, 5> watched{
            {{signals_.get(), POLLIN, 0},
             {input_open_ ? STDIN_FILENO : -1, POLLIN, 0},
             {pipe_.waiting_bytes() > most_waiting ? -1 : ssh_->output(), POLLIN, 0},
             {ssh_->errors(), POLLIN, 0},
             {pipe_.reader_gone() ? -1 : pipe_.descriptor(),
              static_cast<short>(pipe_.waiting() ? POLLOUT : 0), 0}}};
        ::poll(watched.data(), watched.size(), static_cast<int>(between_progress.count()));
        if ((watched[0].revents & POLLIN) != 0 && stop_signal_came(signals_)) stop();
        if (watched[1].revents != 0) take_command();
        if (watched[3].revents != 0) ssh_->read_errors();
        if ((watched[4].revents & POLLOUT) != 0) pipe_.flush();
        if ((watched[4].revents & (POLLERR | POLLHUP)) != 0) stop();
        if (watched[2].revents != 0 && !relay_.ended()) take_events();
    }

    void take_command() {
        v1::RecorderCommand command;
        const CommandInput::Outcome outcome = commands_.next(command);
        input_open_ = outcome != CommandInput::Outcome::ended;
        if (!input_open_ || (outcome == CommandInput::Outcome::command && command.has_stop())) stop();
    }

    void take_events() {
        heard_ = Clock::now();
        switch (ssh_->read([this](const v1::RecordingEvent& event) { relay_.take(event); })) {
            case SshConnection::Outcome::more:
                break;
            case SshConnection::Outcome::ended:
                relay_.cut_short(relay_.ended() ? "" : ssh_->how_it_ended(relay_.started()));
                break;
            case SshConnection::Outcome::garbage:
                relay_.cut_short(fmt::format(
                    "{}: what comes from there is no recording; does its shell print something at its start?",
                    command_.remote().host()));
                break;
        }
    }

    void stop() {
        if (stopping_ || relay_.ended()) return;
        stopping_ = true;
        heard_ = stopped_ = Clock::now();
        if (!relay_.started() && !relay_.output_gone()) {
            ssh_->give_up();
            relay_.cut_short("");
            return;
        }
        v1::RecorderCommand command;
        command.mutable_stop();
        ssh_->send(command);
    }

    Exit finish() {
        pipe_.finish(patience_at_the_end_ms);
        return relay_.started() ? exit_done : exit_failed;
    }

    const v1::RecorderCommand& command_;
    CommandInput& commands_;
    EventPipe& pipe_;
    RecordingRelay relay_;
    std::unique_ptr<SshConnection> ssh_;
    FileDescriptor signals_;
    bool input_open_ = true;
    bool stopping_ = false;
    Clock::time_point heard_;
    Clock::time_point stopped_;
};

// A question, and the host's answer.
Exit ask(const v1::RecorderCommand& command, EventPipe& pipe) {
    v1::RecordingEvent answer;
    std::string fault;
    if (auto started = SshConnection::start(command.remote()); started) {
        SshConnection& ssh = **started;
        v1::RecorderCommand question = command;
        question.clear_remote();
        ssh.send(question);
        auto outcome = SshConnection::Outcome::more;
        bool answered = false;
        while (outcome == SshConnection::Outcome::more && !answered) {
            std::array<pollfd, 3> watched{
                {{ssh.output(), POLLIN, 0}, {ssh.errors(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
            ::poll(watched.data(), watched.size(), -1);
            if (watched[1].revents != 0) ssh.read_errors();
            if (watched[0].revents != 0) {
                outcome = ssh.read([&](const v1::RecordingEvent& event) {
                    answer = event;
                    answered = true;
                });
            }
            if (watched[2].revents != 0) {  // who asked is gone
                ssh.give_up();
                return exit_failed;
            }
        }
        if (!answered) {
            fault = outcome == SshConnection::Outcome::ended
                        ? ssh.how_it_ended(false)
                        : fmt::format("{}: what comes from there is no answer", command.remote().host());
        }
    } else {
        fault = started.error().message;
    }
    if (!fault.empty()) {
        print_text(stderr, "{}\n", fault);
        return exit_failed;
    }
    pipe.send(answer);
    pipe.finish(patience_at_the_end_ms);
    return exit_done;
}

Exit run() {
    if (!standard_descriptors_are_open()) return exit_usage;
    const bool given_output = is_open(given_descriptor);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow shows as an error of write()
    // Where recordings go to is none of ssh's affair.
    ::fcntl(given_descriptor, F_SETFD, FD_CLOEXEC);
    CommandInput commands;
    v1::RecorderCommand command;
    CommandInput::Outcome outcome = CommandInput::Outcome::none_yet;
    while (outcome == CommandInput::Outcome::none_yet) outcome = commands.next(command);
    if (outcome == CommandInput::Outcome::ended || !command.has_remote()) {
        std::fprintf(stderr,
                     "sanscope-remote-recorder is started by sanscope, which tells it what to record\n");
        return exit_usage;
    }
    if (command.record().to_descriptor_3() && !given_output) return exit_usage;
    EventPipe pipe(STDOUT_FILENO);
    if (command.has_record()) return RecordingLoop(command, commands, pipe).run();
    return ask(command, pipe);
}

Exit print_version() {
    print_text(stdout, "{}\n", version_text("sanscope-remote-recorder", {{"zstd", ZSTD_versionString()}}));
    return exit_done;
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
