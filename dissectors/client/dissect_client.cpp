// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/dissect_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sanscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int pipe_room = 1 << 20;

struct Pipe {
    FileDescriptor read_end;
    FileDescriptor write_end;
};

bool make_pipe(Pipe& made) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    made = {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    ::fcntl(ends[1], F_SETPIPE_SZ, pipe_room);  // less is only slower
    return true;
}

void unblock(const FileDescriptor& descriptor) {
    ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) {
        return fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    }
    return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// Of what was printed, the last line that says something.
std::string last_line(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.remove_suffix(1);
    const size_t begin = text.find_last_of('\n');
    return std::string(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

}  // namespace

DissectClient::~DissectClient() {
    if (process_ == 0) return;
    // It ends by itself when it sees the end of its requests, but that may be after a long one.
    requests_ = FileDescriptor();
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
}

std::string DissectClient::find_program() {
    if (const char* const told = std::getenv("SANSCOPE_DISSECTD"); told != nullptr && *told != '\0')
        return told;
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto beside = self.parent_path() / "sanscope-dissectd";
    return !error && std::filesystem::exists(beside, error) ? beside.string() : "sanscope-dissectd";
}

Result<uint64_t> DissectClient::run() {
    if (process_ != 0) return runs_;
    return start();
}

Result<uint64_t> DissectClient::start() {
    Pipe requests;
    Pipe responses;
    Pipe errors;
    if (!make_pipe(requests) || !make_pipe(responses) || !make_pipe(errors))
        return Error{fmt::format("no pipe to sanscope-dissectd: {}", std::strerror(errno))};
    std::signal(SIGPIPE, SIG_IGN);

    const std::string program = options_.program.empty() ? find_program() : options_.program;
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};
    for (const std::string& argument : options_.arguments)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, requests.read_end.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, responses.write_end.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.write_end.get(), STDERR_FILENO);
    const int failed =
        ::posix_spawnp(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        process_ = 0;
        return Error{fmt::format("{} cannot be started: {}", program, std::strerror(failed))};
    }
    // The helper's own ends: as long as they were open here, its end would not show.
    requests.read_end = FileDescriptor();
    responses.write_end = FileDescriptor();
    errors.write_end = FileDescriptor();
    requests_ = std::move(requests.write_end);
    responses_ = std::move(responses.read_end);
    errors_ = std::move(errors.read_end);
    unblock(requests_);
    unblock(responses_);
    unblock(errors_);
    errors_text_.clear();
    decoder_ = {};
    next_id_ = next_response_ = 1;
    open_requests_ = 0;
    ++runs_;

    v1::DissectResponse hello;
    const auto deadline = Clock::now() + options_.patience;
    MessageDecoder::Outcome outcome;
    while ((outcome = decoder_.next(hello)) == MessageDecoder::Outcome::incomplete) {
        if (!fill(deadline, false)) return helper_is_gone();
    }
    if (outcome == MessageDecoder::Outcome::garbage || !hello.has_hello() ||
        hello.hello().protocol() != dissection_protocol) {
        end("");
        return Error{fmt::format("{} is not the helper of this version of sanscope", program)};
    }
    wireshark_version_ = hello.hello().wireshark_version();
    return runs_;
}

Error DissectClient::helper_is_gone() const {
    return Error{fmt::format("sanscope-dissectd, which holds Wireshark's dissectors, {}", last_end_)};
}

bool DissectClient::send(v1::DissectRequest& request) {
    // A new one would not know what the one that has died was told.
    if (process_ == 0) return false;
    request.set_id(next_id_++);
    bytes_.clear();
    append_message(request, bytes_);
    const auto deadline = Clock::now() + options_.patience;
    std::span<const uint8_t> left = bytes_;
    while (!left.empty()) {
        const ssize_t written = ::write(requests_.get(), left.data(), left.size());
        if (written > 0) {
            left = left.subspan(static_cast<size_t>(written));
        } else if (written < 0 && errno == EAGAIN) {
            if (!fill(deadline, true)) return false;  // it may wait for its responses to be taken
        } else if (written < 0 && errno != EINTR) {
            end("");
            return false;
        }
    }
    ++open_requests_;
    return true;
}

