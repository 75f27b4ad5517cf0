// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/dissect_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dissectors/dissection_protocol.h"

#include "analyzer/base/helper_process.h"

namespace sanscope {
namespace {

using Clock = std::chrono::steady_clock;

// What is taken in at a time, so that one who writes without end does not keep others waiting, nor a deadline from
// being seen.
constexpr size_t most_at_once = size_t{1} << 20;
// Answered and not yet taken: some of the longest messages.
constexpr size_t most_waiting = size_t{192} << 20;
constexpr size_t most_said = 4096;

}  // namespace

DissectClient::~DissectClient() {
    if (process_ == 0) return;
    // It ends by itself when it sees the end of its requests, but that may be after a long one.
    requests_ = FileDescriptor();
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
}

std::string DissectClient::find_program() {
    return find_helper_program("sanscope-dissectd", "SANSCOPE_DISSECTD");
}

Result<uint64_t> DissectClient::run() {
    if (process_ != 0) return runs_;
    return start();
}

Result<uint64_t> DissectClient::start() {
    const std::string program = options_.program.empty() ? find_program() : options_.program;
    auto started = start_helper(program, options_.arguments);
    if (!started) return started.error();
    process_ = started->process;
    requests_ = std::move(started->input);
    responses_ = std::move(started->output);
    errors_ = std::move(started->errors);
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
    if (const std::string& lacks = hello.hello().not_kept_from();
        !lacks.empty() && runs_ == 1 && options_.notice) {
        options_.notice(
            fmt::format("sanscope-dissectd, which dissects the packets, cannot be kept from {}: look at "
                        "captures of people you trust",
                        lacks));
    }
    return runs_;
}

Error DissectClient::helper_is_gone() const {
    return Error{fmt::format("sanscope-dissectd, which holds Wireshark's dissectors, {}", last_end_)};
}

bool DissectClient::send(v1::DissectRequest& request) {
    // A new one would not know what had been sent to the one that died.
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
    if (!take_responses()) {
        end("");
        return false;
    }
    if (decoder_.left() <= most_waiting) return true;
    end("answers more than was asked");
    return false;
}

// What has come so far, but not without end; false at the end of all that comes.
bool DissectClient::take_responses() {
    std::array<uint8_t, 1 << 16> room;
    for (size_t taken = 0; taken < most_at_once;) {
        const ssize_t came = ::read(responses_.get(), room.data(), room.size());
        if (came > 0) {
            decoder_.add(std::span(room).first(static_cast<size_t>(came)));
            taken += static_cast<size_t>(came);
        } else if (came == 0 || errno != EINTR) {
            return came < 0 && errno == EAGAIN;
        }
    }
    return true;
}

void DissectClient::drain_errors() {
    std::array<char, 4096> room;
    ssize_t came = 1;
    for (size_t taken = 0; came > 0 && taken < most_at_once; taken += room.size()) {
        came = ::read(errors_.get(), room.data(), room.size());
        if (came > 0) errors_text_.append(room.data(), static_cast<size_t>(came));
        if (errors_text_.size() > most_said) errors_text_.erase(0, errors_text_.size() - most_said);
    }
    if (came == 0) errors_ = FileDescriptor();
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
    last_end_ = how.empty() ? how_process_ended(status) : std::string(how);
    const std::string said = last_line_of(errors_text_);
    if (!said.empty()) last_end_ += ": " + said;
    responses_ = FileDescriptor();
    errors_ = FileDescriptor();
    const bool started = next_id_ > 1;  // else whoever starts it reports it
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
