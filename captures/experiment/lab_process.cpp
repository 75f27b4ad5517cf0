// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/lab_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace sanscope::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int look_again_ms = 20;
constexpr size_t most_output = 16 << 20;

// Takes what is there; false once the other side has closed.
bool drain(FileDescriptor& from, std::string& into) {
    std::array<char, 65536> buffer;
    while (true) {
        const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
        if (got == 0) return false;
        if (got < 0) return errno == EAGAIN || errno == EINTR;
        if (into.size() < most_output) into.append(buffer.data(), static_cast<size_t>(got));
    }
}

}  // namespace

LabProcess::LabProcess(std::string name, HelperProcess process)
    : name_(std::move(name)), process_(std::move(process)) {}

LabProcess::LabProcess(LabProcess&& other) noexcept
    : name_(std::move(other.name_)),
      process_(std::move(other.process_)),
      ended_(std::exchange(other.ended_, true)),
      status_(other.status_),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)) {}

LabProcess::~LabProcess() {
    end();
}

Result<LabProcess> LabProcess::start(const std::string& host, const std::string& program,
                                     std::vector<std::string> arguments) {
    // Whatever becomes of this process, what it started ends with it. Each of these replaces itself by the next.
    std::vector<std::string> all{"--pdeathsig", "KILL", "--"};
    if (!host.empty()) all.insert(all.end(), {"ip", "netns", "exec", host});
    all.push_back(program);
    std::move(arguments.begin(), arguments.end(), std::back_inserter(all));
    auto process = start_helper("setpriv", all);
    if (!process) return process.error();
    process->input = FileDescriptor();
    return LabProcess(program.substr(program.rfind('/') + 1), std::move(*process));
}

bool LabProcess::read_some(int timeout_ms) {
    std::array<pollfd, 2> descriptors{
        {{process_.output.get(), POLLIN, 0}, {process_.errors.get(), POLLIN, 0}}};
    ::poll(descriptors.data(), descriptors.size(), timeout_ms);
    const bool output_open = drain(process_.output, output_);
    const bool errors_open = drain(process_.errors, errors_);
    return output_open && errors_open;
}

bool LabProcess::has_ended(bool block) {
    if (ended_) return true;
    pid_t waited = 0;
    do {
        waited = ::waitpid(process_.process, &status_, block ? 0 : WNOHANG);
    } while (waited < 0 && errno == EINTR);
    ended_ = waited != 0;
    // Its last words are still in the pipes.
    if (ended_) read_some(0);
    return ended_;
}

Error LabProcess::failure() const {
    const std::string said = last_line_of(errors_.empty() ? output_ : errors_);
    return Error{fmt::format("{} {}{}{}", name_, how_process_ended(status_), said.empty() ? "" : ": ", said)};
}

Result<std::monostate> LabProcess::wait(double seconds, const std::atomic<bool>& stop,
                                        std::string_view wanted) {
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
        const bool ended = has_ended(false);
        const bool open = read_some(ended ? 0 : look_again_ms);
        if (!wanted.empty() &&
            (output_.find(wanted) != std::string::npos || errors_.find(wanted) != std::string::npos))
            return std::monostate{};
        if (ended) {
            if (status_ == 0 && wanted.empty()) return std::monostate{};
            return failure();
        }
        if (!open) ::usleep(1000);
        if (stop) return Error{"interrupted"};
        if (Clock::now() >= until) {
            end(SIGKILL);
            return Error{fmt::format("{} took longer than {:.0f} s", name_, seconds)};
        }
    }
}

Result<std::monostate> LabProcess::still_runs(double seconds, const std::atomic<bool>& stop) {
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < until) {
        if (has_ended(false)) return failure();
        if (stop) return Error{"interrupted"};
        if (!read_some(look_again_ms)) ::usleep(1000);
    }
    return std::monostate{};
}

Result<bool> LabProcess::ends_within(double seconds, const std::atomic<bool>& stop) {
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    while (!has_ended(false)) {
        if (stop) return Error{"interrupted"};
        if (Clock::now() >= until) return false;
        if (!read_some(look_again_ms)) ::usleep(1000);
    }
    return true;
}

std::optional<double> LabProcess::processor_seconds() const {
    if (ended_) return std::nullopt;
    std::ifstream file(fmt::format("/proc/{}/stat", process_.process));
    std::string stat;
    std::getline(file, stat);
    return processor_seconds_in(stat, ::sysconf(_SC_CLK_TCK));
}

std::optional<double> processor_seconds_in(std::string_view stat, long ticks_per_second) {
    // The second field is the program's name in brackets, and may hold any character.
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string_view::npos || ticks_per_second <= 0) return std::nullopt;
    std::istringstream fields{std::string(stat.substr(name_end + 1))};
    constexpr int fields_before = 11;  // from the third one, the state, to the one before utime
    std::string passed_over;
    for (int i = 0; i < fields_before; ++i) fields >> passed_over;
    uint64_t user = 0;
    uint64_t system = 0;
    if (!(fields >> user >> system)) return std::nullopt;
    return static_cast<double>(user + system) / static_cast<double>(ticks_per_second);
}

void LabProcess::end(int signal, std::chrono::seconds patience) {
    if (ended_) return;
    ::kill(process_.process, signal);
    const auto until = Clock::now() + patience;
    while (!has_ended(false) && Clock::now() < until) {
        if (!read_some(look_again_ms)) ::usleep(1000);
    }
    if (!ended_) {
        ::kill(process_.process, SIGKILL);
        has_ended(true);
    }
}

std::optional<int> LabProcess::exit_status() const {
    return ended_ && WIFEXITED(status_) ? std::optional(WEXITSTATUS(status_)) : std::nullopt;
}

Result<std::string> run_program(const std::string& host, const std::string& program,
                                std::vector<std::string> arguments, double seconds,
                                const std::atomic<bool>& stop) {
    auto process = LabProcess::start(host, program, std::move(arguments));
    if (!process) return process.error();
    const auto ended = process->wait(seconds, stop);
    if (!ended) return ended.error();
    return process->output();
}

}  // namespace sanscope::lab
