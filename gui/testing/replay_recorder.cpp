// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stands in for sanscope-recorder where a test may not, or need not, record from interfaces: sends the same events and writes
// a capture that there is already, bit by bit, as if its packets came in just now. The interface `flapping` goes down at a
// third of it and comes back at two thirds. What is written is mostly ahead of what is reported as readable, and ends within a
// packet, as a recorder's file does at any moment but the last. A pcapng can be asked for as a stream, too, as if by another host.
//
//     REPLAY_CAPTURE   what is written: plain or compressed, little-endian
//     REPLAY_SECONDS   in how much time
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "captures/recorder/block_compression.h"
#include "captures/recorder/file_events.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/ingest/decompressor.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<uint8_t> bytes_of(const char* path) {
    auto input = open_input(path);
    if (!input) return {};
    auto stored = std::make_unique<FileSource>(std::move(input->descriptor));
    std::vector<uint8_t> begin(compression_magic_length);
    begin.resize(stored->read(begin));
    const Compression compression = detect_compression(begin).compression;
    if (compression == Compression::none) {
        std::array<uint8_t, 1 << 16> room;
        while (const size_t came = stored->read(room))
            begin.insert(begin.end(), room.begin(), room.begin() + came);
        return begin;
    }
    const auto plain = make_decompressor(compression, std::move(stored), std::move(begin));
    std::vector<uint8_t> all;
    std::array<uint8_t, 1 << 16> room;
    while (const size_t came = plain->read(room)) all.insert(all.end(), room.begin(), room.begin() + came);
    return all;
}

