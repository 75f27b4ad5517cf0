// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/ssh_connection.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <initializer_list>
#include <poll.h>
#include <span>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "captures/recorder/command_output.h"
#include "captures/recorder/remote_command.h"

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

constexpr int patience_ms = 2000;
// One event is never longer, or of more parts, whatever is in it.
constexpr MessageDecoder::Limits event_limits{.length = uint64_t{64} << 20, .parts = 1 << 16};
constexpr size_t most_said = 8192;

// A Ctrl-C in the terminal is for the recording, which ends with all that was captured; ssh is to carry it until then.
class Ignoring {
  public:
    Ignoring() {
        for (size_t i = 0; i < signals.size(); ++i) {
            struct sigaction action {};
            action.sa_handler = SIG_IGN;
            ::sigaction(signals[i], &action, &before_[i]);
        }
    }
    Ignoring(const Ignoring&) = delete;
    Ignoring& operator=(const Ignoring&) = delete;
    ~Ignoring() {
        for (size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    }

  private:
    static constexpr std::array<int, 2> signals = {SIGINT, SIGHUP};
    std::array<struct sigaction, 2> before_{};
};

}  // namespace

Result<std::unique_ptr<SshConnection>> SshConnection::start(const v1::RemoteHost& remote) {
    auto words = remote_command(remote);
    if (!words) return words.error();
    const std::string program = words->front();
    words->erase(words->begin());
    const Ignoring ignoring;
    auto helper = start_helper(program, *words);
    if (!helper) return helper.error();
    return std::unique_ptr<SshConnection>(new SshConnection(std::move(*helper), remote.host()));
}

SshConnection::SshConnection(HelperProcess helper, std::string host)
    : helper_(std::move(helper)), host_(std::move(host)), decoder_(event_limits) {}

SshConnection::~SshConnection() {
    // The end of its input is the recorder's end, and that is its own.
    helper_.input = FileDescriptor();
    helper_.output = FileDescriptor();
    if (wait(patience_ms)) return;
    ::kill(helper_.process, SIGTERM);
    if (wait(patience_ms)) return;
    ::kill(helper_.process, SIGKILL);
    ::waitpid(helper_.process, nullptr, 0);
}

void SshConnection::give_up() {
    helper_.input = FileDescriptor();
    if (helper_.process != 0) ::kill(helper_.process, SIGTERM);
}

bool SshConnection::wait(int milliseconds) {
    constexpr std::chrono::milliseconds step(5);
    for (std::chrono::milliseconds left(milliseconds); helper_.process != 0; left -= step) {
        if (::waitpid(helper_.process, &status_, WNOHANG) != 0) {
            helper_.process = 0;
        } else if (left.count() <= 0) {
            return false;
        } else {
            std::this_thread::sleep_for(step);
        }
    }
    return true;
}

bool SshConnection::send(const v1::RecorderCommand& command) {
    return write_command(helper_.input.get(), command);
}

SshConnection::Outcome SshConnection::read(const std::function<void(const v1::RecordingEvent&)>& take) {
    std::array<uint8_t, 1 << 16> room;
    const ssize_t came = ::read(helper_.output.get(), room.data(), room.size());
    if (came < 0 && (errno == EAGAIN || errno == EINTR)) return Outcome::more;
    if (came <= 0) {
        helper_.output = FileDescriptor();
        return Outcome::ended;
    }
    decoder_.add(std::span(room).first(static_cast<size_t>(came)));
    v1::RecordingEvent event;
    for (;;) {
        switch (decoder_.next(event)) {
            case MessageDecoder::Outcome::message:
                take(event);
                break;
            case MessageDecoder::Outcome::incomplete:
                return Outcome::more;
            default:
                return Outcome::garbage;
        }
    }
}

void SshConnection::read_errors() {
    std::array<char, 4096> room;
    const ssize_t came = ::read(helper_.errors.get(), room.data(), room.size());
    if (came < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (came <= 0) {
        helper_.errors = FileDescriptor();
        return;
    }
    said_.append(room.data(), static_cast<size_t>(came));
    if (said_.size() > most_said) said_.erase(0, said_.size() - most_said);
}

std::string SshConnection::how_it_ended(bool begun) {
    helper_.input = FileDescriptor();
    pollfd watched{helper_.errors.get(), POLLIN, 0};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
    while (helper_.errors.get() >= 0 && std::chrono::steady_clock::now() < deadline &&
           ::poll(&watched, 1, patience_ms) == 1) {
        read_errors();
        watched.fd = helper_.errors.get();
    }
    if (!wait(patience_ms)) {
        ::kill(helper_.process, SIGTERM);
        wait(patience_ms);
    }
    // ssh passes on what that host says at its login, whatever bytes these are.
    const std::string line = cleaned_text(last_line_of(said_));
    if (begun) {
        return fmt::format("the connection to {} was lost: ssh {}{}", host_, how_process_ended(status_),
                           line.empty() ? "" : ": " + line);
    }
    if (WIFEXITED(status_) && WEXITSTATUS(status_) == recorder_not_found) {
        return fmt::format(
            "there is no sanscope-recorder on {}: install sanscope there, or say with --remote-recorder "
            "where it is",
            host_);
    }
    if (WIFEXITED(status_) && !line.empty()) return fmt::format("{}: {}", host_, line);
    return fmt::format("{}: ssh {}{}", host_, how_process_ended(status_), line.empty() ? "" : ": " + line);
}

}  // namespace sanscope