std::optional<v1::DissectResponse> DissectClient::receive() {
    v1::DissectResponse response;
    const auto deadline = Clock::now() + options_.patience;
    while (open_requests_ > 0) {
        const MessageDecoder::Outcome outcome = decoder_.next(response);
        if (outcome == MessageDecoder::Outcome::message && response.id() == next_response_) {
            ++next_response_;
            --open_requests_;
            return response;
        }
        // What it answered before it died still counts.
        if (outcome != MessageDecoder::Outcome::incomplete) {
            end("answered what was not asked");
            open_requests_ = 0;
        } else if (process_ == 0) {
            open_requests_ = 0;
        } else {
            fill(deadline, false);
        }
    }
    return std::nullopt;
}

// Takes in what has come, or waits for something to come or for room to write. False when the helper is no more.
bool DissectClient::fill(Clock::time_point deadline, bool writing) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
        end(fmt::format("did not answer within {} s", options_.patience.count() / 1000));
        return false;
    }
    std::array<pollfd, 3> watched{{{responses_.get(), POLLIN, 0},
                                   {errors_.get(), POLLIN, 0},
                                   {writing ? requests_.get() : -1, POLLOUT, 0}}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(std::min<int64_t>(left, 1000))) < 0)
        return errno == EINTR;
    if (watched[1].revents != 0) drain_errors();
    if (watched[0].revents == 0) return true;
    if (take_responses()) return true;
    end("");
    return false;
}

// What has come so far; false at the end of all that comes.
bool DissectClient::take_responses() {
    std::array<uint8_t, 1 << 16> room;
    for (;;) {
        const ssize_t came = ::read(responses_.get(), room.data(), room.size());
        if (came > 0) {
            decoder_.add(std::span(room).first(static_cast<size_t>(came)));
        } else if (came == 0 || errno != EINTR) {
            return came < 0 && errno == EAGAIN;
        }
    }
}

void DissectClient::drain_errors() {
    constexpr size_t kept = 4096;
    std::array<char, 4096> room;
    ssize_t came;
    while ((came = ::read(errors_.get(), room.data(), room.size())) > 0)
        errors_text_.append(room.data(), static_cast<size_t>(came));
    if (came == 0) errors_ = FileDescriptor();
    if (errors_text_.size() > kept) errors_text_.erase(0, errors_text_.size() - kept);
}

// Ends the helper if it has not ended by itself. `how` says why it had to be; empty: it ended by itself.
void DissectClient::end(std::string_view how) {
    if (process_ == 0) return;
    requests_ = FileDescriptor();
    int status = 0;
    pid_t gone = 0;
    // Its pipes are closed: it ends now or never.
    for (int i = 0; how.empty() && i < 100 && (gone = ::waitpid(process_, &status, WNOHANG)) == 0; ++i)
        ::usleep(2000);
    if (gone != process_) {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, &status, 0);
    }
    take_responses();
    drain_errors();
    process_ = 0;
    last_end_ = how.empty() ? how_it_ended(status) : std::string(how);
    const std::string said = last_line(errors_text_);
    if (!said.empty()) last_end_ += ": " + said;
    responses_ = FileDescriptor();
    errors_ = FileDescriptor();
    const bool started = next_id_ > 1;  // else whoever starts it tells
    if (options_.notice && started) {
        options_.notice(helper_is_gone().message + "; it is started again");
    }
}

Result<v1::DissectResponse> DissectClient::ask(v1::DissectRequest& request) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (const auto running = run(); !running) return running.error();
        if (!send(request)) continue;
        auto response = receive();
        if (!response) continue;
        if (response->has_error()) return Error{response->error().message()};
        return std::move(*response);
    }
    return helper_is_gone();
}

}  // namespace sanscope