uint32_t number_at(const std::vector<uint8_t>& bytes, size_t at) {
    uint32_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

// Where the capture may end: behind its header and each packet or block.
std::vector<size_t> ends_of(const std::vector<uint8_t>& bytes) {
    constexpr uint32_t pcapng = 0x0a0d0d0a;
    constexpr size_t pcap_header = 24;
    constexpr size_t record_header = 16;
    const bool blocks = bytes.size() >= 4 && number_at(bytes, 0) == pcapng;
    std::vector<size_t> ends;
    size_t at = blocks ? 0 : pcap_header;
    if (!blocks && at <= bytes.size()) ends.push_back(at);
    while (at + record_header <= bytes.size()) {
        at += blocks ? number_at(bytes, at + 4) : record_header + number_at(bytes, at + 8);
        if (at <= bytes.size()) ends.push_back(at);
    }
    return ends;
}

class Replay {
  public:
    explicit Replay(const v1::RecordingRequest& request)
        : request_(request), bytes_(bytes_of(std::getenv("REPLAY_CAPTURE"))), ends_(ends_of(bytes_)) {}

    int run() {
        if (ends_.empty()) return fail(v1::RecordingTrouble::OTHER, "there is nothing to replay");
        if (!request_.streamed()) {
            file_ = FileDescriptor(
                ::open(request_.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
            if (file_.get() < 0)
                return fail(v1::RecordingTrouble::OUTPUT, request_.path() + " cannot be written");
            write_to(ends_.front());
            report_progress();  // of a file that is announced next, as happens to a recorder of several threads
        }
        report(file_begun_event(request_.path(), 1));
        v1::RecordingEvent event;
        event.mutable_started()->set_keep(request_.keep());
        for (const std::string& name : request_.interfaces())
            event.mutable_started()->add_interfaces()->set_name(name);
        report(event);
        replay();
        if (!request_.streamed() && ::ftruncate(file_.get(), static_cast<off_t>(readable())) != 0) return 1;
        report(file_ended_event(request_.path(), packets_, readable()));
        event.Clear();
        event.mutable_ended()->set_why(why_);
        *event.mutable_ended()->mutable_totals() = totals();
        report(event);
        return 0;
    }

  private:
    // Until someone says so, nobody is there to say it, or all is written and the request has a limit, whichever it is.
    void replay() {
        constexpr int step_ms = 10;
        const char* const seconds = std::getenv("REPLAY_SECONDS");
        const double all = seconds == nullptr ? 1 : std::atof(seconds);
        const auto began = Clock::now();
        pollfd input{STDIN_FILENO, POLLIN, 0};
        do {
            const double part =
                std::min(1.0, std::chrono::duration<double>(Clock::now() - began).count() / all);
            write_to(std::max(ends_.front(), static_cast<size_t>(static_cast<double>(bytes_.size()) * part)));
            flap(part);
            report_progress();
            if (part >= 1 && request_.has_stop_after()) {
                why_ = v1::RecordingEnded::LIMIT_REACHED;
                return;
            }
        } while (::poll(&input, 1, step_ms) == 0);
    }

    void report_progress() const {
        v1::RecordingEvent event;
        *event.mutable_progress()->mutable_totals() = totals();
        event.mutable_progress()->set_readable_bytes(readable());
        report(event);
    }

    void write_to(size_t end) {
        if (request_.streamed()) return stream_to(end);
        while (written_ < end) {
            const ssize_t wrote = ::write(file_.get(), bytes_.data() + written_, end - written_);
            if (wrote <= 0) break;
            written_ += static_cast<size_t>(wrote);
        }
        while (packets_ + 1 < ends_.size() && ends_[packets_ + 1] <= written_) ++packets_;
    }
    // Whole blocks only.
    void stream_to(size_t end) {
        const auto behind = std::ranges::upper_bound(ends_, end);
        const size_t whole = behind == ends_.begin() ? 0 : *(behind - 1);
        if (whole <= written_) return;
        v1::RecordingEvent event;
        event.mutable_blocks()->set_zstd(
            compressor_.compress(std::span(bytes_).subspan(written_, whole - written_)));
        report(event);
        written_ = whole;
        packets_ = static_cast<size_t>(behind - ends_.begin()) - 1;
    }
    size_t readable() const { return ends_[packets_]; }

    void flap(double part) {
        if (request_.interfaces(0) != "flapping") return;
        const Clock::time_point now = Clock::now();
        const bool goes_down = !went_down_ && part > 1.0 / 3;
        // It stays down for long enough to be read, also where this process was kept from running.
        const bool comes_back = down_ && part >= 2.0 / 3 && now - *went_down_ >= least_down;
        if (!goes_down && !comes_back) return;
        if (goes_down) went_down_ = now;
        const bool down = goes_down;
        down_ = down;
        v1::RecordingEvent event;
        event.mutable_trouble()->set_kind(down ? v1::RecordingTrouble::INTERFACE_DOWN
                                               : v1::RecordingTrouble::INTERFACE_UP);
        event.mutable_trouble()->set_message(down ? "flapping is down; it is waited for"
                                                  : "flapping is up again");
        report(event);
    }

    v1::RecordingTotals totals() const {
        v1::RecordingTotals totals;
        totals.add_interfaces()->set_received(packets_);
        totals.set_packets(packets_);
        totals.set_bytes(readable());
        totals.set_files(1);
        return totals;
    }

    static int fail(v1::RecordingTrouble::Kind kind, const std::string& why) {
        v1::RecordingEvent event;
        event.mutable_trouble()->set_kind(kind);
        event.mutable_trouble()->set_message(why);
        event.mutable_trouble()->set_fatal(true);
        report(event);
        event.Clear();
        event.mutable_ended()->set_why(v1::RecordingEnded::NOT_BEGUN);
        report(event);
        return 1;
    }

  public:
    static void report(const v1::RecordingEvent& event) {
        std::vector<uint8_t> message;
        append_message(event, message);
        for (size_t at = 0; at < message.size();) {
            const ssize_t wrote = ::write(STDOUT_FILENO, message.data() + at, message.size() - at);
            if (wrote <= 0) return;
            at += static_cast<size_t>(wrote);
        }
    }

  private:
    v1::RecordingRequest request_;
    std::vector<uint8_t> bytes_;
    std::vector<size_t> ends_;
    FileDescriptor file_;
    BlockCompressor compressor_;
    size_t written_ = 0;
    size_t packets_ = 0;  // or blocks, all of them readable
    static constexpr std::chrono::milliseconds least_down{900};
    std::optional<Clock::time_point> went_down_;
    bool down_ = false;
    v1::RecordingEnded::Why why_ = v1::RecordingEnded::STOPPED;
};

int run() {
    std::signal(SIGPIPE, SIG_IGN);
    MessageDecoder decoder;
    v1::RecorderCommand command;
    while (decoder.next(command) != MessageDecoder::Outcome::message) {
        std::array<uint8_t, 4096> room;
        const ssize_t came = ::read(STDIN_FILENO, room.data(), room.size());
        if (came <= 0) return 1;
        decoder.add(std::span(room).first(static_cast<size_t>(came)));
    }
    v1::RecordingEvent event;
    const char* const says = std::getenv("REPLAY_SAYS");  // in whatever is a text
    if (command.has_list_interfaces()) {
        for (const char* const name : {"replay", "flapping"}) {
            auto* const interface = event.mutable_interfaces()->add_interfaces();
            interface->set_name(name);
            interface->set_up(true);
            if (says != nullptr) {
                interface->set_name(name + std::string(says));
                interface->set_description(says);
                interface->add_addresses(says);
            }
        }
        Replay::report(event);
    } else if (command.has_check_filter()) {
        const bool valid = command.check_filter().filter().find("prot") == std::string::npos;
        event.mutable_filter_check()->set_valid(valid);
        if (!valid) {
            event.mutable_filter_check()->set_message(says != nullptr ? says
                                                                      : "syntax error in filter expression");
        }
        Replay::report(event);
    } else if (command.has_record()) {
        return Replay(command.record()).run();
    }
    return 0;
}

}  // namespace
}  // namespace sanscope

int main() {
    try {
        return sanscope::run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "replay_recorder: %s\n", error.what());
        return 1;
    }
}
